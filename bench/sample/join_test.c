/* Joining: every rule of counting by example, and sent = received + lost for any input. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "sample/sample.h"

#define CORRUPT SAMPLE_FLAG_CORRUPT
#define WARMUP SAMPLE_FLAG_WARMUP

static char error[256];

static sample_file side(sample_row *rows, size_t count) {
    return (sample_file){.run_id = 1, .role = 1, .rows = rows, .row_count = count};
}

static sample_set join(const sample_file *sender, const sample_file *receiver, sample_join kind) {
    sample_set set;
    if (!sample_set_join(sender, receiver, kind, &set, error, sizeof(error))) {
        fail_msg("%s", error);
    }
    return set;
}

/* Four sent, at 100, 200, 300, 400. */
static sample_row sent_rows[] = {
    {.seq = 0, .planned_ns = 99, .t1_ns = 100},
    {.seq = 1, .planned_ns = 199, .t1_ns = 200},
    {.seq = 2, .planned_ns = 299, .t1_ns = 300},
    {.seq = 3, .planned_ns = 399, .t1_ns = 400},
};

static void test_one_way_counts(void **state) {
    (void)state;
    sample_row arrivals[] = {
        {.seq = 0, .t4_ns = 150}, {.seq = 2, .t4_ns = 350},
        {.seq = 1, .t4_ns = 360},           /* reordered */
        {.seq = 1, .t4_ns = 370},           /* duplicate, not reordered again */
        {.seq = 2 | CORRUPT, .t4_ns = 380}, /* corrupt, although 2 also arrived intact */
        {.seq = 9, .t4_ns = 390},           /* never sent */
        {.seq = 3 | CORRUPT, .t4_ns = 410}, /* arrived only corrupt: lost */
    };
    sample_file a = side(sent_rows, 4), b = side(arrivals, 7);
    a.finished_ns = 405;
    sample_set set = join(&a, &b, SAMPLE_JOIN_ONE_WAY);
    assert_int_equal(set.sent, 4);
    assert_int_equal(set.received, 3);
    assert_int_equal(set.duplicated, 1);
    assert_int_equal(set.reordered, 1);
    assert_int_equal(set.corrupt, 3);
    assert_int_equal(set.row_count, 4);
    assert_int_equal(set.rows[1].t4_ns, 360);
    assert_int_equal(set.rows[1].planned_ns, 199);
    assert_int_equal(set.rows[3].t4_ns, 0);
    assert_true(set.last_was_lost);
    assert_int_equal(set.first_sent_ns, 100);
    assert_int_equal(set.last_sent_ns, 400);
    assert_int_equal(set.last_received_ns, 360);
    assert_int_equal(set.publish_finished_ns, 405);
    assert_true(set.one_way_valid);
    sample_set_done(&set);
}

static void test_warmup_is_apart(void **state) {
    (void)state;
    sample_row sent[] = {
        {.seq = 0 | WARMUP, .t1_ns = 10},
        {.seq = 1 | WARMUP, .t1_ns = 20},
        {.seq = 0, .t1_ns = 30},
    };
    sample_row arrivals[] = {
        {.seq = 1 | WARMUP, .t4_ns = 25},
        {.seq = 1 | WARMUP, .t4_ns = 26},
        {.seq = 0 | WARMUP | CORRUPT, .t4_ns = 27},
        {.seq = 0, .t4_ns = 35},
    };
    sample_file a = side(sent, 3), b = side(arrivals, 4);
    sample_set set = join(&a, &b, SAMPLE_JOIN_ONE_WAY);
    assert_int_equal(set.sent, 1);
    assert_int_equal(set.received, 1);
    assert_int_equal(set.duplicated + set.corrupt + set.reordered, 0);
    assert_int_equal(set.warmup_sent, 2);
    assert_int_equal(set.warmup_received, 1);
    assert_int_equal(set.warmup_row_count, 2);
    assert_int_equal(set.warmup_rows[1].seq, 1);
    assert_int_equal(set.warmup_rows[1].t4_ns, 25);
    assert_int_equal(set.first_sent_ns, 30);
    sample_set_done(&set);
}

