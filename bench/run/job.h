/* The job that a peer gets: one JSON object, every field always there (docs/peer-protocol.md). */
#ifndef BENCH_RUN_JOB_H
#define BENCH_RUN_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "plan/plan.h"

/* Full names; those that the pattern does not use become null in the job. */
typedef struct run_names {
    const char *node, *topic, *echo_topic, *service, *action;
} run_names;

typedef struct run_job {
    const plan_cell *cell;
    int side; /* 0: from / client, 1: to / server */
    run_names names;
    uint64_t run_id; /* 63 bits */
    bool foreign;
    int64_t match_timeout_ns, quiet_ns, call_timeout_ns;
    const char *samples_path;
    const char *variant_settings_json; /* an object; the cell's settings win over it */
} run_job;

/* The JSON text (heap), or NULL with a sentence (heap) when settings are not a JSON object. */
char *run_job_text(const run_job *job, char **ret_error);

/* Writes the text to a new file; false with a sentence (heap). */
bool run_job_write(const run_job *job, const char *path, char **ret_error);

#endif
