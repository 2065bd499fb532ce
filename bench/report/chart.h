/* A picture of one combination: for each pair of libraries where its times lie.
 */
#ifndef BENCH_REPORT_CHART_H
#define BENCH_REPORT_CHART_H

#include "report/report.h"

/* SVG of all cells that share the combination of cells[first]. Nothing when
 * they have no times. */
void chart_write(const report *result, size_t first, FILE *out);

#endif
