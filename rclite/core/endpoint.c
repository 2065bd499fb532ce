/* Common parts of endpoint creation. */
#include "core/endpoint.h"

#include <assert.h>

#include "core/memory.h"

static rclite_result check_size(
    size_t size, size_t expected, const char *what, rclite_error *reterr) {
    if (size != expected) {
        return rclitei_fail(reterr, RCLITE_ERR_INVALID, 0,
            "options.size is not that of this library: use RCLITE_%s_OPTIONS_INIT", what);
    }
    return RCLITE_OK;
}

static rclite_result check_qos(const rclite_qos *qos, rclite_error *reterr) {
    const char *wrong = NULL;
    if ((unsigned)qos->reliability >= RCLITE_QOS_RELIABILITY_COUNT) {
        wrong = "reliability";
    } else if ((unsigned)qos->durability >= RCLITE_QOS_DURABILITY_COUNT) {
        wrong = "durability";
    } else if ((unsigned)qos->history >= RCLITE_QOS_HISTORY_COUNT) {
        wrong = "history";
    } else if ((unsigned)qos->liveliness >= RCLITE_QOS_LIVELINESS_COUNT) {
        wrong = "liveliness";
    } else if (qos->history == RCLITE_QOS_KEEP_LAST && (qos->depth < 1 || qos->depth > INT32_MAX)) {
        wrong = "depth";
    } else if (qos->deadline_ns < 0) {
        wrong = "deadline_ns";
    } else if (qos->lifespan_ns < 0) {
        wrong = "lifespan_ns";
    } else if (qos->liveliness_lease_ns < 0) {
        wrong = "liveliness_lease_ns";
    }
    return wrong ? rclitei_fail(reterr, RCLITE_ERR_INVALID, 0, "qos.%s is out of its range", wrong)
                 : RCLITE_OK;
}

static rclite_result check_type(
    const rclite_node *node, const rclite_type *type, rclite_error *reterr) {
    bool known = node->context->generation == RCLITE_ROS1 ? type->ros1 != NULL : type->ros2 != NULL;
    return known ? RCLITE_OK
                 : rclitei_fail(reterr, RCLITE_ERR_TYPE, 0, "type %s does not exist in ROS %d",
                       type->name, (int)node->context->generation);
}

static rclite_result check_plan(const rclitei_endpoint_plan *plan, rclite_error *reterr) {
    rclite_result result =
        check_size(plan->options_size, plan->options_expected, plan->options_macro, reterr);
    if (result == RCLITE_OK && plan->qos) {
        result = check_qos(plan->qos, reterr);
    }
    for (size_t i = 0; i < 2 && plan->types[i] && result == RCLITE_OK; i++) {
        result = check_type(plan->node, plan->types[i], reterr);
    }
    return result;
}

rclite_result rclitei_endpoint_create(const rclitei_endpoint_plan *plan, void **ret_object,
    char **ret_full_name, rclite_error *reterr) {
    rclite_context *context = plan->node->context;
    rclite_result result = check_plan(plan, reterr);
    if (result != RCLITE_OK) {
        return result;
    }
    if (!plan->supported) {
        return rclitei_fail(reterr, RCLITE_ERR_UNSUPPORTED, 0, "backend '%s' has no %s",
            context->backend->name, plan->what);
    }
    if (atomic_load(&context->shutdown)) {
        return rclitei_fail(reterr, RCLITE_ERR_SHUTDOWN, 0,
            "%s '%.100s' cannot be created: the context is shut down", plan->what, plan->name);
    }
    char *full_name;
    result = rclitei_names_resolve(plan->node, plan->kind, plan->name, &full_name, reterr);
    if (result != RCLITE_OK) {
        return result;
    }
    void *object = rclitei_allocate(&context->allocator, plan->bytes);
    if (!object) {
        rclitei_release(&context->allocator, full_name);
        return rclitei_fail(
            reterr, RCLITE_ERR_NO_MEMORY, 0, "no memory for %s '%.100s'", plan->what, plan->name);
    }
    atomic_fetch_add(&plan->node->children, 1);
    *ret_object = object;
    *ret_full_name = full_name;
    return RCLITE_OK;
}

void *rclitei_endpoint_release(rclite_node *node, void *object, char *full_name) {
    rclitei_release(&node->context->allocator, full_name);
    rclitei_release(&node->context->allocator, object);
    unsigned before = atomic_fetch_sub(&node->children, 1);
    assert(before > 0);
    (void)before;
    return NULL;
}
