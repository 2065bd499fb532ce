/* The helper threads; see helpers.h. */
#include "ros1/helpers.h"

#include <signal.h>
#include <string.h>

struct rclitei_helpers {
    rclite_allocator allocator;
    pthread_mutex_t mutex; /* guards all below */
    pthread_cond_t changed;
    pthread_t threads[RCLITEI_HELPERS_MAX];
    unsigned thread_count, idle_count;
    rclitei_job *waiting[RCLITEI_HELPERS_MAX]; /* each has an idle thread that will take it */
    unsigned waiting_count;
    bool stopping;
};

int rclitei_thread_start(pthread_t *ret_thread, void *(*run)(void *argument), void *argument) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(ret_thread, NULL, run, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

static void *help(void *argument) {
    rclitei_helpers *helpers = argument;
    pthread_mutex_lock(&helpers->mutex);
    for (;;) {
        if (helpers->waiting_count > 0) {
            rclitei_job *job = helpers->waiting[--helpers->waiting_count];
            helpers->idle_count--;
            pthread_mutex_unlock(&helpers->mutex);
            job->run(job);
            pthread_mutex_lock(&helpers->mutex);
            helpers->idle_count++;
        } else if (helpers->stopping) {
            break;
        } else {
            pthread_cond_wait(&helpers->changed, &helpers->mutex);
        }
    }
    pthread_mutex_unlock(&helpers->mutex);
    return NULL;
}

rclitei_helpers *rclitei_helpers_create(const rclite_allocator *allocator) {
    rclitei_helpers *helpers = allocator->reallocate(allocator->state, NULL, sizeof *helpers);
    if (helpers) {
        memset(helpers, 0, sizeof *helpers);
        helpers->allocator = *allocator;
        pthread_mutex_init(&helpers->mutex, NULL);
        pthread_cond_init(&helpers->changed, NULL);
    }
    return helpers;
}

rclitei_helpers *rclitei_helpers_free(rclitei_helpers *helpers) {
    if (!helpers) {
        return NULL;
    }
    pthread_mutex_lock(&helpers->mutex);
    helpers->stopping = true;
    pthread_cond_broadcast(&helpers->changed);
    pthread_mutex_unlock(&helpers->mutex);
    for (unsigned i = 0; i < helpers->thread_count; i++) {
        pthread_join(helpers->threads[i], NULL);
    }
    rclite_allocator allocator = helpers->allocator;
    pthread_cond_destroy(&helpers->changed);
    pthread_mutex_destroy(&helpers->mutex);
    allocator.reallocate(allocator.state, helpers, 0);
    return NULL;
}

bool rclitei_helpers_start(rclitei_helpers *helpers, rclitei_job *job) {
    pthread_mutex_lock(&helpers->mutex);
    bool taken = helpers->waiting_count < helpers->idle_count;
    if (!taken && !helpers->stopping && helpers->thread_count < RCLITEI_HELPERS_MAX) {
        taken = rclitei_thread_start(&helpers->threads[helpers->thread_count], help, helpers) == 0;
        helpers->thread_count += taken;
        helpers->idle_count += taken;
    }
    if (taken) {
        helpers->waiting[helpers->waiting_count++] = job;
        pthread_cond_signal(&helpers->changed);
    }
    pthread_mutex_unlock(&helpers->mutex);
    return taken;
}
