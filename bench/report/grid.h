/* A table of texts, with a title above and notes below. What is in it is
 * decided in layout.c, how it looks in the writers of the formats. Texts are
 * ASCII, so that a column is as wide as its longest text. */
#ifndef BENCH_REPORT_GRID_H
#define BENCH_REPORT_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "util/strvec.h"

#define GRID_COLUMNS_MAX 32

typedef struct grid_column {
    char *heading;
    bool left; /* aligned; numbers are not */
    int drop;  /* too wide a table loses the column with the highest number first;
                  0: never */
} grid_column;

typedef struct grid {
    char *title;
    strvec subtitles;
    grid_column columns[GRID_COLUMNS_MAX];
    size_t column_count;
    bool breaks;  /* when nothing may be left out, columns that do not fit go below */
    strvec cells; /* row after row */
    strvec notes;
} grid;

void grid_column_add(grid *table, const char *heading, bool left, int drop);
void grid_cell(grid *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
size_t grid_row_count(const grid *table);
const char *grid_at(const grid *table, size_t row, size_t column);
void grid_done(grid *table);

void grid_write_text(const grid *table, unsigned width, FILE *out);
void grid_write_markdown(const grid *table, FILE *out);

#endif
