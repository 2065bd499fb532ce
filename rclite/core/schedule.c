/* The queue and the timers: two linked lists through the objects themselves, so that nothing is
 * allocated. */
#include "core/schedule.h"

#include "rclite/time.h"

void rclitei_schedule_put(rclitei_schedule *schedule, rclitei_ready *ready) {
    ready->queued = true;
    ready->next = NULL;
    if (schedule->tail) {
        schedule->tail->next = ready;
    } else {
        schedule->head = ready;
    }
    schedule->tail = ready;
    schedule->queued_count += 1;
}

rclitei_ready *rclitei_schedule_get(rclitei_schedule *schedule) {
    rclitei_ready *ready = schedule->head;
    if (ready) {
        schedule->head = ready->next;
        if (!schedule->head) {
            schedule->tail = NULL;
        }
        ready->queued = false;
        schedule->queued_count -= 1;
    }
    return ready;
}

void rclitei_schedule_remove(rclitei_schedule *schedule, rclitei_ready *ready) {
    if (!ready->queued) {
        return;
    }
    rclitei_ready *before = NULL;
    for (rclitei_ready *at = schedule->head; at != ready; at = at->next) {
        before = at;
    }
    if (before) {
        before->next = ready->next;
    } else {
        schedule->head = ready->next;
    }
    if (schedule->tail == ready) {
        schedule->tail = before;
    }
    ready->queued = false;
    schedule->queued_count -= 1;
}

void rclitei_schedule_arm(rclitei_schedule *schedule, rclitei_timer *timer) {
    rclitei_timer **at = &schedule->timers;
    while (*at && (*at)->next_ns <= timer->next_ns) {
        at = &(*at)->later;
    }
    timer->later = *at;
    *at = timer;
    timer->armed = true;
}

void rclitei_schedule_disarm(rclitei_schedule *schedule, rclitei_timer *timer) {
    if (!timer->armed) {
        return;
    }
    rclitei_timer **at = &schedule->timers;
    while (*at != timer) {
        at = &(*at)->later;
    }
    *at = timer->later;
    timer->armed = false;
}

void rclitei_schedule_fire(rclitei_schedule *schedule) {
    if (!schedule->timers) {
        return;
    }
    int64_t now = rclite_monotonic_ns();
    while (schedule->timers && schedule->timers->next_ns <= now) {
        rclitei_timer *timer = schedule->timers;
        rclitei_schedule_disarm(schedule, timer);
        if (!timer->ready.queued) {
            rclitei_schedule_put(schedule, &timer->ready);
        }
        if (timer->period_ns > 0) {
            int64_t missed = (now - timer->next_ns) / timer->period_ns;
            timer->next_ns += (missed + 1) * timer->period_ns;
            rclitei_schedule_arm(schedule, timer);
        }
    }
}

int64_t rclitei_schedule_next_ns(const rclitei_schedule *schedule) {
    return schedule->timers ? schedule->timers->next_ns : RCLITE_FOREVER;
}
