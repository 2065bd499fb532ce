/* The order of a run: what a peer does and says from its start to its exit. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kit.h"

static bool sends(const peer_job *job) {
    return job->role == PEER_PUBLISHER || job->role == PEER_CLIENT;
}

static void say_effective(peer_kit *kit) {
    const peer_effective *effective = &kit->effective;
    const peer_qos *qos = &effective->qos;
    if (!effective->given) {
        return;
    }
    json_t *line = json_pack("{s:{s:s,s:s,s:s,s:I,s:I,s:I,s:s,s:I},s:s,s:s,s:s}", "qos",
        "reliability", qos->reliability == PEER_RELIABLE ? "reliable" : "best_effort", "durability",
        qos->durability == PEER_VOLATILE ? "volatile" : "transient_local", "history",
        qos->history == PEER_KEEP_LAST ? "keep_last" : "keep_all", "depth", (json_int_t)qos->depth,
        "deadline_ns", (json_int_t)qos->deadline_ns, "lifespan_ns", (json_int_t)qos->lifespan_ns,
        "liveliness", qos->liveliness == PEER_AUTOMATIC ? "automatic" : "manual_by_topic",
        "liveliness_lease_ns", (json_int_t)qos->liveliness_lease_ns, "transport",
        effective->transport, "library", effective->library, "version", effective->version);
    char *text = line ? json_dumps(line, JSON_COMPACT) : NULL;
    if (text) {
        peer_channel_say(kit, "effective %s", text);
    }
    free(text);
    json_decref(line);
}

/* The first sample of the other side must have come before a subscriber is ready. */
static bool await_handshake(peer_kit *kit, char *error) {
    int64_t deadline = peer_monotonic_ns() + kit->job.match_timeout_ns;
    pthread_mutex_lock(&kit->lock);
    while (!kit->handshaken && !kit->failed && peer_kit_wait(kit, &kit->progress, deadline)) {
    }
    bool over = kit->handshaken || kit->failed;
    pthread_mutex_unlock(&kit->lock);
    if (!over) {
        snprintf(error, PEER_ERROR_BYTES, "matched, but no handshake message came within %lld ms",
            (long long)(kit->job.match_timeout_ns / 1000000));
    }
    return over;
}

static bool match(peer_kit *kit, char *error) {
    const peer_job *job = &kit->job;
    if (job->role == PEER_SERVER) {
        return true;
    }
    if (!kit->ops->wait_matched(kit->self, job->match_timeout_ns, error)) {
        return false;
    }
    peer_channel_say(kit, "matched %lld", (long long)peer_now_ns());
    if (job->foreign) {
        return true;
    }
    return sends(job) ? peer_send_handshake(kit, error) : await_handshake(kit, error);
}

static void say_ready(peer_kit *kit) {
    peer_kit_stage(kit, PEER_STAGE_READY);
    peer_channel_say(kit, "ready");
}

static bool await_go(peer_kit *kit, char *error) {
    if (sends(&kit->job) && kit->job.pattern != PEER_STARTUP) {
        return peer_send_await_go(kit, error);
    }
    pthread_mutex_lock(&kit->lock);
    while (!kit->go && !kit->failed) {
        peer_kit_wait(kit, &kit->control, INT64_MAX);
    }
    pthread_mutex_unlock(&kit->lock);
    return true;
}

/* Until `now` is said. In the startup pattern both sides are ready when they exist. */
static bool prepare(peer_kit *kit, char *error) {
    peer_kit_stage(kit, PEER_STAGE_START);
    if (!kit->ops->create(kit->self, kit, &kit->job, error)) {
        return false;
    }
    peer_channel_say(kit, "created %lld", (long long)peer_now_ns());
    peer_kit_stage(kit, PEER_STAGE_CREATED);
    say_effective(kit);
    if (kit->job.pattern != PEER_STARTUP && !match(kit, error)) {
        return false;
    }
    if (!peer_kit_has_failed(kit)) {
        say_ready(kit);
    }
    return await_go(kit, error);
}

