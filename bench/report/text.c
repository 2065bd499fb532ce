/* The formats for people: text for a terminal and Markdown. Both show the same
 * tables. */
#include "report/formats.h"
#include "report/layout.h"

#define DEFAULT_WIDTH 80u

bool report_write_text(const report *result, const report_view *view, FILE *out) {
    layout shown;
    layout_build(result, view, &shown);
    if (result->record->interrupted) {
        fputs("INTERRUPTED: only what was measured until then is here.\n\n", out);
    }
    for (size_t i = 0; i < shown.grid_count; i++) {
        grid_write_text(&shown.grids[i], view->width > 0 ? view->width : DEFAULT_WIDTH, out);
        fputc('\n', out);
    }
    for (size_t i = 0; i < shown.notes.count; i++) {
        fprintf(out, "%s\n", shown.notes.items[i]);
    }
    layout_done(&shown);
    return ferror(out) == 0;
}

bool report_write_markdown(const report *result, const report_view *view, FILE *out) {
    layout shown;
    layout_build(result, view, &shown);
    fputs("# rclbench\n\n", out);
    for (size_t i = 0; i < shown.grid_count; i++) {
        grid_write_markdown(&shown.grids[i], out);
        fputc('\n', out);
    }
    for (size_t i = 0; i < shown.notes.count; i++) {
        fprintf(out, "- %s\n", shown.notes.items[i]);
    }
    layout_done(&shown);
    return ferror(out) == 0;
}
