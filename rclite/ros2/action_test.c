/* Actions between two contexts of one process: success, abort, rejection, feedback, cancelling in
 * all its ways, many goals at once. What ends goals and handles otherwise is in action_life_test.c.
 */
#include <stdlib.h>
#include <string.h>

#include "ros2/testing/action_testing.h"

static void goals_succeed_with_a_result(void **state) {
    action_fixture *f = action_fixture_open(*state, NULL);
    for (int32_t count = 0; count < 6; count++) {
        tracked_goal goal;
        tracked_goal_send(f, &goal, COUNT_SUCCEED, count);
        tracked_goal_expect(&goal, RCLITE_GOAL_SUCCEEDED);
        assert_int_equal(goal.accepted, 1);
        assert_int_equal(goal.total, count);
        assert_string_equal(goal.note, "a note");
        assert_in_range(goal.feedbacks, 0, count); /* the result may overtake it */
        const rclite_goal_id *id = rclite_client_goal_get_id(goal.handle);
        assert_int_equal(strlen(id->text), 36);
        assert_int_equal(id->text[14], '4'); /* UUID version */
        tracked_goal_free(&goal);
    }
    action_fixture_close(f);
}

static void feedback_reaches_its_goal_in_order(void **state) {
    action_fixture *f = action_fixture_open(*state, NULL);
    tracked_goal goals[2];
    for (int i = 0; i < 2; i++) {
        tracked_goal_send(f, &goals[i], COUNT_HOLD, 0);
        action_fixture_wait_held(f, (size_t)i + 1);
    }
    for (int i = 0; i < 2; i++) {
        for (int32_t at = 1; at <= 5 + i; at++) {
            const rclite_test__action__Count_Feedback feedback = {.at = at};
            assert_ok(rclite_server_goal_feedback(f->held[i], &feedback));
            tracked_goal_wait_feedback(&goals[i], at);
            assert_int_equal(goals[i].last_at, at);
        }
    }
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(goals[i].feedbacks, 5 + i);
        action_fixture_succeed(f, i, 1);
        tracked_goal_expect(&goals[i], RCLITE_GOAL_SUCCEEDED);
        tracked_goal_free(&goals[i]);
    }
    action_fixture_close(f);
}

static void goals_are_aborted_and_rejected(void **state) {
    action_fixture *f = action_fixture_open(*state, NULL);
    tracked_goal aborted, rejected;
    tracked_goal_send(f, &aborted, COUNT_ABORT, 3);
    tracked_goal_expect(&aborted, RCLITE_GOAL_ABORTED);
    assert_int_equal(aborted.total, -3);
    assert_string_equal(aborted.note, "aborted");
    tracked_goal_send(f, &rejected, COUNT_REJECT, 3);
    tracked_goal_expect(&rejected, RCLITE_GOAL_REJECTED);
    assert_int_equal(rejected.responses, 1);
    assert_int_equal(rejected.accepted, 0);
    assert_int_equal(rejected.total, 0);
    tracked_goal_free(&aborted);
    tracked_goal_free(&rejected);
    action_fixture_close(f);
}

static void one_goal_is_canceled(void **state) {
    action_fixture *f = action_fixture_open(*state, NULL);
    tracked_goal canceled, held, firm;
    tracked_goal_send(f, &canceled, COUNT_HOLD_AND_CANCEL, 0);
    tracked_goal_send(f, &held, COUNT_HOLD, 0);
    tracked_goal_send(f, &firm, COUNT_HOLD_FIRMLY, 0);
    action_fixture_wait_held(f, 3);
    tracked_goal_wait_response(&canceled);
    assert_ok(rclite_client_goal_cancel(canceled.handle));
    tracked_goal_expect(&canceled, RCLITE_GOAL_CANCELED);
    assert_string_equal(canceled.note, "canceled");
    /* Canceling need not end in canceled. */
    assert_ok(rclite_client_goal_cancel(held.handle));
    tracked_goal_wait_status(&held, RCLITE_GOAL_CANCELING);
    action_fixture_succeed(f, 1, 11);
    tracked_goal_expect(&held, RCLITE_GOAL_SUCCEEDED);
    /* A refusal changes nothing. */
    assert_ok(rclite_client_goal_cancel(firm.handle));
    tracked_goal_wait_status(&firm, RCLITE_GOAL_EXECUTING);
    action_fixture_succeed(f, 2, 12);
    tracked_goal_expect(&firm, RCLITE_GOAL_SUCCEEDED);
    assert_true(testing_gate_wait(&f->canceling, 1, TESTING_TIMEOUT_NS));
    tracked_goal_free(&canceled);
    tracked_goal_free(&held);
    tracked_goal_free(&firm);
    action_fixture_close(f);
}

