/* Publisher, subscriber and echo: over std_msgs/UInt8MultiArray, compiled in, or over any type
 * found as text that has a sequence of bytes named `data`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peer.h"
#include "std_msgs/msg/UInt8MultiArray.h"

/* ---- the type ---- */

static bool carries_bytes(const rclite_field *field, uint64_t payload_bytes) {
    bool bytes = field->kind == RCLITE_FIELD_UINT8 || field->kind == RCLITE_FIELD_INT8;
    return strcmp(field->name, "data") == 0 && bytes && field->array == RCLITE_ARRAY_SEQUENCE &&
           (field->count == 0 || field->count >= payload_bytes);
}

static bool find_carrier(rclite_peer *peer, const peer_job *job) {
    const rclite_type_view *view = job->generation == 1 ? peer->type->ros1 : peer->type->ros2;
    for (uint32_t i = 0; view && i < view->field_count; i++) {
        if (carries_bytes(&view->fields[i], job->payload_bytes)) {
            peer->data_offset = view->fields[i].offset_bytes;
            return true;
        }
    }
    fprintf(stderr, "%s has no sequence of bytes named 'data' with room for %llu bytes\n",
        job->type, (unsigned long long)job->payload_bytes);
    return false;
}

bool topic_find_type(rclite_peer *peer, const peer_job *job) {
    rclite_error detail;
    peer->type = &std_msgs__msg__UInt8MultiArray__type;
    if (strcmp(job->type, peer->type->name) != 0) {
        rclite_generation generation = job->generation == 1 ? RCLITE_ROS1 : RCLITE_ROS2;
        if (rclite_loader_create(generation, NULL, NULL, &peer->loader, &detail) != RCLITE_OK ||
            rclite_loader_message(peer->loader, job->type, &peer->type, &detail) != RCLITE_OK) {
            fprintf(stderr, "%s\n", detail.text);
            peer->loader = rclite_loader_free(peer->loader);
            return false;
        }
    }
    return find_carrier(peer, job);
}

/* All byte sequences have one layout; rclite's own is taken for it. */
static rclite_uint8_sequence *data_of(const rclite_peer *peer, void *message) {
    return (void *)((char *)message + peer->data_offset);
}

/* ---- the message that is sent again and again ---- */

static bool set_dimension(std_msgs__msg__MultiArrayDimension *dimension, const char *label,
    uint32_t size, uint32_t stride) {
    dimension->size = size;
    dimension->stride = stride;
    return rclite_string_assign(&dimension->label, label, NULL) == RCLITE_OK;
}

static bool fill_layout(std_msgs__msg__UInt8MultiArray *message, uint32_t bytes) {
    return rclite_message_sequence_resize(&std_msgs__msg__MultiArrayDimension__type,
               &message->layout.dim, 3, NULL) == RCLITE_OK &&
           set_dimension(&message->layout.dim.data[0], "height", 1, bytes) &&
           set_dimension(&message->layout.dim.data[1], "width", bytes, bytes) &&
           set_dimension(&message->layout.dim.data[2], "channel", 1, 1);
}

static bool prepare_outgoing(rclite_peer *peer, char *error) {
    uint32_t bytes = (uint32_t)peer->job->payload_bytes;
    void *message = calloc(1, peer->type->size_bytes);
    bool good = message && rclite_message_init(peer->type, message, NULL) == RCLITE_OK;
    peer->outgoing = message;
    if (good && peer->type == &std_msgs__msg__UInt8MultiArray__type) {
        good = fill_layout(message, bytes);
    }
    if (!good || rclite_sequence_resize(data_of(peer, message), 1, bytes, NULL) != RCLITE_OK) {
        return rclite_peer_failed_with(error, "making the message", RCLITE_ERR_NO_MEMORY);
    }
    peer_kit_payload(peer->kit, data_of(peer, message)->data);
    return true;
}

/* ---- endpoints ---- */

static void on_message(const void *message, const rclite_message_info *info, void *user) {
    (void)info;
    const rclite_peer *peer = user;
    const rclite_uint8_sequence *data = (const void *)((const char *)message + peer->data_offset);
    peer_kit_message(peer->kit, data->data, data->size, message);
}

static bool create_publisher(rclite_peer *peer, const char *topic, char *error) {
    rclite_publisher_options options = RCLITE_PUBLISHER_OPTIONS_INIT;
    options.qos = rclite_peer_qos(&peer->job->qos);
    rclite_error detail;
    return rclite_publisher_create(
               peer->node, topic, peer->type, &options, &peer->publisher, &detail) == RCLITE_OK ||
           rclite_peer_failed(error, "rclite_publisher_create", &detail);
}

static bool create_subscription(rclite_peer *peer, const char *topic, char *error) {
    rclite_subscription_options options = RCLITE_SUBSCRIPTION_OPTIONS_INIT;
    options.qos = rclite_peer_qos(&peer->job->qos);
    rclite_error detail;
    return rclite_subscription_create(peer->node, topic, peer->type, on_message, peer, &options,
               &peer->subscription, &detail) == RCLITE_OK ||
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
    rclite_result result = rclite_publisher_publish(peer->publisher, peer->outgoing);
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
    if (peer->outgoing) {
        rclite_message_done(peer->type, peer->outgoing, NULL);
    }
    free(peer->outgoing);
    peer->loader = rclite_loader_free(peer->loader);
}
