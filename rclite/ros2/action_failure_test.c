/* Every allocation of ours may fail while actions are made and goals are sent. */
#include <stdlib.h>

#include "ros2/testing/action_testing.h"
#include "ros2/testing/failing_stage.h"

static void on_accepted(rclite_server_goal *goal, const void *message, void *user) {
    char note[] = "a note";
    const rclite_test__action__Count_Feedback feedback = {.at = 1};
    const rclite_test__action__Count_Result result = {.total = 2, .note = {note, 6, 0}};
    (void)message;
    (void)user;
    rclite_result sent = rclite_server_goal_feedback(goal, &feedback);
    assert_true(sent == RCLITE_OK || sent == RCLITE_ERR_NO_MEMORY);
    sent = rclite_server_goal_succeed(goal, &result);
    if (sent != RCLITE_OK) {
        assert_int_equal(sent, RCLITE_ERR_NO_MEMORY);
    }
}

static void on_feedback(rclite_client_goal *goal, const void *feedback, void *user) {
    (void)goal;
    (void)feedback;
    ((stage *)user)->received++;
}

static rclite_result do_goal(stage *on, rclite_action_client *client, rclite_error *reterr) {
    static const rclite_goal_callbacks callbacks = {.feedback = on_feedback};
    char note[] = "do it";
    const rclite_test__action__Count_Goal goal = {.count = 1, .note = {note, 5, 0}};
    const rclite_type *type = rclite_test__action__Count__type.result;
    rclite_test__action__Count_Result result = {.total = 0};
    rclite_client_goal *handle = NULL;
    rclite_goal_status status = RCLITE_GOAL_UNKNOWN;
    (void)reterr;
    rclite_result code = rclite_action_client_send_goal(client, &goal, &callbacks, on, &handle);
    const int64_t begun_ns = rclite_monotonic_ns();
    if (code == RCLITE_OK) {
        do {
            code = rclite_client_goal_wait(handle, &result, STAGE_PATIENCE_NS, &status);
        } while (stage_is_patient(on, code, begun_ns));
    }
    if (code == RCLITE_OK && status != RCLITE_GOAL_SUCCEEDED) {
        assert_true(status == RCLITE_GOAL_LOST || status == RCLITE_GOAL_REJECTED);
        code = RCLITE_ERR_NO_MEMORY;
    }
    if (code == RCLITE_OK) {
        assert_int_equal(result.total, 2);
    }
    stage_stop_failing(on);
    rclite_message_done(type, &result, &on->allocator.base);
    rclite_client_goal_free(handle);
    return code;
}

static rclite_result action_scenario(stage *on, rclite_error *reterr) {
    static const rclite_action_server_callbacks callbacks = {.accepted = on_accepted};
    const rclite_action_server_options options = RCLITE_ACTION_SERVER_OPTIONS_INIT;
    const rclite_action_type *type = &rclite_test__action__Count__type;
    rclite_action_server *server = NULL;
    rclite_action_client *client = NULL;
    rclite_result result = rclite_action_server_create(
        on->node, "action", type, &callbacks, on, &options, &server, reterr);
    if (result == RCLITE_OK) {
        result = rclite_action_client_create(on->node, "action", type, &client, reterr);
    }
    const int64_t begun_ns = rclite_monotonic_ns();
    if (result == RCLITE_OK) {
        do {
            result = rclite_action_client_wait_for_server(client, STAGE_PATIENCE_NS);
        } while (stage_is_patient(on, result, begun_ns));
    }
    if (result == RCLITE_OK) {
        result = do_goal(on, client, reterr);
    }
    stage_stop_failing(on);
    rclite_action_client_free(client);
    rclite_action_server_free(server);
    return result;
}

static void actions(void **state) {
    (void)state;
    stage_play(action_scenario);
}

/* ---- in contexts that have others ----------------------------------------------------------- */

static void never_called(rclite_server_goal *handle, const void *goal, void *user) {
    (void)handle;
    (void)goal;
    (void)user;
    abort();
}

static rclite_result create_both(
    action_fixture *f, rclite_action_server **server, rclite_action_client **client) {
    static const rclite_action_server_callbacks callbacks = {.accepted = never_called};
    const rclite_action_server_options options = RCLITE_ACTION_SERVER_OPTIONS_INIT;
    const rclite_action_type *type = &rclite_test__action__Count__type;
    rclite_error error = {.code = RCLITE_OK};
    rclite_result result = rclite_action_server_create(
        f->server_node, "other", type, &callbacks, NULL, &options, server, &error);
    if (result == RCLITE_OK) {
        result = rclite_action_client_create(f->client_node, "other", type, client, &error);
    }
    assert_int_equal(error.code, result);
    return result;
}

static void endpoints_beside_others(void **state) {
    action_fixture *f = action_fixture_open(*state, NULL);
    rclite_result result = RCLITE_ERR_NO_MEMORY;
    for (long fail_at = 1; result != RCLITE_OK; fail_at++) {
        assert_int_equal(result, RCLITE_ERR_NO_MEMORY);
        assert_true(fail_at < 2000);
        rclite_action_server *server = NULL;
        rclite_action_client *client = NULL;
        f->allocator.calls = 0;
        f->allocator.fail_at = fail_at;
        result = create_both(f, &server, &client);
        f->allocator.fail_at = 0;
        rclite_action_client_free(client);
        rclite_action_server_free(server);
    }
    action_fixture_close(f); /* checks that nothing is outstanding */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(actions),
        ACTION_TESTS(endpoints_beside_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
