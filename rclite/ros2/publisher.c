/* Publishers of topics. */
#include <string.h>

#include "ros2/graph.h"

rclite_result ros2_publisher_init(rclite_publisher *base, rclite_error *reterr) {
    ros2_publisher *publisher = (ros2_publisher *)base;
    ros2_context *context = ros2_context_of(base->node);
    rclite_result result =
        rclitei_codec_create(base->type, RCLITE_ROS2, &context->base.allocator, &publisher->codec);
    if (result != RCLITE_OK) {
        return rclitei_fail(reterr, result, 0, "publisher of %s: type %s: %s", base->topic,
            base->type->name, rclite_result_string(result));
    }
    ros2_events_init(
        &publisher->events, &context->base, base->options.event, base->options.event_user);
    dds_listener_t *listener = ros2_events_writer_listener(&publisher->events);
    const ros2_endpoint_options options = {.prefix = "rt",
        .name = base->topic,
        .suffix = "",
        .type = base->type,
        .qos = &base->options.qos,
        .identity = "",
        .listener = listener,
        .owner = &publisher->events};
    result = listener ? ros2_writer_init(&publisher->writer, context, &options, reterr)
                      : rclitei_fail(reterr, RCLITE_ERR_NO_MEMORY, 0, "no memory");
    dds_delete_listener(listener);
    if (result == RCLITE_OK) {
        result = ros2_graph_add(base->node, NULL, &publisher->writer.guid, reterr);
    }
    if (result != RCLITE_OK) {
        ros2_publisher_done(base);
    }
    return result;
}

void ros2_publisher_done(rclite_publisher *base) {
    ros2_publisher *publisher = (ros2_publisher *)base;
    if (publisher->writer.lock_ready) {
        ros2_graph_remove(base->node, NULL, &publisher->writer.guid);
    }
    ros2_writer_done(&publisher->writer);
    ros2_events_done(&publisher->events);
    publisher->codec = rclitei_codec_free(publisher->codec);
}

rclite_result ros2_publisher_publish(rclite_publisher *base, const void *message) {
    ros2_publisher *publisher = (ros2_publisher *)base;
    return ros2_writer_send_message(&publisher->writer, publisher->codec, NULL, 0, message);
}

rclite_result ros2_publisher_publish_serialized(
    rclite_publisher *base, const uint8_t *bytes, size_t size_bytes) {
    ros2_publisher *publisher = (ros2_publisher *)base;
    if (size_bytes < ROS2_ENCAPSULATION_BYTES || bytes[0] != 0 || bytes[1] > 1) {
        return RCLITE_ERR_MALFORMED;
    }
    ros2_serdata *serdata = ros2_serdata_create(publisher->writer.type, size_bytes);
    if (!serdata) {
        return RCLITE_ERR_NO_MEMORY;
    }
    memcpy(serdata->bytes, bytes, size_bytes);
    return ros2_writer_send(&publisher->writer, serdata);
}

uint32_t ros2_publisher_matched(const rclite_publisher *base) {
    return atomic_load(&((const ros2_publisher *)base)->events.matched);
}

rclite_result ros2_publisher_wait_sent(rclite_publisher *base, int64_t timeout_ns) {
    return ros2_writer_wait_sent(&((ros2_publisher *)base)->writer, timeout_ns);
}
