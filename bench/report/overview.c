/* The second ancestor's table: one row per library, the time of all messages of
 * a topic and of all calls of a service, and their ratios to a baseline. For
 * every size and generation for which both patterns were measured with the same
 * library at both ends. */
#include <stdlib.h>
#include <string.h>

#include "report/parts.h"
#include "util/memory.h"
#include "util/units.h"

static bool same_library(const report_cell *cell) {
    return strcmp(cell->run->cell->from, cell->run->cell->to) == 0;
}

static bool is_total(const plan_cell *cell, plan_pattern pattern) {
    return cell->pattern == pattern && !cell->echo && cell->period_ns == 0 && cell->count > 0;
}

/* The cell of a library and pattern with the size, count and generation of
 * `like`, or NULL. */
static const report_cell *find(
    const report *result, const plan_cell *like, plan_pattern pattern, const char *library) {
    for (size_t i = 0; i < result->cell_count; i++) {
        const report_cell *cell = &result->cells[i];
        const plan_cell *what = cell->run->cell;
        if (cell->has_summary && same_library(cell) && is_total(what, pattern) &&
            what->generation == like->generation && what->count == like->count &&
            what->payload_bytes == like->payload_bytes && what->transport == like->transport &&
            strcmp(what->from, library) == 0) {
            return cell;
        }
    }
    return NULL;
}

static void total_cell(grid *table, const report_cell *cell, bool handed_over) {
    char text[LAYOUT_NUMBER_MAX];
    int64_t total_ns = -1;
    if (cell != NULL) {
        total_ns = handed_over ? cell->summary.publish_total_ns : cell->summary.delivered_total_ns;
    }
    grid_cell(table, "%s", layout_number(total_ns < 0 ? -1 : (double)total_ns / 1e6, text));
}

static void ratio_cell(
    const report *result, grid *table, const report_cell *cell, const report_cell *baseline) {
    if (cell == NULL || baseline == NULL) {
        grid_cell(table, "-");
    } else if (cell == baseline) {
        grid_cell(table, "1");
    } else {
        double *above, *below;
        size_t above_count = layout_round_totals(cell, &above);
        size_t below_count = layout_round_totals(baseline, &below);
        char *text = layout_ratio(above, above_count, below, below_count, result->seed);
        grid_cell(table, "%s", text);
        free(text);
        free(above);
        free(below);
    }
}

static void add_row(const report *result, grid *table, const plan_cell *like, const char *library,
    const char *baseline) {
    const report_cell *topic = find(result, like, PLAN_TOPIC, library);
    const report_cell *service = find(result, like, PLAN_SERVICE, library);
    grid_cell(table, "%s", library);
    total_cell(table, topic, false);
    total_cell(table, topic, true);
    if (topic != NULL) {
        grid_cell(table, "%llu", (unsigned long long)topic->summary.lost);
    } else {
        grid_cell(table, "-");
    }
    total_cell(table, service, false);
    if (baseline != NULL) {
        ratio_cell(result, table, topic, find(result, like, PLAN_TOPIC, baseline));
        ratio_cell(result, table, service, find(result, like, PLAN_SERVICE, baseline));
    }
}

static grid *start(
    const report *result, layout *shown, const plan_cell *like, const char *baseline) {
    char bytes[UNITS_TEXT_MAX];
    unsigned rounds = layout_rounds(result);
    grid *table = layout_add(shown,
        util_format("ROS %d: %llu messages, %llu calls, of %s each, back to back", like->generation,
            (unsigned long long)like->count, (unsigned long long)like->count,
            units_format_bytes(like->payload_bytes, bytes)));
    strvec_pushf(&table->subtitles,
        "median of %u round%s; Topic: until the subscriber had the last one", rounds,
        rounds == 1 ? "" : "s");
    grid_column_add(table, "Library", true, 0);
    grid_column_add(table, "Topic ms", false, 0);
    grid_column_add(table, "(handed over)", false, 3);
    grid_column_add(table, "lost", false, 2);
    grid_column_add(table, "Service ms", false, 0);
    if (baseline != NULL) {
        char *topic = util_format("Topic/%s", baseline),
             *service = util_format("Service/%s", baseline);
        grid_column_add(table, topic, false, 1);
        grid_column_add(table, service, false, 1);
        free(topic);
        free(service);
    }
    return table;
}

/* Whether a cell before this one already opened the table that this one belongs
 * to. */
static bool seen(const report *result, size_t index) {
    const plan_cell *what = result->cells[index].run->cell;
    for (size_t i = 0; i < index; i++) {
        const plan_cell *other = result->cells[i].run->cell;
        if (same_library(&result->cells[i]) && result->cells[i].has_summary &&
            is_total(other, PLAN_TOPIC) && other->generation == what->generation &&
            other->count == what->count && other->payload_bytes == what->payload_bytes &&
            other->transport == what->transport) {
            return true;
        }
    }
    return false;
}

void layout_overview(const report *result, const report_view *view, layout *shown) {
    for (size_t i = 0; i < result->cell_count; i++) {
        const plan_cell *what = result->cells[i].run->cell;
        if (!result->cells[i].has_summary || !same_library(&result->cells[i]) ||
            !is_total(what, PLAN_TOPIC) || seen(result, i)) {
            continue;
        }
        strvec libraries = {0};
        bool services = false;
        for (size_t k = 0; k < result->cell_count; k++) {
            const char *library = result->cells[k].run->cell->from;
            bool topic = find(result, what, PLAN_TOPIC, library) != NULL;
            bool service = find(result, what, PLAN_SERVICE, library) != NULL;
            services = services || service;
            if ((topic || service) && !strvec_contains(&libraries, library)) {
                strvec_push(&libraries, library);
            }
        }
        if (services) {
            const char *baseline = layout_baseline(result, view, what->generation);
            grid *table = start(result, shown, what, baseline);
            for (size_t k = 0; k < libraries.count; k++) {
                add_row(result, table, what, libraries.items[k], baseline);
            }
        }
        strvec_done(&libraries);
    }
}
