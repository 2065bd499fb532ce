/* The context: a participant in a domain, with the pool and the sender thread of everything in it.
 */
#include <dds/version.h>
#include <string.h>

#include "core/memory.h"
#include "core/names.h"
#include "ros2/domain.h"
#include "ros2/graph.h"
#include "ros2/heap.h"

/* How long Cyclone's collector may take to give back the last samples of deleted endpoints. */
#define POOL_DRAIN_NS INT64_C(5000000000)

static rclite_result create_participant(ros2_context *context, rclite_error *reterr) {
    const rclite_allocator *allocator = &context->base.allocator;
    dds_qos_t *qos = dds_create_qos();
    char *user_data = rclitei_format(allocator, "enclave=%s;", context->base.names->enclave);
    if (!qos || !user_data) {
        dds_delete_qos(qos);
        rclitei_release(allocator, user_data);
        return rclitei_fail(reterr, RCLITE_ERR_NO_MEMORY, 0, "no memory for the participant");
    }
    dds_qset_userdata(qos, user_data, strlen(user_data));
    const dds_entity_t participant = dds_create_participant(context->domain_id, qos, NULL);
    dds_delete_qos(qos);
    rclitei_release(allocator, user_data);
    if (participant < 0) {
        return rclitei_fail(reterr, RCLITE_ERR_TRANSPORT, participant,
            "Cyclone DDS refused a participant in domain %u: %s; its configuration is %.120s",
            context->domain_id, dds_strretcode(participant), context->xml);
    }
    context->participant = participant;
    dds_get_guid(participant, &context->guid);
    return RCLITE_OK;
}

/* The names or addresses in the configuration's NetworkInterface elements, for the description. */
static void add_interfaces(ros2_text *json, const char *xml) {
    bool first = true;
    const char *at = xml;
    while ((at = strstr(at, "<NetworkInterface")) != NULL) {
        const char *end = strchr(at, '>');
        const char *value = strstr(at, "name=\"");
        if (!value || (end && value > end)) {
            value = strstr(at, "address=\"");
        }
        if (value && (!end || value < end)) {
            value = strchr(value, '"') + 1;
            const size_t size = strcspn(value, "\"");
            char name[64];
            const size_t kept = size < sizeof name ? size : sizeof name - 1;
            memcpy(name, value, kept);
            name[kept] = '\0';
            ros2_text_add(json, "%s", first ? "" : ",");
            ros2_text_add_json(json, name);
            first = false;
        }
        at++;
    }
    if (first) {
        ros2_text_add(json, "\"(chosen by Cyclone DDS)\"");
    }
}

static rclite_result describe(ros2_context *context, rclite_error *reterr) {
    ros2_text json = {.allocator = &context->base.allocator};
    ros2_text_add(&json, "{\"generation\":2,\"domain\":%u,\"interfaces\":[", context->domain_id);
    add_interfaces(&json, context->xml);
    ros2_text_add(&json, "],\"configuration\":");
    ros2_text_add_json(&json, context->xml);
    ros2_text_add(&json, ",\"library\":\"Cyclone DDS\",\"version\":\"%s\"}", DDS_VERSION);
    if (json.failed) {
        ros2_text_done(&json);
        return rclitei_fail(reterr, RCLITE_ERR_NO_MEMORY, 0, "no memory for the description");
    }
    context->base.describe = json.data;
    return RCLITE_OK;
}

static rclite_result open_domain(
    ros2_context *context, const rclite_context_options *options, rclite_error *reterr) {
    rclite_result result = ros2_domain_id(options->domain_id, &context->domain_id, reterr);
    if (result == RCLITE_OK) {
        result = ros2_domain_config(
            &context->base.allocator, options->dds_config, &context->xml, reterr);
    }
    bool differs = false;
    if (result == RCLITE_OK) {
        result = ros2_domain_open(context->domain_id, context->xml, &differs, reterr);
    }
    context->domain_open = result == RCLITE_OK;
    if (differs) {
        rclitei_context_log(&context->base, RCLITE_LOG_WARN,
            "domain %u exists in this process with another configuration, which stays in force",
            context->domain_id);
    }
    return result;
}

rclite_result ros2_context_init(
    rclite_context *base, const rclite_context_options *options, rclite_error *reterr) {
    ros2_context *context = (ros2_context *)base;
    ros2_heap_keep_receive_buffers();
    rclite_result result = open_domain(context, options, reterr);
    if (result != RCLITE_OK) {
        goto fail;
    }
    context->pool = ros2_pool_create(&base->allocator);
    if (!context->pool) {
        result = rclitei_fail(reterr, RCLITE_ERR_NO_MEMORY, 0, "no memory for the buffers");
        goto fail;
    }
    const int error = ros2_sender_start(&context->sender);
    if (error != 0) {
        result = rclitei_fail(
            reterr, RCLITE_ERR_SYSTEM, error, "no thread for sending: %s", strerror(error));
        goto fail;
    }
    result = create_participant(context, reterr);
    if (result == RCLITE_OK) {
        result = ros2_graph_create(context, reterr);
    }
    if (result == RCLITE_OK) {
        result = describe(context, reterr);
    }
fail:
    if (result != RCLITE_OK) {
        ros2_context_done(base);
    }
    return result;
}

void ros2_context_done(rclite_context *base) {
    ros2_context *context = (ros2_context *)base;
    if (context->participant > 0) {
        ros2_graph_free(context);
        dds_delete(context->participant);
        context->participant = 0;
    }
    ros2_sender_stop(&context->sender);
    if (context->domain_open) {
        ros2_domain_close(context->domain_id);
        context->domain_open = false;
    }
    if (!ros2_pool_free(context->pool, POOL_DRAIN_NS)) {
        rclitei_context_log(base, RCLITE_LOG_ERROR,
            "Cyclone DDS still holds samples of this context; their memory is left to it");
    }
    context->pool = NULL;
    context->xml = rclitei_release(&base->allocator, context->xml);
}
