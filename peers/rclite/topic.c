/* Publisher, subscriber and echo over std_msgs/UInt8MultiArray. */
#include <string.h>

#include "peer.h"

static bool set_dimension(std_msgs__msg__MultiArrayDimension *dimension, const char *label,
    uint32_t size, uint32_t stride) {
    dimension->size = size;
    dimension->stride = stride;
    return rclite_string_assign(&dimension->label, label, NULL) == RCLITE_OK;
}

/* Layout and data of the one message that is sent again and again. */
static bool prepare_outgoing(rclite_peer *peer, char *error) {
    std_msgs__msg__UInt8MultiArray *message = &peer->outgoing;
    uint32_t bytes = (uint32_t)peer->job->payload_bytes;
    rclite_result result =
        rclite_message_init(&std_msgs__msg__UInt8MultiArray__type, message, NULL);
    if (result == RCLITE_OK) {
        result = rclite_message_sequence_resize(
            &std_msgs__msg__MultiArrayDimension__type, &message->layout.dim, 3, NULL);
    }
    if (result == RCLITE_OK) {
        result = rclite_sequence_resize(&message->data, 1, bytes, NULL);
    }
    if (result != RCLITE_OK || !set_dimension(&message->layout.dim.data[0], "height", 1, bytes) ||
        !set_dimension(&message->layout.dim.data[1], "width", bytes, bytes) ||
        !set_dimension(&message->layout.dim.data[2], "channel", 1, 1)) {
        return rclite_peer_failed_with(error, "making the message", RCLITE_ERR_NO_MEMORY);
    }
    peer_kit_payload(peer->kit, message->data.data);
    return true;
}

static void on_message(const void *message, const rclite_message_info *info, void *user) {
    (void)info;
    const std_msgs__msg__UInt8MultiArray *array = message;
    peer_kit_message(((rclite_peer *)user)->kit, array->data.data, array->data.size, message);
}

static bool create_publisher(rclite_peer *peer, const char *topic, char *error) {
    rclite_publisher_options options = RCLITE_PUBLISHER_OPTIONS_INIT;
    options.qos = rclite_peer_qos(&peer->job->qos);
    rclite_error detail;
    return rclite_publisher_create(peer->node, topic, &std_msgs__msg__UInt8MultiArray__type,
               &options, &peer->publisher, &detail) == RCLITE_OK ||
           rclite_peer_failed(error, "rclite_publisher_create", &detail);
}

static bool create_subscription(rclite_peer *peer, const char *topic, char *error) {
    rclite_subscription_options options = RCLITE_SUBSCRIPTION_OPTIONS_INIT;
    options.qos = rclite_peer_qos(&peer->job->qos);
    rclite_error detail;
    return rclite_subscription_create(peer->node, topic, &std_msgs__msg__UInt8MultiArray__type,
               on_message, peer, &options, &peer->subscription, &detail) == RCLITE_OK ||
           rclite_peer_failed(error, "rclite_subscription_create", &detail);
}

bool topic_create(rclite_peer *peer, char *error) {
    const peer_job *job = peer->job;
    if (job->role == PEER_PUBLISHER) {
        return prepare_outgoing(peer, error) && create_publisher(peer, job->topic, error) &&
               (!job->echo || create_subscription(peer, job->echo_topic, error));
    }
    /* The publisher first: a message may come as soon as the subscription exists. */
    return (!job->echo || create_publisher(peer, job->echo_topic, error)) &&
           create_subscription(peer, job->topic, error);
}

bool topic_wait_matched(rclite_peer *peer, int64_t timeout_ns, char *error) {
    rclite_result result = RCLITE_OK;
    if (peer->publisher) {
        result = rclite_publisher_wait_matched(peer->publisher, 1, timeout_ns);
    }
    if (result == RCLITE_OK && peer->subscription) {
        result = rclite_subscription_wait_matched(peer->subscription, 1, timeout_ns);
    }
    return result == RCLITE_OK || rclite_peer_failed_with(error, "waiting for the match", result);
}

bool topic_publish(rclite_peer *peer, char *error) {
    rclite_result result = rclite_publisher_publish(peer->publisher, &peer->outgoing);
    return result == RCLITE_OK ||
           rclite_peer_failed_with(error, "rclite_publisher_publish", result);
}

bool topic_echo(rclite_peer *peer, const void *message, char *error) {
    rclite_result result = rclite_publisher_publish(peer->publisher, message);
    return result == RCLITE_OK ||
           rclite_peer_failed_with(error, "rclite_publisher_publish", result);
}

rclite_qos topic_qos(const rclite_peer *peer) {
    return peer->job->role == PEER_PUBLISHER ? rclite_publisher_qos(peer->publisher)
                                             : rclite_subscription_qos(peer->subscription);
}

void topic_destroy(rclite_peer *peer) {
    peer->subscription = rclite_subscription_free(peer->subscription);
    peer->publisher = rclite_publisher_free(peer->publisher);
    rclite_message_done(&std_msgs__msg__UInt8MultiArray__type, &peer->outgoing, NULL);
}
