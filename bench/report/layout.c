/* Puts the tables together, and the figures that they have in common: see
 * layout.h. */
#include "report/layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/compare.h"
#include "stats/summarize.h"
#include "util/memory.h"

/* An interval whose ends are further apart says nothing about which is faster.
 */
#define NOISY_SPAN 2.0

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

/* Without --baseline, the library that the world compares with, if it is there.
 */
static const char *choose_baseline(const report *result, const report_view *view) {
    static const char *const usual[] = {"rclcpp", "roscpp"};
    if (view->baseline != NULL) {
        return view->baseline;
    }
    for (size_t u = 0; u < sizeof(usual) / sizeof(usual[0]); u++) {
        for (size_t i = 0; i < result->cell_count; i++) {
            const plan_cell *cell = result->cells[i].run->cell;
            if (strcmp(cell->from, usual[u]) == 0 && strcmp(cell->to, usual[u]) == 0) {
                return usual[u];
            }
        }
    }
    return NULL;
}

void layout_build(const report *result, const report_view *view, layout *ret_layout) {
    layout shown = {0};
    const char *baseline = choose_baseline(result, view);
    bool *done = util_alloc(result->cell_count + 1, sizeof(*done));
    layout_overview(result, baseline, &shown);
    for (size_t i = 0; i < result->cell_count; i++) {
        if (!done[i] && result->cells[i].has_summary) {
            layout_group(result, i, done, baseline, &shown);
        }
    }
    for (size_t i = 0; view->detail && i < result->cell_count; i++) {
        if (result->cells[i].has_summary) {
            layout_details(result, &result->cells[i], &shown);
        }
    }
    free(done);
    layout_notes(result, &shown);
    *ret_layout = shown;
}

void layout_done(layout *shown) {
    for (size_t i = 0; i < shown->grid_count; i++) {
        grid_done(&shown->grids[i]);
    }
    free(shown->grids);
    strvec_done(&shown->notes);
    memset(shown, 0, sizeof(*shown));
}
