/* Puts the tables together: see layout.h. */
#include "report/layout.h"

#include <stdlib.h>
#include <string.h>

#include "report/parts.h"
#include "util/memory.h"

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
