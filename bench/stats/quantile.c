/* Quantiles by selection: only the order statistics that are asked for are put
 * in their places. One partition serves several of them, so that all
 * percentiles of 10^7 samples cost little more than the first. */
#include "stats/distribution.h"

#include <assert.h>
#include <math.h>

static void swap(int64_t *a, int64_t *b) {
    int64_t kept = *a;
    *a = *b;
    *b = kept;
}

static void insertion_sort(int64_t *values, size_t count) {
    for (size_t i = 1; i < count; i++) {
        int64_t value = values[i];
        size_t k = i;
        for (; k > 0 && values[k - 1] > value; k--) {
            values[k] = values[k - 1];
        }
        values[k] = value;
    }
}

/* The median of three places chosen by a generator: no order of the input is
 * bad on purpose. */
static int64_t pivot_of(const int64_t *values, size_t count, uint64_t *random) {
    int64_t three[3];
    for (int i = 0; i < 3; i++) {
        *random = *random * 6364136223846793005u + 1442695040888963407u;
        three[i] = values[(size_t)(*random >> 33) % count];
    }
    insertion_sort(three, 3);
    return three[1];
}

/* Puts the order statistics `ranks` (ascending, relative to values) in their
 * places. Three-way partitions, so that many equal values cost nothing. */
static void select_ranks(int64_t *values, size_t count, const size_t *ranks, size_t rank_count,
    size_t offset, uint64_t *random) {
    while (rank_count > 0 && count > 24) {
        int64_t pivot = pivot_of(values, count, random);
        size_t low = 0, at = 0, high = count;
        while (at < high) {
            if (values[at] < pivot) {
                swap(&values[low++], &values[at++]);
            } else if (values[at] > pivot) {
                swap(&values[at], &values[--high]);
            } else {
                at++;
            }
        }
        size_t left = 0, right = rank_count;
        while (left < rank_count && ranks[left] - offset < low) {
            left++;
        }
        while (right > left && ranks[right - 1] - offset >= high) {
            right--;
        }
        select_ranks(values, low, ranks, left, offset, random);
        values += high;
        count -= high;
        offset += high;
        ranks += right;
        rank_count -= right;
    }
    if (rank_count > 0) {
        insertion_sort(values, count);
    }
}

void stats_quantiles(int64_t *values, size_t count, const double *probabilities,
    size_t probability_count, double *ret_quantiles) {
    assert(count > 0 && probability_count <= STATS_QUANTILES_MAX);
    size_t ranks[2 * STATS_QUANTILES_MAX] = {0};
    size_t rank_count = 0;
    for (size_t i = 0; i < probability_count; i++) {
        size_t rank = (size_t)floor((double)(count - 1) * probabilities[i]);
        size_t pair[2] = {rank, rank + 1 < count ? rank + 1 : rank};
        for (int k = 0; k < 2; k++) {
            if (rank_count == 0 || pair[k] > ranks[rank_count - 1]) {
                ranks[rank_count++] = pair[k];
            }
        }
    }
    uint64_t random = 20220407;
    select_ranks(values, count, ranks, rank_count, 0, &random);
    for (size_t i = 0; i < probability_count; i++) {
        double place = (double)(count - 1) * probabilities[i];
        size_t rank = (size_t)floor(place);
        int64_t low = values[rank];
        int64_t high = rank + 1 < count ? values[rank + 1] : low;
        ret_quantiles[i] = (double)low + (place - (double)rank) * (double)(high - low);
    }
}
