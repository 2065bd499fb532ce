/* Every pattern's table, and rows that are right, and wrong in each way. */
#include "pattern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT 5
#define WARMUP 2
#define ROWS (COUNT + WARMUP)

static void test_registry(void **state) {
    (void)state;
    for (const pattern *const *it = pattern_registry; *it; it++) {
        const pattern *found = pattern_find((*it)->name);
        assert_ptr_equal(found, *it);
        assert_non_null(found->roles[0]);
        assert_non_null(found->roles[1]);
        assert_non_null(found->types[0].name);
        assert_non_null(found->types[0].carrier); /* the default type can be used */
        assert_true(found->count > 0 && found->stamps[0][0] & PATTERN_T1);
        assert_ptr_equal(pattern_find_type(found, found->types[0].name), &found->types[0]);
    }
    assert_null(pattern_find("walk"));
    assert_null(pattern_find_type(&pattern_topic, "std_msgs/msg/Nothing"));
    assert_null(pattern_find_type(&pattern_topic, "std_msgs/msg/Empty")->carrier);
}

typedef struct fixture {
    pattern_asked asked;
    sample_file file;
    sample_row rows[ROWS + 1];
} fixture;

static fixture good_client(void) {
    fixture it = {.asked = {.side = 0,
                      .run_id = 7,
                      .count = COUNT,
                      .warmup = WARMUP,
                      .period_ns = 100,
                      .go_ns = 1000,
                      .measured_ns = 3000},
        .file = {.run_id = 7, .row_count = ROWS}};
    for (int i = 0; i < ROWS; i++) {
        int64_t t1 = 1000 + 100 * i;
        uint64_t seq = i < WARMUP ? (uint64_t)i | SAMPLE_FLAG_WARMUP : (uint64_t)(i - WARMUP);
        it.rows[i] = (sample_row){seq, t1, t1, t1 + 10, t1 + 20, t1 + 30};
    }
    return it;
}

static bool check(fixture *it, char *problem) {
    it->file.rows = it->rows;
    return pattern_check_rows(&pattern_service, &it->asked, &it->file, problem, 200);
}

static void test_good_rows(void **state) {
    (void)state;
    char problem[200] = "";
    fixture it = good_client();
    assert_true(check(&it, problem));
    it.asked.side = 1; /* a server has neither t1 nor t4 */
    for (int i = 0; i < ROWS; i++) {
        it.rows[i].planned_ns = it.rows[i].t1_ns = it.rows[i].t4_ns = 0;
    }
    assert_true(check(&it, problem));
}

typedef enum fault {
    ONE_LESS,
    ONE_MORE,
    TWICE,
    SWAPPED_ROWS,
    CORRUPT,
    SWAPPED_COLUMNS,
    NO_T2,
    BEFORE_GO,
    AFTER_MEASURED,
    OTHER_RUN,
    OFF_SCHEDULE,
    MISSING,
    NO_WARMUP,
    FAULT_COUNT
} fault;

static void apply(fixture *it, fault which) {
    sample_row *row = &it->rows[3];
    sample_row other = it->rows[4];
    switch (which) {
    case ONE_LESS:
        it->file.row_count--;
        break;
    case ONE_MORE:
        it->rows[ROWS] = it->rows[ROWS - 1];
        it->file.row_count++;
        break;
    case TWICE:
        row->seq = it->rows[2].seq;
        break;
    case SWAPPED_ROWS:
        it->rows[4] = *row;
        *row = other;
        break;
    case CORRUPT:
        row->seq |= SAMPLE_FLAG_CORRUPT;
        break;
    case SWAPPED_COLUMNS:
        other = *row;
        row->t1_ns = row->t4_ns;
        row->t4_ns = other.t1_ns;
        break;
    case NO_T2:
        row->t2_ns = 0;
        break;
    case BEFORE_GO:
        it->rows[0].t1_ns = 999;
        break;
    case AFTER_MEASURED:
        row->t4_ns = 3001;
        break;
    case OTHER_RUN:
        it->file.run_id++;
        break;
    case OFF_SCHEDULE:
        row->planned_ns++;
        break;
    case MISSING:
        it->file.missing_rows = 1;
        break;
    case NO_WARMUP:
        it->rows[1].seq &= ~SAMPLE_FLAG_WARMUP;
        break;
    case FAULT_COUNT:
        break;
    }
}

static void test_each_fault_is_named(void **state) {
    (void)state;
    static const char *const words[FAULT_COUNT] = {[ONE_LESS] = "6 rows instead of 7",
        [ONE_MORE] = "8 rows instead of 7",
        [TWICE] = "row 3 has the number",
        [SWAPPED_ROWS] = "row 3 has the number",
        [CORRUPT] = "row 3 is marked",
        [SWAPPED_COLUMNS] = "row 3 has t2 before the stamp",
        [NO_T2] = "row 3 has no t2",
        [BEFORE_GO] = "row 0 has t1 before go",
        [AFTER_MEASURED] = "row 3 has t4 after measured",
        [OTHER_RUN] = "another run id",
        [OFF_SCHEDULE] = "row 3 is planned 101 ns",
        [MISSING] = "1 rows are missing",
        [NO_WARMUP] = "row 1 has the number"};
    for (int which = 0; which < FAULT_COUNT; which++) {
        char problem[200] = "";
        fixture it = good_client();
        apply(&it, (fault)which);
        assert_false(check(&it, problem));
        assert_non_null(strstr(problem, words[which]));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_registry),
        cmocka_unit_test(test_good_rows),
        cmocka_unit_test(test_each_fault_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
