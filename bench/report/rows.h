/* The rows of a table: which columns a pattern has, and what a cell of the result puts into them.
 */
#ifndef BENCH_REPORT_ROWS_H
#define BENCH_REPORT_ROWS_H

#include "report/figures.h"

/* Everything that the cells of a row need. */
typedef struct row {
    const report *result;
    const report_cell *cell;
    const report_cell *baseline; /* or NULL */
    time_unit unit;
    grid *table;
} row;

/* baseline: what the last column divides by, or NULL: there is none. */
void rows_add_columns(grid *table, const plan_cell *like, const char *baseline);
/* Adds a note below the table, too, about messages that came twice, late or corrupt. */
void rows_add(const row *r);
/* One cell with a time, for a table of another make. */
void rows_time_cell(const row *r, double ns, bool known);

#endif