static void all_goals_are_canceled(void **state) {
    action_fixture *f = action_fixture_open(*state, NULL);
    tracked_goal goals[5];
    for (int i = 0; i < 5; i++) {
        tracked_goal_send(f, &goals[i], i == 2 ? COUNT_HOLD_FIRMLY : COUNT_HOLD_AND_CANCEL, 0);
    }
    action_fixture_wait_held(f, 5);
    assert_ok(rclite_action_client_cancel_all(f->client));
    for (int i = 0; i < 5; i++) {
        if (i == 2) {
            continue;
        }
        tracked_goal_expect(&goals[i], RCLITE_GOAL_CANCELED);
        tracked_goal_free(&goals[i]);
    }
    action_fixture_succeed(f, 2, 1);
    tracked_goal_expect(&goals[2], RCLITE_GOAL_SUCCEEDED);
    tracked_goal_free(&goals[2]);
    action_fixture_close(f);
}

static void goals_are_canceled_by_time(void **state) {
    action_fixture *f = action_fixture_open(*state, NULL);
    tracked_goal goals[3];
    for (int i = 0; i < 3; i++) {
        tracked_goal_send(f, &goals[i], COUNT_HOLD_AND_CANCEL, 0);
        tracked_goal_wait_response(&goals[i]);
        action_fixture_wait_held(f, (size_t)i + 1);
    }
    assert_ok(rclite_action_client_cancel_before(
        f->client, rclite_client_goal_get_id(goals[1].handle)->stamp));
    tracked_goal_expect(&goals[0], RCLITE_GOAL_CANCELED);
    tracked_goal_expect(&goals[1], RCLITE_GOAL_CANCELED);
    action_fixture_succeed(f, 2, 1);
    tracked_goal_expect(&goals[2], RCLITE_GOAL_SUCCEEDED);
    for (int i = 0; i < 3; i++) {
        tracked_goal_free(&goals[i]);
    }
    action_fixture_close(f);
}

static void a_hundred_goals_at_once(void **state) {
    enum { COUNT = 100 };
    action_fixture *f = action_fixture_open(*state, NULL);
    tracked_goal *goals = calloc(COUNT, sizeof *goals);
    for (int i = 0; i < COUNT; i++) {
        tracked_goal_send(f, &goals[i], COUNT_HOLD, 0);
        action_fixture_wait_held(f, (size_t)i + 1); /* so that places and goals agree */
    }
    for (int i = COUNT - 1; i >= 0; i--) {
        action_fixture_succeed(f, (size_t)i, i * i);
    }
    for (int i = 0; i < COUNT; i++) {
        tracked_goal_expect(&goals[i], RCLITE_GOAL_SUCCEEDED);
        assert_int_equal(goals[i].total, i * i);
        tracked_goal_free(&goals[i]);
    }
    free(goals);
    action_fixture_close(f);
}

static void execution_may_be_deferred(void **state) {
    rclite_action_server_options options = RCLITE_ACTION_SERVER_OPTIONS_INIT;
    options.defer_execution = true;
    action_fixture *f = action_fixture_open(*state, &options);
    tracked_goal goal;
    tracked_goal_send(f, &goal, COUNT_HOLD, 0);
    action_fixture_wait_held(f, 1);
    tracked_goal_wait_status(&goal, RCLITE_GOAL_ACCEPTED);
    rclite_test__action__Count_Result result = {.total = 1};
    assert_int_equal(rclite_server_goal_succeed(f->held[0], &result), RCLITE_ERR_STATE);
    assert_ok(rclite_server_goal_execute(f->held[0]));
    assert_int_equal(rclite_server_goal_execute(f->held[0]), RCLITE_ERR_STATE);
    tracked_goal_wait_status(&goal, RCLITE_GOAL_EXECUTING);
    assert_int_equal(rclite_server_goal_canceled(f->held[0], &result), RCLITE_ERR_STATE);
    action_fixture_succeed(f, 0, 5);
    tracked_goal_expect(&goal, RCLITE_GOAL_SUCCEEDED);
    tracked_goal_free(&goal);
    action_fixture_close(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ACTION_TESTS(goals_succeed_with_a_result),
        ACTION_TESTS(feedback_reaches_its_goal_in_order),
        ACTION_TESTS(goals_are_aborted_and_rejected),
        ACTION_TESTS(one_goal_is_canceled),
        ACTION_TESTS(all_goals_are_canceled),
        ACTION_TESTS(goals_are_canceled_by_time),
        ACTION_TESTS(a_hundred_goals_at_once),
        ACTION_TESTS(execution_may_be_deferred),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