static void test_echo(void **state) {
    (void)state;
    sample_row sent[] = {
        {.seq = 0, .t1_ns = 100, .t4_ns = 190},
        {.seq = 1, .t1_ns = 110, .t4_ns = 180}, /* overtook 0, which is thus reordered */
        {.seq = 1, .t1_ns = 110, .t4_ns = 200}, /* came back twice */
        {.seq = 2, .t1_ns = 120},               /* never came back */
        {.seq = 3 | CORRUPT, .t1_ns = 130, .t4_ns = 210},
    };
    sample_row far[] = {
        {.seq = 0, .t2_ns = 120, .t3_ns = 130},
        {.seq = 1, .t2_ns = 140, .t3_ns = 150},
        {.seq = 1, .t2_ns = 145, .t3_ns = 155},
        {.seq = 2, .t2_ns = 160, .t3_ns = 161},
    };
    sample_file a = side(sent, 5), b = side(far, 4);
    sample_set set = join(&a, &b, SAMPLE_JOIN_ECHO);
    assert_int_equal(set.sent, 4);
    assert_int_equal(set.received, 2);
    assert_int_equal(set.duplicated, 1);
    assert_int_equal(set.reordered, 1);
    assert_int_equal(set.corrupt, 1);
    assert_int_equal(set.rows[1].t2_ns, 140);
    assert_int_equal(set.rows[1].t4_ns, 180);
    assert_int_equal(set.rows[2].t2_ns, 0);
    assert_int_equal(set.rows[3].t4_ns, 0);
    assert_true(set.last_was_lost);
    assert_true(set.one_way_valid);
    sample_set_done(&set);
}

static void test_call_checks_the_server(void **state) {
    (void)state;
    sample_row sent[] = {
        {.seq = 0, .t1_ns = 100, .t2_ns = 110, .t3_ns = 120, .t4_ns = 130},
        {.seq = 1, .t1_ns = 200, .t2_ns = 210, .t3_ns = 220, .t4_ns = 230},
    };
    sample_row served[] = {{.seq = 0, .t2_ns = 110}, {.seq = 1, .t2_ns = 210}};
    sample_file a = side(sent, 2), b = side(served, 2);
    sample_set set = join(&a, &b, SAMPLE_JOIN_CALL);
    assert_int_equal(set.received, 2);
    assert_int_equal(set.rows[1].t3_ns, 220);
    sample_set_done(&set);
    b.row_count = 1;
    assert_false(sample_set_join(&a, &b, SAMPLE_JOIN_CALL, &set, error, sizeof(error)));
    assert_non_null(strstr(error, "recorded 1 requests"));
    b.missing_rows = 1;
    set = join(&a, &b, SAMPLE_JOIN_CALL);
    assert_int_equal(set.missing_rows, 1);
    sample_set_done(&set);
    set = join(&a, NULL, SAMPLE_JOIN_CALL);
    assert_int_equal(set.received, 2);
    sample_set_done(&set);
}

static void test_constant_stamps_are_no_one_way(void **state) {
    (void)state;
    sample_row sent[] = {{.seq = 0, .t1_ns = 100, .t2_ns = 5, .t3_ns = 5, .t4_ns = 130}};
    sample_file a = side(sent, 1);
    sample_set set = join(&a, NULL, SAMPLE_JOIN_CALL);
    assert_false(set.one_way_valid);
    assert_string_equal(set.one_way_reason, "t2 is 95 ns before t1 in message 0");
    sample_set_done(&set);
}

static void test_impossible_input(void **state) {
    (void)state;
    sample_row twice[] = {{.seq = 7, .t1_ns = 1}, {.seq = 7, .t1_ns = 2}};
    sample_file a = side(twice, 2), b = side(NULL, 0);
    sample_set set;
    assert_false(sample_set_join(&a, &b, SAMPLE_JOIN_ONE_WAY, &set, error, sizeof(error)));
    assert_non_null(strstr(error, "number 7 as sent twice"));
    assert_false(sample_set_join(&a, &b, SAMPLE_JOIN_ECHO, &set, error, sizeof(error)));
    b.run_id = 2;
    a.row_count = 1;
    assert_false(sample_set_join(&a, &b, SAMPLE_JOIN_ONE_WAY, &set, error, sizeof(error)));
    assert_non_null(strstr(error, "different runs"));
}

static void test_nothing_sent(void **state) {
    (void)state;
    sample_file a = side(NULL, 0), b = side(NULL, 0);
    sample_set set = join(&a, &b, SAMPLE_JOIN_ONE_WAY);
    assert_int_equal(set.sent, 0);
    assert_false(set.last_was_lost);
    assert_int_equal(set.first_sent_ns, 0);
    sample_set_done(&set);
}

static void test_rows_the_sender_had_no_room_for(void **state) {
    (void)state;
    sample_row arrivals[] = {{.seq = 0, .t4_ns = 150}, {.seq = 8, .t4_ns = 950}};
    sample_file a = side(sent_rows, 4), b = side(arrivals, 2);
    a.missing_rows = 5;
    sample_set set = join(&a, &b, SAMPLE_JOIN_ONE_WAY);
    assert_int_equal(set.corrupt, 0);
    assert_int_equal(set.missing_rows, 5);
    sample_set_done(&set);
}

