/* Publishers, and the publications (a topic of a node) that their subscribers are connected to. A
 * message is serialised once into a pooled packet, which every connection sends from. */
#include "ros1/ros1.h"

#include <string.h>

/* ---- lists; context->lock held ----------------------------------------------------------------
 */

struct ros1_publication *rclitei_ros1_publication_find(struct ros1_node *node, const char *topic) {
    struct ros1_publication *at = node->publications;
    while (at && strcmp(at->topic, topic) != 0) {
        at = at->next;
    }
    return at;
}

static struct ros1_publication *publication_create(
    struct ros1_node *node, const char *topic, const rclite_type *type) {
    const rclite_allocator *allocator = &node->context->base.allocator;
    struct ros1_publication *publication = rclitei_allocate(allocator, sizeof *publication);
    if (!publication) {
        return NULL;
    }
    publication->topic = rclitei_copy_text(allocator, topic);
    if (!publication->topic) {
        return rclitei_release(allocator, publication);
    }
    pthread_mutex_init(&publication->mutex, NULL);
    publication->node = node;
    publication->type = type;
    publication->next = node->publications;
    node->publications = publication;
    return publication;
}

static void publication_free(struct ros1_publication *publication) {
    const rclite_allocator *allocator = &publication->node->context->base.allocator;
    struct ros1_publication **at = &publication->node->publications;
    while (*at != publication) {
        at = &(*at)->next;
    }
    *at = publication->next;
    while (publication->subscribers) {
        rclitei_ros1_inbound_abandon(publication->subscribers);
    }
    pthread_mutex_destroy(&publication->mutex);
    rclitei_release(allocator, publication->topic);
    rclitei_release(allocator, publication);
}

static void subscribers_changed(struct ros1_publication *publication) {
    for (struct ros1_publisher *at = publication->publishers; at; at = at->next) {
        rclitei_ros1_match_changed(&at->matched);
    }
}

void rclitei_ros1_publication_detach(struct ros1_inbound *inbound) {
    struct ros1_publication *publication = inbound->publication;
    pthread_mutex_lock(&publication->mutex);
    struct ros1_inbound **at = &publication->subscribers;
    while (*at != inbound) {
        at = &(*at)->next_subscriber;
    }
    *at = inbound->next_subscriber;
    publication->subscriber_count--;
    pthread_mutex_unlock(&publication->mutex);
    inbound->publication = NULL;
    subscribers_changed(publication);
}

/* ---- publisher ---------------------------------------------------------------------------------
 */

static uint32_t matched_count(const void *endpoint) {
    const struct ros1_publisher *publisher = endpoint;
    struct ros1_context *context = publisher->matched.context;
    pthread_mutex_lock(&context->lock);
    uint32_t count = publisher->publication ? publisher->publication->subscriber_count : 0;
    pthread_mutex_unlock(&context->lock);
    return count;
}

/* Puts the publisher to its publication, which is made if it is the first. context->lock held. */
static rclite_result join(struct ros1_publisher *publisher, rclite_error *reterr) {
    const rclite_publisher *base = &publisher->base;
    struct ros1_node *node = rclitei_ros1_node(base->node);
    struct ros1_publication *publication = rclitei_ros1_publication_find(node, base->topic);
    if (publication &&
        strcmp(publication->type->ros1->fingerprint, base->type->ros1->fingerprint) != 0) {
        return rclitei_fail(reterr, RCLITE_ERR_TYPE, 0,
            "node %.60s publishes %.80s as %.60s already", node->base->full_name, base->topic,
            publication->type->name);
    }
    if (!publication) {
        publication = publication_create(node, base->topic, base->type);
    }
    if (!publication) {
        return rclitei_fail(reterr, RCLITE_ERR_NO_MEMORY, 0, "out of memory");
    }
    publisher->publication = publication;
    pthread_mutex_lock(&publication->mutex);
    publisher->next = publication->publishers;
    publication->publishers = publisher;
    pthread_mutex_unlock(&publication->mutex);
    return RCLITE_OK;
}

