/* From the sample files of a round to its summary. Used when a report is built,
 * and again when a saved one is recomputed. */
#ifndef BENCH_REPORT_COMPUTE_H
#define BENCH_REPORT_COMPUTE_H

#include "report/report.h"
#include "stats/summarize.h"

/* paths: per side; NULL when that side was not ours. pool may be NULL. */
bool report_compute_round(const plan_cell *cell, const run_round *round, const char *const paths[2],
    stats_pool *pool, stats_summary *ret_summary, char *error_text, size_t error_size);

/* SHA-256 of a file as hexadecimal digits. False when it cannot be read. */
bool report_sha256_file(const char *path, char ret_hex[65]);

#endif
