/* How long a plan will take, and making it fit; see expand.h. The estimate is rough and
 * rather low: the run itself watches the clock too, and then ends with a whole number of rounds. */
#include "plan/expand.h"

#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

#define ROUND_OVERHEAD_NS INT64_C(600000000) /* Start, discovery, quiet time, end. */
#define COUNT_MIN 20

static int64_t back_to_back_ns(const plan_cell *cell) {
    int64_t per_message = cell->pattern == PLAN_ACTION ? 2000000 : 200000;
    /* 500 MB/s: two nanoseconds a byte. */
    return per_message +
           (int64_t)(cell->payload_bytes > INT64_MAX / 4 ? INT64_MAX / 4 : cell->payload_bytes * 2);
}

int64_t plan_estimate_round_ns(const plan_cell *cell) {
    if (cell->count == 0) {
        return cell->duration_ns + ROUND_OVERHEAD_NS;
    }
    int64_t per_message = cell->period_ns > 0 ? cell->period_ns : back_to_back_ns(cell);
    double total = (double)per_message * (double)(cell->count + cell->warmup);
    double max = (double)(INT64_MAX / 1024);
    return (total > max ? INT64_MAX / 1024 : (int64_t)total) + ROUND_OVERHEAD_NS;
}

static double estimate(const plan *todo) {
    double total = 0;
    for (size_t i = 0; i < todo->cell_count; i++) {
        if (todo->cells[i].refused == NULL) {
            total += (double)plan_estimate_round_ns(&todo->cells[i]) * todo->rounds;
        }
    }
    return total;
}

int64_t plan_estimate_ns(const plan *todo) {
    double total = estimate(todo);
    return total > (double)(INT64_MAX / 2) ? INT64_MAX / 2 : (int64_t)total;
}

/* Scales a number down to `percent`, not below COUNT_MIN or what it was. */
static uint64_t lowered(uint64_t count, unsigned percent) {
    uint64_t min = count < COUNT_MIN ? count : COUNT_MIN;
    uint64_t scaled = count / 100 * percent + count % 100 * percent / 100;
    return scaled < min ? min : scaled;
}

static void lower_counts(plan *todo, const plan_cell *original, unsigned percent) {
    for (size_t i = 0; i < todo->cell_count; i++) {
        todo->cells[i].count = lowered(original[i].count, percent);
        todo->cells[i].duration_ns = original[i].duration_ns / 100 * percent;
    }
}

/* Removes the last cell that would run. */
static void drop_last(plan *todo) {
    size_t i = todo->cell_count - 1;
    while (todo->cells[i].refused != NULL) {
        i--;
    }
    const plan_cell *cell = &todo->cells[i];
    plan_note(todo, "dropped to fit the budget: %s, ROS %d, %s to %s",
        plan_pattern_name(cell->pattern), cell->generation, cell->from, cell->to);
    memmove(&todo->cells[i], &todo->cells[i + 1], (todo->cell_count - i - 1) * sizeof *todo->cells);
    todo->cell_count--;
}

void plan_fit_budget(plan *todo, int64_t budget_ns) {
    if (todo->cell_count == 0 || plan_estimate_ns(todo) <= budget_ns) {
        return;
    }
    plan_cell *original = util_alloc(todo->cell_count, sizeof *original);
    memcpy(original, todo->cells, todo->cell_count * sizeof *original);
    unsigned percent = 100;
    do {
        percent -= 5;
        lower_counts(todo, original, percent);
    } while (percent > 20 && plan_estimate_ns(todo) > budget_ns);
    bool changed = false;
    for (size_t i = 0; i < todo->cell_count; i++) {
        changed = changed || todo->cells[i].count != original[i].count ||
                  todo->cells[i].duration_ns != original[i].duration_ns;
    }
    free(original);
    if (changed) {
        plan_note(todo, "counts were lowered to %u %% to fit the budget", percent);
    }

    size_t running = 0;
    for (size_t i = 0; i < todo->cell_count; i++) {
        running += todo->cells[i].refused == NULL;
    }
    while (running > 1 && plan_estimate_ns(todo) > budget_ns) {
        drop_last(todo);
        running--;
    }
}
