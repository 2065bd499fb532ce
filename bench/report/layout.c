/* Puts the tables together: see layout.h. */
#include "report/layout.h"

#include <stdlib.h>
#include <string.h>

#include "report/parts.h"
#include "util/memory.h"

static bool is_measured(const report *result, int generation, const char *library) {
    for (size_t i = 0; i < result->cell_count; i++) {
        const plan_cell *cell = result->cells[i].run->cell;
        if (cell->generation == generation && strcmp(cell->from, library) == 0 &&
            strcmp(cell->to, library) == 0) {
            return true;
        }
    }
    return false;
}

const char *layout_baseline(const report *result, const report_view *view, int generation) {
    const char *usual = generation == 1 ? "roscpp" : "rclcpp";
    if (view->baseline != NULL || is_measured(result, generation, usual)) {
        return view->baseline != NULL ? view->baseline : usual;
    }
    bool others = false;
    for (size_t i = 0; i < result->cell_count; i++) {
        const plan_cell *cell = result->cells[i].run->cell;
        others = others || (cell->generation == generation && strcmp(cell->from, "rclite") != 0);
    }
    return others && is_measured(result, generation, "rclite") ? "rclite" : NULL;
}

void layout_build(const report *result, const report_view *view, layout *ret_layout) {
    layout shown = {0};
    bool *done = util_alloc(result->cell_count + 1, sizeof(*done));
    layout_overview(result, view, &shown);
    for (size_t i = 0; i < result->cell_count; i++) {
        if (!done[i] && result->cells[i].has_summary) {
            layout_group(result, i, done, view, &shown);
        }
    }
    for (size_t i = 0; view->detail && i < result->cell_count; i++) {
        if (result->cells[i].has_summary) {
            layout_details(result, &result->cells[i], &shown);
        }
    }
    free(done);
    if (view->baseline != NULL && !is_measured(result, 1, view->baseline) &&
        !is_measured(result, 2, view->baseline)) {
        strvec_pushf(&shown.notes, "no ratios: %s with itself is not among the measurements",
            view->baseline);
    }
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
