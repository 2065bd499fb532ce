/* The chart of one combination: a row for each pair, on a logarithmic axis of
 * time; a thin line from the least to the greatest time, a bar from p50 to p99
 * (or what is known of that), a mark at p50. */
#include "report/chart.h"

#include <math.h>
#include <string.h>

#include "report/html_text.h"
#include "report/layout.h"
#include "stats/summarize.h"

#define LABEL_WIDTH 220.0
#define PLOT_WIDTH 640.0
#define ROW_HEIGHT 26.0
#define MARGIN 34.0

typedef struct axis {
    double low, high; /* logarithms of base 10 of ns */
} axis;

static double place(const axis *x, double ns) {
    double at = ns > 1 ? log10(ns) : 0;
    return LABEL_WIDTH + PLOT_WIDTH * (at - x->low) / (x->high - x->low);
}

static const stats_distribution *main_of(const report_cell *cell) {
    const stats_distribution *d = &cell->summary.quantities[stats_main_quantity(cell->run->cell)];
    return cell->has_summary && d->n > 0 ? d : NULL;
}

static bool in_chart(const report *result, size_t first, size_t i) {
    return layout_same_group(result->cells[i].run->cell, result->cells[first].run->cell) &&
           main_of(&result->cells[i]) != NULL;
}

void html_write_text(const char *text, FILE *out) {
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            fputc(*text, out);
        }
    }
}

/* 1, 10, 100 ... of each unit. */
static void write_axis(const axis *x, double height, FILE *out) {
    for (int power = (int)x->low; power <= (int)x->high; power++) {
        double ns = pow(10, power), at = place(x, ns);
        time_unit unit = layout_unit(ns);
        fprintf(out,
            "<line x1=%.1f x2=%.1f y1=%.0f y2=%.0f stroke=#888 stroke-opacity=.4 />"
            "<text x=%.1f y=%.0f text-anchor=middle>%.0f %s</text>\n",
            at, at, MARGIN - 8, height - 6, at, MARGIN - 14, ns / unit.ns, unit.name);
    }
}

static void write_row(const axis *x, const report_cell *cell, double y, FILE *out) {
    const stats_distribution *d = main_of(cell);
    const plan_cell *what = cell->run->cell;
    double upper = d->p99_valid ? d->p99 : d->p90_valid ? d->p90 : d->p50;
    double from = place(x, d->p50), to = place(x, upper);
    fprintf(out, "<text x=0 y=%.1f>", y + 5);
    html_write_text(what->from, out);
    if (strcmp(what->from, what->to) != 0) {
        fputs(" &#8594; ", out);
        html_write_text(what->to, out);
    }
    fprintf(out,
        "</text><line x1=%.1f x2=%.1f y1=%.1f y2=%.1f stroke=#4477aa />"
        "<rect x=%.1f y=%.1f width=%.1f height=10 fill=#4477aa fill-opacity=.6 />"
        "<rect x=%.1f y=%.1f width=3 height=16 fill=#ee6677 />\n",
        place(x, (double)d->min), place(x, (double)d->max), y, y, from, y - 5,
        to > from ? to - from : 0, from - 1.5, y - 8);
}

void chart_write(const report *result, size_t first, FILE *out) {
    axis x = {INFINITY, -INFINITY};
    size_t rows = 0;
    for (size_t i = first; i < result->cell_count; i++) {
        if (in_chart(result, first, i)) {
            const stats_distribution *d = main_of(&result->cells[i]);
            x.low = fmin(x.low, floor(log10(fmax(1, (double)d->min))));
            x.high = fmax(x.high, ceil(log10(fmax(10, (double)d->max))));
            rows++;
        }
    }
    if (rows == 0) {
        return;
    }
    if (!(x.high > x.low)) {
        x.high = x.low + 1;
    }
    const plan_cell *what = result->cells[first].run->cell;
    double height = MARGIN + ROW_HEIGHT * (double)rows + 10;
    fprintf(out,
        "<h2>%s%s of %llu bytes, ROS %d: least to greatest, bar p50 to "
        "p99</h2>\n",
        plan_pattern_name(what->pattern), what->echo ? " echo" : "",
        (unsigned long long)what->payload_bytes, what->generation);
    fprintf(out,
        "<svg viewBox=\"0 0 %.0f %.0f\" width=%.0f role=img "
        "fill=currentColor font-size=13>\n",
        LABEL_WIDTH + PLOT_WIDTH + 30, height, LABEL_WIDTH + PLOT_WIDTH + 30);
    write_axis(&x, height, out);
    double y = MARGIN + ROW_HEIGHT / 2;
    for (size_t i = first; i < result->cell_count; i++) {
        if (in_chart(result, first, i)) {
            write_row(&x, &result->cells[i], y, out);
            y += ROW_HEIGHT;
        }
    }
    fputs("</svg>\n", out);
}
