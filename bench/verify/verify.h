/* Conformance of a peer: does it keep the peer protocol (docs/peer-protocol.md)? Runs it with small
 * counts and full checks, with itself and with a reference at the other end, and alone against bad
 * jobs and sudden ends. Before anything is measured; no statistics. */
#ifndef BENCH_VERIFY_VERIFY_H
#define BENCH_VERIFY_VERIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "run/runner.h"

typedef struct verify_check {
    char *subject; /* "ROS 2 topic, 100 messages, null to null" */
    char *problem; /* one sentence; NULL: passed */
} verify_check;

typedef struct verify_report {
    verify_check *checks;
    size_t count, capacity;
    size_t failed;
} verify_report;

typedef struct verify_spec {
    const run_setting *setting;
    const run_variant *variant; /* of peer */
    const run_peer *peer;
    const char *reference;     /* another variant that the peer is also paired with, or NULL */
    const char *settings_json; /* for the peer; "{}" */
    int generation;            /* 0: all that the peer speaks */
    int64_t timeout_ns;        /* of one exchange */
    const char *master_uri;    /* ROS 1; NULL: a private one */
    /* Told of each check as it is made; may be NULL. */
    void (*on_check)(void *user, const verify_check *check);
    void *user;
} verify_spec;

/* False with a sentence (heap) when it could not be tried, or was interrupted. */
bool verify_peer(const verify_spec *spec, verify_report *report, char **ret_error);
void verify_report_done(verify_report *report);

#endif
