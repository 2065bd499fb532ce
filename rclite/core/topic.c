/* Publishers and subscriptions: checks and blocking calls; the rest is the backend's. */
#include "core/endpoint.h"
#include "core/memory.h"

/* ---- publisher ------------------------------------------------------------------------------ */

rclite_result rclite_publisher_create(rclite_node *node, const char *topic, const rclite_type *type,
    const rclite_publisher_options *options, rclite_publisher **ret_publisher,
    rclite_error *reterr) {
    if (!node || !topic || !type || !options || !ret_publisher) {
        return rclitei_fail(
            reterr, RCLITE_ERR_INVALID, 0, "node, topic, type, options or ret_publisher is NULL");
    }
    const rclitei_backend *backend = node->context->backend;
    void *object;
    char *full_name;
    const rclitei_endpoint_plan plan = {.node = node,
        .what = "publisher",
        .kind = RCLITEI_NAME_TOPIC,
        .name = topic,
        .options_size = options->size,
        .options_expected = sizeof *options,
        .options_macro = "PUBLISHER",
        .qos = &options->qos,
        .types = {type},
        .bytes = backend->publisher_bytes,
        .supported = backend->publisher_init != NULL};
    rclite_result result = rclitei_endpoint_create(&plan, &object, &full_name, reterr);
    if (result != RCLITE_OK) {
        return result;
    }
    rclite_publisher *publisher = object;
    *publisher = (rclite_publisher){.publish = backend->publisher_publish,
        .node = node,
        .topic = full_name,
        .type = type,
        .options = *options};
    result = backend->publisher_init(publisher, reterr);
    if (result != RCLITE_OK) {
        rclitei_endpoint_release(node, object, full_name);
        return result;
    }
    *ret_publisher = publisher;
    return RCLITE_OK;
}

rclite_publisher *rclite_publisher_free(rclite_publisher *publisher) {
    if (!publisher) {
        return NULL;
    }
    publisher->node->context->backend->publisher_done(publisher);
    return rclitei_endpoint_release(publisher->node, publisher, publisher->topic);
}

rclite_result rclite_publisher_publish(rclite_publisher *publisher, const void *message) {
    if (!publisher || !message) {
        return RCLITE_ERR_INVALID;
    }
    return publisher->publish(publisher, message);
}

rclite_result rclite_publisher_publish_serialized(
    rclite_publisher *publisher, const uint8_t *bytes, size_t size_bytes) {
    if (!publisher || (!bytes && size_bytes > 0)) {
        return RCLITE_ERR_INVALID;
    }
    return publisher->node->context->backend->publisher_publish_serialized(
        publisher, bytes, size_bytes);
}

const char *rclite_publisher_topic(const rclite_publisher *publisher) {
    return publisher->topic;
}

uint32_t rclite_publisher_matched_count(const rclite_publisher *publisher) {
    return publisher->node->context->backend->publisher_matched(publisher);
}

typedef struct match_wait {
    const void *endpoint;
    uint32_t count;
} match_wait;

static bool publisher_has_matched(void *user) {
    const match_wait *wait = user;
    return rclite_publisher_matched_count(wait->endpoint) >= wait->count;
}

rclite_result rclite_publisher_wait_matched(
    rclite_publisher *publisher, uint32_t count, int64_t timeout_ns) {
    if (!publisher) {
        return RCLITE_ERR_INVALID;
    }
    match_wait wait = {publisher, count};
    return rclitei_wait(publisher->node->context, publisher_has_matched, &wait, timeout_ns);
}

rclite_result rclite_publisher_wait_sent(rclite_publisher *publisher, int64_t timeout_ns) {
    if (!publisher) {
        return RCLITE_ERR_INVALID;
    }
    if (rclitei_in_callback(publisher->node->context)) {
        return RCLITE_ERR_STATE;
    }
    return publisher->node->context->backend->publisher_wait_sent(publisher, timeout_ns);
}

rclite_qos rclite_publisher_qos(const rclite_publisher *publisher) {
    return publisher->options.qos;
}

/* ---- subscription --------------------------------------------------------------------------- */

rclite_result rclite_subscription_create(rclite_node *node, const char *topic,
    const rclite_type *type, rclite_subscription_callback callback, void *user,
    const rclite_subscription_options *options, rclite_subscription **ret_subscription,
    rclite_error *reterr) {
    if (!node || !topic || !type || !options || !ret_subscription) {
        return rclitei_fail(reterr, RCLITE_ERR_INVALID, 0,
            "node, topic, type, options or ret_subscription is NULL");
    }
    const rclitei_backend *backend = node->context->backend;
    void *object;
    char *full_name;
    const rclitei_endpoint_plan plan = {.node = node,
        .what = "subscription",
        .kind = RCLITEI_NAME_TOPIC,
        .name = topic,
        .options_size = options->size,
        .options_expected = sizeof *options,
        .options_macro = "SUBSCRIPTION",
        .qos = &options->qos,
        .types = {type},
        .bytes = backend->subscription_bytes,
        .supported = backend->subscription_init != NULL};
    rclite_result result = rclitei_endpoint_create(&plan, &object, &full_name, reterr);
    if (result != RCLITE_OK) {
        return result;
    }
    rclite_subscription *subscription = object;
    *subscription = (rclite_subscription){.node = node,
        .topic = full_name,
        .type = type,
        .callback = callback,
        .user = user,
        .options = *options};
    result = backend->subscription_init(subscription, reterr);
    if (result != RCLITE_OK) {
        rclitei_endpoint_release(node, object, full_name);
        return result;
    }
    *ret_subscription = subscription;
    return RCLITE_OK;
}

rclite_subscription *rclite_subscription_free(rclite_subscription *subscription) {
    if (!subscription) {
        return NULL;
    }
    subscription->node->context->backend->subscription_done(subscription);
    return rclitei_endpoint_release(subscription->node, subscription, subscription->topic);
}

rclite_result rclite_subscription_take(
    rclite_subscription *subscription, void *message, rclite_message_info *info) {
    if (!subscription || !message) {
        return RCLITE_ERR_INVALID;
    }
    if (subscription->callback) {
        return RCLITE_ERR_STATE;
    }
    return subscription->node->context->backend->subscription_take(subscription, message, info);
}

static bool subscription_has_data(void *user) {
    rclite_subscription *subscription = user;
    return subscription->node->context->backend->subscription_has_data(subscription);
}

rclite_result rclite_subscription_wait(rclite_subscription *subscription, int64_t timeout_ns) {
    if (!subscription) {
        return RCLITE_ERR_INVALID;
    }
    if (subscription->callback) {
        return RCLITE_ERR_STATE;
    }
    return rclitei_wait(
        subscription->node->context, subscription_has_data, subscription, timeout_ns);
}

const char *rclite_subscription_topic(const rclite_subscription *subscription) {
    return subscription->topic;
}

uint32_t rclite_subscription_matched_count(const rclite_subscription *subscription) {
    return subscription->node->context->backend->subscription_matched(subscription);
}

static bool subscription_has_matched(void *user) {
    const match_wait *wait = user;
    return rclite_subscription_matched_count(wait->endpoint) >= wait->count;
}

rclite_result rclite_subscription_wait_matched(
    rclite_subscription *subscription, uint32_t count, int64_t timeout_ns) {
    if (!subscription) {
        return RCLITE_ERR_INVALID;
    }
    match_wait wait = {subscription, count};
    return rclitei_wait(subscription->node->context, subscription_has_matched, &wait, timeout_ns);
}

rclite_qos rclite_subscription_qos(const rclite_subscription *subscription) {
    return subscription->options.qos;
}
