/* Publishers. A message is serialised once into a pooled packet, which every connection sends from.
 */
#include "ros1/ros1.h"

#include <string.h>

static uint32_t matched_count(const void *endpoint) {
    const struct ros1_publisher *publisher = endpoint;
    struct ros1_context *context = publisher->matched.context;
    pthread_mutex_lock(&context->lock);
    uint32_t count = publisher->publication ? publisher->publication->subscriber_count : 0;
    pthread_mutex_unlock(&context->lock);
    return count;
}

static void release_parts(struct ros1_publisher *publisher) {
    rclitei_ros1_match_done(&publisher->matched);
    rclitei_packet_release(publisher->latched);
    rclitei_pool_free(publisher->pool);
    rclitei_codec_free(publisher->codec);
}

static bool begins_with_header(const rclite_type *type) {
    return type->ros1->field_count > 0 && type->ros1->fields[0].kind == RCLITE_FIELD_MESSAGE &&
           type->ros1->fields[0].array == RCLITE_ARRAY_NONE &&
           strcmp(type->ros1->fields[0].type->name, "std_msgs/msg/Header") == 0;
}

/* Everything but the registration. */
static rclite_result prepare(struct ros1_publisher *publisher, rclite_error *reterr) {
    const rclite_publisher *base = &publisher->base;
    struct ros1_context *context = rclitei_ros1_context(base->node);
    const rclite_qos *qos = &base->options.qos;
    publisher->depth = qos->history == RCLITE_QOS_KEEP_ALL ? 0 : qos->depth;
    publisher->is_latched = qos->durability == RCLITE_QOS_TRANSIENT_LOCAL;
    publisher->has_header = begins_with_header(base->type);
    rclitei_ros1_match_init(&publisher->matched, context, base->options.event,
        base->options.event_user, matched_count, publisher);
    rclite_result result =
        rclitei_codec_create(base->type, RCLITE_ROS1, &context->base.allocator, &publisher->codec);
    if (result == RCLITE_OK) {
        publisher->pool = rclitei_pool_create(&context->base.allocator, publisher->depth + 2);
        result = publisher->pool ? RCLITE_OK : RCLITE_ERR_NO_MEMORY;
    }
    if (result != RCLITE_OK) {
        rclitei_fail(reterr, result, 0, "publisher of %.100s as %.60s: %s", base->topic,
            base->type->name, rclite_result_string(result));
    } else {
        pthread_mutex_lock(&context->lock);
        result = rclitei_ros1_publication_join(publisher, reterr);
        pthread_mutex_unlock(&context->lock);
    }
    if (result != RCLITE_OK) {
        release_parts(publisher);
    }
    return result;
}

rclite_result rclitei_ros1_publisher_init(rclite_publisher *base, rclite_error *reterr) {
    struct ros1_publisher *publisher = (struct ros1_publisher *)base;
    struct ros1_node *node = rclitei_ros1_node(base->node);
    rclite_result result = prepare(publisher, reterr);
    if (result != RCLITE_OK) {
        return result;
    }
    result = rclitei_ros1_register(node, "registerPublisher", reterr, "(ssss)",
        node->base->full_name, base->topic, base->type->ros1->wire_name, node->uri);
    if (result != RCLITE_OK) {
        rclitei_ros1_publication_leave(publisher);
        release_parts(publisher);
    }
    return result;
}

rclite_result rclitei_ros1_publisher_init_quietly(rclite_publisher *base) {
    struct ros1_node *node = rclitei_ros1_node(base->node);
    rclite_result result = prepare((struct ros1_publisher *)base, NULL);
    if (result == RCLITE_OK) {
        rclitei_ros1_tell_master(node, "registerPublisher", "(ssss)", node->base->full_name,
            base->topic, base->type->ros1->wire_name, node->uri);
    }
    return result;
}

void rclitei_ros1_publisher_done(rclite_publisher *base) {
    struct ros1_publisher *publisher = (struct ros1_publisher *)base;
    rclitei_ros1_publication_leave(publisher);
    release_parts(publisher);
}

uint32_t rclitei_ros1_publisher_matched(const rclite_publisher *base) {
    return matched_count(base);
}

bool rclitei_ros1_publisher_has_node(const rclite_publisher *base, const char *node_name) {
    const struct ros1_publication *publication = ((const struct ros1_publisher *)base)->publication;
    struct ros1_context *context = rclitei_ros1_context(base->node);
    pthread_mutex_lock(&context->lock);
    const struct ros1_inbound *at = publication->subscribers;
    while (at && strcmp(at->caller, node_name) != 0) {
        at = at->next_subscriber;
    }
    pthread_mutex_unlock(&context->lock);
    return at != NULL;
}

