/* Publisher, subscriber, and both for the echo, over std_msgs/UInt8MultiArray. */
#include <rosidl_runtime_c/primitives_sequence_functions.h>
#include <rosidl_runtime_c/string_functions.h>
#include <std_msgs/msg/multi_array_dimension.h>
#include <std_msgs/msg/u_int8_multi_array.h>
#include <stdio.h>
#include <stdlib.h>

#include "peer.h"

typedef struct topic_state {
    std_msgs__msg__UInt8MultiArray outgoing, incoming;
    rcl_publisher_t publisher;
    rcl_subscription_t subscription;
    bool has_publisher, has_subscription;
} topic_state;

static bool fill_layout(std_msgs__msg__UInt8MultiArray *message, size_t payload_bytes) {
    const uint32_t size = (uint32_t)payload_bytes;
    const struct {
        const char *label;
        uint32_t size, stride;
    } dims[] = {{"height", 1, size}, {"width", size, size}, {"channel", 1, 1}};
    const size_t count = sizeof dims / sizeof dims[0];
    if (!std_msgs__msg__MultiArrayDimension__Sequence__init(&message->layout.dim, count)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        std_msgs__msg__MultiArrayDimension *dim = &message->layout.dim.data[i];
        dim->size = dims[i].size;
        dim->stride = dims[i].stride;
        if (!rosidl_runtime_c__String__assign(&dim->label, dims[i].label)) {
            return false;
        }
    }
    return true;
}

static void on_message(const void *message, void *context) {
    const int64_t arrived_ns = peer_now_ns();
    const std_msgs__msg__UInt8MultiArray *array = message;
    peer_kit_message_at(context, arrived_ns, array->data.data, array->data.size, message);
}

static bool create_publisher(rclc_peer *peer, topic_state *state, const char *topic, char *error) {
    const rmw_qos_profile_t qos = rclc_peer_qos(&peer->job->qos);
    if (rclc_publisher_init(&state->publisher, &peer->node,
            ROSIDL_GET_MSG_TYPE_SUPPORT(std_msgs, msg, UInt8MultiArray), topic,
            &qos) != RCL_RET_OK) {
        return rclc_peer_failed(error, "rclc_publisher_init");
    }
    state->has_publisher = true;
    const rmw_qos_profile_t *actual = rcl_publisher_get_actual_qos(&state->publisher);
    if (actual != NULL) {
        peer->effective = rclc_peer_effective(actual);
    }
    return true;
}

static bool create_subscription(
    rclc_peer *peer, topic_state *state, const char *topic, char *error) {
    const rmw_qos_profile_t qos = rclc_peer_qos(&peer->job->qos);
    if (rclc_subscription_init(&state->subscription, &peer->node,
            ROSIDL_GET_MSG_TYPE_SUPPORT(std_msgs, msg, UInt8MultiArray), topic,
            &qos) != RCL_RET_OK) {
        return rclc_peer_failed(error, "rclc_subscription_init");
    }
    state->has_subscription = true;
    const rmw_qos_profile_t *actual = rcl_subscription_get_actual_qos(&state->subscription);
    if (actual != NULL && !state->has_publisher) {
        peer->effective = rclc_peer_effective(actual);
    }
    return rclc_executor_add_subscription_with_context(&peer->executor, &state->subscription,
               &state->incoming, on_message, peer->kit, ON_NEW_DATA) == RCL_RET_OK ||
           rclc_peer_failed(error, "rclc_executor_add_subscription_with_context");
}

/* The messages that are sent and received again and again. */
static bool create_messages(rclc_peer *peer, topic_state *state, bool sends, char *error) {
    const size_t bytes = peer->job->payload_bytes;
    bool made = std_msgs__msg__UInt8MultiArray__init(&state->incoming) &&
                std_msgs__msg__UInt8MultiArray__init(&state->outgoing) &&
                rosidl_runtime_c__uint8__Sequence__init(
                    sends ? &state->outgoing.data : &state->incoming.data, bytes) &&
                (!sends || fill_layout(&state->outgoing, bytes));
    if (!made) {
        snprintf(error, PEER_ERROR_BYTES, "no memory for the messages");
    }
    return made;
}

static bool create(rclc_peer *peer, char *error) {
    const peer_job *job = peer->job;
    const bool sends = job->role == PEER_PUBLISHER;
    topic_state *state = peer->state = calloc(1, sizeof *state);
    if (state == NULL || !create_messages(peer, state, sends, error)) {
        return false;
    }
    state->publisher = rcl_get_zero_initialized_publisher();
    state->subscription = rcl_get_zero_initialized_subscription();
    if ((sends || job->echo) &&
        !create_publisher(peer, state, sends ? job->topic : job->echo_topic, error)) {
        return false;
    }
    if (sends) {
        peer_kit_payload(peer->kit, state->outgoing.data.data);
    }
    return (sends && !job->echo) ||
           create_subscription(peer, state, sends ? job->echo_topic : job->topic, error);
}

static bool is_matched(rclc_peer *peer, bool *ret_matched) {
    topic_state *state = peer->state;
    size_t subscribers = 1, publishers = 1;
    if ((state->has_publisher &&
            rcl_publisher_get_subscription_count(&state->publisher, &subscribers) != RCL_RET_OK) ||
        (state->has_subscription && rcl_subscription_get_publisher_count(
                                        &state->subscription, &publishers) != RCL_RET_OK)) {
        return false;
    }
    *ret_matched = subscribers > 0 && publishers > 0;
    return true;
}

static bool publish(rclc_peer *peer, const void *message, char *error) {
    topic_state *state = peer->state;
    const void *sent = message == NULL ? &state->outgoing : message;
    return rcl_publish(&state->publisher, sent, NULL) == RCL_RET_OK ||
           rclc_peer_failed(error, "rcl_publish");
}

static void destroy(rclc_peer *peer) {
    topic_state *state = peer->state;
    if (state->has_publisher && rcl_publisher_fini(&state->publisher, &peer->node) != RCL_RET_OK) {
        rcl_reset_error();
    }
    if (state->has_subscription &&
        rcl_subscription_fini(&state->subscription, &peer->node) != RCL_RET_OK) {
        rcl_reset_error();
    }
    std_msgs__msg__UInt8MultiArray__fini(&state->outgoing);
    std_msgs__msg__UInt8MultiArray__fini(&state->incoming);
    free(state);
}

const rclc_pattern rclc_topic = {
    .create = create, .is_matched = is_matched, .publish = publish, .destroy = destroy};
