/* The serializer against bytes written by hand from the two specifications. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/codec.h"
#include "nav_msgs/srv/GetMap.h"
#include "rclite/loader.h"
#include "std_msgs/msg/Header.h"
#include "std_msgs/msg/UInt8MultiArray.h"
#include "tf2_msgs/msg/TFMessage.h"

/* Serializes, compares with the expected bytes, reads them back and compares the messages. */
static void check_bytes(const rclite_type *type, rclite_generation generation, const void *message,
    const uint8_t *expected, size_t expected_size) {
    uint8_t buffer[1024];
    memset(buffer, 0xcc, sizeof buffer);
    size_t size = 0, announced = 0;
    assert_int_equal(rclite_message_serialized_size(type, generation, message, &announced), 0);
    assert_int_equal(announced, expected_size);
    assert_int_equal(
        rclite_message_serialize(type, generation, message, buffer, expected_size, &size), 0);
    assert_int_equal(size, expected_size);
    assert_memory_equal(buffer, expected, expected_size);
    assert_int_equal(buffer[expected_size], 0xcc);
    assert_int_equal(
        rclite_message_serialize(type, generation, message, buffer, expected_size - 1, &size),
        RCLITE_ERR_OVERFLOW);
    void *read = calloc(1, type->size_bytes);
    assert_non_null(read);
    assert_int_equal(
        rclite_message_deserialize(type, generation, expected, expected_size, read, NULL), 0);
    assert_true(rclite_message_equal(type, generation, message, read));
    rclite_message_done(type, read, NULL);
    free(read);
}

static void header_on_both_generations(void **state) {
    (void)state;
    char frame[] = "map";
    std_msgs__msg__Header header = {
        .seq = 7, .stamp = {1, 2}, .frame_id = {.data = frame, .size = 3}};
    const uint8_t ros1[] = {7, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 'm', 'a', 'p'};
    const uint8_t ros2[] = {
        0, 1, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0, 'm', 'a', 'p', 0};
    check_bytes(&std_msgs__msg__Header__type, RCLITE_ROS1, &header, ros1, sizeof ros1);
    check_bytes(&std_msgs__msg__Header__type, RCLITE_ROS2, &header, ros2, sizeof ros2);
}

static void empty_struct(void **state) {
    (void)state;
    nav_msgs__srv__GetMap_Request request = {0};
    const uint8_t ros2[] = {0, 1, 0, 0, 0};
    check_bytes(&nav_msgs__srv__GetMap_Request__type, RCLITE_ROS2, &request, ros2, sizeof ros2);
    size_t size = 99;
    uint8_t byte = 0;
    assert_int_equal(rclite_message_serialize(&nav_msgs__srv__GetMap_Request__type, RCLITE_ROS1,
                         &request, &byte, 0, &size), 0);
    assert_int_equal(size, 0);
    assert_int_equal(rclite_message_deserialize(
                         &nav_msgs__srv__GetMap_Request__type, RCLITE_ROS1, NULL, 0, &request, NULL),
        0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(header_on_both_generations),
        cmocka_unit_test(empty_struct),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
