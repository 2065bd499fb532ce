/* Which stamps make which figure, pattern by pattern, and what is null when. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "stats/summarize.h"

#define SECOND 1000000000

static sample_row rows[] = {
    {.seq = 0, .planned_ns = 990, .t1_ns = 1000, .t2_ns = 1200, .t3_ns = 1250, .t4_ns = 1600},
    {.seq = 1, .planned_ns = 1990, .t1_ns = 2000, .t2_ns = 2300, .t3_ns = 2350, .t4_ns = 2800},
    {.seq = 2, .planned_ns = 2990, .t1_ns = 3030},
};
static sample_row warmup[] = {{.seq = 0, .t1_ns = 10, .t4_ns = 910}};

static sample_set set_of_rows(void) {
    return (sample_set){.sent_known = true,
        .received_known = true,
        .sent = 3,
        .received = 2,
        .duplicated = 4,
        .reordered = 5,
        .corrupt = 6,
        .warmup_sent = 1,
        .warmup_received = 1,
        .rows = rows,
        .row_count = 3,
        .warmup_rows = warmup,
        .warmup_row_count = 1,
        .first_sent_ns = 1000,
        .last_sent_ns = 3030,
        .publish_finished_ns = 3100,
        .last_received_ns = 2800,
        .last_was_lost = true,
        .one_way_valid = true};
}

static stats_summary summarize(
    const plan_cell *cell, const run_round *round, const sample_set *set) {
    stats_summary summary;
    stats_round_summarize(cell, round, set, NULL, &summary);
    return summary;
}

static void assert_quantity(
    const stats_summary *s, stats_quantity q, uint64_t n, int64_t min, int64_t max) {
    const stats_distribution *d = &s->quantities[q];
    if (d->n != n || (n > 0 && (d->min != min || d->max != max))) {
        fail_msg("%s: n %d, %d to %d", stats_quantity_name(q), (int)d->n, (int)d->min, (int)d->max);
    }
}

static void test_topic(void **state) {
    (void)state;
    plan_cell cell = {.pattern = PLAN_TOPIC, .payload_bytes = 1000};
    run_round round = {0};
    sample_set set = set_of_rows();
    stats_summary s = summarize(&cell, &round, &set);
    assert_int_equal(s.sent, s.received + s.lost);
    assert_int_equal(s.lost, 1);
    assert_int_equal(s.duplicated, 4);
    assert_int_equal(s.reordered, 5);
    assert_int_equal(s.corrupt, 6);
    assert_int_equal(s.publish_total_ns, 2100);
    assert_int_equal(s.delivered_total_ns, 1800);
    assert_true(s.last_was_lost);
    assert_float_equal(s.throughput_msgs_per_s, 2e9 / 1800, 1e-6);
    assert_float_equal(s.throughput_bytes_per_s, 2e12 / 1800, 1e-3);
    assert_int_equal(s.discovery_ns, -1);
    assert_quantity(&s, STATS_LATENCY, 2, 600, 800);
    assert_quantity(&s, STATS_LATENCY_PLANNED, 0, 0, 0); /* back to back */
    assert_quantity(&s, STATS_SEND_LAG, 0, 0, 0);
    assert_quantity(&s, STATS_ROUNDTRIP, 0, 0, 0);
    assert_quantity(&s, STATS_WARMUP, 1, 900, 900);
    stats_summary_done(&s);
    cell.period_ns = 1000;
    s = summarize(&cell, &round, &set);
    assert_quantity(&s, STATS_LATENCY_PLANNED, 2, 610, 810);
    assert_quantity(&s, STATS_SEND_LAG, 3, 10, 40);
    stats_summary_done(&s);
}

static void test_echo(void **state) {
    (void)state;
    plan_cell cell = {.pattern = PLAN_TOPIC, .echo = true};
    run_round round = {0};
    sample_set set = set_of_rows();
    stats_summary s = summarize(&cell, &round, &set);
    assert_quantity(&s, STATS_ROUNDTRIP, 2, 600, 800);
    assert_quantity(&s, STATS_LATENCY, 0, 0, 0);
    assert_quantity(&s, STATS_SEND, 0, 0, 0);
    stats_summary_done(&s);
}

