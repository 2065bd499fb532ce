/* Medians over rounds of what a side used: see resources.h. */
#include "report/resources.h"

#include <stdlib.h>

#include "report/tables.h"
#include "stats/compare.h"
#include "util/memory.h"

static const run_resources *part_of(const run_process *process, bool measured) {
    return measured ? &process->measured : &process->lifetime;
}

static run_resources medians(const report_cell *cell, int side, bool measured, double *values) {
    run_resources pooled = {0};
    for (size_t f = 0; f < table_resources.count; f++) {
        size_t offset = table_resources.fields[f].offset, count = 0;
        for (size_t i = 0; i < cell->round_count; i++) {
            const run_resources *one = part_of(&cell->rounds[i].run->sides[side], measured);
            if (cell->rounds[i].has_summary && one->valid) {
                values[count++] = (double)*(const int64_t *)((const char *)one + offset);
            }
        }
        if (count > 0) {
            pooled.valid = true;
            *(int64_t *)((char *)&pooled + offset) = (int64_t)stats_median(values, count);
        }
    }
    return pooled;
}

report_resources report_pool_resources(const report_cell *cell, int side) {
    report_resources pooled = {.cpu_percent = -1};
    double *values = util_alloc(cell->round_count + 1, sizeof(*values));
    size_t count = 0;
    for (size_t i = 0; i < cell->round_count; i++) {
        const run_process *process = &cell->rounds[i].run->sides[side];
        if (pooled.role == NULL) {
            pooled.role = process->role;
            pooled.variant = process->variant;
        }
        int64_t wall_ns = process->measured_ns - process->go_ns;
        if (cell->rounds[i].has_summary && process->measured.valid && process->go_ns > 0 &&
            wall_ns > 0) {
            int64_t cpu_ns = process->measured.cpu_user_ns + process->measured.cpu_system_ns;
            values[count++] = 100.0 * (double)cpu_ns / (double)wall_ns;
        }
    }
    if (count > 0) {
        pooled.cpu_percent = stats_median(values, count);
    }
    pooled.measured = medians(cell, side, true, values);
    pooled.lifetime = medians(cell, side, false, values);
    free(values);
    return pooled;
}
