/* The Mann-Whitney U test and Holm's correction, and which tests it leaves a chance. For the
 * numbers of rounds that people run, the distribution of U is counted exactly, ties included: over
 * all ways to pick which of the pooled values are a's. Beyond that the normal approximation. */
#include <math.h>
#include <stdlib.h>

#include "stats/compare.h"
#include "util/memory.h"

#define EXACT_TOTAL_MAX 50u

typedef struct ranked {
    double value;
    bool of_a;
    size_t double_rank; /* twice the midrank, a whole number */
} ranked;

static int compare_ranked(const void *left, const void *right) {
    double a = ((const ranked *)left)->value, b = ((const ranked *)right)->value;
    return (a > b) - (a < b);
}

/* Pools and ranks both sides. Returns the sum over groups of ties of t^3 - t.
 */
static double rank_pooled(
    ranked *pool, const double *a, size_t a_count, const double *b, size_t b_count) {
    size_t total = a_count + b_count;
    for (size_t i = 0; i < total; i++) {
        pool[i].of_a = i < a_count;
        pool[i].value = i < a_count ? a[i] : b[i - a_count];
    }
    qsort(pool, total, sizeof(*pool), compare_ranked);
    double ties = 0;
    for (size_t i = 0; i < total;) {
        size_t end = i + 1;
        while (end < total && pool[end].value == pool[i].value) {
            end++;
        }
        for (size_t k = i; k < end; k++) {
            pool[k].double_rank = i + 1 + end;
        }
        double t = (double)(end - i);
        ties += t * t * t - t;
        i = end;
    }
    return ties;
}

/* ways[k][s]: how many choices of k of the pooled values have doubled ranks
 * that sum to s. */
static double exact_p(const ranked *pool, size_t total, size_t a_count, size_t observed) {
    size_t sum_max = total * (total + 1);
    size_t width = sum_max + 1;
    double *ways = util_alloc((a_count + 1) * width, sizeof(*ways));
    ways[0] = 1;
    for (size_t i = 0; i < total; i++) {
        size_t rank = pool[i].double_rank;
        size_t most = i + 1 < a_count ? i + 1 : a_count;
        for (size_t k = most; k >= 1; k--) {
            for (size_t sum = sum_max; sum >= rank; sum--) {
                ways[k * width + sum] += ways[(k - 1) * width + sum - rank];
            }
        }
    }
    double below = 0, above = 0, all = 0;
    for (size_t sum = 0; sum <= sum_max; sum++) {
        double count = ways[a_count * width + sum];
        all += count;
        below += sum <= observed ? count : 0;
        above += sum >= observed ? count : 0;
    }
    free(ways);
    double p = 2 * (below < above ? below : above) / all;
    return p < 1 ? p : 1;
}

static double normal_p(double u, size_t a_count, size_t b_count, double ties) {
    double na = (double)a_count, nb = (double)b_count, n = na + nb;
    double variance = na * nb / 12 * (n + 1 - ties / (n * (n - 1)));
    if (variance <= 0) {
        return 1;
    }
    double distance = fabs(u - na * nb / 2) - 0.5;
    double p = erfc((distance > 0 ? distance : 0) / sqrt(variance) / sqrt(2.0));
    return p < 1 ? p : 1;
}

stats_u_test stats_mann_whitney(const double *a, size_t a_count, const double *b, size_t b_count) {
    stats_u_test test = {0};
    if (a_count == 0 || b_count == 0) {
        return test;
    }
    size_t total = a_count + b_count;
    ranked *pool = util_alloc(total, sizeof(*pool));
    double ties = rank_pooled(pool, a, a_count, b, b_count);
    size_t double_sum = 0;
    for (size_t i = 0; i < total; i++) {
        double_sum += pool[i].of_a ? pool[i].double_rank : 0;
    }
    double na = (double)a_count;
    test.valid = true;
    test.exact = total <= EXACT_TOTAL_MAX;
    test.u = (double)double_sum / 2 - na * (na + 1) / 2;
    test.effect = 2 * test.u / (na * (double)b_count) - 1;
    test.p = test.exact ? exact_p(pool, total, a_count, double_sum)
                        : normal_p(test.u, a_count, b_count, ties);
    free(pool);
    return test;
}

double stats_mann_whitney_least_p(size_t a_count, size_t b_count) {
    double n = (double)(a_count + b_count), k = (double)a_count;
    double choices = exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1));
    return a_count == 0 || b_count == 0 ? 1 : fmin(1, 2 / choices);
}

void stats_holm(double *p_values, size_t count) {
    bool *done = util_alloc(count + 1, sizeof(*done));
    double running = 0;
    for (size_t step = 0; step < count; step++) {
        size_t least = count;
        for (size_t i = 0; i < count; i++) {
            if (!done[i] && (least == count || p_values[i] < p_values[least])) {
                least = i;
            }
        }
        double adjusted = p_values[least] * (double)(count - step);
        running = adjusted > running ? adjusted : running;
        done[least] = true;
        p_values[least] = running < 1 ? running : 1;
    }
    free(done);
}

/* How many need no better luck than this one, itself among them. */
static size_t at_most(const double *values, size_t count, double value) {
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        found += values[i] <= value;
    }
    return found;
}

size_t stats_holm_able(const double *least_p, size_t count, double alpha, bool *ret_able) {
    size_t able = 0;
    for (size_t i = 0; i < count; i++) {
        size_t set = at_most(least_p, count, least_p[i]);
        able = set > able && least_p[i] * (double)set <= alpha ? set : able;
    }
    for (size_t i = 0; i < count; i++) {
        ret_able[i] = at_most(least_p, count, least_p[i]) <= able;
    }
    return able;
}
