/* The parts of what people are shown, each in a file of its own; layout.c puts them together. */
#ifndef BENCH_REPORT_PARTS_H
#define BENCH_REPORT_PARTS_H

#include "report/figures.h"

void layout_overview(const report *result, const char *baseline, layout *shown);
void layout_group(
    const report *result, size_t first, bool *done, const char *baseline, layout *shown);
void layout_details(const report *result, const report_cell *cell, layout *shown);
void layout_notes(const report *result, layout *shown);

#endif