/* ---- publishing ----------------------------------------------------------------------------- */

/* Hands a whole packet (length and body) to every subscriber, and takes the caller's reference. */
static rclite_result distribute(struct ros1_publisher *publisher, rclitei_packet *packet) {
    struct ros1_publication *publication = publisher->publication;
    rclite_context *context = publisher->base.node->context;
    rclite_result result = RCLITE_OK;
    uint64_t dropped = 0;
    rclitei_packet *before = NULL;
    pthread_mutex_lock(&publication->mutex);
    for (struct ros1_inbound *to = publication->subscribers; to; to = to->next_subscriber) {
        uint64_t dropped_here = 0;
        rclite_result sent =
            rclitei_stream_send(&to->stream, packet, publisher->depth, &dropped_here);
        if (sent == RCLITE_ERR_NO_MEMORY) {
            result = sent;
        }
        to->dropped += dropped_here;
        to->sent_messages++;
        to->sent_bytes += packet->size;
        dropped += dropped_here;
    }
    if (publisher->is_latched) {
        rclitei_packet_fill(packet, 0);
        before = publisher->latched;
        publisher->latched = rclitei_packet_retain(packet);
    }
    rclitei_packet_seal(packet);
    pthread_mutex_unlock(&publication->mutex);
    if (dropped > 0) {
        atomic_fetch_add(&context->dropped, dropped);
    }
    rclitei_packet_release(before);
    rclitei_packet_release(packet);
    return result;
}

static rclite_result take_packet(
    struct ros1_publisher *publisher, size_t body, rclitei_packet **ret_packet) {
    if (body > ROS1_MESSAGE_BYTES_MAX) {
        return RCLITE_ERR_OVERFLOW;
    }
    rclitei_packet *packet = rclitei_packet_take(publisher->pool, 4 + body);
    if (!packet) {
        return RCLITE_ERR_NO_MEMORY;
    }
    rclitei_u32_write(packet->bytes, (uint32_t)body);
    *ret_packet = packet;
    return RCLITE_OK;
}

/* Nobody would ever get it. */
static bool is_in_vain(const struct ros1_publisher *publisher) {
    struct ros1_publication *publication = publisher->publication;
    pthread_mutex_lock(&publication->mutex);
    bool in_vain = !publication->subscribers && !publisher->is_latched;
    pthread_mutex_unlock(&publication->mutex);
    return in_vain;
}

rclite_result rclitei_ros1_publish(rclite_publisher *base, const void *message) {
    struct ros1_publisher *publisher = (struct ros1_publisher *)base;
    if (is_in_vain(publisher)) {
        return RCLITE_OK;
    }
    size_t body = rclitei_codec_size(publisher->codec, message, 0);
    rclitei_packet *packet;
    rclite_result result = take_packet(publisher, body, &packet);
    if (result != RCLITE_OK) {
        return result;
    }
    result = rclitei_packet_write(packet, 4, publisher->codec, message);
    if (result != RCLITE_OK) {
        rclitei_packet_release(packet);
        return result;
    }
    if (publisher->has_header) { /* ROS 1 numbers messages that begin with a Header itself */
        rclitei_u32_write(packet->bytes + 4, atomic_fetch_add(&publisher->sequence, 1));
    }
    return distribute(publisher, packet);
}

rclite_result rclitei_ros1_publish_serialized(
    rclite_publisher *base, const uint8_t *bytes, size_t size) {
    struct ros1_publisher *publisher = (struct ros1_publisher *)base;
    rclitei_packet *packet;
    rclite_result result = take_packet(publisher, size, &packet);
    if (result != RCLITE_OK) {
        return result;
    }
    if (size > 0) {
        memcpy(packet->bytes + 4, bytes, size);
    }
    return distribute(publisher, packet);
}

static bool all_sent(void *user) {
    const struct ros1_publisher *publisher = user;
    bool sent = true;
    pthread_mutex_lock(&publisher->publication->mutex);
    for (struct ros1_inbound *to = publisher->publication->subscribers; to && sent;
         to = to->next_subscriber) {
        sent = rclitei_stream_is_drained(&to->stream);
    }
    pthread_mutex_unlock(&publisher->publication->mutex);
    return sent;
}

rclite_result rclitei_ros1_publisher_wait_sent(rclite_publisher *base, int64_t timeout_ns) {
    return rclitei_wait(base->node->context, all_sent, base, timeout_ns);
}