static bool measure(peer_kit *kit, char *error) {
    const peer_job *job = &kit->job;
    peer_channel_say(kit, "now %lld", (long long)peer_now_ns());
    peer_kit_stage(kit, PEER_STAGE_GO);
    if (!sends(job)) {
        peer_receive_run(kit);
        return true;
    }
    if (job->pattern == PEER_STARTUP &&
        !kit->ops->wait_matched(kit->self, job->match_timeout_ns, error)) {
        return false;
    }
    peer_send_run(kit);
    return true;
}

static uint64_t counted_rows(const peer_samples *samples) {
    uint64_t counted = 0;
    for (size_t i = 0; i < samples->count; i++) {
        counted += (samples->rows[i].seq & PEER_SEQ_WARMUP) == 0;
    }
    return counted;
}

/* From `measured` to `done`. */
static bool report(peer_kit *kit, char *error) {
    peer_kit_stage(kit, PEER_STAGE_MEASURED);
    pthread_mutex_lock(&kit->lock);
    uint32_t stops = kit->stops;
    pthread_mutex_unlock(&kit->lock);
    peer_channel_say(kit, "measured");
    pthread_mutex_lock(&kit->lock);
    while (kit->stops == stops) {
        peer_kit_wait(kit, &kit->control, INT64_MAX);
    }
    pthread_mutex_unlock(&kit->lock);

    peer_kit_stage(kit, PEER_STAGE_WRITE);
    if (kit->ops->rows) {
        kit->ops->rows(kit->self, kit->samples.rows, &kit->samples.count);
    }
    peer_samples_header header = {
        .run_id = kit->job.run_id, .role = kit->job.role, .finished_ns = kit->finished_ns};
    if (!peer_samples_write(&kit->samples, &header, kit->job.samples, error)) {
        return false;
    }
    peer_channel_finish();
    peer_channel_say(kit, "done %llu", (unsigned long long)counted_rows(&kit->samples));
    peer_kit_stage(kit, PEER_STAGE_DONE);
    return true;
}

static bool run(peer_kit *kit, char *error) {
    if (!prepare(kit, error)) {
        return false;
    }
    if (!peer_kit_has_failed(kit) && !measure(kit, error)) {
        return false;
    }
    if (peer_kit_has_failed(kit)) {
        snprintf(error, PEER_ERROR_BYTES, "%s", kit->error);
        return false;
    }
    return report(kit, error);
}

/* Reads the job and asks the peer. Says what is refused. */
static bool accept_job(peer_kit *kit, const char *path, const peer_ops *ops, void *self) {
    peer_job_error problem;
    if (!peer_job_read(path, &kit->job, &problem)) {
        if (problem.refused[0]) {
            peer_channel_say(NULL, "refuse %s", problem.refused);
        } else {
            peer_channel_say(NULL, "error %s", problem.text);
        }
        return false;
    }
    const char *setting = peer_job_unknown_setting(&kit->job, ops->settings);
    const char *field = setting ? NULL : ops->refuses(self, &kit->job);
    if (setting || field) {
        peer_channel_say(
            NULL, "refuse %s%s", setting ? "settings." : "", setting ? setting : field);
        peer_job_done(&kit->job);
        return false;
    }
    return true;
}

int peer_main(int argc, char **argv, const peer_ops *ops, void *self) {
    if (argc != 2 || argv[1][0] == '-') {
        fprintf(stderr,
            "usage: %s JOB.json\nA peer is started by rclbench, which opens descriptors "
            "3 and 4 (docs/peer-protocol.md).\n",
            argv[0]);
        return PEER_EXIT_REFUSED;
    }
    peer_kit kit = {0};
    if (!accept_job(&kit, argv[1], ops, self)) {
        return PEER_EXIT_REFUSED;
    }
    char error[PEER_ERROR_BYTES] = "";
    bool good = peer_kit_init(&kit, ops, self, error) &&
                (!sends(&kit.job) || peer_send_init(&kit, error)) &&
                peer_channel_start(&kit, error) && run(&kit, error);
    peer_channel_finish();
    if (!good) {
        peer_channel_say(&kit, "error %s", error);
    }
    ops->destroy(self);
    peer_send_done(&kit);
    peer_kit_done(&kit);
    peer_job_done(&kit.job);
    return good ? PEER_EXIT_GOOD : PEER_EXIT_FAILED;
}
