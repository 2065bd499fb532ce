/* Exact figures of a set of samples. Quantiles are type 7 of Hyndman and Fan
 * (linear interpolation between the closest ranks), the default of numpy, scipy
 * and R. */
#ifndef BENCH_STATS_DISTRIBUTION_H
#define BENCH_STATS_DISTRIBUTION_H

#include <stddef.h>
#include <stdint.h>

#include "stats/summary.h"

/* Permutes values. Values must lie within +-2^62, as differences of stamps do.
 */
void stats_distribution_compute(
    int64_t *values, size_t count, stats_distribution *ret_distribution);
void stats_distribution_done(stats_distribution *distribution);

/* Quantiles of values (count > 0) for ascending probabilities, at most
 * STATS_QUANTILES_MAX. Permutes values; selects instead of sorting. */
#define STATS_QUANTILES_MAX 16
void stats_quantiles(int64_t *values, size_t count, const double *probabilities,
    size_t probability_count, double *ret_quantiles);

#endif
