/* An action server as a stranger sees it: its three services and two topics, used without an action
 * client. What rcl_action's and rclcpp_action's servers answer is written down here. */
#include <stdlib.h>
#include <string.h>

#include "action_msgs/msg/GoalStatusArray.h"
#include "action_msgs/srv/CancelGoal.h"
#include "ros2/action_server.h"
#include "ros2/testing/action_testing.h"

static const rclite_action_type *const type = &rclite_test__action__Count__type;

/* Clients of the three services. */
typedef struct stranger {
    action_fixture *f;
    rclite_client *send, *cancel, *result;
} stranger;

static rclite_client *client_of(
    action_fixture *f, const char *name, const rclite_service_type *service) {
    const rclite_client_options options = RCLITE_CLIENT_OPTIONS_INIT;
    rclite_client *client = NULL;
    assert_ok(rclite_client_create(f->client_node, name, service, &options, &client, NULL));
    assert_ok(rclite_client_wait_for_service(client, TESTING_TIMEOUT_NS));
    return client;
}

static stranger stranger_open(const rclite_action_server_options *options) {
    static const action_setting setting = {.delivery = RCLITE_DELIVERY_DIRECT};
    stranger self = {.f = action_fixture_open(&setting, options)};
    self.send = client_of(self.f, "/count/_action/send_goal", type->ros2_send_goal);
    self.cancel =
        client_of(self.f, "/count/_action/cancel_goal", &action_msgs__srv__CancelGoal__type);
    self.result = client_of(self.f, "/count/_action/get_result", type->ros2_get_result);
    return self;
}

static void stranger_close(stranger *self) {
    rclite_client_free(self->send);
    rclite_client_free(self->cancel);
    rclite_client_free(self->result);
    action_fixture_close(self->f);
}

static unique_identifier_msgs__msg__UUID id_of(uint8_t number) {
    unique_identifier_msgs__msg__UUID id = {.uuid = {number, 1, 2, 3}};
    return id;
}

/* True: accepted. */
static bool send_goal(
    stranger *self, uint8_t number, enum count_mode mode, rclite_time *ret_stamp) {
    rclite_test__action__Count_SendGoal_Request request = {
        .goal_id = id_of(number), .goal = {.mode = mode, .count = number}};
    rclite_test__action__Count_SendGoal_Response response = {.accepted = false};
    assert_ok(rclite_client_call(self->send, &request, &response, TESTING_TIMEOUT_NS, NULL));
    if (ret_stamp) {
        *ret_stamp = response.stamp;
    }
    return response.accepted;
}

typedef struct cancel_answer {
    int8_t code;
    size_t count;
    uint8_t numbers[8]; /* first bytes of the ids */
    rclite_time stamps[8];
} cancel_answer;

/* number 0: no id. */
static cancel_answer cancel(stranger *self, uint8_t number, rclite_time stamp) {
    const rclite_allocator *allocator = &self->f->allocator.base;
    action_msgs__srv__CancelGoal_Request request = {.goal_info = {.stamp = stamp}};
    if (number != 0) {
        request.goal_info.goal_id = id_of(number);
    }
    action_msgs__srv__CancelGoal_Response response = {.return_code = -1};
    assert_ok(rclite_client_call(self->cancel, &request, &response, TESTING_TIMEOUT_NS, NULL));
    cancel_answer answer = {.code = response.return_code, .count = response.goals_canceling.size};
    assert_in_range(answer.count, 0, 8);
    for (size_t i = 0; i < answer.count; i++) {
        answer.numbers[i] = response.goals_canceling.data[i].goal_id.uuid[0];
        answer.stamps[i] = response.goals_canceling.data[i].stamp;
    }
    rclite_message_done(&action_msgs__srv__CancelGoal_Response__type, &response, allocator);
    return answer;
}

static int8_t get_result(stranger *self, uint8_t number, int32_t *ret_total) {
    const rclite_type *response_type = type->ros2_get_result->response;
    const rclite_allocator *allocator = &self->f->allocator.base;
    rclite_test__action__Count_GetResult_Request request = {.goal_id = id_of(number)};
    rclite_test__action__Count_GetResult_Response response;
    assert_ok(rclite_message_init(response_type, &response, allocator));
    assert_ok(rclite_client_call(self->result, &request, &response, TESTING_TIMEOUT_NS, NULL));
    *ret_total = response.result.total;
    int8_t status = response.status;
    rclite_message_done(response_type, &response, allocator);
    return status;
}

static const rclite_time no_stamp = {0, 0};

