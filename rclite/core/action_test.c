/* Tests of goals: the steps of their state machine, waiting for their end, and cancelling. */
#include "core/endpoint.h"
#include "core/testing/core_testing.h"

static void goal_steps(void **state) {
    (void)state;
    const rclite_goal_status legal[][2] = {
        {1, 2}, {1, 3}, {2, 3}, {2, 4}, {2, 6}, {3, 4}, {3, 5}, {3, 6}};
    int count = 0;
    for (int from = 0; from < RCLITE_GOAL_STATUS_COUNT; from++) {
        for (int to = 0; to < RCLITE_GOAL_STATUS_COUNT; to++) {
            count += rclitei_goal_step_is_legal((rclite_goal_status)from, (rclite_goal_status)to);
        }
        assert_int_equal(rclitei_goal_is_terminal((rclite_goal_status)from), from >= 4);
    }
    assert_int_equal(count, 8);
    for (int i = 0; i < 8; i++) {
        assert_true(rclitei_goal_step_is_legal(legal[i][0], legal[i][1]));
    }
    assert_string_equal(rclite_goal_status_string(RCLITE_GOAL_CANCELING), "CANCELING");
    assert_string_equal(rclite_goal_status_string((rclite_goal_status)77), "UNKNOWN");
}

static void server_goals_follow_the_steps(void **state) {
    (void)state;
    core_fixture f = core_fixture_open(RCLITE_DELIVERY_DIRECT);
    endpoint_set made = {0};
    assert_int_equal(
        endpoint_create(f.node, &fake_plan, ENDPOINT_ACTION_SERVER, &made, NULL), RCLITE_OK);
    rclite_server_goal goal = {.server = made.action_server, .status = RCLITE_GOAL_ACCEPTED};
    int32_t result = 0;
    assert_int_equal(rclite_server_goal_succeed(&goal, &result), RCLITE_ERR_STATE);
    assert_int_equal(rclite_server_goal_canceled(&goal, &result), RCLITE_ERR_STATE);
    assert_int_equal(rclite_server_goal_execute(&goal), RCLITE_OK);
    assert_int_equal(rclite_server_goal_execute(&goal), RCLITE_ERR_STATE);
    assert_int_equal(rclite_server_goal_succeed(&goal, &result), RCLITE_OK);
    assert_int_equal(rclite_server_goal_abort(&goal, &result), RCLITE_ERR_STATE);
    endpoint_set_free(&made);
    core_fixture_close(f);
}

static void *finish_goal(void *argument) {
    rclite_client_goal *goal = argument;
    goal->status = RCLITE_GOAL_ABORTED;
    rclitei_signal(goal->client->node->context);
    return NULL;
}

static void client_goals_are_waited_for(void **state) {
    (void)state;
    core_fixture f = core_fixture_open(RCLITE_DELIVERY_DIRECT);
    endpoint_set made = {0};
    assert_int_equal(
        endpoint_create(f.node, &fake_plan, ENDPOINT_ACTION_CLIENT, &made, NULL), RCLITE_OK);
    rclite_goal_callbacks callbacks = {0};
    rclite_client_goal *goal = NULL;
    int32_t message = 42, result = 0;
    assert_int_equal(
        rclite_action_client_send_goal(made.action_client, &message, &callbacks, NULL, &goal),
        RCLITE_OK);
    rclite_goal_status status = RCLITE_GOAL_UNKNOWN;
    assert_int_equal(rclite_client_goal_wait(goal, &result, CORE_MS, &status), RCLITE_ERR_TIMEOUT);
    assert_int_equal(status, RCLITE_GOAL_UNKNOWN);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, finish_goal, goal), 0);
    assert_int_equal(rclite_client_goal_wait(goal, &result, CORE_DEADLINE_NS, &status), RCLITE_OK);
    pthread_join(thread, NULL);
    assert_int_equal(status, RCLITE_GOAL_ABORTED);
    assert_int_equal(result, 42);
    assert_int_equal(rclite_client_goal_wait(goal, NULL, 0, NULL), RCLITE_OK);

    fake_action_client *fake = (fake_action_client *)made.action_client;
    assert_int_equal(rclite_client_goal_cancel(goal), RCLITE_OK);
    assert_ptr_equal(fake->cancel_goal, goal);
    assert_int_equal(rclite_action_client_cancel_all(made.action_client), RCLITE_OK);
    assert_null(fake->cancel_goal);
    rclite_time stamp = {5, 6};
    assert_int_equal(rclite_action_client_cancel_before(made.action_client, stamp), RCLITE_OK);
    assert_int_equal(fake->cancel_stamp.nanosec, 6);
    assert_int_equal(rclite_action_client_cancel_before(made.action_client, (rclite_time){0, 0}),
        RCLITE_ERR_INVALID); /* would cancel all */
    assert_int_equal(fake->cancels, 3);
    assert_int_equal(
        rclite_action_client_wait_for_server(made.action_client, 0), RCLITE_ERR_TIMEOUT);
    fake->ready = true;
    assert_int_equal(rclite_action_client_wait_for_server(made.action_client, 0), RCLITE_OK);
    rclite_client_goal_free(goal);
    endpoint_set_free(&made);
    core_fixture_close(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goal_steps),
        cmocka_unit_test(server_goals_follow_the_steps),
        cmocka_unit_test(client_goals_are_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
