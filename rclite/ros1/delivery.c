/* What happens to a message of a subscription: it is read in place and handed to the callback on
 * the loop's thread (direct), or kept in a bounded queue (spin delivery, take). */
#include "ros1/ros1.h"

#include <string.h>

/* A queued packet is the time of arrival, the body, and the publisher's name; its size is that of
 * the body. The time takes the place that a stream's buffer has before a body. */
#define RECEIVED_BYTES (RCLITEI_STREAM_OFFSET + 4)
_Static_assert(RECEIVED_BYTES == sizeof(int64_t), "a time fits before the body");
#define EXCHANGE_BYTES ((size_t)16384) /* a body from this size on is not copied */

bool rclitei_ros1_subscription_is_queued(const struct ros1_subscription *subscription) {
    return !subscription->base.callback ||
           subscription->base.node->context->delivery == RCLITE_DELIVERY_SPIN;
}

/* Reads a body in place into the subscription's message, and calls the user. */
static bool call_user(struct ros1_subscription *subscription, const uint8_t *body, size_t size,
    int64_t received_ns, const char *publisher_name) {
    rclite_subscription *base = &subscription->base;
    rclite_context *context = base->node->context;
    const rclitei_codec_read_options options = {.views = true};
    if (rclitei_codec_read(subscription->codec, body, size, &options, subscription->message,
            &context->allocator) != RCLITE_OK) {
        atomic_fetch_add(&context->malformed, 1);
        return false;
    }
    if (rclitei_callback_enter(context)) {
        const rclite_message_info info = {
            .received_ns = received_ns, .publisher_name = publisher_name};
        base->callback(subscription->message, &info, base->user);
        rclitei_callback_leave(context);
    }
    return true;
}

/* Puts a copy behind what waits; the oldest one gives way. context->lock held. */
static void enqueue(struct ros1_subscription *subscription, rclitei_packet *packet) {
    rclite_context *context = &subscription->node->context->base;
    if (subscription->depth > 0 && subscription->waiting == subscription->depth) {
        rclitei_packet *oldest = subscription->first;
        subscription->first = oldest->next;
        if (!subscription->first) {
            subscription->last = &subscription->first;
        }
        subscription->waiting--;
        rclitei_packet_release(oldest);
        atomic_fetch_add(&context->dropped, 1);
    }
    packet->next = NULL;
    *subscription->last = packet;
    subscription->last = &packet->next;
    subscription->waiting++;
    if (subscription->base.callback) {
        rclitei_ready_push(context, &subscription->ready);
    }
    rclitei_signal(context);
}

static rclitei_packet *dequeue(struct ros1_subscription *subscription, bool *ret_more) {
    struct ros1_context *context = subscription->node->context;
    pthread_mutex_lock(&context->lock);
    rclitei_packet *packet = subscription->first;
    if (packet) {
        subscription->first = packet->next;
        subscription->waiting--;
        if (!subscription->first) {
            subscription->last = &subscription->first;
        }
    }
    *ret_more = subscription->first != NULL;
    pthread_mutex_unlock(&context->lock);
    return packet;
}

/* Of the frame at the front of the link's stream. */
static const uint8_t *body_of(const struct ros1_link *link) {
    size_t available;
    return rclitei_stream_input(&link->stream, &available) + 4;
}

/* Takes the frame at the front of the link's stream into a packet: small ones are copied, for large
 * ones packet and stream exchange their memory. NULL: no memory; the frame is consumed anyway. */
static rclitei_packet *take_queued(
    struct ros1_link *link, rclitei_pool *pool, size_t size, int64_t received_ns) {
    size_t name_size = strlen(link->publisher_name) + 1;
    rclitei_packet *packet = rclitei_packet_take(pool, RECEIVED_BYTES + size + name_size);
    if (!packet || size < EXCHANGE_BYTES ||
        !rclitei_stream_exchange(
            &link->stream, 4 + size, name_size, &packet->bytes, &packet->capacity)) {
        if (packet) {
            memcpy(packet->bytes + RECEIVED_BYTES, body_of(link), size);
        }
        rclitei_stream_consume(&link->stream, 4 + size);
    }
    if (packet) {
        memcpy(packet->bytes, &received_ns, RECEIVED_BYTES);
        memcpy(packet->bytes + RECEIVED_BYTES + size, link->publisher_name, name_size);
        packet->size = size;
    }
    return packet;
}

