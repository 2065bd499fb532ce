/* Publications: a topic that a node publishes, with its publishers and the subscribers that are
 * connected to it. Publishing is in publisher.c. */
#include "ros1/ros1.h"

#include <string.h>

/* ---- lists; context->lock held -------------------------------------------------------------- */

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

/* ---- publishers ----------------------------------------------------------------------------- */

rclite_result rclitei_ros1_publication_join(
    struct ros1_publisher *publisher, rclite_error *reterr) {
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

void rclitei_ros1_publication_leave(struct ros1_publisher *publisher) {
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

/* ---- subscribers ---------------------------------------------------------------------------- */

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
