/* Tests of the budget: who is measured on when time runs out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "run/budget.h"

static void a_budget_gives_fewer_cells_enough_rounds(void **state) {
    (void)state;
    const int64_t second_ns = 1000000000;
    plan todo;
    plan_init(&todo);
    todo.rounds = 10;
    run_budget budget;
    run_budget_begin(&budget, 100 * second_ns, 4);
    const int64_t costs_s[] = {5, 5, 0, 20};
    for (size_t i = 0; i < 4; i++) {
        budget.cost_ns[i] = costs_s[i] * second_ns;
    }
    run_budget_thin(&budget, &todo, budget.began_ns + 30 * second_ns);
    assert_int_equal(budget.kept, 3);
    assert_int_equal(todo.note_count, 1);
    assert_non_null(strstr(todo.notes[0], "the last 1 of 3 measurements have one round only"));
    run_budget_thin(&budget, &todo, budget.began_ns + 95 * second_ns);
    assert_int_equal(budget.kept, 1); /* something is always measured on */
    assert_false(run_budget_is_spent(&budget, budget.began_ns + 95 * second_ns));
    assert_true(run_budget_is_spent(&budget, budget.began_ns + 96 * second_ns));
    run_budget_done(&budget);

    run_budget_begin(&budget, 0, 4);
    budget.cost_ns[0] = second_ns;
    run_budget_thin(&budget, &todo, budget.began_ns + 1000 * second_ns);
    assert_int_equal(budget.kept, 4);
    assert_false(run_budget_is_spent(&budget, INT64_MAX));
    run_budget_done(&budget);
    plan_done(&todo);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_budget_gives_fewer_cells_enough_rounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
