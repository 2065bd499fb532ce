/* Subscriptions to topics: called from the reader's listener, from the spinning thread, or taken.
 */
#include "core/memory.h"
#include "ros2/edges.h"
#include "ros2/graph.h"

static ros2_context *context_of(const ros2_subscription *subscription) {
    return ros2_context_of(subscription->base.node);
}

static rclite_result read_sample(
    ros2_subscription *subscription, const ros2_serdata *serdata, bool views, void *message) {
    rclitei_codec_read_options options = {.views = views};
    const uint8_t *body = NULL;
    size_t body_bytes = 0;
    rclite_result result = RCLITE_ERR_MALFORMED;
    if (ros2_serdata_open(serdata, &body, &body_bytes, &options.big_endian)) {
        result = rclitei_codec_read(subscription->codec, body, body_bytes, &options, message,
            &context_of(subscription)->base.allocator);
    }
    if (result != RCLITE_OK) {
        ros2_unreadable(context_of(subscription), subscription->base.topic, result);
    }
    return result;
}

static rclite_message_info info_of(const dds_sample_info_t *info) {
    return (rclite_message_info){
        .source_ns = info->source_timestamp, .received_ns = rclite_now_ns()};
}

static void deliver(void *user, const ros2_serdata *serdata, const dds_sample_info_t *info) {
    ros2_subscription *subscription = user;
    const rclite_message_info message_info = info_of(info);
    if (read_sample(subscription, serdata, true, subscription->message) != RCLITE_OK) {
        return;
    }
    rclite_context *context = &context_of(subscription)->base;
    if (rclitei_callback_enter(context)) {
        subscription->base.callback(subscription->message, &message_info, subscription->base.user);
        rclitei_callback_leave(context);
    }
}

static bool run_ready(rclitei_ready *ready) {
    ros2_subscription *subscription =
        (ros2_subscription *)((char *)ready - offsetof(ros2_subscription, ready));
    dds_sample_info_t info;
    ros2_serdata *serdata = ros2_reader_take(subscription->reader.entity, &info);
    if (!serdata) {
        return false;
    }
    deliver(subscription, serdata, &info);
    ros2_serdata_unref(serdata);
    return true;
}

static void on_data_direct(dds_entity_t reader, void *user) {
    const ros2_subscription *subscription = user;
    ros2_enter(&subscription->events);
    ros2_reader_drain(reader, deliver, user);
    ros2_leave(&subscription->events);
}

static void on_data_spin(dds_entity_t reader, void *user) {
    ros2_subscription *subscription = user;
    (void)reader;
    ros2_enter(&subscription->events);
    rclitei_ready_push(&context_of(subscription)->base, &subscription->ready);
    ros2_leave(&subscription->events);
}

static void on_data_taken(dds_entity_t reader, void *user) {
    ros2_subscription *subscription = user;
    (void)reader;
    ros2_enter(&subscription->events);
    rclitei_signal(&context_of(subscription)->base);
    ros2_leave(&subscription->events);
}

static rclite_result create_reader(ros2_subscription *subscription, rclite_error *reterr) {
    rclite_subscription *base = &subscription->base;
    dds_listener_t *listener = ros2_events_reader_listener(&subscription->events);
    if (!listener) {
        return rclitei_fail(reterr, RCLITE_ERR_NO_MEMORY, 0, "no memory");
    }
    dds_on_data_available_fn on_data = on_data_taken;
    if (base->callback) {
        on_data = context_of(subscription)->base.delivery == RCLITE_DELIVERY_DIRECT ? on_data_direct
                                                                                    : on_data_spin;
    }
    dds_lset_data_available_arg(listener, on_data, subscription, true);
    const ros2_endpoint_options options = {.prefix = "rt",
        .name = base->topic,
        .suffix = "",
        .type = base->type,
        .qos = &base->options.qos,
        .identity = "",
        .ignore_local = base->options.ignore_local,
        .listener = listener,
        .owner = &subscription->events};
    const rclite_result result =
        ros2_reader_init(&subscription->reader, context_of(subscription), &options, reterr);
    dds_delete_listener(listener);
    if (result == RCLITE_OK && on_data == on_data_spin) {
        /* What came before the reader's handle was known could not be taken then. */
        rclitei_ready_push(&context_of(subscription)->base, &subscription->ready);
    }
    return result;
}

rclite_result ros2_subscription_init(rclite_subscription *base, rclite_error *reterr) {
    ros2_subscription *subscription = (ros2_subscription *)base;
    rclite_context *context = base->node->context;
    subscription->ready.run = run_ready;
    rclite_result result =
        rclitei_codec_create(base->type, RCLITE_ROS2, &context->allocator, &subscription->codec);
    if (result == RCLITE_OK) {
        subscription->message = rclitei_message_create(base->type, &context->allocator);
        result = subscription->message ? RCLITE_OK : RCLITE_ERR_NO_MEMORY;
    }
    if (result != RCLITE_OK) {
        rclitei_fail(reterr, result, 0, "subscription to %s: type %s: %s", base->topic,
            base->type->name, rclite_result_string(result));
        ros2_subscription_done(base);
        return result;
    }
    ros2_events_init(&subscription->events, context, base->options.event, base->options.event_user);
    result = create_reader(subscription, reterr);
    if (result == RCLITE_OK) {
        result = ros2_graph_add(base->node, &subscription->reader.guid, NULL, reterr);
    }
    if (result != RCLITE_OK) {
        ros2_subscription_done(base);
    }
    return result;
}

void ros2_subscription_done(rclite_subscription *base) {
    ros2_subscription *subscription = (ros2_subscription *)base;
    rclite_context *context = base->node->context;
    if (subscription->reader.entity > 0) {
        ros2_graph_remove(base->node, &subscription->reader.guid, NULL);
        ros2_reader_done(&subscription->reader);
        rclitei_ready_remove(context, &subscription->ready);
    }
    ros2_events_done(&subscription->events);
    subscription->message =
        rclitei_message_free(base->type, subscription->message, &context->allocator);
    subscription->codec = rclitei_codec_free(subscription->codec);
}

rclite_result ros2_subscription_take(
    rclite_subscription *base, void *message, rclite_message_info *info) {
    ros2_subscription *subscription = (ros2_subscription *)base;
    rclite_result result = RCLITE_ERR_MALFORMED;
    while (result == RCLITE_ERR_MALFORMED || result == RCLITE_ERR_OVERFLOW) {
        dds_sample_info_t sample;
        ros2_serdata *serdata = ros2_reader_take(subscription->reader.entity, &sample);
        if (!serdata) {
            return RCLITE_EMPTY;
        }
        result = read_sample(subscription, serdata, false, message);
        ros2_serdata_unref(serdata);
        if (result == RCLITE_OK && info) {
            *info = info_of(&sample);
        }
    }
    return result;
}

bool ros2_subscription_has_data(rclite_subscription *base) {
    return ros2_reader_has_data(((ros2_subscription *)base)->reader.entity);
}

uint32_t ros2_subscription_matched(const rclite_subscription *base) {
    return atomic_load(&((const ros2_subscription *)base)->events.matched);
}
