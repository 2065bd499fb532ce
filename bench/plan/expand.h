/* From what was asked (peers by name or `all`, both sides) to cells, one for each pair. Pure: which
 * peers exist and which can run here is told, not looked up. */
#ifndef BENCH_PLAN_EXPAND_H
#define BENCH_PLAN_EXPAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/plan.h"
#include "plan/rule.h"
#include "util/strvec.h"

/* A variant that has a manifest. */
typedef struct plan_peer {
    const char *name;
    const char *family;  /* peers meet only within a family; `all` is the family "ros" */
    bool generations[3]; /* [1], [2] */
    bool patterns[PLAN_PATTERN_COUNT];
    bool available;
    const char *missing; /* why not */
    bool secondary;      /* a further variant of a peer: the first to go when time is short */
    const char *rmw;     /* the RMW it goes over; NULL: none, it speaks Cyclone DDS itself */
    plan_rules rules;    /* borrowed */
} plan_peer;

typedef struct plan_peers {
    const plan_peer *items;
    size_t count;
} plan_peers;

/* One point of the matrix; from and to are lists of variants or hold "all". An empty one means
 * the same as the other. */
typedef struct plan_spec {
    plan_cell cell; /* without from and to */
    strvec from, to;
    bool pairs_same;
} plan_spec;

/* Appends the cells of a spec. Pairs that cannot run are appended as refused. False with an error
 * sentence (heap) for a name that no manifest has. */
bool plan_expand(plan *todo, const plan_spec *spec, plan_peers peers, char **ret_error);

/* Appends what `rclbench` without a command measures: topic and service at 1 MiB, each peer with
 * itself: those in `from`, or each that is available. The cell gives counts, payload and transport;
 * generation 0 means both. False with an error sentence (heap) for a name that no manifest has. */
bool plan_expand_default(plan *todo, const plan_spec *spec, plan_peers peers, char **ret_error);

/* A rough guess of how long one round, and the whole plan, will take. */
int64_t plan_estimate_round_ns(const plan_cell *cell);
int64_t plan_estimate_ns(const plan *todo);

/* Lowers counts (to a fifth at most, never below 20), then drops cells from the end, until the
 * estimate fits; says so in the notes. */
void plan_fit_budget(plan *todo, int64_t budget_ns);

#endif
