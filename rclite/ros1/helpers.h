/* A few threads beside the loop's, started when they are first needed, for jobs that block. There
 * are never more than RCLITEI_HELPERS_MAX: who gets none does without. */
#ifndef RCLITE_ROS1_HELPERS_H
#define RCLITE_ROS1_HELPERS_H

#include <pthread.h>
#include <stdbool.h>

#include "rclite/allocator.h"

#define RCLITEI_HELPERS_MAX 8

typedef struct rclitei_helpers rclitei_helpers;

/* Embedded in what the job is about; that may be gone when run returns. */
typedef struct rclitei_job {
    void (*run)(struct rclitei_job *job);
} rclitei_job;

rclitei_helpers *rclitei_helpers_create(const rclite_allocator *allocator); /* NULL: no memory */
/* Waits until all jobs have returned: see to it that they do. */
rclitei_helpers *rclitei_helpers_free(rclitei_helpers *helpers);
/* False: all threads are busy, or no more can be started. */
bool rclitei_helpers_start(rclitei_helpers *helpers, rclitei_job *job);

/* A thread that gets no signals: those are for the program's own. Returns 0 or errno. */
int rclitei_thread_start(pthread_t *ret_thread, void *(*run)(void *argument), void *argument);

#endif
