/* The messages of an action as a real ROS 2 writes them: bytes made by rclpy's type support (Jazzy,
 * with interop/action_bytes.py) are read, looked at, and written again to the same bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "action_msgs/msg/GoalStatusArray.h"
#include "action_msgs/srv/CancelGoal.h"
#include "example_interfaces/action/Fibonacci.h"

enum { BYTES_MAX = 256 };

typedef struct message {
    const rclite_type *type;
    void *data;
} message;

static size_t from_hex(const char *hex, uint8_t *bytes) {
    size_t count = strlen(hex) / 2;
    assert_in_range(count, 4, BYTES_MAX);
    for (size_t i = 0; i < count; i++) {
        const char digits[3] = {hex[2 * i], hex[2 * i + 1], '\0'};
        bytes[i] = (uint8_t)strtoul(digits, NULL, 16);
    }
    return count;
}

/* Reads the bytes, checks that writing gives them again, and leaves the message to be looked at. */
static message read_again(const rclite_type *type, const char *hex) {
    uint8_t bytes[BYTES_MAX], written[BYTES_MAX];
    size_t count = from_hex(hex, bytes), written_count = 0;
    message got = {type, calloc(1, type->size_bytes)};
    assert_non_null(got.data);
    assert_int_equal(rclite_message_init(type, got.data, NULL), RCLITE_OK);
    assert_int_equal(
        rclite_message_deserialize(type, RCLITE_ROS2, bytes, count, got.data, NULL), RCLITE_OK);
    assert_int_equal(rclite_message_serialize(
                         type, RCLITE_ROS2, got.data, written, sizeof written, &written_count),
        RCLITE_OK);
    assert_int_equal(written_count, count);
    assert_memory_equal(written, bytes, count);
    return got;
}

static void end(message got) {
    rclite_message_done(got.type, got.data, NULL);
    free(got.data);
}

/* The ids of the vectors count up from 16 times their number. */
static void assert_id(const unique_identifier_msgs__msg__UUID *id, uint8_t number) {
    for (uint8_t i = 0; i < 16; i++) {
        assert_int_equal(id->uuid[i], (uint8_t)(number * 16 + i));
    }
}

static void goal(void **state) {
    (void)state;
    const rclite_service_type *type = example_interfaces__action__Fibonacci__type.ros2_send_goal;
    message got = read_again(type->request, "00010000101112131415161718191a1b1c1d1e1f0a000000");
    const example_interfaces__action__Fibonacci_SendGoal_Request *request = got.data;
    assert_id(&request->goal_id, 1);
    assert_int_equal(request->goal.order, 10);
    end(got);
    got = read_again(type->response, "000100000100000000f1536515cd5b07");
    const example_interfaces__action__Fibonacci_SendGoal_Response *response = got.data;
    assert_true(response->accepted);
    assert_int_equal(response->stamp.sec, 1700000000);
    assert_int_equal(response->stamp.nanosec, 123456789);
    end(got);
}

static void result(void **state) {
    (void)state;
    const rclite_service_type *type = example_interfaces__action__Fibonacci__type.ros2_get_result;
    message got = read_again(type->request, "00010000202122232425262728292a2b2c2d2e2f");
    const example_interfaces__action__Fibonacci_GetResult_Request *request = got.data;
    assert_id(&request->goal_id, 2);
    end(got);
    got = read_again(
        type->response, "0001000004000000050000000000000001000000010000000200000003000000");
    const example_interfaces__action__Fibonacci_GetResult_Response *response = got.data;
    assert_int_equal(response->status, 4);
    assert_int_equal(response->result.sequence.size, 5);
    assert_int_equal(response->result.sequence.data[4], 3);
    end(got);
}

static void feedback(void **state) {
    (void)state;
    message got = read_again(example_interfaces__action__Fibonacci__type.ros2_feedback_message,
        "00010000303132333435363738393a3b3c3d3e3f020000000000000001000000");
    const example_interfaces__action__Fibonacci_FeedbackMessage *feedback_message = got.data;
    assert_id(&feedback_message->goal_id, 3);
    assert_int_equal(feedback_message->feedback.sequence.size, 2);
    end(got);
}

static void cancel(void **state) {
    (void)state;
    message got = read_again(&action_msgs__srv__CancelGoal_Request__type,
        "00010000404142434445464748494a4b4c4d4e4f0500000006000000");
    const action_msgs__srv__CancelGoal_Request *request = got.data;
    assert_id(&request->goal_info.goal_id, 4);
    assert_int_equal(request->goal_info.stamp.sec, 5);
    assert_int_equal(request->goal_info.stamp.nanosec, 6);
    end(got);
    got = read_again(&action_msgs__srv__CancelGoal_Response__type,
        "000100000000000002000000505152535455565758595a5b5c5d5e5f0700000008000000"
        "606162636465666768696a6b6c6d6e6f090000000a000000");
    const action_msgs__srv__CancelGoal_Response *response = got.data;
    assert_int_equal(response->return_code, 0);
    assert_int_equal(response->goals_canceling.size, 2);
    assert_id(&response->goals_canceling.data[1].goal_id, 6);
    assert_int_equal(response->goals_canceling.data[1].stamp.nanosec, 10);
    end(got);
    got = read_again(&action_msgs__srv__CancelGoal_Response__type, "000100000200000000000000");
    response = got.data;
    assert_int_equal(
        response->return_code, action_msgs__srv__CancelGoal_Response__ERROR_UNKNOWN_GOAL_ID);
    assert_int_equal(response->goals_canceling.size, 0);
    end(got);
}

static void status(void **state) {
    (void)state;
    message got = read_again(&action_msgs__msg__GoalStatusArray__type,
        "0001000003000000707172737475767778797a7b7c7d7e7f640000000000000002"
        "808182838485868788898a8b8c8d8e8f000000650000000100000004"
        "909192939495969798999a9b9c9d9e9f000000660000000200000006");
    const action_msgs__msg__GoalStatusArray *array = got.data;
    const int8_t expected[3] = {2, 4, 6};
    assert_int_equal(array->status_list.size, 3);
    for (uint8_t i = 0; i < 3; i++) {
        const action_msgs__msg__GoalStatus *at = &array->status_list.data[i];
        assert_id(&at->goal_info.goal_id, 7 + i);
        assert_int_equal(at->goal_info.stamp.sec, 100 + i);
        assert_int_equal(at->status, expected[i]);
    }
    end(got);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goal),
        cmocka_unit_test(result),
        cmocka_unit_test(feedback),
        cmocka_unit_test(cancel),
        cmocka_unit_test(status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