static void cancel_answers_with_codes(void **state) {
    (void)state;
    stranger self = stranger_open(NULL);
    cancel_answer answer = cancel(&self, 0, no_stamp);
    assert_int_equal(answer.code, action_msgs__srv__CancelGoal_Response__ERROR_NONE);
    assert_int_equal(answer.count, 0);
    answer = cancel(&self, 9, no_stamp);
    assert_int_equal(answer.code, action_msgs__srv__CancelGoal_Response__ERROR_UNKNOWN_GOAL_ID);
    assert_int_equal(answer.count, 0);
    assert_true(send_goal(&self, 1, COUNT_SUCCEED, NULL));
    answer = cancel(&self, 1, no_stamp);
    assert_int_equal(answer.code, action_msgs__srv__CancelGoal_Response__ERROR_GOAL_TERMINATED);
    assert_true(send_goal(&self, 2, COUNT_HOLD_FIRMLY, NULL));
    action_fixture_wait_held(self.f, 1);
    answer = cancel(&self, 2, no_stamp);
    assert_int_equal(answer.code, action_msgs__srv__CancelGoal_Response__ERROR_REJECTED);
    assert_int_equal(answer.count, 0);
    rclite_time stamp;
    assert_true(send_goal(&self, 3, COUNT_HOLD, &stamp));
    action_fixture_wait_held(self.f, 2);
    answer = cancel(&self, 3, no_stamp);
    assert_int_equal(answer.code, action_msgs__srv__CancelGoal_Response__ERROR_NONE);
    assert_int_equal(answer.count, 1);
    assert_int_equal(answer.numbers[0], 3);
    assert_memory_equal(&answer.stamps[0], &stamp, sizeof stamp);
    stranger_close(&self);
}

static void cancel_means_several_goals(void **state) {
    (void)state;
    stranger self = stranger_open(NULL);
    rclite_time stamps[5];
    for (uint8_t i = 0; i < 5; i++) {
        assert_true(send_goal(&self, i + 1, i == 1 ? COUNT_HOLD_FIRMLY : COUNT_HOLD, &stamps[i]));
        action_fixture_wait_held(self.f, i + 1u);
    }
    /* By time, and one later goal by its id. */
    cancel_answer answer = cancel(&self, 4, stamps[1]);
    assert_int_equal(answer.code, action_msgs__srv__CancelGoal_Response__ERROR_NONE);
    assert_int_equal(answer.count, 2);
    assert_int_equal(answer.numbers[0], 1);
    assert_int_equal(answer.numbers[1], 4);
    /* All that are left: in order of acceptance, without those that are canceling or refuse. */
    answer = cancel(&self, 0, no_stamp);
    assert_int_equal(answer.code, action_msgs__srv__CancelGoal_Response__ERROR_NONE);
    assert_int_equal(answer.count, 2);
    assert_int_equal(answer.numbers[0], 3);
    assert_int_equal(answer.numbers[1], 5);
    stranger_close(&self);
}

static void goal_ids_are_used_once(void **state) {
    (void)state;
    stranger self = stranger_open(NULL);
    int32_t total;
    assert_true(send_goal(&self, 1, COUNT_SUCCEED, NULL));
    assert_false(send_goal(&self, 1, COUNT_SUCCEED, NULL));
    assert_false(send_goal(&self, 2, COUNT_REJECT, NULL));
    assert_int_equal(get_result(&self, 1, &total), RCLITE_GOAL_SUCCEEDED);
    assert_int_equal(total, 1);
    assert_int_equal(get_result(&self, 1, &total), RCLITE_GOAL_SUCCEEDED); /* as often as asked */
    assert_int_equal(get_result(&self, 2, &total), RCLITE_GOAL_UNKNOWN);
    assert_int_equal(total, 0);
    stranger_close(&self);
}

typedef struct late_result {
    rclite_context *context;
    atomic_int count, wrong;
} late_result;

static void on_late_result(
    rclite_result result, const void *message, const char *error_text, void *user) {
    late_result *self = user;
    const rclite_test__action__Count_GetResult_Response *response = message;
    (void)error_text;
    self->wrong += result != RCLITE_OK || response->status != RCLITE_GOAL_SUCCEEDED ||
                   response->result.total != 42;
    self->count += 1;
    rclite_context_wake(self->context);
}

static bool has_three(void *user) {
    return ((late_result *)user)->count == 3;
}

