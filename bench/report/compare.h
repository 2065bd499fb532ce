/* Two results side by side: for each combination that both have, whether the
 * new one is better or worse, judged over rounds. */
#ifndef BENCH_REPORT_COMPARE_H
#define BENCH_REPORT_COMPARE_H

#include "report/report.h"

typedef enum compare_verdict {
    COMPARE_NO_CHANGE,
    COMPARE_BETTER,
    COMPARE_WORSE,
    COMPARE_TOO_FEW, /* so few rounds that no difference could be significant among so many rows */
    COMPARE_TOO_NOISY, /* no significant difference, and a large one is not
                          excluded either */
    COMPARE_VERDICT_COUNT
} compare_verdict;

#define COMPARE_ALPHA 0.05     /* after Holm's correction over the rows */
#define COMPARE_THRESHOLD 0.02 /* a smaller change is none, however significant */
#define COMPARE_EXCLUDED 0.10  /* no change: the interval must exclude changes beyond this */

typedef struct compare_row {
    const report_cell *before, *after;
    const char *figure; /* "p50 of latency_ns", "delivered_total_ns": per round */
    size_t before_rounds, after_rounds;
    double before_median, after_median; /* ns; with a baseline, ratios */
    stats_interval ratio;               /* after / before, 95 % */
    double p;                           /* Mann-Whitney, Holm-adjusted */
    double effect;                      /* Cliff's delta: 1, all of the new rounds take longer */
    compare_verdict verdict;
} compare_row;

typedef struct comparison {
    const char *baseline; /* figures are relative to this library's of the same round; or NULL */
    compare_row *rows;
    size_t row_count;
    size_t verdicts[COMPARE_VERDICT_COUNT];
    double geometric_mean; /* of the ratios; 0 without rows */
    strvec notes;          /* what only one of them has, what differs between the machines,
                              losses */
} comparison;

/* The results and the name of the baseline (or NULL) must outlive the comparison. A machine that
 * was busier on one of the days slows the baseline beside a row, too, and cancels out. */
void compare_results(
    const report *before, const report *after, const char *baseline, comparison *ret_comparison);
void comparison_done(comparison *compared);

const char *compare_verdict_name(compare_verdict verdict);

/* format: "text", "markdown" or "json". False: write error. */
bool comparison_write(const comparison *compared, const char *format, unsigned width, FILE *out);

#endif
