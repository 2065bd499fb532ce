/* Nodes and the public timers. */
#include "core/endpoint.h"
#include "core/executor.h"
#include "core/memory.h"

static void node_release(rclite_node *node) {
    rclite_context *context = node->context;
    rclitei_release(&context->allocator, node->name);
    rclitei_release(&context->allocator, node->name_space);
    rclitei_release(&context->allocator, node->full_name);
    rclitei_release(&context->allocator, node);
    atomic_fetch_sub(&context->children, 1);
}

rclite_result rclite_node_create(rclite_context *context, const char *name, const char *name_space,
    rclite_node **ret_node, rclite_error *reterr) {
    if (!context || !name || !name_space || !ret_node) {
        return rclitei_fail(
            reterr, RCLITE_ERR_INVALID, 0, "context, name, name_space or ret_node is NULL");
    }
    if (atomic_load(&context->shutdown)) {
        return rclitei_fail(reterr, RCLITE_ERR_SHUTDOWN, 0,
            "node '%.100s' cannot be created: the context is shut down", name);
    }
    rclite_node *node = rclitei_allocate(&context->allocator, sizeof *node);
    if (!node) {
        return rclitei_fail(reterr, RCLITE_ERR_NO_MEMORY, 0, "no memory for node '%.100s'", name);
    }
    node->context = context;
    atomic_fetch_add(&context->children, 1);
    rclite_result result = rclitei_names_node(context->names, name, name_space, node, reterr);
    if (result == RCLITE_OK) {
        result = context->backend->node_init(node, reterr);
    }
    if (result != RCLITE_OK) {
        node_release(node);
        return result;
    }
    *ret_node = node;
    return RCLITE_OK;
}

rclite_node *rclite_node_free(rclite_node *node) {
    if (!node || !rclitei_has_no_children(node->context, node->full_name, &node->children)) {
        return NULL;
    }
    node->context->backend->node_done(node);
    node_release(node);
    return NULL;
}

const char *rclite_node_name(const rclite_node *node) {
    return node->name;
}

const char *rclite_node_namespace(const rclite_node *node) {
    return node->name_space;
}

const char *rclite_node_full_name(const rclite_node *node) {
    return node->full_name;
}

/* ---- timers --------------------------------------------------------------------------------- */

struct rclite_timer {
    rclitei_timer base; /* first, so that its ready is this object */
    rclite_context *context;
    void (*callback)(void *user);
    void *user;
};

static bool timer_run(rclitei_ready *ready) {
    rclite_timer *timer = (rclite_timer *)ready;
    rclite_context *context = timer->context; /* the callback may free the timer */
    if (rclitei_callback_enter(context)) {
        timer->callback(timer->user);
        rclitei_callback_leave(context);
    }
    return false;
}

rclite_result rclite_timer_create(rclite_context *context, int64_t period_ns,
    void (*callback)(void *user), void *user, rclite_timer **ret_timer, rclite_error *reterr) {
    if (!context || !callback || !ret_timer) {
        return rclitei_fail(
            reterr, RCLITE_ERR_INVALID, 0, "context, callback or ret_timer is NULL");
    }
    if (period_ns <= 0) {
        return rclitei_fail(reterr, RCLITE_ERR_INVALID, 0, "period_ns is %lld; it must be positive",
            (long long)period_ns);
    }
    rclite_result result = rclitei_executor_start(context, reterr);
    if (result != RCLITE_OK) {
        return result;
    }
    rclite_timer *timer = rclitei_allocate(&context->allocator, sizeof *timer);
    if (!timer) {
        return rclitei_fail(reterr, RCLITE_ERR_NO_MEMORY, 0, "no memory for a timer");
    }
    atomic_fetch_add(&context->children, 1);
    timer->base.ready.run = timer_run;
    timer->context = context;
    timer->callback = callback;
    timer->user = user;
    *ret_timer = timer; /* before it is armed: the callback may want it */
    rclitei_timer_arm(context, &timer->base, rclitei_deadline(period_ns), period_ns);
    return RCLITE_OK;
}

rclite_timer *rclite_timer_free(rclite_timer *timer) {
    if (!timer) {
        return NULL;
    }
    rclite_context *context = timer->context;
    rclitei_timer_disarm(context, &timer->base);
    rclitei_release(&context->allocator, timer);
    atomic_fetch_sub(&context->children, 1);
    return NULL;
}
