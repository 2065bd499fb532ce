/* Comparing two results: each verdict, from rounds that are made to give it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "report/compare.h"
#include "report/fixture.h"

enum { SERVICE_RCLITE = 2, SERVICE_RCLCPP = 3, ACTION = 4 };

static fixture before, after;

static int create(void **state) {
    (void)state;
    fixture_create(&before, false);
    fixture_create(&after, false);
    return 0;
}

static int done(void **state) {
    (void)state;
    fixture_done(&before);
    fixture_done(&after);
    return 0;
}

static const compare_row *row_of(const comparison *compared, const fixture *f, size_t cell) {
    for (size_t i = 0; i < compared->row_count; i++) {
        if (compared->rows[i].after == &f->result.cells[cell]) {
            return &compared->rows[i];
        }
    }
    fail_msg("no row for cell %zu", cell);
    return NULL;
}

/* Multiplies the rounds' medians of a cell of `after`, the i-th by factors[i].
 */
static void scale(size_t cell, stats_quantity quantity, const double factors[FIXTURE_ROUNDS]) {
    for (size_t i = 0; i < FIXTURE_ROUNDS; i++) {
        after.result.cells[cell].rounds[i].summary.quantities[quantity].p50 *= factors[i];
    }
}

static void test_the_same(void **state) {
    (void)state;
    comparison compared;
    compare_results(&before.result, &after.result, NULL, &compared);
    assert_int_equal(compared.row_count, 5);
    assert_int_equal(compared.verdicts[COMPARE_NO_CHANGE], 5);
    assert_float_equal(compared.geometric_mean, 1, 1e-12);
    assert_int_equal(compared.notes.count, 0);
    assert_string_equal(row_of(&compared, &after, 0)->figure, "delivered_total_ns");
    assert_string_equal(row_of(&compared, &after, SERVICE_RCLITE)->figure, "roundtrip_ns");
    comparison_done(&compared);
}

static void test_better_worse_noisy(void **state) {
    (void)state;
    static const double slower[] = {1.2, 1.2, 1.2, 1.2, 1.2, 1.2};
    static const double faster[] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5};
    static const double wild[] = {0.3, 3, 0.4, 2.5, 0.5, 2};
    scale(SERVICE_RCLITE, STATS_ROUNDTRIP, slower);
    scale(SERVICE_RCLCPP, STATS_ROUNDTRIP, faster);
    scale(ACTION, STATS_TOTAL, wild);
    comparison compared;
    compare_results(&before.result, &after.result, NULL, &compared);
    const compare_row *worse = row_of(&compared, &after, SERVICE_RCLITE);
    assert_int_equal(worse->verdict, COMPARE_WORSE);
    assert_float_equal(worse->ratio.estimate, 1.2, 1e-9);
    assert_true(worse->ratio.valid && worse->ratio.low > 1.1 && worse->ratio.high < 1.3);
    /* The least p of 6 against 6 is 2 / 924, and Holm multiplies it by the 5
     * rows. */
    assert_float_equal(worse->p, 5 * 2.0 / 924, 1e-9);
    assert_float_equal(worse->effect, 1, 1e-12);
    assert_int_equal(row_of(&compared, &after, SERVICE_RCLCPP)->verdict, COMPARE_BETTER);
    assert_int_equal(row_of(&compared, &after, ACTION)->verdict, COMPARE_TOO_NOISY);
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_true(comparison_write(&compared, "text", 120, out));
    assert_true(comparison_write(&compared, "markdown", 0, out));
    assert_true(comparison_write(&compared, "json", 0, out));
    fclose(out);
    assert_non_null(strstr(text, "worse: 1\n"));
    assert_non_null(strstr(text, "| verdict |"));
    assert_non_null(strstr(text, "\"verdict\": \"too noisy\""));
    free(text);
    comparison_done(&compared);
}

static void test_too_few_and_missing(void **state) {
    (void)state;
    report few = after.result;
    few.cells = calloc(few.cell_count, sizeof(*few.cells));
    memcpy(few.cells, after.result.cells, few.cell_count * sizeof(*few.cells));
    for (size_t i = 0; i < few.cell_count; i++) {
        few.cells[i].round_count = few.cells[i].round_count > 3 ? 3 : few.cells[i].round_count;
    }
    report three = before.result;
    three.cells = few.cells;
    comparison compared;
    compare_results(&three, &few, NULL, &compared);
    assert_int_equal(compared.verdicts[COMPARE_TOO_FEW], compared.row_count);
    comparison_done(&compared);
    few.cell_count = 1;
    compare_results(&before.result, &few, NULL, &compared);
    assert_int_equal(compared.row_count, 1);
    assert_int_equal(compared.notes.count, 4);
    assert_non_null(strstr(compared.notes.items[0], "only in the old result"));
    comparison_done(&compared);
    free(few.cells);
}

