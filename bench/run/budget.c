/* Rounds against time; see budget.h. */
#include "run/budget.h"

#include <stdlib.h>
#include <string.h>

#include "run/clock.h"
#include "util/memory.h"

#define ROUNDS_ENOUGH 5 /* as many as an interval needs */

void run_budget_begin(run_budget *budget, int64_t budget_ns, size_t cell_count) {
    *budget = (run_budget){
        .began_ns = run_clock_monotonic_ns(),
        .budget_ns = budget_ns,
        .cost_ns = util_alloc(cell_count + 1, sizeof(int64_t)),
        .cell_count = cell_count,
        .kept = cell_count,
    };
}

void run_budget_done(run_budget *budget) {
    free(budget->cost_ns);
    memset(budget, 0, sizeof *budget);
}

static size_t measured(const run_budget *budget, size_t first, size_t end) {
    size_t count = 0;
    for (size_t i = first; i < end; i++) {
        count += budget->cost_ns[i] > 0;
    }
    return count;
}

void run_budget_thin(run_budget *budget, plan *todo, int64_t now_ns) {
    if (budget->budget_ns == 0 || todo->rounds < ROUNDS_ENOUGH) {
        return;
    }
    int64_t left_ns = budget->budget_ns - (now_ns - budget->began_ns);
    int64_t round_ns = 0;
    for (size_t i = 0; i < budget->cell_count; i++) {
        round_ns += budget->cost_ns[i];
    }
    while (round_ns > left_ns / (ROUNDS_ENOUGH - 1) && measured(budget, 0, budget->kept) > 1) {
        round_ns -= budget->cost_ns[--budget->kept];
    }
    size_t once = measured(budget, budget->kept, budget->cell_count);
    if (once > 0) {
        plan_note(todo,
            "the last %zu of %zu measurements have one round only, so that the others have %d "
            "within the budget",
            once, measured(budget, 0, budget->cell_count), ROUNDS_ENOUGH);
    }
}

bool run_budget_is_spent(const run_budget *budget, int64_t now_ns) {
    int64_t round_ns = 0;
    for (size_t i = 0; i < budget->kept; i++) {
        round_ns += budget->cost_ns[i];
    }
    return budget->budget_ns > 0 && now_ns - budget->began_ns > budget->budget_ns - round_ns;
}
