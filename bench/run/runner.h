/* Runs a plan: round r of every cell before round r + 1, each in fresh processes. */
#ifndef BENCH_RUN_RUNNER_H
#define BENCH_RUN_RUNNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/plan.h"
#include "run/child.h"
#include "run/environment.h"
#include "run/guard.h"
#include "run/network.h"
#include "run/registry.h"
#include "run/run_record.h"

/* Told as it happens; each may be NULL. */
typedef struct run_observer {
    void *user;
    void (*round_begins)(void *user, const plan_cell *cell, uint32_t round);
    void (*round_ended)(void *user, const plan_cell *cell, const run_round *round);
    /* A side's resources are being read: at `go` and (measured) at its `measured`. */
    void (*reading)(void *user, int side, const run_child *child, bool measured);
    /* One side alone (--only) has waited for 2 s. */
    void (*waiting)(void *user, const char *sentence);
} run_observer;

typedef struct run_options {
    int only_side;           /* -1: both; 0 or 1: the other one is somebody else's */
    const char *name;        /* of the topic, service or action; NULL: one of our own */
    const char *samples_dir; /* NULL: a temporary folder, see run_record_done() */
    const char *master_uri;  /* NULL: a private master, started when a cell needs it */
    int64_t budget_ns;       /* no round starts later; 0: no limit */
    run_observer observer;
} run_options;

/* What running needs; all set up by the caller. environments: [0] without, [1] with ROS 2. */
typedef struct run_setting {
    const run_registry *registry;
    const run_network *network;
    const strvec *environments;
    const run_guard *guard;
} run_setting;

/* Runs everything. Plan and registry must outlive the record. False with a sentence (heap) when
 * nothing could be run at all; then there is no record. Notes (a budget that ran out) are added to
 * the plan. environment: dds_configuration and ros1_master are filled in. */
bool run_plan(plan *todo, const run_setting *setting, const run_options *options,
    run_environment *environment, run_record *ret_record, char **ret_error);

#endif