/* The last publisher of a topic takes the publication and its registration with it. */
static void leave(struct ros1_publisher *publisher) {
    struct ros1_publication *publication = publisher->publication;
    struct ros1_node *node = publication->node;
    pthread_mutex_lock(&node->context->lock);
    pthread_mutex_lock(&publication->mutex);
    struct ros1_publisher **at = &publication->publishers;
    while (*at != publisher) {
        at = &(*at)->next;
    }
    *at = publisher->next;
    bool last = !publication->publishers;
    pthread_mutex_unlock(&publication->mutex);
    publisher->publication = NULL;
    if (last) {
        rclitei_ros1_tell_master(node, "unregisterPublisher", "(sss)", node->base->full_name,
            publication->topic, node->uri);
        publication_free(publication);
    }
    pthread_mutex_unlock(&node->context->lock);
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
        result = join(publisher, reterr);
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
        leave(publisher);
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
    leave(publisher);
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

/* ---- publishing --------------------------------------------------------------------------------
 */

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

/* ---- subscribers -------------------------------------------------------------------------------
 */

/* A subscriber has nothing to say; what it says is not kept. */
static void on_input(rclitei_stream *stream) {
    size_t size;
    rclitei_stream_input(stream, &size);
    rclitei_stream_consume(stream, size);
}

static void on_drained(rclitei_stream *stream) {
    rclitei_signal(&((struct ros1_inbound *)stream)->context->base);
}

static const rclitei_stream_handler subscriber_handler = {.on_input = on_input,
    .on_drained = on_drained,
    .on_closed = rclitei_ros1_inbound_on_closed,
    .release = rclitei_ros1_inbound_release};

static bool fits(rclitei_text asked, const char *ours) {
    return rclitei_text_equal(asked, ours) || rclitei_text_equal(asked, "*");
}

/* The answer to a good header; context->lock held. NULL: no memory. */
static rclitei_packet *build_answer(const struct ros1_publication *publication) {
    const rclite_type_view *view = publication->type->ros1;
    bool latching = false;
    for (const struct ros1_publisher *at = publication->publishers; at; at = at->next) {
        latching = latching || at->is_latched;
    }
    const rclitei_header_field fields[] = {
        {"callerid", publication->node->base->full_name},
        {"latching", latching ? "1" : "0"},
        {"md5sum", view->fingerprint},
        {"message_definition", view->definition ? view->definition : ""},
        {"topic", publication->topic},
        {"type", view->wire_name},
    };
    return rclitei_header_build(
        publication->node->context->pool, fields, sizeof fields / sizeof *fields);
}

/* Answers, sends what is latched, and enters it among the subscribers, so that a message published
 * meanwhile comes behind. context->lock held. */
static bool add_subscriber(struct ros1_publication *publication, struct ros1_inbound *inbound) {
    rclitei_packet *answer = build_answer(publication);
    if (!answer) {
        return false;
    }
    inbound->stream.handler = &subscriber_handler;
    pthread_mutex_lock(&publication->mutex);
    rclitei_stream_send(&inbound->stream, answer, 0, NULL);
    for (struct ros1_publisher *at = publication->publishers; at; at = at->next) {
        if (at->latched) {
            rclitei_stream_send(&inbound->stream, at->latched, 0, NULL);
        }
    }
    inbound->publication = publication;
    inbound->next_subscriber = publication->subscribers;
    publication->subscribers = inbound;
    publication->subscriber_count++;
    pthread_mutex_unlock(&publication->mutex);
    rclitei_packet_release(answer);
    subscribers_changed(publication);
    return true;
}

/* Is the header of a subscriber complete and of our type. Fills reason if it is not. */
static bool is_acceptable(const struct ros1_publication *publication, rclitei_text topic,
    rclitei_header header, rclite_error *reason) {
    rclitei_text md5sum = rclitei_header_get(header, "md5sum");
    rclitei_text type = rclitei_header_get(header, "type");
    if (!publication) {
        rclitei_fail(reason, RCLITE_ERR_REJECTED, 0, "this node does not publish [%.*s]",
            (int)topic.size, topic.data);
    } else if (!md5sum.data) {
        rclitei_fail(reason, RCLITE_ERR_REJECTED, 0, "the connection header has no field 'md5sum'");
    } else if (!fits(md5sum, publication->type->ros1->fingerprint)) {
        rclitei_fail(reason, RCLITE_ERR_REJECTED, 0,
            "topic %.60s is [%.60s/%s] here, not [%.*s/%.*s]", publication->topic,
            publication->type->ros1->wire_name, publication->type->ros1->fingerprint,
            type.size < 60 ? (int)type.size : 60, type.data ? type.data : "",
            md5sum.size < 32 ? (int)md5sum.size : 32, md5sum.data);
    } else {
        return true;
    }
    return false;
}

bool rclitei_ros1_publication_attach(struct ros1_inbound *inbound, rclitei_header header) {
    struct ros1_context *context = inbound->context;
    rclitei_text topic = rclitei_header_get(header, "topic");
    struct ros1_publication *publication = NULL;
    rclite_error reason = {.text = "out of memory"};
    bool added = false;
    pthread_mutex_lock(&context->lock);
    if (inbound->node) {
        publication = inbound->node->publications;
        while (publication && !rclitei_text_equal(topic, publication->topic)) {
            publication = publication->next;
        }
    }
    if (is_acceptable(publication, topic, header, &reason)) {
        added = add_subscriber(publication, inbound);
    }
    pthread_mutex_unlock(&context->lock);
    if (!added) {
        rclitei_ros1_inbound_refuse(inbound, "%s", reason.text);
    }
    return added;
}
