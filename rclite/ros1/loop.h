/* The I/O thread of a ROS 1 context: an epoll loop with watches (descriptors), timers, tasks, and a
 * graveyard. It knows nothing of ROS. Everything that waits in the ROS 1 backend waits here, so no
 * handler may block.
 *
 * Handlers run on the loop's thread without any lock held but the loop's turn. A guest, which is a
 * thread that waits for one busy connection only (stream_reader.c), takes the turn to handle what
 * came: it is the loop's thread then, as far as anybody's data are concerned. Only the loop's own
 * thread runs timers, tasks and the graveyard. Memory that a handler may still be given is freed
 * through rclitei_loop_bury, which frees it when no event of the current batch can name it. */
#ifndef RCLITE_ROS1_LOOP_H
#define RCLITE_ROS1_LOOP_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "rclite/allocator.h"
#include "ros1/helpers.h"

typedef struct rclitei_loop rclitei_loop;

/* A descriptor. Embedded in what owns it. */
typedef struct rclitei_watch {
    int fd;
    atomic_bool dead; /* no handler is called any more */
    void (*on_ready)(struct rclitei_watch *watch, uint32_t events);
} rclitei_watch;

/* Runs once at or soon after its time (millisecond grain). Zeroed before the first use. */
typedef struct rclitei_loop_timer {
    void (*on_due)(struct rclitei_loop_timer *timer);
    int64_t due_ns;    /* CLOCK_MONOTONIC */
    size_t heap_index; /* 1-based; 0: not in the heap */
} rclitei_loop_timer;

/* Runs once, soon. Zeroed before the first use. */
typedef struct rclitei_task {
    void (*run)(struct rclitei_task *task);
    struct rclitei_task *next;
    bool queued;
} rclitei_task;

/* Waits in the graveyard; embedded as a member of what is to be freed. */
typedef struct rclitei_grave {
    void (*release)(struct rclitei_grave *grave);
    struct rclitei_grave *next;
} rclitei_grave;

rclite_result rclitei_loop_create(
    const rclite_allocator *allocator, rclitei_loop **ret_loop, int *ret_errno);
/* Stops and joins the thread, then runs what tasks are left and frees the graveyard. */
rclitei_loop *rclitei_loop_free(rclitei_loop *loop);
/* Is this its thread, or a guest whose turn it is. */
bool rclitei_loop_is_current(const rclitei_loop *loop);
/* A guest's turn. */
void rclitei_loop_enter(rclitei_loop *loop);
void rclitei_loop_leave(rclitei_loop *loop);
/* Threads for guests. */
rclitei_helpers *rclitei_loop_helpers(const rclitei_loop *loop);
/* In a handler of a watch: did nothing else happen at the same time. */
bool rclitei_loop_is_calm(const rclitei_loop *loop);
/* Async-signal-safe. */
void rclitei_loop_wake(rclitei_loop *loop);

/* Any thread. Returns 0 or errno. */
int rclitei_loop_add(rclitei_loop *loop, rclitei_watch *watch, uint32_t events);
void rclitei_loop_modify(rclitei_loop *loop, rclitei_watch *watch, uint32_t events);
/* Marks it dead and takes it out of epoll. The descriptor stays open: close it in the grave, or
 * another thread's new descriptor may get its number while a handler still uses it. */
void rclitei_loop_remove(rclitei_loop *loop, rclitei_watch *watch);

/* Any thread. RCLITE_ERR_NO_MEMORY when the heap cannot grow. */
rclite_result rclitei_loop_timer_start(
    rclitei_loop *loop, rclitei_loop_timer *timer, int64_t delay_ns);
/* After it returns the timer does not run, unless it is called from that timer itself. */
void rclitei_loop_timer_stop(rclitei_loop *loop, rclitei_loop_timer *timer);
void rclitei_loop_post(rclitei_loop *loop, rclitei_task *task);
void rclitei_loop_task_cancel(rclitei_loop *loop, rclitei_task *task); /* as timer_stop */
void rclitei_loop_bury(rclitei_loop *loop, rclitei_grave *grave);

#endif
