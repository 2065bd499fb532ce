/* Every statistic against vectors that numpy and scipy computed
 * (reference/make_vectors.py). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/compare.h"
#include "stats/distribution.h"

static json_t *vectors;

static int load(void **state) {
    (void)state;
    json_error_t error;
    vectors = json_load_file(RCLBENCH_STATS_VECTORS, 0, &error);
    return vectors == NULL ? -1 : 0;
}

static int unload(void **state) {
    (void)state;
    json_decref(vectors);
    return 0;
}

static void assert_near(
    const char *name, const char *what, double got, double expected, double tolerance) {
    if (!(fabs(got - expected) <= tolerance * fmax(1e-300, fabs(expected)))) {
        fail_msg("%s: %s is %.17g, expected %.17g", name, what, got, expected);
    }
}

static double expected_of(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

static double *doubles_of(const json_t *array, size_t *ret_count) {
    *ret_count = json_array_size(array);
    double *values = calloc(*ret_count + 1, sizeof(*values));
    for (size_t i = 0; i < *ret_count; i++) {
        values[i] = json_number_value(json_array_get(array, i));
    }
    return values;
}

static void check_distribution(const json_t *item) {
    const char *name = json_string_value(json_object_get(item, "name"));
    const json_t *values = json_object_get(item, "values");
    const json_t *expected = json_object_get(item, "expected");
    size_t count = json_array_size(values);
    int64_t *samples = calloc(count, sizeof(*samples));
    for (size_t i = 0; i < count; i++) {
        samples[i] = json_integer_value(json_array_get(values, i));
    }
    stats_distribution d;
    stats_distribution_compute(samples, count, &d);
    assert_int_equal(d.n, count);
    assert_near(name, "mean", d.mean, expected_of(expected, "mean"), 1e-12);
    assert_near(name, "mean_abs_dev", d.mean_abs_dev, expected_of(expected, "mean_abs_dev"), 1e-9);
    if (count > 1) {
        assert_near(name, "stddev", d.stddev, expected_of(expected, "stddev"), 1e-9);
    }
    assert_true(d.min == json_integer_value(json_object_get(expected, "min")));
    assert_true(d.max == json_integer_value(json_object_get(expected, "max")));
    assert_near(name, "p50", d.p50, expected_of(expected, "p50"), 1e-12);
    assert_near(name, "p90", d.p90, expected_of(expected, "p90"), 1e-12);
    assert_near(name, "p99", d.p99, expected_of(expected, "p99"), 1e-12);
    assert_near(name, "p99_9", d.p99_9, expected_of(expected, "p99_9"), 1e-12);
    assert_near(name, "p99_99", d.p99_99, expected_of(expected, "p99_99"), 1e-12);
    assert_int_equal(d.outliers_mild, (int)expected_of(expected, "outliers_mild"));
    assert_int_equal(d.outliers_severe, (int)expected_of(expected, "outliers_severe"));
    uint64_t total = d.histogram->below + d.histogram->saturated;
    for (size_t i = 0; i < d.histogram->bucket_count; i++) {
        total += d.histogram->buckets[i].count;
    }
    assert_int_equal(total, count);
    stats_distribution_done(&d);
    free(samples);
}

static void test_distributions(void **state) {
    (void)state;
    const json_t *list = json_object_get(vectors, "distributions");
    assert_true(json_array_size(list) >= 10);
    for (size_t i = 0; i < json_array_size(list); i++) {
        check_distribution(json_array_get(list, i));
    }
}

static void test_mann_whitney(void **state) {
    (void)state;
    const json_t *list = json_object_get(vectors, "u_tests");
    assert_true(json_array_size(list) >= 10);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        const char *name = json_string_value(json_object_get(item, "name"));
        size_t na, nb;
        double *a = doubles_of(json_object_get(item, "a"), &na);
        double *b = doubles_of(json_object_get(item, "b"), &nb);
        stats_u_test test = stats_mann_whitney(a, na, b, nb);
        assert_true(test.valid);
        assert_int_equal(test.exact, json_is_true(json_object_get(item, "exact")));
        assert_near(name, "U", test.u, expected_of(item, "u"), 1e-12);
        assert_near(name, "p", test.p, expected_of(item, "p"), 1e-9);
        assert_near(name, "effect", test.effect, 2 * test.u / (double)(na * nb) - 1, 1e-12);
        assert_true(test.p >= stats_mann_whitney_least_p(na, nb) * 0.999 || !test.exact);
        free(a);
        free(b);
    }
}

static void test_median_intervals(void **state) {
    (void)state;
    const json_t *list = json_object_get(vectors, "median_intervals");
    assert_true(json_array_size(list) >= 8);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        size_t count;
        double *values = doubles_of(json_object_get(item, "values"), &count);
        stats_interval interval = stats_median_interval(values, count);
        assert_near("median", "estimate", interval.estimate, expected_of(item, "estimate"), 1e-12);
        assert_int_equal(interval.valid, json_is_true(json_object_get(item, "valid")));
        if (interval.valid) {
            assert_near("median", "low", interval.low, expected_of(item, "low"), 0);
            assert_near("median", "high", interval.high, expected_of(item, "high"), 0);
        }
        free(values);
    }
}

static void test_bootstrap(void **state) {
    (void)state;
    const json_t *list = json_object_get(vectors, "bootstraps");
    assert_true(json_array_size(list) >= 3);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        size_t na, nb;
        double *a = doubles_of(json_object_get(item, "above"), &na);
        double *b = doubles_of(json_object_get(item, "below"), &nb);
        stats_interval once = stats_bootstrap_ratio(a, na, b, nb, 7);
        stats_interval again = stats_bootstrap_ratio(a, na, b, nb, 7);
        assert_true(once.valid);
        assert_near("bootstrap", "estimate", once.estimate, expected_of(item, "estimate"), 1e-12);
        assert_near("bootstrap", "low", once.low, expected_of(item, "low"), 0.01);
        assert_near("bootstrap", "high", once.high, expected_of(item, "high"), 0.01);
        assert_true(once.low == again.low && once.high == again.high);
        free(a);
        free(b);
    }
}

static void test_holm(void **state) {
    (void)state;
    const json_t *list = json_object_get(vectors, "holm");
    assert_true(json_array_size(list) >= 3);
    for (size_t i = 0; i < json_array_size(list); i++) {
        size_t count, expected_count;
        const json_t *item = json_array_get(list, i);
        double *p = doubles_of(json_object_get(item, "p"), &count);
        double *expected = doubles_of(json_object_get(item, "adjusted"), &expected_count);
        stats_holm(p, count);
        for (size_t k = 0; k < count; k++) {
            assert_near("holm", "adjusted", p[k], expected[k], 1e-12);
        }
        free(p);
        free(expected);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distributions),
        cmocka_unit_test(test_mann_whitney),
        cmocka_unit_test(test_median_intervals),
        cmocka_unit_test(test_bootstrap),
        cmocka_unit_test(test_holm),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
