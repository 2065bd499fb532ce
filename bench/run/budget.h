/* The time that a run may take. What a round of each cell costs is known after the first one; where
 * the budget does not hold enough rounds of all cells for an interval, the last cells of the plan
 * get no further round, so that the others have enough. */
#ifndef BENCH_RUN_BUDGET_H
#define BENCH_RUN_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/plan.h"

typedef struct run_budget {
    int64_t began_ns, budget_ns; /* 0: no limit */
    int64_t *cost_ns;            /* of each cell's last round; 0: there was none */
    size_t cell_count;
    size_t kept; /* cells from here on get one round only */
} run_budget;

void run_budget_begin(run_budget *budget, int64_t budget_ns, size_t cell_count);
void run_budget_done(run_budget *budget);

/* After the first round of all cells: decides `kept`, and says so in the plan's notes. */
void run_budget_thin(run_budget *budget, plan *todo, int64_t now_ns);
/* Whether a further round of all kept cells would not fit any more. */
bool run_budget_is_spent(const run_budget *budget, int64_t now_ns);

#endif
