/* What the rows of each pattern's table show: see rows.h. */
#include "report/rows.h"

#include <stdlib.h>
#include <string.h>

#include "report/parts.h"
#include "report/resources.h"
#include "stats/compare.h"
#include "stats/summarize.h"
#include "util/memory.h"

static void number_cell(const row *r, double value) {
    char text[LAYOUT_NUMBER_MAX];
    grid_cell(r->table, "%s", layout_number(value, text));
}

void rows_time_cell(const row *r, double ns, bool known) {
    number_cell(r, known ? ns / r->unit.ns : -1);
}

/* One-way times can be below zero when a clock was set; they are shown as they
 * are. */
static void signed_time_cell(const row *r, double ns, bool known) {
    char text[LAYOUT_NUMBER_MAX];
    bool below = known && ns < 0;
    layout_number(known ? (below ? -ns : ns) / r->unit.ns : -1, text);
    grid_cell(r->table, "%s%s", below ? "-" : "", text);
}

static void count_cell(const row *r, uint64_t count, bool known) {
    if (known) {
        grid_cell(r->table, "%llu", (unsigned long long)count);
    } else {
        grid_cell(r->table, "-");
    }
}

static void cpu_cell(const row *r) {
    char text[2][LAYOUT_NUMBER_MAX];
    for (int side = 0; side < 2; side++) {
        double percent = report_pool_resources(r->cell, side).cpu_percent;
        snprintf(text[side], LAYOUT_NUMBER_MAX, "%.0f", percent);
        if (percent < 0) {
            strcpy(text[side], "-");
        }
    }
    grid_cell(r->table, "%s/%s", text[0], text[1]);
}

static void interval_cell(const row *r) {
    char low[LAYOUT_NUMBER_MAX], high[LAYOUT_NUMBER_MAX];
    double *medians;
    size_t count = layout_round_medians(r->cell, &medians);
    stats_interval interval = stats_median_interval(medians, count);
    if (interval.valid) {
        grid_cell(r->table, "[%s %s]", layout_number(interval.low / r->unit.ns, low),
            layout_number(interval.high / r->unit.ns, high));
    } else {
        grid_cell(r->table, "-");
    }
    free(medians);
}

static void ratio_cell(const row *r) {
    double *above, *below;
    size_t above_count = layout_round_medians(r->cell, &above);
    size_t below_count = layout_round_medians(r->baseline, &below);
    char *text = r->cell == r->baseline
                     ? util_strdup("1")
                     : layout_ratio(above, above_count, below, below_count, r->result->seed);
    grid_cell(r->table, "%s", text);
    free(text);
    free(above);
    free(below);
}

static void mean_cell(const row *r, stats_quantity quantity) {
    char mean[LAYOUT_NUMBER_MAX], deviation[LAYOUT_NUMBER_MAX];
    const stats_distribution *d = &r->cell->summary.quantities[quantity];
    if (d->n == 0) {
        grid_cell(r->table, "-");
    } else {
        grid_cell(r->table, "%s +-%s", layout_number(d->mean / r->unit.ns, mean),
            layout_number(d->mean_abs_dev / r->unit.ns, deviation));
    }
}

static void name_columns(grid *table, bool calls) {
    grid_column_add(table, calls ? "Client" : "From", true, 0);
    grid_column_add(table, calls ? "Server" : "To", true, 0);
    grid_column_add(table, "n", false, 2);
    grid_column_add(table, "lost", false, 0);
}

static void name_cells(const row *r) {
    const stats_summary *s = &r->cell->summary;
    grid_cell(r->table, "%s", r->cell->run->cell->from);
    grid_cell(r->table, "%s", r->cell->run->cell->to);
    count_cell(r, s->received, s->received_known);
    count_cell(r, s->lost, s->sent_known && s->received_known);
}

static void message_columns(grid *table, bool calls, bool rated) {
    name_columns(table, calls);
    grid_column_add(table, "p50", false, 0);
    grid_column_add(table, "p50 95%", false, 8);
    grid_column_add(table, "p90", false, 6);
    grid_column_add(table, "p99", false, 0);
    grid_column_add(table, "max", false, 3);
    if (rated) {
        grid_column_add(table, "planned p99", false, 7);
    }
    grid_column_add(table, calls ? "calls/s" : "msgs/s", false, 4);
    grid_column_add(table, "MB/s", false, 5);
    grid_column_add(table, "CPU %", false, 1);
}

static void message_cells(const row *r) {
    const plan_cell *what = r->cell->run->cell;
    const stats_summary *s = &r->cell->summary;
    const stats_distribution *d = &s->quantities[stats_main_quantity(what)];
    stats_quantity planned = what->pattern == PLAN_TOPIC && !what->echo ? STATS_LATENCY_PLANNED
                                                                        : STATS_ROUNDTRIP_PLANNED;
    name_cells(r);
    signed_time_cell(r, d->p50, d->n > 0);
    interval_cell(r);
    rows_time_cell(r, d->p90, d->n > 0 && d->p90_valid);
    rows_time_cell(r, d->p99, d->n > 0 && d->p99_valid);
    rows_time_cell(r, (double)d->max, d->n > 0);
    if (what->period_ns > 0) {
        const stats_distribution *p = &s->quantities[planned];
        rows_time_cell(r, p->p99, p->n > 0 && p->p99_valid);
    }
    number_cell(r, s->throughput_msgs_per_s);
    number_cell(r, s->throughput_bytes_per_s < 0 ? -1 : s->throughput_bytes_per_s / 1e6);
    cpu_cell(r);
}

