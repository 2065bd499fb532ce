/* Hostile bytes on all eight endpoints of an action's server and client, while a goal runs: it ends
 * as it should, and so does the next one. */
#include <stdio.h>
#include <stdlib.h>

#include "action_msgs/msg/GoalStatusArray.h"
#include "action_msgs/srv/CancelGoal.h"
#include "ros2/testing/action_testing.h"
#include "ros2/testing/stranger.h"

/* Garbage to each of an action's endpoints in turn. */
static void spoil_topic(victim *self, const char *prefix, const char *which, const char *suffix,
    const rclite_type *type, const void *message, const ros2_request_header *header) {
    char name[64];
    snprintf(name, sizeof name, "/count/_action/%s", which);
    ros2_writer writer;
    stranger_open(self, &writer, prefix, name, suffix, type, "");
    uint8_t good[512];
    const size_t size = stranger_good_bytes(type, message, header, good, sizeof good);
    const uint64_t malformed = victim_malformed_count(self);
    const uint64_t bad = stranger_send_unknown_encapsulations(&writer, good, size);
    stranger_spoil(&writer, good, size);
    assert_ok(ros2_writer_wait_sent(&writer, TESTING_TIMEOUT_NS));
    assert_in_range(victim_malformed_count(self), malformed + bad + 4, UINT64_MAX);
    ros2_writer_done(&writer);
}

static void spoil_server(victim *self) {
    const rclite_action_type *type = &rclite_test__action__Count__type;
    const ros2_request_header header = {.client = 99, .sequence = 1};
    char note[] = "note";
    const rclite_test__action__Count_SendGoal_Request send = {
        .goal = {.mode = COUNT_REJECT, .note = {note, 4, 0}}};
    const rclite_test__action__Count_GetResult_Request result = {.goal_id = {.uuid = {7}}};
    const action_msgs__srv__CancelGoal_Request cancel = {.goal_info = {.goal_id = {.uuid = {7}}}};
    spoil_topic(self, "rq", "send_goal", "Request", type->ros2_send_goal->request, &send, &header);
    spoil_topic(
        self, "rq", "get_result", "Request", type->ros2_get_result->request, &result, &header);
    spoil_topic(self, "rq", "cancel_goal", "Request", action_msgs__srv__CancelGoal__type.request,
        &cancel, &header);
}

static void spoil_client(victim *self) {
    const rclite_action_type *type = &rclite_test__action__Count__type;
    char note[] = "note";
    action_msgs__msg__GoalStatus statuses[3] = {{.status = 2}, {.status = 3}, {.status = 100}};
    const action_msgs__msg__GoalStatusArray array = {.status_list = {statuses, 3, 0}};
    const rclite_test__action__Count_FeedbackMessage feedback = {.feedback = {.at = 3}};
    const ros2_request_header header = {.client = 99, .sequence = 1};
    const rclite_test__action__Count_SendGoal_Response send = {.accepted = true};
    const rclite_test__action__Count_GetResult_Response result = {
        .status = 4, .result = {.note = {note, 4, 0}}};
    spoil_topic(self, "rt", "status", "", &action_msgs__msg__GoalStatusArray__type, &array, NULL);
    spoil_topic(self, "rt", "feedback", "", type->ros2_feedback_message, &feedback, NULL);
    spoil_topic(self, "rr", "send_goal", "Reply", type->ros2_send_goal->response, &send, &header);
    spoil_topic(
        self, "rr", "get_result", "Reply", type->ros2_get_result->response, &result, &header);
    action_msgs__msg__GoalInfo canceling[2] = {{.goal_id = {.uuid = {7}}}};
    const action_msgs__srv__CancelGoal_Response cancel = {.goals_canceling = {canceling, 2, 0}};
    spoil_topic(self, "rr", "cancel_goal", "Reply", action_msgs__srv__CancelGoal__type.response,
        &cancel, &header);
}

static void actions(void **state) {
    (void)state;
    /* Both sides in the victim's context: each of the stranger's samples reaches one of them. */
    static const action_setting setting = {.delivery = RCLITE_DELIVERY_DIRECT, .local = true};
    action_fixture *f = action_fixture_open(&setting, NULL);
    victim server = {.context = f->server_context, .good = TESTING_GATE_INIT};
    victim client = {.context = f->client_context, .good = TESTING_GATE_INIT};
    server.stranger = client.stranger =
        testing_context(RCLITE_DELIVERY_DIRECT, TESTING_DOMAIN_REMOTE);
    tracked_goal held, goal;
    tracked_goal_send(f, &held, COUNT_HOLD, 0);
    action_fixture_wait_held(f, 1);
    spoil_client(&client);
    action_fixture_succeed(f, 0, 5);
    tracked_goal_expect(&held, RCLITE_GOAL_SUCCEEDED);
    assert_int_equal(held.total, 5);
    tracked_goal_free(&held);
    spoil_server(&server); /* some of the noise is a goal */
    tracked_goal_send(f, &goal, COUNT_SUCCEED, 3);
    tracked_goal_expect(&goal, RCLITE_GOAL_SUCCEEDED);
    assert_int_equal(goal.total, 3);
    tracked_goal_free(&goal);
    rclite_context_free(server.stranger);
    action_fixture_close(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(actions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
