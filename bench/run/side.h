/* One side of a session: the process, how far it has come, and what each line that it says means.
 * What the session as a whole does next is session.c's. */
#ifndef BENCH_RUN_SIDE_H
#define BENCH_RUN_SIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "run/child.h"
#include "run/resources.h"
#include "run/session.h"

/* How far a side has come; each line of the protocol leads to the next. */
typedef enum run_side_phase {
    SIDE_ABSENT,
    SIDE_STARTED,
    SIDE_READY,
    SIDE_GONE_OFF, /* told to go */
    SIDE_RUNNING,  /* said now */
    SIDE_MEASURED,
    SIDE_DONE,
    SIDE_PHASE_COUNT
} run_side_phase;

typedef struct run_side {
    int index;
    const run_session_spec *session;
    const run_side_spec *spec;
    run_round *round;     /* for warnings */
    run_process *process; /* the record */
    run_child child;
    run_side_phase phase;
    run_reading begin;
    int64_t go_written_ns; /* CLOCK_REALTIME just before */
    int64_t closed_ns;     /* when its end of the channel was first seen closed; 0: it is open */
    char *trouble;         /* what it said or did wrong, "was killed by ..."; heap */
} run_side;

/* A run_child_on_line: takes one line that the side (user) said. */
void run_side_take_line(void *user, char *line, size_t len);

/* Looks at the process too; true when something is wrong, which `trouble` then says. */
bool run_side_in_trouble(run_side *side);

/* Tells whoever wants to know that its resources are read now. */
void run_side_reading(run_side *side, bool measured);

#endif
