/* One round: both peers of a cell from spawn to reap, by the peer protocol (docs/peer-protocol.md).
 * Whatever a peer does - silence, rubbish, floods, lies, death - the session ends by its deadlines
 * with both process groups gone and one sentence that names the peer. */
#ifndef BENCH_RUN_SESSION_H
#define BENCH_RUN_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "run/guard.h"
#include "run/run_record.h"
#include "util/strvec.h"

struct run_child;

typedef struct run_side_spec {
    const char *variant;
    const char *role;
    const strvec *argv; /* with the job's path as last argument */
    const char *dir;
    const strvec *environment;
    const char *samples_path;
} run_side_spec;

typedef struct run_session_spec {
    const run_side_spec *sides[2]; /* 0: from / client, 1: to / server; one may be NULL (--only) */
    bool startup;                  /* side 0 is started when side 1 measures already */
    int64_t ready_ns;              /* how long each phase may take: spawn to ready, ... */
    int64_t measure_ns;            /* ... go to measured, ... */
    int64_t finish_ns;             /* ... and stop to measured, done, exit */
    int64_t grace_ns;              /* between TERM and KILL */
    int64_t serve_ns;              /* how long side 1 serves when it is alone */
    const run_guard *guard;
    /* Called when the only side is not ready after 2 s (--only). May be NULL, like the next two. */
    void (*on_waiting)(void *user);
    /* Called when a side's resources are read: at `go` and (measured) at its `measured`. */
    void (*on_reading)(void *user, int side, const struct run_child *child, bool measured);
    void *user;
    /* Looked at while waiting: a sentence (heap) when something outside of the peers has failed
     * (the master), else NULL. */
    char *(*check_outside)(void *user);
} run_session_spec;

/* Fills sides, ok, failure, warnings, clock_step_ns, udp_receive_errors, load_1min of a zeroed
 * round. True when the round is good. */
bool run_session(const run_session_spec *spec, run_round *round);

#endif
