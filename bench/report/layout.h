/* What people are shown of a report: tables and notes, the same for every
 * format that is meant for people. */
#ifndef BENCH_REPORT_LAYOUT_H
#define BENCH_REPORT_LAYOUT_H

#include "report/figures.h"

void layout_build(const report *result, const report_view *view, layout *ret_layout);
void layout_done(layout *shown);

#endif
