/* Mean, deviations, percentiles and histogram of one quantity. Sums run over
 * differences from the first value and in two passes, so that samples with a
 * large common offset lose no digits. */
#include "stats/distribution.h"

#include <math.h>

/* Hidden unless 10 samples lie beyond: n must be at least this. */
#define NEEDED_P90 100u
#define NEEDED_P99 1000u
#define NEEDED_P99_9 10000u
#define NEEDED_P99_99 100000u

static void moments(const int64_t *values, size_t count, stats_distribution *d) {
    int64_t base = values[0];
    d->min = d->max = base;
    long double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += (long double)(values[i] - base);
        d->min = values[i] < d->min ? values[i] : d->min;
        d->max = values[i] > d->max ? values[i] : d->max;
    }
    double shift = (double)(sum / (long double)count); /* mean - base */
    d->mean = (double)((long double)base + sum / (long double)count);
    long double squares = 0, absolute = 0;
    for (size_t i = 0; i < count; i++) {
        double distance = (double)(values[i] - base) - shift;
        squares += (long double)(distance * distance);
        absolute += (long double)fabs(distance);
    }
    d->mean_abs_dev = (double)(absolute / (long double)count);
    d->stddev = count > 1 ? (double)sqrtl(squares / (long double)(count - 1)) : 0;
}

static void percentiles(int64_t *values, size_t count, stats_distribution *d) {
    static const double probabilities[] = {0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 0.9999};
    double q[sizeof(probabilities) / sizeof(probabilities[0])];
    stats_quantiles(values, count, probabilities, sizeof(q) / sizeof(q[0]), q);
    d->p50 = q[1];
    d->p90 = q[3];
    d->p99 = q[4];
    d->p99_9 = q[5];
    d->p99_99 = q[6];
    d->p90_valid = count >= NEEDED_P90;
    d->p99_valid = count >= NEEDED_P99;
    d->p99_9_valid = count >= NEEDED_P99_9;
    d->p99_99_valid = count >= NEEDED_P99_99;
    double range = q[2] - q[0];
    for (size_t i = 0; i < count; i++) {
        double value = (double)values[i];
        bool severe = value < q[0] - 3 * range || value > q[2] + 3 * range;
        bool mild = value < q[0] - 1.5 * range || value > q[2] + 1.5 * range;
        d->outliers_severe += severe;
        d->outliers_mild += mild && !severe;
    }
}

void stats_distribution_compute(
    int64_t *values, size_t count, stats_distribution *ret_distribution) {
    stats_distribution d = {.n = count};
    if (count > 0) {
        moments(values, count, &d);
        d.histogram = stats_histogram_create(values, count);
        percentiles(values, count, &d);
    }
    *ret_distribution = d;
}

void stats_distribution_done(stats_distribution *distribution) {
    stats_histogram_free(distribution->histogram);
    *distribution = (stats_distribution){0};
}
