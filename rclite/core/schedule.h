/* What is to run: the queue of objects that have work, and the timers that put theirs into it. A
 * structure and no more: it knows neither locks nor threads, which are the executor's. */
#ifndef RCLITE_CORE_SCHEDULE_H
#define RCLITE_CORE_SCHEDULE_H

#include <stddef.h>

#include "core/backend.h"

/* A point in time at which `ready` goes into the queue. Embedded by its owner; zeroed but for
 * ready.run, which should return false. */
typedef struct rclitei_timer {
    rclitei_ready ready;
    int64_t next_ns;   /* CLOCK_MONOTONIC */
    int64_t period_ns; /* 0: once */
    struct rclitei_timer *later;
    bool armed;
} rclitei_timer;

/* Zeroed: nothing to run. */
typedef struct rclitei_schedule {
    rclitei_ready *head, *tail; /* the queue */
    size_t queued_count;
    rclitei_timer *timers; /* by next_ns */
} rclitei_schedule;

/* At the end of the queue; it must not be there. */
void rclitei_schedule_put(rclitei_schedule *schedule, rclitei_ready *ready);
/* The first of the queue, taken out; NULL: nothing is ready. */
rclitei_ready *rclitei_schedule_get(rclitei_schedule *schedule);
/* Wherever it is, if it is there. */
void rclitei_schedule_remove(rclitei_schedule *schedule, rclitei_ready *ready);

/* By its next_ns and period_ns; it must not be armed. */
void rclitei_schedule_arm(rclitei_schedule *schedule, rclitei_timer *timer);
/* If it is armed. What it has put into the queue stays there. */
void rclitei_schedule_disarm(rclitei_schedule *schedule, rclitei_timer *timer);
/* Moves what is due into the queue. A periodic timer is due again at the next whole period after
 * its start that is still to come. */
void rclitei_schedule_fire(rclitei_schedule *schedule);
/* When the next timer is due, or RCLITE_FOREVER. */
int64_t rclitei_schedule_next_ns(const rclitei_schedule *schedule);

#endif