/* Four against four can tell of one row, not of five: then nobody claims that it is noise. */
static void test_too_few_for_so_many_rows(void **state) {
    (void)state;
    report_cell *cells = after.result.cells;
    report_cell kept[5];
    report four = after.result;
    memcpy(kept, cells, sizeof(kept));
    for (size_t i = 0; i < 5; i++) {
        cells[i].round_count = 4;
    }
    comparison compared;
    compare_results(&before.result, &four, NULL, &compared);
    /* 6 and 4 rounds: 2 / 210, for four rows; the cell with a failed round has 5 and 4: 2 / 126 */
    assert_int_equal(compared.verdicts[COMPARE_TOO_FEW], 1);
    comparison_done(&compared);
    compare_results(&four, &four, NULL, &compared);
    assert_int_equal(compared.verdicts[COMPARE_TOO_FEW], 5);
    assert_string_equal(compared.notes.items[0],
        "too few rounds: a verdict on 5 rows needs 5 rounds of each, old and new (--rounds)");
    comparison_done(&compared);
    four.cell_count = 1;
    compare_results(&four, &four, NULL, &compared);
    assert_int_equal(compared.verdicts[COMPARE_TOO_FEW], 0);
    comparison_done(&compared);
    memcpy(cells, kept, sizeof(kept));
}

/* A machine that was slower slows the baseline, too. */
static void test_relative_to_a_baseline(void **state) {
    (void)state;
    static const double slower[] = {1.2, 1.3, 1.2, 1.5, 1.2, 2};
    static const double back[] = {1 / 1.2, 1 / 1.3, 1 / 1.2, 1 / 1.5, 1 / 1.2, 1 / 2.0};
    scale(SERVICE_RCLITE, STATS_ROUNDTRIP, slower);
    scale(SERVICE_RCLCPP, STATS_ROUNDTRIP, slower);
    comparison compared;
    compare_results(&before.result, &after.result, NULL, &compared);
    assert_int_equal(row_of(&compared, &after, SERVICE_RCLCPP)->verdict, COMPARE_WORSE);
    comparison_done(&compared);
    compare_results(&before.result, &after.result, "rclite", &compared);
    assert_float_equal(row_of(&compared, &after, SERVICE_RCLCPP)->ratio.estimate, 1, 0.01);
    assert_int_equal(row_of(&compared, &after, SERVICE_RCLCPP)->verdict, COMPARE_NO_CHANGE);
    assert_int_equal(compared.row_count, 2); /* rclcpp's topic and service */
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_true(comparison_write(&compared, "text", 80, out));
    fclose(out);
    assert_non_null(strstr(text, "each relative to rclite; less is better\n"));
    free(text);
    comparison_done(&compared);
    compare_results(&before.result, &after.result, "nobody", &compared);
    assert_int_equal(compared.row_count, 0);
    assert_non_null(strstr(compared.notes.items[0], "nobody is not beside it in both"));
    comparison_done(&compared);
    scale(SERVICE_RCLITE, STATS_ROUNDTRIP, back);
    scale(SERVICE_RCLCPP, STATS_ROUNDTRIP, back);
}

static void test_losses_and_machines_are_said(void **state) {
    (void)state;
    run_environment *e = &after.environment;
    char *kernel = e->kernel;
    e->kernel = (char *)"Linux 9";
    after.result.cells[0].summary.lost += 7;
    after.result.cells[0].summary.received -= 7;
    comparison compared;
    compare_results(&before.result, &after.result, NULL, &compared);
    assert_int_equal(compared.notes.count, 2);
    assert_non_null(strstr(compared.notes.items[0], "more is lost: 8 of 600, was 1 of 600"));
    assert_string_equal(compared.notes.items[1], "the kernel differs: Linux 6.1, now Linux 9");
    comparison_done(&compared);
    e->kernel = kernel;
    after.result.cells[0].summary.lost -= 7;
    after.result.cells[0].summary.received += 7;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_same),
        cmocka_unit_test(test_too_few_and_missing),
        cmocka_unit_test(test_too_few_for_so_many_rows),
        cmocka_unit_test(test_relative_to_a_baseline),
        cmocka_unit_test(test_losses_and_machines_are_said),
        cmocka_unit_test(test_better_worse_noisy),
    };
    return cmocka_run_group_tests(tests, create, done);
}
