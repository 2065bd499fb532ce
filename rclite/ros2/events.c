/* QoS events: Cyclone's status listeners become rclite_event calls. Matches are counted here for
 * every endpoint; the rest is listened to only when the user asked for events. */
#include "ros2/edges.h"
#include "ros2/ros2.h"

static bool run_events(rclitei_ready *ready);

void ros2_events_init(
    ros2_events *events, rclite_context *context, rclite_event_callback callback, void *user) {
    events->context = context;
    events->callback = callback;
    events->user = user;
    events->ready.run = run_events;
    pthread_mutex_init(&events->lock, NULL);
}

void ros2_events_done(ros2_events *events) {
    if (!events->context) {
        return;
    }
    rclitei_ready_remove(events->context, &events->ready);
    pthread_mutex_destroy(&events->lock);
    events->context = NULL;
}

static void call_user(ros2_events *events, const rclite_event *event) {
    if (rclitei_callback_enter(events->context)) {
        events->callback(event, events->user);
        rclitei_callback_leave(events->context);
    }
}

/* One kind that is waiting, for the spinning thread. */
static bool run_events(rclitei_ready *ready) {
    ros2_events *events = (ros2_events *)((char *)ready - offsetof(ros2_events, ready));
    pthread_mutex_lock(&events->lock);
    const uint32_t mask = events->pending_mask;
    rclite_event event = {0};
    if (mask != 0) {
        const uint32_t kind = (uint32_t)__builtin_ctz(mask);
        event = events->pending[kind];
        events->pending[kind] = (rclite_event){0};
        events->pending_mask = mask & (mask - 1);
    }
    const bool more = events->pending_mask != 0;
    pthread_mutex_unlock(&events->lock);
    if (mask != 0) {
        call_user(events, &event);
    }
    return more;
}

/* Changes that come before the spinning thread looked add up. */
static void queue(ros2_events *events, const rclite_event *event) {
    pthread_mutex_lock(&events->lock);
    rclite_event *pending = &events->pending[event->kind];
    const int32_t change = pending->change;
    *pending = *event;
    pending->change += change;
    events->pending_mask |= 1u << event->kind;
    pthread_mutex_unlock(&events->lock);
    rclitei_ready_push(events->context, &events->ready);
}

/* The end of every listener's function. */
static void give(ros2_events *events, const rclite_event *event) {
    ros2_enter(events);
    if (event->kind == RCLITE_EVENT_MATCHED) {
        atomic_store(&events->matched, event->total);
    }
    if (events->callback && events->context->delivery == RCLITE_DELIVERY_DIRECT) {
        call_user(events, event);
    } else if (events->callback) {
        queue(events, event);
    }
    if (event->kind == RCLITE_EVENT_MATCHED) {
        rclitei_signal(events->context);
    }
    ros2_leave(events);
}

static void give_matched(ros2_events *events, uint32_t current, int32_t change) {
    give(events, &(rclite_event){.kind = RCLITE_EVENT_MATCHED, .total = current, .change = change});
}

static void on_publication_matched(
    dds_entity_t writer, const dds_publication_matched_status_t status, void *user) {
    (void)writer;
    give_matched(user, status.current_count, status.current_count_change);
}

static void on_subscription_matched(
    dds_entity_t reader, const dds_subscription_matched_status_t status, void *user) {
    (void)reader;
    give_matched(user, status.current_count, status.current_count_change);
}

static void on_offered_incompatible_qos(
    dds_entity_t writer, const dds_offered_incompatible_qos_status_t status, void *user) {
    (void)writer;
    give(user, &(rclite_event){.kind = RCLITE_EVENT_INCOMPATIBLE_QOS,
                   .total = status.total_count,
                   .change = status.total_count_change,
                   .policy = ros2_qos_policy_name(status.last_policy_id)});
}

static void on_requested_incompatible_qos(
    dds_entity_t reader, const dds_requested_incompatible_qos_status_t status, void *user) {
    (void)reader;
    give(user, &(rclite_event){.kind = RCLITE_EVENT_INCOMPATIBLE_QOS,
                   .total = status.total_count,
                   .change = status.total_count_change,
                   .policy = ros2_qos_policy_name(status.last_policy_id)});
}

static void on_offered_deadline_missed(
    dds_entity_t writer, const dds_offered_deadline_missed_status_t status, void *user) {
    (void)writer;
    give(user, &(rclite_event){.kind = RCLITE_EVENT_DEADLINE_MISSED,
                   .total = status.total_count,
                   .change = status.total_count_change});
}

static void on_requested_deadline_missed(
    dds_entity_t reader, const dds_requested_deadline_missed_status_t status, void *user) {
    (void)reader;
    give(user, &(rclite_event){.kind = RCLITE_EVENT_DEADLINE_MISSED,
                   .total = status.total_count,
                   .change = status.total_count_change});
}

static void on_liveliness_lost(
    dds_entity_t writer, const dds_liveliness_lost_status_t status, void *user) {
    (void)writer;
    give(user, &(rclite_event){.kind = RCLITE_EVENT_LIVELINESS_LOST,
                   .total = status.total_count,
                   .change = status.total_count_change});
}

static void on_liveliness_changed(
    dds_entity_t reader, const dds_liveliness_changed_status_t status, void *user) {
    (void)reader;
    give(user, &(rclite_event){.kind = RCLITE_EVENT_LIVELINESS_CHANGED,
                   .total = status.alive_count,
                   .change = status.alive_count_change});
}

static void on_sample_lost(dds_entity_t reader, const dds_sample_lost_status_t status, void *user) {
    (void)reader;
    give(user, &(rclite_event){.kind = RCLITE_EVENT_MESSAGE_LOST,
                   .total = status.total_count,
                   .change = status.total_count_change});
}

dds_listener_t *ros2_events_writer_listener(ros2_events *events) {
    dds_listener_t *listener = dds_create_listener(events);
    if (!listener) {
        return NULL;
    }
    dds_lset_publication_matched(listener, on_publication_matched);
    if (events->callback) {
        dds_lset_offered_incompatible_qos(listener, on_offered_incompatible_qos);
        dds_lset_offered_deadline_missed(listener, on_offered_deadline_missed);
        dds_lset_liveliness_lost(listener, on_liveliness_lost);
    }
    return listener;
}

dds_listener_t *ros2_events_reader_listener(ros2_events *events) {
    dds_listener_t *listener = dds_create_listener(events);
    if (!listener) {
        return NULL;
    }
    dds_lset_subscription_matched(listener, on_subscription_matched);
    if (events->callback) {
        dds_lset_requested_incompatible_qos(listener, on_requested_incompatible_qos);
        dds_lset_requested_deadline_missed(listener, on_requested_deadline_missed);
        dds_lset_liveliness_changed(listener, on_liveliness_changed);
        dds_lset_sample_lost(listener, on_sample_lost);
    }
    return listener;
}