bool rclitei_ros1_subscription_deliver(struct ros1_link *link, size_t size) {
    struct ros1_context *context = link->context;
    int64_t received_ns = rclite_now_ns();
    bool good = true;
    pthread_mutex_lock(&context->lock);
    struct ros1_subscription *subscription = link->subscription;
    if (!subscription) {
        pthread_mutex_unlock(&context->lock);
        rclitei_stream_consume(&link->stream, 4 + size);
        return true;
    }
    subscription->running = true;
    pthread_mutex_unlock(&context->lock);
    rclitei_packet *packet = NULL;
    if (rclitei_ros1_subscription_is_queued(subscription)) {
        packet = take_queued(link, subscription->pool, size, received_ns);
    } else {
        good = call_user(subscription, body_of(link), size, received_ns, link->publisher_name);
        rclitei_stream_consume(&link->stream, 4 + size);
    }
    pthread_mutex_lock(&context->lock);
    if (packet && !subscription->ended) {
        enqueue(subscription, packet);
    } else {
        rclitei_packet_release(packet);
    }
    subscription->running = false;
    if (subscription->ended) {
        pthread_cond_broadcast(&context->changed);
    }
    pthread_mutex_unlock(&context->lock);
    return good;
}

bool rclitei_ros1_subscription_run_ready(rclitei_ready *ready) {
    struct ros1_subscription *subscription =
        (struct ros1_subscription *)(void *)((char *)ready -
                                             offsetof(struct ros1_subscription, ready));
    bool more;
    rclitei_packet *packet = dequeue(subscription, &more);
    if (packet) {
        int64_t received_ns;
        memcpy(&received_ns, packet->bytes, RECEIVED_BYTES);
        const uint8_t *body = packet->bytes + RECEIVED_BYTES;
        call_user(subscription, body, packet->size, received_ns, (const char *)body + packet->size);
        rclitei_packet_release(packet);
    }
    return more;
}

rclite_result rclitei_ros1_subscription_take(
    rclite_subscription *base, void *message, rclite_message_info *info) {
    struct ros1_subscription *subscription = (struct ros1_subscription *)base;
    rclite_context *context = base->node->context;
    bool more;
    rclitei_packet *packet = dequeue(subscription, &more);
    if (!packet) {
        return RCLITE_EMPTY;
    }
    const rclitei_codec_read_options options = {.views = false};
    const uint8_t *body = packet->bytes + RECEIVED_BYTES;
    rclite_result result = rclitei_codec_read(
        subscription->codec, body, packet->size, &options, message, &context->allocator);
    if (result != RCLITE_OK) {
        atomic_fetch_add(&context->malformed, 1);
    } else if (info) {
        const char *name = (const char *)body + packet->size;
        if (!subscription->taken_name || strcmp(subscription->taken_name, name) != 0) {
            rclitei_release(&context->allocator, subscription->taken_name);
            subscription->taken_name = rclitei_copy_text(&context->allocator, name);
        }
        *info = (rclite_message_info){.publisher_name = subscription->taken_name};
        memcpy(&info->received_ns, packet->bytes, RECEIVED_BYTES);
    }
    rclitei_packet_release(packet);
    return result;
}

bool rclitei_ros1_subscription_has_data(rclite_subscription *base) {
    struct ros1_subscription *subscription = (struct ros1_subscription *)base;
    struct ros1_context *context = subscription->node->context;
    pthread_mutex_lock(&context->lock);
    bool has_data = subscription->first != NULL;
    pthread_mutex_unlock(&context->lock);
    return has_data;
}
