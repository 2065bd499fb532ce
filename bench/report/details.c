/* The rounds of a cell one by one, and what its processes used: for those who
 * ask for detail. */
#include <stdio.h>
#include <stdlib.h>

#include "report/parts.h"
#include "report/resources.h"
#include "stats/summarize.h"
#include "util/memory.h"

static void scaled_cell(grid *table, double value, double scale) {
    char text[LAYOUT_NUMBER_MAX];
    grid_cell(table, "%s", layout_number(value < 0 ? -1 : value / scale, text));
}

static void count_cell(grid *table, uint64_t count, bool known) {
    if (known) {
        grid_cell(table, "%llu", (unsigned long long)count);
    } else {
        grid_cell(table, "-");
    }
}

static void add_round(
    grid *table, const report_cell *cell, const report_round *round, time_unit unit) {
    const stats_summary *s = &round->summary;
    const stats_distribution *d = &s->quantities[stats_main_quantity(cell->run->cell)];
    bool known = round->has_summary;
    grid_cell(table, "%u", round->run->index + 1);
    count_cell(table, s->sent, known && s->sent_known);
    count_cell(table, s->received, known && s->received_known);
    count_cell(table, s->duplicated, known && s->received_known);
    count_cell(table, s->reordered, known && s->received_known);
    count_cell(table, s->corrupt, known && s->received_known);
    scaled_cell(table, known && d->n > 0 ? d->p50 : -1, unit.ns);
    scaled_cell(table, known && d->n > 0 ? (double)d->max : -1, unit.ns);
    scaled_cell(table, known ? (double)s->delivered_total_ns : -1, 1e6);
    scaled_cell(table, known ? (double)s->discovery_ns : -1, 1e6);
    scaled_cell(table, (double)round->run->udp_receive_errors, 1);
}

static void add_rounds(const report_cell *cell, layout *shown) {
    const plan_cell *what = cell->run->cell;
    time_unit unit = layout_unit(cell->summary.quantities[stats_main_quantity(what)].p50);
    grid *table = layout_add(shown, util_format("Rounds of %s %s -> %s",
                                        plan_pattern_name(what->pattern), what->from, what->to));
    char *p50 = util_format("p50 %s", unit.name), *max = util_format("max %s", unit.name);
    grid_column_add(table, "round", false, 0);
    grid_column_add(table, "sent", false, 0);
    grid_column_add(table, "received", false, 0);
    grid_column_add(table, "dup", false, 2);
    grid_column_add(table, "reord", false, 2);
    grid_column_add(table, "corrupt", false, 2);
    grid_column_add(table, p50, false, 0);
    grid_column_add(table, max, false, 0);
    grid_column_add(table, "total ms", false, 0);
    grid_column_add(table, "discovery ms", false, 1);
    grid_column_add(table, "UDP errors", false, 3);
    free(p50);
    free(max);
    for (size_t i = 0; i < cell->round_count; i++) {
        add_round(table, cell, &cell->rounds[i], unit);
    }
}

static void add_part(grid *table, const report_resources *used, const run_resources *part,
    const char *which, double cpu_percent) {
    if (!part->valid) {
        return;
    }
    grid_cell(table, "%s %s", used->variant, used->role);
    grid_cell(table, "%s", which);
    scaled_cell(table, (double)part->cpu_user_ns, 1e6);
    scaled_cell(table, (double)part->cpu_system_ns, 1e6);
    scaled_cell(table, cpu_percent, 1);
    scaled_cell(table, (double)part->max_rss_bytes, 1024 * 1024);
    grid_cell(table, "%lld", (long long)part->voluntary_switches);
    grid_cell(table, "%lld", (long long)part->involuntary_switches);
    grid_cell(table, "%lld", (long long)part->minor_faults);
    grid_cell(table, "%lld", (long long)part->major_faults);
}

static void add_processes(const report_cell *cell, layout *shown) {
    grid *table =
        layout_add(shown, util_format("Processes (medians of %zu rounds; 100 %% CPU is one core)",
                              cell->good_rounds));
    grid_column_add(table, "process", true, 0);
    grid_column_add(table, "part", true, 0);
    grid_column_add(table, "user ms", false, 0);
    grid_column_add(table, "system ms", false, 0);
    grid_column_add(table, "CPU %", false, 0);
    grid_column_add(table, "RSS MiB", false, 1);
    grid_column_add(table, "vol.sw.", false, 2);
    grid_column_add(table, "inv.sw.", false, 3);
    grid_column_add(table, "min.flt", false, 4);
    grid_column_add(table, "maj.flt", false, 5);
    for (int side = 0; side < 2; side++) {
        report_resources used = report_pool_resources(cell, side);
        if (used.role != NULL) {
            add_part(table, &used, &used.measured, "measured", used.cpu_percent);
            add_part(table, &used, &used.lifetime, "lifetime", -1);
        }
    }
}

void layout_details(const report *result, const report_cell *cell, layout *shown) {
    (void)result;
    add_rounds(cell, shown);
    add_processes(cell, shown);
}
