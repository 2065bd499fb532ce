/* Subscriptions: registering, the list of publishers, beginning and end. What happens to a message
 * is in delivery.c. */
#include "ros1/ros1.h"

#include <string.h>

/* ---- the list of publishers ----------------------------------------------------------------- */

static bool is_listed(const char *uri, const char *const *uris, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(uri, uris[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_local(const struct ros1_context *context, const char *uri) {
    for (const struct ros1_node *at = context->nodes; at; at = at->next) {
        if (strcmp(at->uri, uri) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_known(const struct ros1_subscription *subscription, const char *uri) {
    for (const struct ros1_link *at = subscription->links; at; at = at->next) {
        if (strcmp(at->uri, uri) == 0) {
            return true;
        }
    }
    return false;
}

void rclitei_ros1_publishers_update(
    struct ros1_subscription *subscription, const char *const *uris, size_t count) {
    struct ros1_context *context = subscription->node->context;
    struct ros1_link *next;
    for (struct ros1_link *at = subscription->links; at; at = next) {
        next = at->next;
        if (!is_listed(at->uri, uris, count)) {
            rclitei_ros1_link_abandon(at);
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (!is_known(subscription, uris[i]) &&
            !(subscription->base.options.ignore_local && is_local(context, uris[i]))) {
            rclitei_ros1_link_start(subscription, uris[i], 0);
        }
    }
}

/* ---- registering ---------------------------------------------------------------------------- */

static void take_publishers(
    struct ros1_context *context, const char *node_name, const char *topic, xmlrpc_value *list) {
    xmlrpc_env env;
    xmlrpc_env_init(&env);
    pthread_mutex_lock(&context->lock);
    for (struct ros1_node *at = context->nodes; at; at = at->next) {
        if (strcmp(at->base->full_name, node_name) == 0) {
            rclitei_ros1_publishers_update_value(at, topic, true, &env, list);
        }
    }
    pthread_mutex_unlock(&context->lock);
    if (env.fault_occurred) {
        rclitei_ros1_log(context, RCLITE_LOG_ERROR,
            "registerSubscriber at %s: the answer is no list of URIs", context->master_uri);
    }
    xmlrpc_env_clean(&env);
}

/* A registration that nobody waits for. The names stand behind it. */
struct registration {
    struct ros1_context *context;
    const char *topic;
    char node_name[];
};

static void on_registered(void *user, const rclitei_rpc_answer *answer) {
    struct registration *registration = user;
    struct ros1_context *context = registration->context;
    if (answer->result == RCLITE_OK) {
        take_publishers(context, registration->node_name, registration->topic, answer->value);
    } else {
        rclitei_ros1_log(context, RCLITE_LOG_ERROR, "%s", answer->text);
    }
    rclitei_release(&context->base.allocator, registration);
}

static rclite_result register_later(struct ros1_context *context, const char *node_name,
    const char *topic, const char *type, const char *uri, rclite_error *reterr) {
    size_t name_size = strlen(node_name) + 1;
    size_t topic_size = strlen(topic) + 1;
    struct registration *registration =
        rclitei_allocate(&context->base.allocator, sizeof *registration + name_size + topic_size);
    rclite_result result = RCLITE_ERR_NO_MEMORY;
    if (registration) {
        registration->context = context;
        registration->topic = registration->node_name + name_size;
        memcpy(registration->node_name, node_name, name_size);
        memcpy(registration->node_name + name_size, topic, topic_size);
        result = rclitei_rpc_start(context->rpc, context->master_uri, RCLITEI_RPC_TIMEOUT_NS,
            on_registered, registration, "registerSubscriber", "(ssss)", node_name, topic, type,
            uri);
    }
    if (result != RCLITE_OK) {
        rclitei_release(&context->base.allocator, registration);
        rclitei_fail(reterr, result, 0, "registerSubscriber could not be started");
    }
    return result;
}

static rclite_result register_subscription(
    struct ros1_subscription *subscription, rclite_error *reterr) {
    struct ros1_node *node = subscription->node;
    struct ros1_context *context = node->context;
    const char *node_name = node->base->full_name;
    const char *topic = subscription->base.topic;
    const char *type = subscription->base.type->ros1->wire_name;
    if (rclitei_loop_is_current(context->loop)) {
        return register_later(context, node_name, topic, type, node->uri, reterr);
    }
    xmlrpc_value *list = NULL;
    rclite_result result = rclitei_rpc_call(context->rpc, context->master_uri, &list, reterr,
        "registerSubscriber", "(ssss)", node_name, topic, type, node->uri);
    if (result == RCLITE_OK) {
        take_publishers(context, node_name, topic, list);
        xmlrpc_DECREF(list);
    }
    return result;
}

/* ---- begin and end -------------------------------------------------------------------------- */

static uint32_t matched_count(const void *endpoint) {
    const struct ros1_subscription *subscription = endpoint;
    struct ros1_context *context = subscription->matched.context;
    pthread_mutex_lock(&context->lock);
    uint32_t count = subscription->open_count;
    pthread_mutex_unlock(&context->lock);
    return count;
}

uint32_t rclitei_ros1_subscription_matched(const rclite_subscription *base) {
    return matched_count(base);
}

bool rclitei_ros1_subscription_has_node(const rclite_subscription *base, const char *node_name) {
    const struct ros1_subscription *subscription = (const struct ros1_subscription *)base;
    struct ros1_context *context = subscription->node->context;
    pthread_mutex_lock(&context->lock);
    const struct ros1_link *at = subscription->links;
    while (at && !(at->open && strcmp(at->publisher_name, node_name) == 0)) {
        at = at->next;
    }
    pthread_mutex_unlock(&context->lock);
    return at != NULL;
}

static rclite_result create_parts(struct ros1_subscription *subscription) {
    const rclite_subscription *base = &subscription->base;
    const rclite_allocator *allocator = &base->node->context->allocator;
    rclite_result result =
        rclitei_codec_create(base->type, RCLITE_ROS1, allocator, &subscription->codec);
    if (result != RCLITE_OK) {
        return result;
    }
    subscription->message = rclitei_message_create(base->type, allocator);
    uint32_t keep = subscription->depth > 0 ? subscription->depth + 1 : 16;
    subscription->pool = rclitei_pool_create(
        allocator, rclitei_ros1_subscription_is_queued(subscription) ? keep : 0);
    return subscription->message && subscription->pool ? RCLITE_OK : RCLITE_ERR_NO_MEMORY;
}

static void release_parts(struct ros1_subscription *subscription) {
    const rclite_subscription *base = &subscription->base;
    const rclite_allocator *allocator = &base->node->context->allocator;
    while (subscription->first) {
        rclitei_packet *next = subscription->first->next;
        rclitei_packet_release(subscription->first);
        subscription->first = next;
    }
    rclitei_message_free(base->type, subscription->message, allocator);
    rclitei_release(allocator, subscription->taken_name);
    rclitei_pool_free(subscription->pool);
    rclitei_codec_free(subscription->codec);
}

static void enter(struct ros1_subscription *subscription) {
    struct ros1_node *node = subscription->node;
    pthread_mutex_lock(&node->context->lock);
    subscription->next = node->subscriptions;
    node->subscriptions = subscription;
    pthread_mutex_unlock(&node->context->lock);
}

/* Out of the node's list, and out of the master's with the last one of a topic; then no callback of
 * it runs. */
static void leave(struct ros1_subscription *subscription) {
    struct ros1_node *node = subscription->node;
    struct ros1_context *context = node->context;
    bool last = true;
    pthread_mutex_lock(&context->lock);
    struct ros1_subscription **at = &node->subscriptions;
    while (*at) {
        if (*at == subscription) {
            *at = subscription->next;
            continue;
        }
        last = last && strcmp((*at)->base.topic, subscription->base.topic) != 0;
        at = &(*at)->next;
    }
    while (subscription->links) {
        rclitei_ros1_link_abandon(subscription->links);
    }
    if (last) {
        rclitei_ros1_tell_master(node, "unregisterSubscriber", "(sss)", node->base->full_name,
            subscription->base.topic, node->uri);
    }
    subscription->ended = true;
    while (subscription->running && !rclitei_loop_is_current(context->loop)) {
        pthread_cond_wait(&context->changed, &context->lock);
    }
    pthread_mutex_unlock(&context->lock);
    rclitei_ready_remove(&context->base, &subscription->ready);
    rclitei_ros1_match_done(&subscription->matched);
}

rclite_result rclitei_ros1_subscription_init(rclite_subscription *base, rclite_error *reterr) {
    struct ros1_subscription *subscription = (struct ros1_subscription *)base;
    const rclite_qos *qos = &base->options.qos;
    subscription->node = rclitei_ros1_node(base->node);
    subscription->depth = qos->history == RCLITE_QOS_KEEP_ALL ? 0 : qos->depth;
    subscription->last = &subscription->first;
    subscription->ready.run = rclitei_ros1_subscription_run_ready;
    rclitei_ros1_match_init(&subscription->matched, subscription->node->context,
        base->options.event, base->options.event_user, matched_count, subscription);
    rclite_result result = create_parts(subscription);
    if (result != RCLITE_OK) {
        release_parts(subscription);
        return rclitei_fail(reterr, result, 0, "subscription of %.100s as %.60s: %s", base->topic,
            base->type->name, rclite_result_string(result));
    }
    enter(subscription);
    result = register_subscription(subscription, reterr);
    if (result != RCLITE_OK) {
        leave(subscription);
        release_parts(subscription);
    }
    return result;
}

void rclitei_ros1_subscription_done(rclite_subscription *base) {
    struct ros1_subscription *subscription = (struct ros1_subscription *)base;
    leave(subscription);
    release_parts(subscription);
}
