/* Shows a comparison as text, Markdown or JSON. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "report/compare.h"
#include "report/layout.h"
#include "util/memory.h"
#include "util/units.h"

#define REAL_DIGITS 15

static void what_cell(grid *table, const plan_cell *what) {
    char bytes[UNITS_TEXT_MAX], rate[32] = "";
    if (what->period_ns > 0) {
        snprintf(rate, sizeof(rate), " %.6g Hz", 1e9 / (double)what->period_ns);
    }
    grid_cell(table, "%s%s %s%s, ROS %d%s", plan_pattern_name(what->pattern),
        what->echo ? " echo" : "", units_format_bytes(what->payload_bytes, bytes), rate,
        what->generation, what->transport == PLAN_TRANSPORT_TUNED ? ", tuned" : "");
    if (strcmp(what->from, what->to) == 0) {
        grid_cell(table, "%s", what->from);
    } else {
        grid_cell(table, "%s -> %s", what->from, what->to);
    }
}

static void median_cell(grid *table, const compare_row *row, bool relative, double median) {
    char text[LAYOUT_NUMBER_MAX];
    time_unit unit = layout_unit(row->before_median);
    if (relative) {
        grid_cell(table, "%s", layout_number(median, text));
    } else {
        grid_cell(table, "%s %s", layout_number(median / unit.ns, text), unit.name);
    }
}

static void add_row(grid *table, const compare_row *row, bool relative) {
    char ratio[LAYOUT_NUMBER_MAX], low[LAYOUT_NUMBER_MAX], high[LAYOUT_NUMBER_MAX];
    what_cell(table, row->after->run->cell);
    median_cell(table, row, relative, row->before_median);
    median_cell(table, row, relative, row->after_median);
    grid_cell(table, "%s", layout_number(row->ratio.estimate, ratio));
    if (row->ratio.valid) {
        grid_cell(table, "[%s %s]", layout_number(row->ratio.low, low),
            layout_number(row->ratio.high, high));
    } else {
        grid_cell(table, "-");
    }
    grid_cell(table, "%.3f", row->p);
    grid_cell(table, "%+.2f", row->effect);
    grid_cell(table, "%zu+%zu", row->before_rounds, row->after_rounds);
    grid_cell(table, "%s", compare_verdict_name(row->verdict));
}

static void build(const comparison *compared, grid *table) {
    static const struct {
        const char *heading;
        bool left;
        int drop;
    } columns[] = {{"What", true, 0}, {"Library", true, 0}, {"old", false, 1}, {"new", false, 0},
        {"ratio", false, 0}, {"95%", false, 2}, {"p", false, 4}, {"effect", false, 5},
        {"rounds", false, 3}, {"verdict", true, 0}};
    table->title =
        compared->baseline == NULL
            ? util_strdup("new / old, medians of rounds; less is better")
            : util_format("new / old, medians of rounds, each relative to %s; less is better",
                  compared->baseline);
    for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
        grid_column_add(table, columns[i].heading, columns[i].left, columns[i].drop);
    }
    for (size_t i = 0; i < compared->row_count; i++) {
        add_row(table, &compared->rows[i], compared->baseline != NULL);
    }
    if (compared->geometric_mean > 0) {
        char mean[LAYOUT_NUMBER_MAX];
        strvec_pushf(&table->notes, "geometric mean of the ratios: %s",
            layout_number(compared->geometric_mean, mean));
    }
    for (int v = 0; v < COMPARE_VERDICT_COUNT; v++) {
        if (compared->verdicts[v] > 0) {
            strvec_pushf(&table->notes, "%s: %zu", compare_verdict_name((compare_verdict)v),
                compared->verdicts[v]);
        }
    }
    if (compared->verdicts[COMPARE_NO_CHANGE] > 0) {
        strvec_pushf(&table->notes,
            "no change: less than %.0f %%, or not shown and less than %.0f %%",
            100 * COMPARE_THRESHOLD, 100 * COMPARE_EXCLUDED);
    }
    bool differs = compared->verdicts[COMPARE_BETTER] + compared->verdicts[COMPARE_WORSE] > 0;
    if (differs && compared->baseline == NULL) {
        strvec_push(&table->notes, "what changed on the machine counts, too; "
                                   "--baseline NAME (a floor: cyclonedds, tcp) cancels it");
    }
    strvec_pushf(
        &table->notes, "Mann-Whitney U over rounds, Holm over rows, alpha %.2f", COMPARE_ALPHA);
    strvec_push_all(&table->notes, &compared->notes);
}

static json_t *row_to_json(const compare_row *row) {
    const plan_cell *what = row->after->run->cell;
    json_t *ratio = row->ratio.valid
                        ? json_pack("[f,f,f]", row->ratio.low, row->ratio.estimate, row->ratio.high)
                        : json_null();
    return json_pack("{s:s,s:i,s:b,s:s,s:s,s:I,s:s,s:I,s:I,s:f,s:f,s:f,s:o,s:f,s:f,s:s}", "pattern",
        plan_pattern_name(what->pattern), "generation", what->generation, "echo", what->echo,
        "from", what->from, "to", what->to, "payload_bytes", (json_int_t)what->payload_bytes,
        "figure", row->figure, "old_rounds", (json_int_t)row->before_rounds, "new_rounds",
        (json_int_t)row->after_rounds, "old_median", row->before_median, "new_median",
        row->after_median, "ratio", row->ratio.estimate, "ratio_interval", ratio, "p", row->p,
        "effect", row->effect, "verdict", compare_verdict_name(row->verdict));
}

static bool write_json(const comparison *compared, FILE *out) {
    json_t *root = json_object(), *rows = json_array(), *notes = json_array();
    for (size_t i = 0; i < compared->row_count; i++) {
        json_array_append_new(rows, row_to_json(&compared->rows[i]));
    }
    for (size_t i = 0; i < compared->notes.count; i++) {
        json_array_append_new(notes, json_string(compared->notes.items[i]));
    }
    json_object_set_new(root, "schema_version", json_integer(REPORT_SCHEMA_VERSION));
    json_object_set_new(root, "baseline",
        compared->baseline != NULL ? json_string(compared->baseline) : json_null());
    json_object_set_new(root, "alpha", json_real(COMPARE_ALPHA));
    json_object_set_new(root, "threshold", json_real(COMPARE_THRESHOLD));
    json_object_set_new(root, "geometric_mean",
        compared->geometric_mean > 0 ? json_real(compared->geometric_mean) : json_null());
    json_object_set_new(root, "rows", rows);
    json_object_set_new(root, "notes", notes);
    json_dumpf(root, out, JSON_INDENT(2) | JSON_REAL_PRECISION(REAL_DIGITS));
    fputc('\n', out);
    json_decref(root);
    return ferror(out) == 0;
}

bool comparison_write(const comparison *compared, const char *format, unsigned width, FILE *out) {
    if (strcmp(format, "json") == 0) {
        return write_json(compared, out);
    }
    grid table = {0};
    build(compared, &table);
    if (strcmp(format, "markdown") == 0) {
        grid_write_markdown(&table, out);
    } else {
        grid_write_text(&table, width > 0 ? width : 80, out);
    }
    grid_done(&table);
    return ferror(out) == 0;
}
