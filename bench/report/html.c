/* One self-contained page: the tables of text, and for each combination a
 * picture of where the times of each pair lie. The pictures are SVG that needs
 * no script, so that the page can be mailed, printed, and opened in ten years.
 */
#include <math.h>
#include <string.h>

#include "report/chart.h"
#include "report/formats.h"
#include "report/html_text.h"
#include "report/layout.h"
#include "stats/summarize.h"

static const char style[] =
    "body{font:15px/1.5 system-ui,sans-serif;margin:2em "
    "auto;max-width:75em;padding:0 1em;"
    "color:#222;background:#fff}"
    "h2{font-size:1.1em;margin:2em 0 0}"
    "p{margin:0;color:#555}"
    "table{border-collapse:collapse;margin:.7em "
    "0;font-variant-numeric:tabular-nums}"
    "th,td{padding:.15em .8em;text-align:right;border-bottom:1px solid "
    "#ddd;white-space:nowrap}"
    "th.l,td.l{text-align:left}th{border-bottom:2px solid #888}"
    "li.bad{color:#b00020}svg{max-width:100%;height:auto;display:block;margin:."
    "7em 0}"
    "@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}p{"
    "color:#aaa}"
    "th,td{border-color:#444}li.bad{color:#ff8a80}}";

static void write_cells(const grid *table, size_t row, bool heading, FILE *out) {
    fputs("<tr>", out);
    for (size_t i = 0; i < table->column_count; i++) {
        const char *text = heading ? table->columns[i].heading : grid_at(table, row, i);
        fprintf(out, "<%s%s>", heading ? "th" : "td", table->columns[i].left ? " class=l" : "");
        html_write_text(text, out);
        fprintf(out, "</%s>", heading ? "th" : "td");
    }
    fputs("</tr>\n", out);
}

static void write_grid(const grid *table, FILE *out) {
    fputs("<h2>", out);
    html_write_text(table->title, out);
    fputs("</h2>\n", out);
    for (size_t i = 0; i < table->subtitles.count; i++) {
        fputs("<p>", out);
        html_write_text(table->subtitles.items[i], out);
        fputs("</p>\n", out);
    }
    fputs("<table>\n", out);
    write_cells(table, 0, true, out);
    for (size_t row = 0; row < grid_row_count(table); row++) {
        write_cells(table, row, false, out);
    }
    fputs("</table>\n", out);
    for (size_t i = 0; i < table->notes.count; i++) {
        fputs("<p>", out);
        html_write_text(table->notes.items[i], out);
        fputs("</p>\n", out);
    }
}

static void write_notes(const strvec *notes, FILE *out) {
    fputs("<ul>\n", out);
    for (size_t i = 0; i < notes->count; i++) {
        const char *text = notes->items[i];
        bool bad = strncmp(text, "FAILED", 6) == 0 || strncmp(text, "INTERRUPTED", 11) == 0;
        fputs(bad ? "<li class=bad>" : "<li>", out);
        html_write_text(text, out);
        fputs("</li>\n", out);
    }
    fputs("</ul>\n", out);
}

/* One chart per combination that several cells share, in the order of the
 * result. */
static void write_charts(const report *result, FILE *out) {
    for (size_t i = 0; i < result->cell_count; i++) {
        bool first = result->cells[i].has_summary;
        for (size_t k = 0; k < i && first; k++) {
            first = !result->cells[k].has_summary ||
                    !layout_same_group(result->cells[k].run->cell, result->cells[i].run->cell);
        }
        if (first) {
            chart_write(result, i, out);
        }
    }
}

bool report_write_html(const report *result, const report_view *view, FILE *out) {
    layout shown;
    layout_build(result, view, &shown);
    fprintf(out,
        "<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
        "<meta name=viewport "
        "content=\"width=device-width\">\n<title>rclbench</title>\n"
        "<style>%s</style>\n</head>\n<body>\n<h1>rclbench</h1>\n",
        style);
    for (size_t i = 0; i < shown.grid_count; i++) {
        write_grid(&shown.grids[i], out);
    }
    write_charts(result, out);
    write_notes(&shown.notes, out);
    fputs("</body>\n</html>\n", out);
    layout_done(&shown);
    return ferror(out) == 0;
}
