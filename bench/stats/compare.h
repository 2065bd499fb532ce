/* Inference over rounds: the round is the unit, messages of one round are not
 * independent. Intervals of medians and ratios, the Mann-Whitney U test, Holm's
 * correction. Everything random is seeded. */
#ifndef BENCH_STATS_COMPARE_H
#define BENCH_STATS_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/summary.h"

#define STATS_MIN_ROUNDS 5 /* fewer give no bootstrap interval */

/* count > 0. */
double stats_median(const double *values, size_t count);

/* From order statistics; distribution-free. Needs 6 values for 95 %. */
stats_interval stats_median_interval(const double *values, size_t count);

/* Percentile bootstrap (10^4 resamples) of the ratio of the medians of two
 * independent sets, resampled independently. Not valid with
 * fewer than STATS_MIN_ROUNDS values on a side, or with a median of 0 below the
 * line; the estimate is there whenever it can be computed. */
stats_interval stats_bootstrap_ratio(const double *above, size_t above_count, const double *below,
    size_t below_count, uint64_t seed);

typedef struct stats_u_test {
    bool valid;    /* both sides have values */
    bool exact;    /* else the normal approximation, with tie and continuity
                      correction */
    double u;      /* pairs in which a is greater than b; ties count half */
    double p;      /* two-sided */
    double effect; /* Cliff's delta: -1 all of a is below b, 0 no difference, 1
                      above */
} stats_u_test;

stats_u_test stats_mann_whitney(const double *a, size_t a_count, const double *b, size_t b_count);

/* The least p that the test can give for these counts. */
double stats_mann_whitney_least_p(size_t a_count, size_t b_count);

/* Replaces p-values by Holm's adjusted ones, in place. */
void stats_holm(double *p_values, size_t count);

/* Of tests with these least possible p, the largest set in which each can be significant after the
 * correction for that set. It depends on the numbers of rounds alone, so that choosing it first is
 * fair: a test that cannot succeed shall not cost the others their power. Returns how many. */
size_t stats_holm_able(const double *least_p, size_t count, double alpha, bool *ret_able);

#endif