static void test_one_side_only(void **state) {
    (void)state;
    sample_file a = side(sent_rows, 4);
    sample_set set = join(&a, NULL, SAMPLE_JOIN_ONE_WAY);
    assert_true(set.sent_known);
    assert_false(set.received_known);
    assert_int_equal(set.sent, 4);
    assert_false(set.last_was_lost);
    sample_set_done(&set);
    sample_row arrivals[] = {
        {.seq = 3, .t1_ns = 400, .t4_ns = 450},
        {.seq = 1, .t1_ns = 200, .t4_ns = 460},
        {.seq = 1, .t1_ns = 200, .t4_ns = 470},
        {.seq = 2 | CORRUPT, .t4_ns = 480},
    };
    sample_file b = side(arrivals, 4);
    set = join(NULL, &b, SAMPLE_JOIN_ONE_WAY);
    assert_false(set.sent_known);
    assert_true(set.received_known);
    assert_int_equal(set.received, 2);
    assert_int_equal(set.duplicated, 1);
    assert_int_equal(set.reordered, 1);
    assert_int_equal(set.corrupt, 1);
    assert_int_equal(set.row_count, 2);
    assert_int_equal(set.rows[0].t1_ns, 200);
    assert_int_equal(set.rows[0].t4_ns, 460);
    sample_set_done(&set);
    set = join(NULL, &b, SAMPLE_JOIN_CALL);
    assert_false(set.sent_known);
    assert_int_equal(set.received, 3);
    assert_int_equal(set.row_count, 0);
    sample_set_done(&set);
}

/* Random sides: the counts must agree with a slow and simple model of the rules. */
static void check_random_round(unsigned *seed) {
    size_t sent_count = (size_t)(rand_r(seed) % 40), arrival_count = (size_t)(rand_r(seed) % 80);
    unsigned stride = 1 + (unsigned)(rand_r(seed) % 3);
    sample_row sent[40] = {{0}}, arrivals[80] = {{0}};
    for (size_t i = 0; i < sent_count; i++) {
        sent[i] = (sample_row){.seq = i * stride, .t1_ns = 100 + (int64_t)i};
    }
    for (size_t i = sent_count; i-- > 1;) { /* any order */
        size_t k = (size_t)rand_r(seed) % (i + 1);
        sample_row swap = sent[i];
        sent[i] = sent[k];
        sent[k] = swap;
    }
    uint64_t received = 0, duplicated = 0, corrupt = 0, reordered = 0, highest = 0;
    bool seen[256] = {false};
    for (size_t i = 0; i < arrival_count; i++) {
        uint64_t seq = (uint64_t)(rand_r(seed) % 130);
        bool bad = rand_r(seed) % 10 == 0;
        arrivals[i] = (sample_row){.seq = seq | (bad ? CORRUPT : 0), .t4_ns = 1000 + (int64_t)i};
        bool known = seq % stride == 0 && seq / stride < sent_count;
        if (bad || !known) {
            corrupt++;
        } else if (seen[seq]) {
            duplicated++;
        } else {
            seen[seq] = true;
            received++;
            reordered += seq < highest;
            highest = seq > highest ? seq : highest;
        }
    }
    sample_file a = side(sent, sent_count), b = side(arrivals, arrival_count);
    sample_set set = join(&a, &b, SAMPLE_JOIN_ONE_WAY);
    uint64_t lost = 0;
    for (size_t i = 0; i < set.row_count; i++) {
        lost += set.rows[i].t4_ns == 0;
        assert_true(i == 0 || set.rows[i].seq > set.rows[i - 1].seq);
    }
    assert_int_equal(set.sent, sent_count);
    assert_int_equal(set.sent, set.received + lost);
    assert_int_equal(set.received, received);
    assert_int_equal(set.duplicated, duplicated);
    assert_int_equal(set.corrupt, corrupt);
    assert_int_equal(set.reordered, reordered);
    assert_int_equal(received + duplicated + corrupt, arrival_count);
    sample_set_done(&set);
}

static void test_random_rounds(void **state) {
    (void)state;
    unsigned seed = 20100811;
    for (int i = 0; i < 5000; i++) {
        check_random_round(&seed);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_way_counts),
        cmocka_unit_test(test_warmup_is_apart),
        cmocka_unit_test(test_echo),
        cmocka_unit_test(test_call_checks_the_server),
        cmocka_unit_test(test_constant_stamps_are_no_one_way),
        cmocka_unit_test(test_impossible_input),
        cmocka_unit_test(test_nothing_sent),
        cmocka_unit_test(test_rows_the_sender_had_no_room_for),
        cmocka_unit_test(test_one_side_only),
        cmocka_unit_test(test_random_rounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
