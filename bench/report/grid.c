/* A table of texts: see grid.h. */
#include "report/grid.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

#define GAP 2 /* blanks between columns */

void grid_column_add(grid *table, const char *heading, bool left, int drop) {
    assert(table->column_count < GRID_COLUMNS_MAX);
    table->columns[table->column_count++] = (grid_column){util_strdup(heading), left, drop};
}

void grid_cell(grid *table, const char *format, ...) {
    char text[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    strvec_push(&table->cells, text);
}

size_t grid_row_count(const grid *table) {
    return table->column_count > 0 ? table->cells.count / table->column_count : 0;
}

const char *grid_at(const grid *table, size_t row, size_t column) {
    return table->cells.items[row * table->column_count + column];
}

void grid_done(grid *table) {
    for (size_t i = 0; i < table->column_count; i++) {
        free(table->columns[i].heading);
    }
    free(table->title);
    strvec_done(&table->subtitles);
    strvec_done(&table->cells);
    strvec_done(&table->notes);
    memset(table, 0, sizeof(*table));
}

static size_t column_width(const grid *table, size_t column) {
    size_t widest = strlen(table->columns[column].heading);
    for (size_t row = 0; row < grid_row_count(table); row++) {
        size_t len = strlen(grid_at(table, row, column));
        widest = len > widest ? len : widest;
    }
    return widest;
}

/* Chooses the columns that fit; widths of those left out become 0. */
static void fit(const grid *table, unsigned width, size_t widths[GRID_COLUMNS_MAX]) {
    size_t total = 0;
    for (size_t i = 0; i < table->column_count; i++) {
        widths[i] = column_width(table, i);
        total += widths[i] + (i > 0 ? GAP : 0);
    }
    while (total > width) {
        size_t victim = 0;
        for (size_t i = 1; i < table->column_count; i++) {
            bool worse =
                table->columns[i].drop > table->columns[victim].drop || widths[victim] == 0;
            if (widths[i] > 0 && worse) {
                victim = i;
            }
        }
        if (table->columns[victim].drop == 0 || widths[victim] == 0) {
            return;
        }
        total -= widths[victim] + GAP;
        widths[victim] = 0;
    }
}

static void write_text(FILE *out, const char *text, size_t width, bool left, bool last) {
    if (left && last) {
        fputs(text, out);
    } else {
        fprintf(out, left ? "%-*s" : "%*s", (int)width, text);
    }
}

/* The columns from `first` to before `end`, and always the one at the left. */
static void write_row(const grid *table, size_t row, bool heading, const size_t *widths,
    size_t first, size_t end, FILE *out) {
    size_t last = 0;
    for (size_t i = first; i < end; i++) {
        last = widths[i] > 0 ? i : last;
    }
    for (size_t i = 0; i < end; i++) {
        if (widths[i] == 0 || (i > 0 && i < first)) {
            continue;
        }
        fputs(i > 0 ? "  " : "", out);
        const char *text = heading ? table->columns[i].heading : grid_at(table, row, i);
        write_text(out, text, widths[i], table->columns[i].left, i == last);
    }
    fputc('\n', out);
}

/* Where the columns from `first` on reach the width; beyond `first` in any case. */
static size_t end_of_block(const grid *table, const size_t *widths, size_t first, unsigned width) {
    size_t end = first + 1;
    size_t total = widths[0] + GAP + widths[first];
    while (end < table->column_count && total + GAP + widths[end] <= width) {
        total += GAP + widths[end++];
    }
    return end;
}

void grid_write_text(const grid *table, unsigned width, FILE *out) {
    size_t widths[GRID_COLUMNS_MAX] = {0};
    fit(table, width, widths);
    fprintf(out, "%s\n", table->title);
    for (size_t i = 0; i < table->subtitles.count; i++) {
        fprintf(out, "%s\n", table->subtitles.items[i]);
    }
    size_t first = table->column_count > 1 ? 1 : 0;
    while (first < table->column_count) {
        size_t end =
            table->breaks ? end_of_block(table, widths, first, width) : table->column_count;
        fputc('\n', out);
        write_row(table, 0, true, widths, first, end, out);
        for (size_t row = 0; row < grid_row_count(table); row++) {
            write_row(table, row, false, widths, first, end, out);
        }
        first = end;
    }
    for (size_t i = 0; i < table->notes.count; i++) {
        fprintf(out, "  %s\n", table->notes.items[i]);
    }
}

/* A bar would end the cell. */
static void write_markdown_text(const char *text, FILE *out) {
    for (; *text != '\0'; text++) {
        if (*text == '|' || *text == '\\') {
            fputc('\\', out);
        }
        fputc(*text == '\n' ? ' ' : *text, out);
    }
}

static void write_markdown_row(const grid *table, size_t row, bool heading, FILE *out) {
    fputc('|', out);
    for (size_t i = 0; i < table->column_count; i++) {
        fputc(' ', out);
        write_markdown_text(heading ? table->columns[i].heading : grid_at(table, row, i), out);
        fputs(" |", out);
    }
    fputc('\n', out);
}

void grid_write_markdown(const grid *table, FILE *out) {
    fputs("## ", out);
    write_markdown_text(table->title, out);
    fputs("\n\n", out);
    for (size_t i = 0; i < table->subtitles.count; i++) {
        write_markdown_text(table->subtitles.items[i], out);
        fputs("\n\n", out);
    }
    write_markdown_row(table, 0, true, out);
    fputc('|', out);
    for (size_t i = 0; i < table->column_count; i++) {
        fputs(table->columns[i].left ? "---|" : "--:|", out);
    }
    fputc('\n', out);
    for (size_t row = 0; row < grid_row_count(table); row++) {
        write_markdown_row(table, row, false, out);
    }
    for (size_t i = 0; i < table->notes.count; i++) {
        fputs(i == 0 ? "\n- " : "- ", out);
        write_markdown_text(table->notes.items[i], out);
        fputc('\n', out);
    }
}
