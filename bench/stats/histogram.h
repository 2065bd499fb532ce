/* A log-linear histogram of times in ns with three significant digits: values
 * below 2048 are exact, above that each power of two is cut into 1024 buckets,
 * so a bucket is never wider than 0.1 % of its values. It is made from a whole
 * array and kept sparse; recording sample by sample is not its job, since peers
 * keep every raw sample. */
#ifndef BENCH_STATS_HISTOGRAM_H
#define BENCH_STATS_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Values at and above this are counted as saturated: 2^40 ns, more than 18
 * minutes. */
#define STATS_HISTOGRAM_LIMIT ((int64_t)1 << 40)
#define STATS_HISTOGRAM_BUCKETS 31744u

typedef struct stats_bucket {
    uint32_t index;
    uint64_t count; /* never 0 */
} stats_bucket;

typedef struct stats_histogram {
    uint64_t below;     /* negative values */
    uint64_t saturated; /* values at or above the limit */
    size_t bucket_count;
    stats_bucket buckets[]; /* ascending index */
} stats_histogram;

/* The caller frees with stats_histogram_free. */
stats_histogram *stats_histogram_create(const int64_t *values, size_t count);
stats_histogram *stats_histogram_free(stats_histogram *histogram);

/* The bucket of a value in [0, STATS_HISTOGRAM_LIMIT), and the values of a
 * bucket: low <= value < low + width. */
uint32_t stats_histogram_index(int64_t value);
int64_t stats_histogram_low(uint32_t index);
int64_t stats_histogram_width(uint32_t index);

#endif
