/* What the tables for people are made of: the list that they are added to, how figures are written,
 * and which rounds of a cell a ratio is taken over. */
#ifndef BENCH_REPORT_FIGURES_H
#define BENCH_REPORT_FIGURES_H

#include "report/grid.h"
#include "report/report.h"

typedef struct layout {
    grid *grids;
    size_t grid_count, grid_capacity;
    strvec notes; /* failures, what was not run, warnings, floor, environment: in
                     that order */
} layout;

/* How many rounds were run: of those cells that had the most. */
unsigned layout_rounds(const report *result);

grid *layout_add(layout *shown, char *title); /* takes title */

/* Same combination but for the two libraries. */
bool layout_same_group(const plan_cell *a, const plan_cell *b);

/* The unit in which times of about this size read well. */
typedef struct time_unit {
    const char *name;
    double ns;
} time_unit;
time_unit layout_unit(double ns);

/* Three to four significant digits without an exponent; "-" for a negative,
 * unknown value. */
#define LAYOUT_NUMBER_MAX 32
char *layout_number(double value, char text[LAYOUT_NUMBER_MAX]);

/* Per good round: a figure of the main quantity (its p50), or the delivered
 * total. Returns how many; *ret_values is for free(). */
size_t layout_round_medians(const report_cell *cell, double **ret_values);
size_t layout_round_totals(const report_cell *cell, double **ret_values);

/* "0.21 [0.19 0.24]"; "~" in front when the interval spans more than a factor
 * of two. */
char *layout_ratio(const double *above, size_t above_count, const double *below, size_t below_count,
    uint64_t seed);

#endif
