/* Properties of the statistics that no single vector shows: the histogram's
 * promises, when percentiles and intervals are withheld, and selection against
 * sorting on orders that are bad on purpose. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "stats/compare.h"
#include "stats/distribution.h"

static void test_histogram_buckets(void **state) {
    (void)state;
    int64_t expected_low = 0;
    for (uint32_t i = 0; i < STATS_HISTOGRAM_BUCKETS; i++) {
        int64_t low = stats_histogram_low(i), width = stats_histogram_width(i);
        assert_true(low == expected_low);
        assert_true(width == 1 || low / width >= 1024);
        assert_int_equal(stats_histogram_index(low), i);
        assert_int_equal(stats_histogram_index(low + width - 1), i);
        expected_low = low + width;
    }
    assert_true(expected_low == STATS_HISTOGRAM_LIMIT);
}

static void test_histogram_outside(void **state) {
    (void)state;
    int64_t values[] = {-1, 0, 0, STATS_HISTOGRAM_LIMIT - 1, STATS_HISTOGRAM_LIMIT, INT64_MAX};
    stats_histogram *h = stats_histogram_create(values, 6);
    assert_int_equal(h->below, 1);
    assert_int_equal(h->saturated, 2);
    assert_int_equal(h->bucket_count, 2);
    assert_int_equal(h->buckets[0].count, 2);
    assert_int_equal(h->buckets[1].index, STATS_HISTOGRAM_BUCKETS - 1);
    stats_histogram_free(h);
}

static void check_valid(size_t count, bool p90, bool p99, bool p99_9) {
    int64_t *values = calloc(count, sizeof(*values));
    stats_distribution d;
    stats_distribution_compute(values, count, &d);
    assert_int_equal(d.p90_valid, p90);
    assert_int_equal(d.p99_valid, p99);
    assert_int_equal(d.p99_9_valid, p99_9);
    assert_false(d.p99_99_valid);
    stats_distribution_done(&d);
    free(values);
}

static void test_percentiles_need_ten_beyond(void **state) {
    (void)state;
    check_valid(99, false, false, false);
    check_valid(100, true, false, false);
    check_valid(999, true, false, false);
    check_valid(1000, true, true, false);
    check_valid(10000, true, true, true);
}

static void test_nothing_measured(void **state) {
    (void)state;
    stats_distribution d;
    stats_distribution_compute(NULL, 0, &d);
    assert_int_equal(d.n, 0);
    assert_null(d.histogram);
    stats_distribution_done(&d);
}

static int compare_int64(const void *left, const void *right) {
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

/* The k-th quantile of n values with p = k / (n - 1) is the k-th order
 * statistic itself. */
static void check_selection(const int64_t *values, size_t count) {
    int64_t *sorted = malloc(count * sizeof(*sorted)), *work = malloc(count * sizeof(*work));
    memcpy(sorted, values, count * sizeof(*sorted));
    qsort(sorted, count, sizeof(*sorted), compare_int64);
    static const double p[] = {0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1};
    double q[8];
    memcpy(work, values, count * sizeof(*work));
    stats_quantiles(work, count, p, 8, q);
    for (int i = 0; i < 8; i++) {
        double place = (double)(count - 1) * p[i];
        double low = (double)sorted[(size_t)place];
        double high = (double)sorted[(size_t)place + 1 < count ? (size_t)place + 1 : count - 1];
        assert_true(q[i] >= low && q[i] <= high);
    }
    assert_true(q[0] == (double)sorted[0] && q[7] == (double)sorted[count - 1]);
    free(sorted);
    free(work);
}

static void test_selection_on_hard_orders(void **state) {
    (void)state;
    enum { COUNT = 5000 };
    static int64_t values[COUNT];
    unsigned seed = 11;
    for (int kind = 0; kind < 6; kind++) {
        for (int64_t i = 0; i < COUNT; i++) {
            const int64_t orders[6] = {i, COUNT - i, 7, i % 2 == 0 ? i : COUNT - i,
                i < COUNT / 2 ? i : COUNT - i, rand_r(&seed)};
            values[i] = orders[kind];
        }
        check_selection(values, COUNT);
        check_selection(values, 25);
        check_selection(values, 1);
    }
}

static void test_few_rounds_give_no_interval(void **state) {
    (void)state;
    double values[] = {1, 2, 3, 4, 5}, zeroes[] = {0, 0, 0, 0, 0};
    assert_false(stats_bootstrap_ratio(values, 4, values, 5, 1).valid);
    assert_true(stats_bootstrap_ratio(values, 5, values, 5, 1).valid);
    assert_true(stats_bootstrap_ratio(values, 4, values, 5, 1).estimate == 2.5 / 3);
    assert_false(stats_bootstrap_ratio(values, 5, zeroes, 5, 1).valid);
    assert_false(stats_bootstrap_ratio(values, 0, values, 5, 1).valid);
    assert_false(stats_median_interval(values, 5).valid);
    assert_false(stats_mann_whitney(values, 0, values, 5).valid);
    /* Three rounds against three cannot be significant at 0.05, four against four
     * can. */
    assert_true(stats_mann_whitney_least_p(3, 3) > 0.05);
    assert_true(stats_mann_whitney_least_p(4, 4) < 0.05);
}

/* Those that could never be significant are put aside, and cost the others nothing. */
static void tests_without_a_chance(void **state) {
    (void)state;
    bool able[4];
    const double all[] = {0.0125, 0.001, 0.0125, 0.0125};
    assert_int_equal(stats_holm_able(all, 4, 0.05, able), 4);
    const double some[] = {0.02, 0.001, 0.02, 1};
    assert_int_equal(stats_holm_able(some, 4, 0.05, able), 1);
    assert_true(!able[0] && able[1] && !able[2] && !able[3]);
    const double none[] = {0.06, 1};
    assert_int_equal(stats_holm_able(none, 2, 0.05, able), 0);
    assert_true(!able[0] && !able[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tests_without_a_chance),
        cmocka_unit_test(test_histogram_buckets),
        cmocka_unit_test(test_histogram_outside),
        cmocka_unit_test(test_percentiles_need_ten_beyond),
        cmocka_unit_test(test_nothing_measured),
        cmocka_unit_test(test_selection_on_hard_orders),
        cmocka_unit_test(test_few_rounds_give_no_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
