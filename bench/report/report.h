/* What a run gave, in the form in which it is shown: the plan and the run
 * record, a summary per round and per cell, the environment and the warnings.
 * Made from fresh samples or read back from a result file; every output format
 * is a writer over this one struct. */
#ifndef BENCH_REPORT_REPORT_H
#define BENCH_REPORT_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "plan/plan.h"
#include "run/environment.h"
#include "run/run_record.h"
#include "stats/summary.h"
#include "util/strvec.h"

#define REPORT_SCHEMA_VERSION 1

typedef struct report_round {
    const run_round *run;
    bool has_summary; /* false: failed before anything could be computed */
    stats_summary summary;
    strvec warnings;            /* found while computing, beside run->warnings */
    char samples_sha256[2][65]; /* per side; "" when the samples are not kept */
} report_round;

typedef struct report_cell {
    const run_cell *run;
    report_round *rounds;
    size_t round_count;
    size_t good_rounds; /* those with a summary */
    bool has_summary;
    stats_summary summary; /* pooled over the good rounds (stats_pool in
                              stats/summarize.h) */
} report_cell;

typedef struct report {
    const plan *plan;
    const run_record *record;
    const run_environment *environment;
    report_cell *cells; /* as record->cells */
    size_t cell_count;
    uint64_t seed;              /* of every bootstrap */
    strvec warnings;            /* sentences about the whole run */
    struct report_owned *owned; /* plan, record, environment, when they were read from a file */
} report;

typedef struct report_options {
    bool samples_kept; /* the sample files stay: record their paths and sha256 */
    uint64_t seed;
    const strvec *warnings; /* copied; NULL: none */
} report_options;

/* Reads the samples of every round, joins, computes. Borrows plan, record and
 * environment, which must outlive the report. A round that failed, or whose
 * samples cannot be used, gets no summary and a warning that says why. */
void report_build(const plan *todo, const run_record *record, const run_environment *environment,
    const report_options *options, report *ret_report);

/* Reads a result file of format json. Any file whatever gives a report or one
 * sentence that names the file and the place in it ("x.json:
 * cells[2].rounds[0].sent: not an integer"). */
bool report_read(const char *path, report *ret_report, char *error_text, size_t error_size);

/* The same of a text in memory; name stands for the file in errors. */
bool report_parse(const char *text, size_t len, const char *name, report *ret_report,
    char *error_text, size_t error_size);

/* Computes everything again from the sample files that a report read from result_path names; they
 * are also found when they were moved together with it. Files that are not there any more are
 * passed over. False when one was changed (sha256) or gives other numbers. */
bool report_recompute(const report *result, const char *result_path, size_t *ret_rounds_checked,
    char *error_text, size_t error_size);

/* Frees what the report holds; a report of zeroes is fine. */
void report_done(report *result);

/* How to show it; no format has to use all of it. */
typedef struct report_view {
    unsigned width;       /* columns of the terminal; 0: 80 */
    bool detail;          /* text: rounds and processes too */
    const char *baseline; /* variant that ratios refer to, or NULL */
} report_view;

typedef struct report_format {
    const char *name;   /* as --format takes it */
    const char *suffix; /* of a file: ".json" */
    const char *help;
    bool (*write)(
        const report *result, const report_view *view, FILE *out); /* false: write error */
} report_format;

extern const report_format report_formats[];
extern const size_t report_format_count;
const report_format *report_format_find(const char *name);         /* NULL: unknown */
const report_format *report_format_of_file(const char *file_name); /* by suffix; NULL: unknown */

#endif