static void test_service_and_action(void **state) {
    (void)state;
    plan_cell cell = {.pattern = PLAN_SERVICE, .payload_bytes = 10};
    run_round round = {0};
    sample_set set = set_of_rows();
    stats_summary s = summarize(&cell, &round, &set);
    assert_quantity(&s, STATS_ROUNDTRIP, 2, 600, 800);
    assert_quantity(&s, STATS_SEND, 2, 200, 300);
    assert_quantity(&s, STATS_RECV, 2, 350, 450); /* from t3 */
    assert_quantity(&s, STATS_TOTAL, 2, 600, 800);
    assert_string_equal(s.one_way_reason, "");
    stats_summary_done(&s);
    cell.pattern = PLAN_ACTION;
    cell.period_ns = 1000;
    s = summarize(&cell, &round, &set);
    assert_quantity(&s, STATS_ROUNDTRIP, 0, 0, 0);
    assert_quantity(&s, STATS_ROUNDTRIP_PLANNED, 2, 610, 810);
    assert_quantity(&s, STATS_SEND, 2, 200, 300);
    assert_quantity(&s, STATS_RECV, 2, 400, 500); /* from t2 */
    assert_quantity(&s, STATS_TOTAL, 2, 600, 800);
    assert_true(s.throughput_bytes_per_s < 0);
    stats_summary_done(&s);
}

static void test_one_way_figures_need_honest_stamps(void **state) {
    (void)state;
    plan_cell cell = {.pattern = PLAN_SERVICE};
    run_round round = {0};
    sample_set set = set_of_rows();
    set.one_way_valid = false;
    strcpy(set.one_way_reason, "t2 is 9 ns before t1 in message 0");
    stats_summary s = summarize(&cell, &round, &set);
    assert_quantity(&s, STATS_ROUNDTRIP, 2, 600, 800);
    assert_quantity(&s, STATS_SEND, 0, 0, 0);
    assert_quantity(&s, STATS_RECV, 0, 0, 0);
    assert_string_equal(s.one_way_reason, "t2 is 9 ns before t1 in message 0");
    stats_summary_done(&s);
    cell.pattern = PLAN_TOPIC;
    s = summarize(&cell, &round, &set);
    assert_quantity(&s, STATS_LATENCY, 0, 0, 0);
    stats_summary_done(&s);
    set.one_way_valid = true;
    set.clock_error_ns = 650; /* the median is 700 */
    s = summarize(&cell, &round, &set);
    assert_quantity(&s, STATS_LATENCY, 2, 600, 800);
    stats_summary_done(&s);
    set.clock_error_ns = 701;
    s = summarize(&cell, &round, &set);
    assert_quantity(&s, STATS_LATENCY, 0, 0, 0);
    assert_non_null(strstr(s.one_way_reason, "701 ns"));
    stats_summary_done(&s);
}

static void test_no_data_is_null(void **state) {
    (void)state;
    plan_cell cell = {.pattern = PLAN_TOPIC, .payload_bytes = 8};
    run_round round = {0};
    sample_set set = {.one_way_valid = true};
    stats_summary s = summarize(&cell, &round, &set);
    assert_int_equal(s.delivered_total_ns, -1);
    assert_int_equal(s.publish_total_ns, -1);
    assert_true(s.throughput_msgs_per_s < 0 && s.throughput_bytes_per_s < 0);
    for (int q = 0; q < STATS_QUANTITY_COUNT; q++) {
        assert_int_equal(s.quantities[q].n, 0);
    }
    stats_summary_done(&s);
}

