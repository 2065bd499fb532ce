/* An event count: threads sleep until something may have changed. A waiter looks, checks its
 * condition, and sleeps only if nothing was signalled since it looked, so no wake-up is lost. It is
 * a futex and not a condition variable because a signal without sleepers must cost no system call
 * and no lock, and because rclite_context_shutdown must be able to signal from a signal handler. */
#ifndef RCLITE_CORE_EVENT_H
#define RCLITE_CORE_EVENT_H

#include <stdatomic.h>
#include <stdint.h>

typedef struct rclitei_event {
    _Atomic uint32_t sequence;
    _Atomic uint32_t sleepers;
} rclitei_event;

uint32_t rclitei_event_look(rclitei_event *event);
/* Wakes every sleeper. Async-signal-safe. */
void rclitei_event_signal(rclitei_event *event);
/* Sleeps until a signal after `seen`, or CLOCK_MONOTONIC reaches deadline_ns (RCLITE_FOREVER:
 * never), or spuriously. */
void rclitei_event_sleep(rclitei_event *event, uint32_t seen, int64_t deadline_ns);

#endif
