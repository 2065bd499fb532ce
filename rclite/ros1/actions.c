/* What action servers and clients of ROS 1 share; see actions.h. */
#include "ros1/actions.h"

#include "rclite/parameter.h"

double rclitei_ros1_action_parameter(rclite_node *node, const char *name, double fallback) {
    rclite_string full_name = {0};
    rclite_parameter value = {0};
    double number = fallback;
    if (rclite_parameter_search(node, name, &full_name, NULL) == RCLITE_OK &&
        rclite_parameter_get(node, full_name.data, &value, NULL) == RCLITE_OK) {
        if (value.kind == RCLITE_PARAMETER_DOUBLE) {
            number = value.real;
        } else if (value.kind == RCLITE_PARAMETER_INTEGER) {
            number = (double)value.integer;
        }
    }
    rclite_parameter_done(node, &value);
    rclitei_release(&node->context->allocator, full_name.data);
    return number;
}

rclite_qos rclitei_ros1_action_qos(rclite_node *node, const char *parameter, int fallback) {
    double size = rclitei_ros1_action_parameter(node, parameter, fallback);
    rclite_qos qos = rclite_qos_default();
    if (size >= 1 && size <= 1e9) {
        qos.depth = (uint32_t)size;
    } else {
        qos.history = RCLITE_QOS_KEEP_ALL;
    }
    return qos;
}

rclite_result rclitei_ros1_action_publisher(rclite_node *node, const char *action,
    const char *topic, const rclite_type *type, rclite_qos qos, rclite_publisher **ret_publisher,
    rclite_error *reterr) {
    char *name = rclitei_format(&node->context->allocator, "%s/%s", action, topic);
    if (!name) {
        return rclitei_fail(
            reterr, RCLITE_ERR_NO_MEMORY, 0, "action %.100s: out of memory", action);
    }
    rclite_publisher_options options = RCLITE_PUBLISHER_OPTIONS_INIT;
    options.qos = qos;
    rclite_result result =
        rclite_publisher_create(node, name, type, &options, ret_publisher, reterr);
    rclitei_release(&node->context->allocator, name);
    return result;
}

rclite_result rclitei_ros1_action_subscription(rclite_node *node, const char *action,
    const char *topic, const rclite_type *type, rclite_qos qos,
    rclite_subscription_callback callback, void *user, rclite_subscription **ret_subscription,
    rclite_error *reterr) {
    char *name = rclitei_format(&node->context->allocator, "%s/%s", action, topic);
    if (!name) {
        return rclitei_fail(
            reterr, RCLITE_ERR_NO_MEMORY, 0, "action %.100s: out of memory", action);
    }
    rclite_subscription_options options = RCLITE_SUBSCRIPTION_OPTIONS_INIT;
    options.qos = qos;
    rclite_result result = rclite_subscription_create(
        node, name, type, callback, user, &options, ret_subscription, reterr);
    rclitei_release(&node->context->allocator, name);
    return result;
}

void *rclitei_ros1_action_field(const rclite_type *wrapper, void *message, uint32_t index) {
    return (uint8_t *)message + wrapper->ros1->fields[index].offset_bytes;
}
