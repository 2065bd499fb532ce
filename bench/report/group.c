/* The table of one combination: a row for each pair of libraries. Also the
 * matrix of medians when several libraries stand on both sides. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/parts.h"
#include "report/rows.h"
#include "stats/summarize.h"
#include "util/memory.h"
#include "util/strbuf.h"
#include "util/units.h"

static const char *loop_of(const plan_cell *what, char *rate, size_t size) {
    if (what->pattern == PLAN_STARTUP) {
        return "fresh processes";
    }
    if (what->period_ns > 0) {
        snprintf(rate, size, "%.6g Hz", 1e9 / (double)what->period_ns);
        return rate;
    }
    return what->pattern == PLAN_TOPIC && !what->echo ? "back to back" : "closed loop";
}

static char *title_of(const report *result, const plan_cell *what, time_unit unit) {
    static const char *const names[PLAN_PATTERN_COUNT] = {"Topic", "Service", "Action", "Startup"};
    char bytes[UNITS_TEXT_MAX], rate[32], amount[64];
    units_format_bytes(what->payload_bytes, bytes);
    if (what->count > 0) {
        snprintf(amount, sizeof(amount), "%u x %llu", layout_rounds(result),
            (unsigned long long)what->count);
    } else {
        char duration[UNITS_TEXT_MAX];
        snprintf(amount, sizeof(amount), "%u x %s", layout_rounds(result),
            units_format_duration(what->duration_ns, duration));
    }
    return util_format("%s%s, ROS %d%s%s, %s, %s%s%s", names[what->pattern],
        what->echo ? " echo (round trip)" : "", what->generation,
        what->payload_bytes > 0 ? ", " : "", what->payload_bytes > 0 ? bytes : "",
        loop_of(what, rate, sizeof(rate)), amount, unit.name == NULL ? "" : "; times in ",
        unit.name == NULL ? "" : unit.name);
}

/* The main one; where one side ran alone, what that side knows. Or NULL. */
static const stats_distribution *any_times(const report_cell *cell, const plan_cell *like) {
    const stats_distribution *all = cell->summary.quantities;
    if (all[stats_main_quantity(like)].n > 0) {
        return &all[stats_main_quantity(like)];
    }
    for (size_t i = 0; i < STATS_QUANTITY_COUNT; i++) {
        if (all[i].n > 0) {
            return &all[i];
        }
    }
    return NULL;
}

/* The unit in which the smallest median of the group is at least 1; without a name where no time
 * is known. */
static time_unit unit_of(const report *result, const plan_cell *like) {
    double least = -1;
    for (size_t i = 0; i < result->cell_count; i++) {
        const report_cell *cell = &result->cells[i];
        if (!cell->has_summary || !layout_same_group(cell->run->cell, like)) {
            continue;
        }
        const stats_distribution *d = any_times(cell, like);
        if (d != NULL && (least < 0 || d->p50 < least)) {
            least = d->p50 > 0 ? d->p50 : 0;
        }
    }
    return least < 0 ? (time_unit){NULL, 1} : layout_unit(least);
}

static const report_cell *find_pair(
    const report *result, const plan_cell *like, const char *from, const char *to) {
    for (size_t i = 0; i < result->cell_count; i++) {
        const report_cell *cell = &result->cells[i];
        const plan_cell *what = cell->run->cell;
        if (cell->has_summary && layout_same_group(what, like) && strcmp(what->from, from) == 0 &&
            strcmp(what->to, to) == 0) {
            return cell;
        }
    }
    return NULL;
}

static void add_matrix(const report *result, const plan_cell *like, time_unit unit, layout *shown) {
    strvec from = {0}, to = {0};
    size_t pairs = 0;
    for (size_t i = 0; i < result->cell_count; i++) {
        const plan_cell *what = result->cells[i].run->cell;
        if (!layout_same_group(what, like) || !result->cells[i].has_summary) {
            continue;
        }
        pairs++;
        if (!strvec_contains(&from, what->from)) {
            strvec_push(&from, what->from);
        }
        if (!strvec_contains(&to, what->to)) {
            strvec_push(&to, what->to);
        }
    }
    bool mixed = pairs > from.count && pairs > to.count;
    if (mixed && from.count >= 2 && to.count >= 2 && from.count < GRID_COLUMNS_MAX) {
        bool calls = like->pattern == PLAN_SERVICE || like->pattern == PLAN_ACTION;
        grid *table = layout_add(shown, util_format("%s of the same: p50 in %s",
                                            calls ? "Server x client" : "To x from", unit.name));
        table->breaks = true;
        grid_column_add(table, calls ? "Server \\ Client" : "To \\ From", true, 0);
        for (size_t i = 0; i < from.count; i++) {
            grid_column_add(table, from.items[i], false, 0);
        }
        for (size_t t = 0; t < to.count; t++) {
            grid_cell(table, "%s", to.items[t]);
            for (size_t i = 0; i < from.count; i++) {
                const report_cell *cell = find_pair(result, like, from.items[i], to.items[t]);
                const row r = {result, cell, NULL, unit, table};
                const stats_distribution *d =
                    cell == NULL ? NULL : &cell->summary.quantities[stats_main_quantity(like)];
                rows_time_cell(&r, d == NULL ? 0 : d->p50, d != NULL && d->n > 0);
            }
        }
    }
    strvec_done(&from);
    strvec_done(&to);
}

