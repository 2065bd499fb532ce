/* The parts of what people are shown, each in a file of its own; layout.c puts them together. */
#ifndef BENCH_REPORT_PARTS_H
#define BENCH_REPORT_PARTS_H

#include "report/figures.h"

/* What ratios of a generation refer to: what was asked for, else the C++ library, else rclite when
 * something is beside it; or NULL. */
const char *layout_baseline(const report *result, const report_view *view, int generation);

void layout_overview(const report *result, const report_view *view, layout *shown);
void layout_group(
    const report *result, size_t first, bool *done, const report_view *view, layout *shown);
void layout_details(const report *result, const report_cell *cell, layout *shown);
void layout_notes(const report *result, layout *shown);

#endif
