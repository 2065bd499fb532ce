/* A summary as JSON and back: the part of the result file that rounds and cells
 * have in common. */
#ifndef BENCH_REPORT_SUMMARY_JSON_H
#define BENCH_REPORT_SUMMARY_JSON_H

#include "report/fields.h"
#include "stats/summary.h"

/* Sets the summary's keys in object; NULL: all of them null. */
void summary_to_json(json_t *object, const stats_summary *summary);

/* False with an error; then nothing has to be freed. */
bool summary_from_json(
    const json_t *object, stats_summary *ret_summary, const field_place *place, field_error *error);

#endif