/* The first question of everybody who floods a topic. */
static void note_overwritten(grid *table, const report *result, const plan_cell *like) {
    bool lost = false;
    for (size_t i = 0; i < result->cell_count; i++) {
        const report_cell *cell = &result->cells[i];
        const stats_summary *s = &cell->summary;
        lost = lost || (cell->has_summary && layout_same_group(cell->run->cell, like) &&
                           s->sent_known && s->received_known && s->lost > 0);
    }
    bool reliable = like->generation == 1 || strcmp(like->qos.reliability, "reliable") == 0;
    if (lost && like->pattern == PLAN_TOPIC && !like->echo && reliable &&
        strcmp(like->qos.history, "keep_last") == 0) {
        strvec_pushf(&table->notes,
            "lost: a reader that is slower finds the last %u only, as everywhere in ROS;",
            like->qos.depth);
        strvec_push(
            &table->notes, "  --qos-history keep_all makes the sender wait, --rate slows it");
    }
}

/* Everything that makes a group and is not in the title. */
static void add_subtitle(grid *table, const plan_cell *like) {
    const plan_qos *qos = &like->qos;
    strbuf text = {0};
    strbuf_append(&text, like->type);
    if (like->generation == 2) {
        strbuf_appendf(&text, "; %s, %s, %s %u; transport %s", qos->reliability, qos->durability,
            qos->history, qos->depth, plan_transport_name(like->transport));
    } else if (strcmp(qos->history, "keep_all") == 0) {
        strbuf_append(&text, "; TCPROS, queue without a limit");
    } else {
        strbuf_appendf(&text, "; TCPROS, queue of %u", qos->depth);
    }
    strvec_push(&table->subtitles, strbuf_text(&text));
    strbuf_done(&text);
    bool settings = like->settings_json != NULL && strcmp(like->settings_json, "{}") != 0;
    bool list = like->payload_kind != NULL && strcmp(like->payload_kind, "list") == 0;
    if (like->in_flight > 1 || list || settings) {
        strbuf_appendf(&text, "%s", list ? "payload as a list" : "");
        if (like->in_flight > 1) {
            strbuf_appendf(&text, "%s%u in flight", list ? "; " : "", like->in_flight);
        }
        if (settings) {
            strbuf_appendf(&text, "%ssettings %s", text.len > 0 ? "; " : "", like->settings_json);
        }
        strvec_push(&table->subtitles, strbuf_text(&text));
        strbuf_done(&text);
    }
}

void layout_group(
    const report *result, size_t first, bool *done, const report_view *view, layout *shown) {
    const plan_cell *like = result->cells[first].run->cell;
    const char *baseline = layout_baseline(result, view, like->generation);
    time_unit unit = unit_of(result, like);
    const report_cell *base = baseline != NULL ? find_pair(result, like, baseline, baseline) : NULL;
    grid *table = layout_add(shown, title_of(result, like, unit));
    add_subtitle(table, like);
    if (like->pattern == PLAN_ACTION) {
        strvec_push(&table->subtitles, "mean +- mean absolute deviation");
    }
    rows_add_columns(table, like, base != NULL ? baseline : NULL);
    for (size_t i = first; i < result->cell_count; i++) {
        const report_cell *cell = &result->cells[i];
        if (cell->has_summary && layout_same_group(cell->run->cell, like)) {
            const row r = {result, cell, base, unit, table};
            rows_add(&r);
            done[i] = true;
        }
    }
    note_overwritten(table, result, like);
    if (like->pattern != PLAN_STARTUP) {
        add_matrix(result, like, unit, shown);
    }
}
