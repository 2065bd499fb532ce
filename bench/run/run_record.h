/* What running a plan gives: for each cell and round, what both processes did and where their
 * samples are. Recorded by run/, read by sample/, stats/ and report/. No statistics in here. */
#ifndef BENCH_RUN_RUN_RECORD_H
#define BENCH_RUN_RUN_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/plan.h"
#include "run/work_dir.h"

/* From /proc of the process and its threads: the measured part (measured minus go), or from wait4:
 * the lifetime. */
typedef struct run_resources {
    bool valid;
    int64_t cpu_user_ns, cpu_system_ns;
    int64_t max_rss_bytes;
    int64_t voluntary_switches, involuntary_switches;
    int64_t minor_faults, major_faults;
} run_resources;

typedef struct run_process {
    char *role;      /* "publisher", ... */
    char *variant;   /* "rclite-spin" */
    char *command;   /* as started, for the report */
    int exit_status; /* -1: killed by `signal` */
    int signal;
    run_resources measured, lifetime;
    int64_t spawned_ns, ready_ns, go_ns, measured_ns; /* CLOCK_REALTIME; 0: never */
    int64_t created_ns, matched_ns;                   /* as the peer said; 0: it did not */
    char *effective_json;                             /* what it said, or NULL */
    char *samples_path;                               /* or NULL */
    uint64_t done_rows;
    char *said; /* last 4 KiB of its output when it failed, else NULL */
} run_process;

typedef struct run_round {
    uint32_t index;
    bool ok;
    char *failure;              /* one sentence that names the peer; NULL when ok */
    run_process sides[2];       /* 0: from / client, 1: to / server */
    int64_t clock_step_ns;      /* how far CLOCK_REALTIME and CLOCK_MONOTONIC moved apart */
    int64_t udp_receive_errors; /* of the host during the round; -1 unknown */
    double load_1min;
    char **warnings;
    size_t warning_count;
} run_round;

typedef struct run_cell {
    const plan_cell *cell;
    run_round *rounds;
    size_t round_count;
    char *refused; /* why it was not run at all, or NULL */
} run_cell;

typedef struct run_record {
    run_cell *cells;
    size_t cell_count;
    bool interrupted;      /* Ctrl-C: what is here is what was measured */
    run_work_dir work_dir; /* jobs, and the samples when they are temporary */
} run_record;

#endif