static void action_columns(grid *table, bool growth) {
    name_columns(table, true);
    if (growth) {
        grid_column_add(table, "first 100", false, 0);
        grid_column_add(table, "last 100", false, 0);
        grid_column_add(table, "last/first", false, 1);
        grid_column_add(table, "ns per goal", false, 0);
    }
    grid_column_add(table, "SEND", false, growth ? 3 : 0);
    grid_column_add(table, "RECV", false, growth ? 3 : 0);
    grid_column_add(table, "TOTAL", false, 0);
    grid_column_add(table, "p50", false, 1);
    grid_column_add(table, "p90", false, 2);
    grid_column_add(table, "CPU %", false, 4);
}

static void growth_cells(const row *r) {
    const stats_growth *growth = &r->cell->summary.growth;
    rows_time_cell(r, growth->first_ns, growth->valid);
    rows_time_cell(r, growth->last_ns, growth->valid);
    bool known = growth->valid && growth->first_ns > 0;
    number_cell(r, known ? growth->last_ns / growth->first_ns : -1);
    if (growth->valid) {
        grid_cell(r->table, "%+.1f", growth->slope_ns);
    } else {
        grid_cell(r->table, "-");
    }
}

static void action_cells(const row *r) {
    const stats_distribution *total = &r->cell->summary.quantities[STATS_TOTAL];
    name_cells(r);
    if (r->cell->run->cell->growth) {
        growth_cells(r);
    }
    mean_cell(r, STATS_SEND);
    mean_cell(r, STATS_RECV);
    mean_cell(r, STATS_TOTAL);
    rows_time_cell(r, total->p50, total->n > 0);
    rows_time_cell(r, total->p90, total->n > 0 && total->p90_valid);
    cpu_cell(r);
}

static void startup_columns(grid *table) {
    name_columns(table, false);
    grid_column_add(table, "ready p50", false, 0);
    grid_column_add(table, "first p50", false, 0);
    grid_column_add(table, "first 95%", false, 3);
    grid_column_add(table, "first min", false, 2);
    grid_column_add(table, "first max", false, 1);
}

static void startup_cells(const row *r) {
    const stats_distribution *ready = &r->cell->summary.quantities[STATS_STARTUP_READY];
    const stats_distribution *first = &r->cell->summary.quantities[STATS_STARTUP_FIRST];
    name_cells(r);
    rows_time_cell(r, ready->p50, ready->n > 0);
    rows_time_cell(r, first->p50, first->n > 0);
    interval_cell(r);
    rows_time_cell(r, (double)first->min, first->n > 0);
    rows_time_cell(r, (double)first->max, first->n > 0);
}

static void add_counts_note(grid *table, const report_cell *cell) {
    const stats_summary *s = &cell->summary;
    const plan_cell *what = cell->run->cell;
    if (s->duplicated + s->reordered + s->corrupt > 0) {
        strvec_pushf(&table->notes, "%s -> %s: %llu duplicated, %llu reordered, %llu corrupt",
            what->from, what->to, (unsigned long long)s->duplicated,
            (unsigned long long)s->reordered, (unsigned long long)s->corrupt);
    }
    if (s->one_way_reason[0] != '\0') {
        strvec_pushf(&table->notes, "%s -> %s: no one-way times: %s", what->from, what->to,
            s->one_way_reason);
    }
    if (s->last_was_lost) {
        strvec_pushf(&table->notes,
            "%s -> %s: the last message was lost; rates end at the last "
            "that arrived",
            what->from, what->to);
    }
}

void rows_add_columns(grid *table, const plan_cell *like, const char *baseline) {
    if (like->pattern == PLAN_ACTION) {
        action_columns(table, like->growth);
    } else if (like->pattern == PLAN_STARTUP) {
        startup_columns(table);
    } else {
        message_columns(table, like->pattern == PLAN_SERVICE, like->period_ns > 0);
    }
    if (baseline != NULL) {
        /* Ratios are of medians; an action's table shows means first. */
        char *heading = util_format("%s/%s", like->pattern == PLAN_ACTION ? "p50" : "", baseline);
        grid_column_add(table, heading, false, 1);
        free(heading);
    }
}

void rows_add(const row *r) {
    const plan_cell *what = r->cell->run->cell;
    if (what->pattern == PLAN_ACTION) {
        action_cells(r);
    } else if (what->pattern == PLAN_STARTUP) {
        startup_cells(r);
    } else {
        message_cells(r);
    }
    if (r->baseline != NULL) {
        ratio_cell(r);
    }
    add_counts_note(r->table, r->cell);
}
