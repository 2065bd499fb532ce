/* The figures that tables of a report have in common: see figures.h. */
#include "report/figures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/compare.h"
#include "stats/summarize.h"
#include "util/memory.h"

/* An interval whose ends are further apart says nothing about which is faster.
 */
#define NOISY_SPAN 2.0

unsigned layout_rounds(const report *result) {
    size_t most = 0;
    for (size_t i = 0; i < result->cell_count; i++) {
        most = result->cells[i].round_count > most ? result->cells[i].round_count : most;
    }
    return (unsigned)most;
}

grid *layout_add(layout *shown, char *title) {
    util_reserve(&shown->grids, &shown->grid_capacity, shown->grid_count + 1, sizeof(grid));
    grid *table = &shown->grids[shown->grid_count++];
    memset(table, 0, sizeof(*table));
    table->title = title;
    return table;
}

static bool same_text(const char *a, const char *b) {
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool same_qos(const plan_qos *a, const plan_qos *b) {
    return same_text(a->reliability, b->reliability) && same_text(a->durability, b->durability) &&
           same_text(a->history, b->history) && same_text(a->liveliness, b->liveliness) &&
           a->depth == b->depth && a->deadline_ns == b->deadline_ns &&
           a->lifespan_ns == b->lifespan_ns && a->liveliness_lease_ns == b->liveliness_lease_ns;
}

bool layout_same_group(const plan_cell *a, const plan_cell *b) {
    return a->pattern == b->pattern && a->generation == b->generation && a->echo == b->echo &&
           same_text(a->type, b->type) && same_qos(&a->qos, &b->qos) &&
           a->transport == b->transport && a->payload_bytes == b->payload_bytes &&
           same_text(a->payload_kind, b->payload_kind) && a->count == b->count &&
           a->duration_ns == b->duration_ns && a->period_ns == b->period_ns &&
           a->warmup == b->warmup && a->in_flight == b->in_flight && a->growth == b->growth &&
           same_text(a->settings_json, b->settings_json);
}

time_unit layout_unit(double ns) {
    static const time_unit units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    size_t i = 0;
    while (i < 3 && ns >= units[i + 1].ns) {
        i++;
    }
    return units[i];
}

char *layout_number(double value, char text[LAYOUT_NUMBER_MAX]) {
    int digits = value >= 99.95 ? 0 : value >= 9.995 ? 1 : value >= 0.9995 ? 2 : 3;
    if (value < 0) {
        strcpy(text, "-");
    } else {
        snprintf(text, LAYOUT_NUMBER_MAX, "%.*f", value == 0 ? 0 : digits, value);
    }
    return text;
}

size_t layout_round_medians(const report_cell *cell, double **ret_values) {
    stats_quantity main = stats_main_quantity(cell->run->cell);
    size_t count = 0;
    *ret_values = util_alloc(cell->round_count + 1, sizeof(double));
    for (size_t i = 0; i < cell->round_count; i++) {
        const stats_distribution *d = &cell->rounds[i].summary.quantities[main];
        if (cell->rounds[i].has_summary && d->n > 0) {
            (*ret_values)[count++] = d->p50;
        }
    }
    return count;
}

size_t layout_round_totals(const report_cell *cell, double **ret_values) {
    size_t count = 0;
    *ret_values = util_alloc(cell->round_count + 1, sizeof(double));
    for (size_t i = 0; i < cell->round_count; i++) {
        if (cell->rounds[i].has_summary && cell->rounds[i].summary.delivered_total_ns >= 0) {
            (*ret_values)[count++] = (double)cell->rounds[i].summary.delivered_total_ns;
        }
    }
    return count;
}

char *layout_ratio(const double *above, size_t above_count, const double *below, size_t below_count,
    uint64_t seed) {
    char estimate[LAYOUT_NUMBER_MAX], low[LAYOUT_NUMBER_MAX], high[LAYOUT_NUMBER_MAX];
    stats_interval ratio = stats_bootstrap_ratio(above, above_count, below, below_count, seed);
    if (above_count == 0 || below_count == 0 || !(ratio.estimate > 0)) {
        return util_strdup("-");
    }
    layout_number(ratio.estimate, estimate);
    if (!ratio.valid) {
        return util_strdup(estimate);
    }
    bool noisy = ratio.high > NOISY_SPAN * ratio.low;
    return util_format("%s%s [%s %s]", noisy ? "~" : "", estimate, layout_number(ratio.low, low),
        layout_number(ratio.high, high));
}
