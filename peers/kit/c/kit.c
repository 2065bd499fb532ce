/* The kit's state, its clock, and the reports that concern both sides. */
#include "kit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NS_PER_S INT64_C(1000000000)
#define ROWS_PER_SECOND 250000 /* of a run that lasts a time and not a count */
#define ROWS_MAX ((size_t)4 << 20)
#define ROWS_EXTRA 4096 /* duplicates, messages of strangers */
#define PUMP_NS_MAX INT64_C(5000000)

static int64_t read_clock(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * NS_PER_S + now.tv_nsec;
}

int64_t peer_now_ns(void) {
    return read_clock(CLOCK_REALTIME);
}

int64_t peer_monotonic_ns(void) {
    return read_clock(CLOCK_MONOTONIC);
}

static size_t row_capacity(const peer_job *job) {
    if (job->count > 0) {
        size_t rows = job->count + job->warmup;
        bool receives = job->role == PEER_SUBSCRIBER || job->role == PEER_SERVER;
        return receives ? rows + job->count / 8 + ROWS_EXTRA : rows;
    }
    int64_t rows = job->period_ns > 0 ? job->duration_ns / job->period_ns
                                      : job->duration_ns / (NS_PER_S / ROWS_PER_SECOND);
    size_t wanted = (size_t)rows + job->warmup + ROWS_EXTRA;
    return wanted < ROWS_MAX ? wanted : ROWS_MAX;
}

static bool init_body(peer_kit *kit) {
    const peer_job *job = &kit->job;
    bool wanted = job->pattern == PEER_TOPIC && job->verify == PEER_VERIFY_FULL;
    if (!wanted) {
        return true;
    }
    kit->body = malloc(job->payload_bytes);
    if (!kit->body) {
        return false;
    }
    peer_payload_fill(kit->body, job->payload_bytes, job->run_id);
    return true;
}

bool peer_kit_init(peer_kit *kit, const peer_ops *ops, void *self, char *error) {
    kit->ops = ops;
    kit->self = self;
    pthread_mutex_init(&kit->lock, NULL);
    pthread_mutex_init(&kit->publishing, NULL);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&kit->control, &attributes);
    pthread_cond_init(&kit->progress, &attributes);
    pthread_condattr_destroy(&attributes);
    if (!peer_samples_init(&kit->samples, row_capacity(&kit->job)) || !init_body(kit)) {
        snprintf(error, PEER_ERROR_BYTES, "no memory for %zu rows", row_capacity(&kit->job));
        return false;
    }
    return true;
}

void peer_kit_done(peer_kit *kit) {
    peer_samples_done(&kit->samples);
    free(kit->body);
    pthread_cond_destroy(&kit->control);
    pthread_cond_destroy(&kit->progress);
    pthread_mutex_destroy(&kit->publishing);
    pthread_mutex_destroy(&kit->lock);
}

/* A peer that pumps looks at the control channel between two pumps. */
static bool pump(peer_kit *kit, int64_t until_ns) {
    int64_t left = until_ns == INT64_MAX ? PUMP_NS_MAX : until_ns - peer_monotonic_ns();
    pthread_mutex_unlock(&kit->lock);
    if (left > 0) {
        kit->ops->pump(kit->self, left < PUMP_NS_MAX ? left : PUMP_NS_MAX);
    }
    pthread_mutex_lock(&kit->lock);
    return peer_monotonic_ns() < until_ns;
}

bool peer_kit_wait(peer_kit *kit, pthread_cond_t *condition, int64_t until_ns) {
    if (kit->ops->pump) {
        return pump(kit, until_ns);
    }
    if (until_ns == INT64_MAX) {
        pthread_cond_wait(condition, &kit->lock);
        return true;
    }
    struct timespec until = {.tv_sec = until_ns / NS_PER_S, .tv_nsec = until_ns % NS_PER_S};
    return pthread_cond_timedwait(condition, &kit->lock, &until) == 0;
}

void peer_kit_stage(peer_kit *kit, peer_stage stage) {
    if (kit->ops->stage) {
        kit->ops->stage(kit->self, stage);
    }
}

bool peer_kit_has_failed(peer_kit *kit) {
    pthread_mutex_lock(&kit->lock);
    bool failed = kit->failed;
    pthread_mutex_unlock(&kit->lock);
    return failed;
}

void peer_kit_fail(peer_kit *kit, const char *text) {
    pthread_mutex_lock(&kit->lock);
    if (!kit->failed) {
        kit->failed = true;
        snprintf(kit->error, sizeof kit->error, "%s", text);
    }
    pthread_cond_broadcast(&kit->control);
    pthread_cond_broadcast(&kit->progress);
    pthread_mutex_unlock(&kit->lock);
}

void peer_kit_payload(peer_kit *kit, uint8_t *data) {
    peer_payload_fill(data, kit->job.payload_bytes, kit->job.run_id);
    kit->payload = data;
}

void peer_kit_effective(peer_kit *kit, const peer_qos *qos, const char *transport,
    const char *library, const char *version) {
    peer_effective *effective = &kit->effective;
    effective->given = true;
    effective->qos = *qos;
    snprintf(effective->transport, sizeof effective->transport, "%s", transport);
    snprintf(effective->library, sizeof effective->library, "%s", library);
    snprintf(effective->version, sizeof effective->version, "%s", version);
}
