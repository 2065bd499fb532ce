/* Intervals over rounds: order statistics for a median, the bootstrap for a
 * ratio of medians. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/compare.h"
#include "util/memory.h"

#define RESAMPLES 10000u

static int compare_doubles(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double sorted_median(const double *sorted, size_t count) {
    size_t half = count / 2;
    return count % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

static double *sorted_copy(const double *values, size_t count) {
    double *copy = util_alloc(count, sizeof(*copy));
    memcpy(copy, values, count * sizeof(*copy));
    qsort(copy, count, sizeof(*copy), compare_doubles);
    return copy;
}

double stats_median(const double *values, size_t count) {
    double *sorted = sorted_copy(values, count);
    double median = sorted_median(sorted, count);
    free(sorted);
    return median;
}

stats_interval stats_median_interval(const double *values, size_t count) {
    stats_interval interval = {0};
    if (count == 0) {
        return interval;
    }
    double *sorted = sorted_copy(values, count);
    interval.estimate = sorted_median(sorted, count);
    /* The k-th from each end enclose the median with probability 1 - 2 P(B < k),
     * B ~ Bin(n, 1/2).
     */
    double below = 0;
    size_t k = 0;
    while (k < count / 2) {
        double log_term = lgamma((double)count + 1) - lgamma((double)k + 1) -
                          lgamma((double)(count - k) + 1) - (double)count * log(2.0);
        if (1 - 2 * (below + exp(log_term)) < 0.95) {
            break;
        }
        below += exp(log_term);
        k++;
    }
    if (k > 0) {
        interval.valid = true;
        interval.low = sorted[k - 1];
        interval.high = sorted[count - k];
    }
    free(sorted);
    return interval;
}

/* splitmix64 */
static uint64_t next_random(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static size_t random_below(uint64_t *state, size_t bound) {
    return (size_t)(((next_random(state) >> 32) * (uint64_t)bound) >> 32);
}

/* The median of one resample. The values are sorted, so that counting how often
 * each was drawn replaces sorting the resample. */
static double resampled_median(
    const double *sorted, uint32_t *drawn, size_t count, uint64_t *random) {
    memset(drawn, 0, count * sizeof(*drawn));
    for (size_t i = 0; i < count; i++) {
        drawn[random_below(random, count)]++;
    }
    size_t low_rank = (count - 1) / 2, high_rank = count / 2, seen = 0;
    double low = 0;
    for (size_t i = 0; i < count; i++) {
        size_t before = seen;
        seen += drawn[i];
        if (before <= low_rank && low_rank < seen) {
            low = sorted[i];
        }
        if (before <= high_rank && high_rank < seen) {
            return (low + sorted[i]) / 2;
        }
    }
    return sorted[count - 1];
}

static double percentile_of_sorted(const double *sorted, size_t count, double probability) {
    double place = (double)(count - 1) * probability;
    size_t rank = (size_t)place;
    double next = rank + 1 < count ? sorted[rank + 1] : sorted[rank];
    return sorted[rank] + (place - (double)rank) * (next - sorted[rank]);
}

stats_interval stats_bootstrap_ratio(const double *above, size_t above_count, const double *below,
    size_t below_count, uint64_t seed) {
    stats_interval interval = {0};
    if (above_count == 0 || below_count == 0) {
        return interval;
    }
    double *over = sorted_copy(above, above_count), *under = sorted_copy(below, below_count);
    uint32_t *over_drawn = util_alloc(above_count, sizeof(*over_drawn));
    uint32_t *under_drawn = util_alloc(below_count, sizeof(*under_drawn));
    double *ratios = util_alloc(RESAMPLES, sizeof(*ratios));
    double divisor = sorted_median(under, below_count);
    bool enough = above_count >= STATS_MIN_ROUNDS && below_count >= STATS_MIN_ROUNDS;
    if (divisor > 0) {
        interval.estimate = sorted_median(over, above_count) / divisor;
    }
    if (enough && under[0] > 0) {
        for (size_t i = 0; i < RESAMPLES; i++) {
            double top = resampled_median(over, over_drawn, above_count, &seed);
            ratios[i] = top / resampled_median(under, under_drawn, below_count, &seed);
        }
        qsort(ratios, RESAMPLES, sizeof(*ratios), compare_doubles);
        interval.valid = true;
        interval.low = percentile_of_sorted(ratios, RESAMPLES, 0.025);
        interval.high = percentile_of_sorted(ratios, RESAMPLES, 0.975);
    }
    free(over);
    free(under);
    free(over_drawn);
    free(under_drawn);
    free(ratios);
    return interval;
}