static void results_wait_for_the_end(void **state) {
    (void)state;
    stranger self = stranger_open(NULL);
    late_result late = {.context = self.f->client_context};
    assert_true(send_goal(&self, 1, COUNT_HOLD, NULL));
    action_fixture_wait_held(self.f, 1);
    const rclite_test__action__Count_GetResult_Request request = {.goal_id = id_of(1)};
    for (int i = 0; i < 3; i++) {
        assert_ok(rclite_client_call_async(self.result, &request, on_late_result, &late, NULL));
    }
    cancel_answer unrelated = cancel(&self, 9, no_stamp); /* the requests are there by now */
    assert_int_equal(unrelated.count, 0);
    assert_int_equal(late.count, 0);
    action_fixture_succeed(self.f, 0, 42);
    assert_ok(rclite_spin_until(late.context, has_three, &late, TESTING_TIMEOUT_NS));
    assert_int_equal(late.wrong, 0);
    stranger_close(&self);
}

static void finished_goals_are_forgotten(void **state) {
    (void)state;
    rclite_action_server_options options = RCLITE_ACTION_SERVER_OPTIONS_INIT;
    options.result_timeout_ns = 1000000;
    stranger self = stranger_open(&options);
    int32_t total;
    assert_true(send_goal(&self, 1, COUNT_SUCCEED, NULL));
    const int64_t until = rclite_monotonic_ns() + TESTING_TIMEOUT_NS;
    int8_t status;
    do {
        status = get_result(&self, 1, &total);
    } while (status != RCLITE_GOAL_UNKNOWN && rclite_monotonic_ns() < until);
    assert_int_equal(status, RCLITE_GOAL_UNKNOWN);
    assert_true(send_goal(&self, 1, COUNT_SUCCEED, NULL)); /* its id is free again */
    stranger_close(&self);
}

/* ---- status topic --------------------------------------------------------------------------- */

typedef struct status_view {
    rclite_subscription *subscription;
    action_msgs__msg__GoalStatusArray array;
    const int8_t *expected;
    size_t expected_count;
} status_view;

/* Takes what came; true when the latest shows the expected statuses in order. */
static bool shows_expected(void *user) {
    status_view *view = user;
    while (rclite_subscription_take(view->subscription, &view->array, NULL) == RCLITE_OK) {
    }
    if (view->array.status_list.size != view->expected_count) {
        return false;
    }
    for (size_t i = 0; i < view->expected_count; i++) {
        const action_msgs__msg__GoalStatus *status = &view->array.status_list.data[i];
        if (status->goal_info.goal_id.uuid[0] != i + 1 || status->status != view->expected[i]) {
            return false;
        }
    }
    return true;
}

static void status_shows_goals_in_order_of_acceptance(void **state) {
    (void)state;
    stranger self = stranger_open(NULL);
    rclite_time stamps[4];
    const enum count_mode modes[4] = {COUNT_HOLD, COUNT_SUCCEED, COUNT_ABORT, COUNT_HOLD};
    for (uint8_t i = 0; i < 4; i++) {
        assert_true(send_goal(&self, i + 1, modes[i], &stamps[i]));
    }
    action_fixture_wait_held(self.f, 2);
    assert_int_equal(cancel(&self, 4, no_stamp).count, 1);
    const int8_t expected[4] = {
        RCLITE_GOAL_EXECUTING, RCLITE_GOAL_SUCCEEDED, RCLITE_GOAL_ABORTED, RCLITE_GOAL_CANCELING};
    rclite_subscription_options options = RCLITE_SUBSCRIPTION_OPTIONS_INIT;
    options.qos = rclite_qos_action_status(); /* transient local: a late joiner is told */
    status_view view = {.expected = expected, .expected_count = 4};
    assert_ok(rclite_subscription_create(self.f->client_node, "/count/_action/status",
        &action_msgs__msg__GoalStatusArray__type, NULL, NULL, &options, &view.subscription, NULL));
    assert_ok(rclite_spin_until(self.f->client_context, shows_expected, &view, TESTING_TIMEOUT_NS));
    for (size_t i = 0; i < 4; i++) {
        assert_memory_equal(
            &view.array.status_list.data[i].goal_info.stamp, &stamps[i], sizeof stamps[i]);
    }
    rclite_message_done(
        &action_msgs__msg__GoalStatusArray__type, &view.array, &self.f->allocator.base);
    rclite_subscription_free(view.subscription);
    stranger_close(&self);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cancel_answers_with_codes),
        cmocka_unit_test(cancel_means_several_goals),
        cmocka_unit_test(goal_ids_are_used_once),
        cmocka_unit_test(results_wait_for_the_end),
        cmocka_unit_test(finished_goals_are_forgotten),
        cmocka_unit_test(status_shows_goals_in_order_of_acceptance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
