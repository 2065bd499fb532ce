/* The log-linear histogram: see histogram.h. Counting goes through a dense
 * scratch array that is compacted afterwards, so that making one costs one pass
 * over the values. */
#include "stats/histogram.h"

#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

#define EXACT_BITS 11 /* values below 2^11 have a bucket of their own */
#define HALF_BITS 10  /* buckets per power of two above that: 2^10 */

uint32_t stats_histogram_index(int64_t value) {
    uint64_t v = (uint64_t)value;
    if (v < (1u << EXACT_BITS)) {
        return (uint32_t)v;
    }
    unsigned octave = 63u - (unsigned)__builtin_clzll(v);
    unsigned shift = octave - HALF_BITS;
    return (uint32_t)((shift << HALF_BITS) + (v >> shift));
}

int64_t stats_histogram_width(uint32_t index) {
    if (index < (1u << EXACT_BITS)) {
        return 1;
    }
    return (int64_t)1 << ((index >> HALF_BITS) - 1u);
}

int64_t stats_histogram_low(uint32_t index) {
    if (index < (1u << EXACT_BITS)) {
        return (int64_t)index;
    }
    unsigned shift = (index >> HALF_BITS) - 1u;
    return (int64_t)(((uint64_t)index - ((uint64_t)shift << HALF_BITS)) << shift);
}

static stats_histogram *allocate(size_t bucket_count) {
    size_t bytes = sizeof(stats_histogram) + bucket_count * sizeof(stats_bucket);
    stats_histogram *histogram = util_alloc(1, bytes);
    histogram->bucket_count = bucket_count;
    return histogram;
}

static stats_histogram *compact(const uint64_t *dense) {
    size_t used = 0;
    for (uint32_t i = 0; i < STATS_HISTOGRAM_BUCKETS; i++) {
        used += dense[i] != 0;
    }
    stats_histogram *histogram = allocate(used);
    size_t at = 0;
    for (uint32_t i = 0; i < STATS_HISTOGRAM_BUCKETS; i++) {
        if (dense[i] != 0) {
            histogram->buckets[at++] = (stats_bucket){i, dense[i]};
        }
    }
    return histogram;
}

stats_histogram *stats_histogram_create(const int64_t *values, size_t count) {
    uint64_t *dense = util_alloc(STATS_HISTOGRAM_BUCKETS, sizeof(*dense));
    uint64_t below = 0, saturated = 0;
    for (size_t i = 0; i < count; i++) {
        if (values[i] < 0) {
            below++;
        } else if (values[i] >= STATS_HISTOGRAM_LIMIT) {
            saturated++;
        } else {
            dense[stats_histogram_index(values[i])]++;
        }
    }
    stats_histogram *histogram = compact(dense);
    histogram->below = below;
    histogram->saturated = saturated;
    free(dense);
    return histogram;
}

stats_histogram *stats_histogram_free(stats_histogram *histogram) {
    free(histogram);
    return NULL;
}