static void test_startup_and_discovery(void **state) {
    (void)state;
    plan_cell cell = {.pattern = PLAN_STARTUP};
    run_round round = {
        .sides = {
            {.spawned_ns = 100, .created_ns = 400, .matched_ns = 700, .ready_ns = 800},
            {.spawned_ns = 50, .created_ns = 300, .matched_ns = 650, .ready_ns = 900},
        }};
    sample_set set = set_of_rows();
    stats_summary s = summarize(&cell, &round, &set);
    assert_quantity(&s, STATS_STARTUP_READY, 1, 300, 300);
    assert_quantity(&s, STATS_STARTUP_FIRST, 1, 1500, 1500);
    assert_quantity(&s, STATS_LATENCY, 0, 0, 0);
    assert_int_equal(s.discovery_ns, 300);
    stats_summary_done(&s);
}

static void test_growth(void **state) {
    (void)state;
    plan_cell cell = {.pattern = PLAN_ACTION, .growth = true};
    run_round round = {0};
    static sample_row goals[1000];
    for (int64_t i = 0; i < 1000; i++) { /* 500 us and 200 ns more for each goal */
        int64_t t1 = SECOND + i * 1000000;
        goals[i] = (sample_row){.seq = (uint64_t)i, .t1_ns = t1, .t4_ns = t1 + 500000 + i * 200};
    }
    sample_set set = {.sent_known = true,
        .received_known = true,
        .sent = 1000,
        .received = 1000,
        .rows = goals,
        .row_count = 1000,
        .one_way_valid = true,
        .first_sent_ns = SECOND,
        .last_received_ns = 2 * (int64_t)SECOND};
    stats_pool pool = {0};
    stats_summary s, pooled;
    stats_round_summarize(&cell, &round, &set, &pool, &s);
    assert_true(s.growth.valid);
    assert_float_equal(s.growth.slope_ns, 200, 1e-6);
    assert_float_equal(s.growth.first_ns, 500000 + 49.5 * 200, 1e-6);
    assert_float_equal(s.growth.last_ns, 500000 + 949.5 * 200, 1e-6);
    stats_pool_summarize(&pool, &pooled);
    assert_float_equal(pooled.growth.slope_ns, 200, 1e-6);
    stats_summary_done(&s);
    stats_summary_done(&pooled);
    stats_pool_done(&pool);
    cell.growth = false;
    stats_round_summarize(&cell, &round, &set, NULL, &s);
    assert_false(s.growth.valid);
    stats_summary_done(&s);
}

static void test_pool(void **state) {
    (void)state;
    plan_cell cell = {.pattern = PLAN_TOPIC, .payload_bytes = 1000};
    run_round round = {0};
    stats_pool pool = {0};
    stats_summary rounds[3], pooled;
    for (int i = 0; i < 3; i++) {
        sample_set set = set_of_rows();
        set.last_received_ns += i * SECOND;
        stats_round_summarize(&cell, &round, &set, &pool, &rounds[i]);
    }
    stats_pool_summarize(&pool, &pooled);
    assert_int_equal(pooled.sent, 9);
    assert_int_equal(pooled.received, 6);
    assert_int_equal(pooled.lost, 3);
    assert_int_equal(pooled.delivered_total_ns, rounds[1].delivered_total_ns);
    assert_float_equal(pooled.throughput_msgs_per_s, rounds[1].throughput_msgs_per_s, 1e-9);
    assert_quantity(&pooled, STATS_LATENCY, 6, 600, 800);
    assert_true(pooled.quantities[STATS_LATENCY].p50 == 700);
    assert_int_equal(pooled.discovery_ns, -1);
    for (int i = 0; i < 3; i++) {
        stats_summary_done(&rounds[i]);
    }
    stats_summary_done(&pooled);
    stats_pool_done(&pool);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_topic),
        cmocka_unit_test(test_echo),
        cmocka_unit_test(test_service_and_action),
        cmocka_unit_test(test_one_way_figures_need_honest_stamps),
        cmocka_unit_test(test_no_data_is_null),
        cmocka_unit_test(test_startup_and_discovery),
        cmocka_unit_test(test_growth),
        cmocka_unit_test(test_pool),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
