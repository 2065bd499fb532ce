/* The writers behind report_formats: each shows a report in one format. False:
 * write error. */
#ifndef BENCH_REPORT_FORMATS_H
#define BENCH_REPORT_FORMATS_H

#include "report/report.h"

bool report_write_text(const report *result, const report_view *view, FILE *out);
bool report_write_json(const report *result, const report_view *view, FILE *out);
bool report_write_csv(const report *result, const report_view *view, FILE *out);
bool report_write_markdown(const report *result, const report_view *view, FILE *out);
bool report_write_html(const report *result, const report_view *view, FILE *out);

#endif
