/* The sender's thread and its queue, served in turn. */
#include "ros2/sender.h"

#include <errno.h>
#include <stdint.h>
#include <time.h>

static void append(ros2_sender *sender, ros2_task *task) {
    task->queued = true;
    task->next = NULL;
    if (sender->last) {
        sender->last->next = task;
    } else {
        sender->first = task;
    }
    sender->last = task;
}

static void *serve(void *user) {
    ros2_sender *sender = user;
    pthread_mutex_lock(&sender->lock);
    while (!sender->stop) {
        ros2_task *task = sender->first;
        if (!task) {
            pthread_cond_wait(&sender->changed, &sender->lock);
            continue;
        }
        sender->first = task->next;
        if (!sender->first) {
            sender->last = NULL;
        }
        task->queued = false;
        task->again = false;
        sender->running = task;
        const bool alone = sender->first == NULL;
        pthread_mutex_unlock(&sender->lock);
        const bool more = task->run(task, alone);
        pthread_mutex_lock(&sender->lock);
        sender->running = NULL;
        if ((more || task->again) && !task->queued && !task->unwanted) {
            append(sender, task);
        }
        pthread_cond_broadcast(&sender->changed);
    }
    pthread_mutex_unlock(&sender->lock);
    return NULL;
}

int ros2_sender_start(ros2_sender *sender) {
    *sender = (ros2_sender){.stop = false};
    pthread_mutex_init(&sender->lock, NULL);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&sender->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    const int error = pthread_create(&sender->thread, NULL, serve, sender);
    if (error != 0) {
        pthread_cond_destroy(&sender->changed);
        pthread_mutex_destroy(&sender->lock);
        return error;
    }
    sender->started = true;
    return 0;
}

void ros2_sender_stop(ros2_sender *sender) {
    if (!sender->started) {
        return;
    }
    pthread_mutex_lock(&sender->lock);
    sender->stop = true;
    pthread_cond_broadcast(&sender->changed);
    pthread_mutex_unlock(&sender->lock);
    pthread_join(sender->thread, NULL);
    pthread_cond_destroy(&sender->changed);
    pthread_mutex_destroy(&sender->lock);
    sender->started = false;
}

void ros2_sender_push_locked(ros2_sender *sender, ros2_task *task) {
    if (sender->running == task) {
        task->again = true;
    } else if (!task->queued) {
        append(sender, task);
        pthread_cond_broadcast(&sender->changed);
    }
}

void ros2_sender_push(ros2_sender *sender, ros2_task *task) {
    pthread_mutex_lock(&sender->lock);
    ros2_sender_push_locked(sender, task);
    pthread_mutex_unlock(&sender->lock);
}

static void unlink_task(ros2_sender *sender, ros2_task *task) {
    ros2_task *before = NULL;
    for (ros2_task *at = sender->first; at; before = at, at = at->next) {
        if (at != task) {
            continue;
        }
        if (before) {
            before->next = task->next;
        } else {
            sender->first = task->next;
        }
        if (sender->last == task) {
            sender->last = before;
        }
        break;
    }
    task->queued = false;
}

void ros2_sender_remove(ros2_sender *sender, ros2_task *task) {
    if (!sender->started) {
        return;
    }
    pthread_mutex_lock(&sender->lock);
    /* Else the thread, which keeps the lock from one run to the next, might never be seen idle. */
    task->unwanted = true;
    while (sender->running == task) {
        pthread_cond_wait(&sender->changed, &sender->lock);
    }
    if (task->queued) {
        unlink_task(sender, task);
    }
    task->unwanted = false;
    pthread_mutex_unlock(&sender->lock);
}

bool ros2_sender_wait_locked(ros2_sender *sender, int64_t until_ns) {
    const struct timespec until = {
        .tv_sec = (time_t)(until_ns / 1000000000), .tv_nsec = (long)(until_ns % 1000000000)};
    return pthread_cond_timedwait(&sender->changed, &sender->lock, &until) != ETIMEDOUT;
}
