/* The sender: one thread of a context that does what a callback must not wait for (a reliable
 * reader that is behind, a reader that is not matched yet). It sleeps unless there is such work. */
#ifndef RCLITE_ROS2_SENDER_H
#define RCLITE_ROS2_SENDER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct ros2_task {
    /* Called on the sender's thread without its lock; alone: no other task waits. Returns true to
     * be called again. May wait for some milliseconds, less unless alone. */
    bool (*run)(struct ros2_task *task, bool alone);
    struct ros2_task *next;
    bool queued, again, unwanted;
} ros2_task;

typedef struct ros2_sender {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed; /* a task came, ended, or made progress */
    ros2_task *first, *last, *running;
    bool started, stop;
} ros2_sender;

/* Returns an errno. */
int ros2_sender_start(ros2_sender *sender);
/* All tasks have been removed. Harmless when it was not started. */
void ros2_sender_stop(ros2_sender *sender);

/* With sender->lock held. */
void ros2_sender_push_locked(ros2_sender *sender, ros2_task *task);
void ros2_sender_push(ros2_sender *sender, ros2_task *task);
/* Takes it out and waits until it does not run, for no longer than this one run takes. */
void ros2_sender_remove(ros2_sender *sender, ros2_task *task);
/* Waits for progress up to a time of CLOCK_MONOTONIC. false: the time passed. Lock held. */
bool ros2_sender_wait_locked(ros2_sender *sender, int64_t until_ns);

#endif
