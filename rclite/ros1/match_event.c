/* Telling an endpoint's user about matches: on the loop's thread, or where the context spins. */
#include "ros1/ros1.h"

static void tell(struct ros1_match_event *event) {
    uint32_t now = event->count(event->endpoint);
    if (now == event->reported || !rclitei_callback_enter(&event->context->base)) {
        return;
    }
    rclite_event message = {
        .kind = RCLITE_EVENT_MATCHED, .total = now, .change = (int32_t)(now - event->reported)};
    event->reported = now;
    event->callback(&message, event->user);
    rclitei_callback_leave(&event->context->base);
}

static void run_task(rclitei_task *task) {
    tell((
        struct ros1_match_event *)(void *)((char *)task - offsetof(struct ros1_match_event, task)));
}

static bool run_ready(rclitei_ready *ready) {
    tell((struct ros1_match_event *)(void *)((char *)ready -
                                             offsetof(struct ros1_match_event, ready)));
    return false;
}

void rclitei_ros1_match_init(struct ros1_match_event *event, struct ros1_context *context,
    rclite_event_callback callback, void *user, uint32_t (*count)(const void *endpoint),
    const void *endpoint) {
    event->task.run = run_task;
    event->ready.run = run_ready;
    event->context = context;
    event->callback = callback;
    event->user = user;
    event->count = count;
    event->endpoint = endpoint;
}

void rclitei_ros1_match_changed(struct ros1_match_event *event) {
    rclite_context *base = &event->context->base;
    rclitei_signal(base);
    if (event->callback && base->delivery == RCLITE_DELIVERY_SPIN) {
        rclitei_ready_push(base, &event->ready);
    } else if (event->callback) {
        rclitei_loop_post(event->context->loop, &event->task);
    }
}

void rclitei_ros1_match_done(struct ros1_match_event *event) {
    if (event->callback) {
        rclitei_ready_remove(&event->context->base, &event->ready);
        rclitei_loop_task_cancel(event->context->loop, &event->task);
    }
}
