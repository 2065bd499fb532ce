/* What rclite-generate makes of definitions (test_interfaces/): structs that serve both
 * generations, constants, names that C has taken; and what it says to wrong ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <sys/wait.h>

#include "generate_test/action/OnlyRos1.h"
#include "generate_test/msg/Union.h"
#include "generate_test/srv/OnlyRos2.h"

static void constants_have_values_and_types(void **state) {
    (void)state;
    assert_int_equal(generate_test__msg__Union__ONE, 1);
    assert_int_equal(generate_test__msg__Union__LOW, -128);
    assert_int_equal(sizeof(generate_test__msg__Union__LOW), 1);
    assert_true(generate_test__msg__Union__HIGH == UINT64_MAX);
    assert_true(generate_test__msg__Union__LOWEST == INT64_MIN);
    assert_true(generate_test__msg__Union__YES);
    assert_true(generate_test__msg__Union__HALF == 0.5f);
    assert_true(generate_test__msg__Union__BIG == 1e300);
    /* ROS 1 takes the comment into a text. */
    assert_string_equal(generate_test__msg__Union__TEXT, "ab # \"c\"?");
}

static void one_struct_serves_both(void **state) {
    (void)state;
    const rclite_type *type = &generate_test__msg__Union__type;
    generate_test__msg__Union sent, got;
    assert_int_equal(rclite_message_init(type, &sent, NULL), 0);
    assert_string_equal(sent.added.data, "abc");
    assert_int_equal(sent.pair[1].a, -7);
    sent.header.seq = 5;
    sent.level = 200;
    sent.default_ = true;
    sent.old = (rclite_duration){1, 2};
    assert_int_equal(rclite_sequence_resize(&sent.data, 1, 3, NULL), 0);
    for (rclite_generation g = RCLITE_ROS1; g <= RCLITE_ROS2; g++) {
        uint8_t bytes[256];
        size_t size;
        assert_int_equal(rclite_message_serialize(type, g, &sent, bytes, sizeof bytes, &size), 0);
        assert_int_equal(rclite_message_init(type, &got, NULL), 0);
        assert_int_equal(rclite_message_deserialize(type, g, bytes, size, &got, NULL), 0);
        assert_true(rclite_message_equal(type, g, &sent, &got));
        assert_int_equal(got.header.seq, g == RCLITE_ROS1 ? 5 : 0);
        assert_int_equal(got.old.sec, g == RCLITE_ROS1 ? 1 : 0);
        assert_int_equal(got.level, 200);
        rclite_message_done(type, &got, NULL);
    }
    assert_int_equal(type->ros1->fields[1].kind, RCLITE_FIELD_INT8); /* byte */
    assert_int_equal(type->ros2->fields[1].kind, RCLITE_FIELD_UINT8);
    assert_int_equal(type->ros1->fields[1].offset_bytes, type->ros2->fields[1].offset_bytes);
    rclite_message_done(type, &sent, NULL);
}

static void one_generation_alone(void **state) {
    (void)state;
    assert_null(generate_test__srv__OnlyRos2__type.ros1_md5sum);
    assert_non_null(generate_test__srv__OnlyRos2__type.ros2_hash);
    assert_null(generate_test__srv__OnlyRos2_Request__type.ros1);
    const rclite_action_type *action = &generate_test__action__OnlyRos1__type;
    assert_null(action->ros2_send_goal);
    assert_null(action->ros2_feedback_message);
    assert_string_equal(
        action->ros1_action_feedback->ros1->wire_name, "generate_test/OnlyRos1ActionFeedback");
    assert_int_equal(sizeof(generate_test__action__OnlyRos1_Result), 1);
}

/* Runs the generator with the test's trees in front of our own; returns its exit status. */
static int generate(const char *arguments, char *ret_output, size_t capacity) {
    char command[2048];
    snprintf(command, sizeof command,
        RCLITE_TEST_GENERATOR " --ros1 " RCLITE_TEST_TREES "/ros1:" RCLITE_TEST_INTERFACES
                              "/ros1 --ros2 " RCLITE_TEST_TREES "/ros2 "
                              "--ros2 " RCLITE_TEST_INTERFACES "/ros2 %s 2>&1",
        arguments);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    size_t size = fread(ret_output, 1, capacity - 1, pipe);
    ret_output[size] = '\0';
    int status = pclose(pipe);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void mistakes_are_named(void **state) {
    (void)state;
    static const char *const rows[][2] = {
        {"--out /tmp generate_test/msg/Clash",
            "generate_test/msg/Clash.msg:2: 'clash' is int32 here and int64 in "},
        {"--out /tmp generate_test/msg/Missing",
            "no definition of generate_test/msg/Missing on the search path '"},
        {"--out /tmp generate_test/Union", "'generate_test/Union' is no name of a type: expected "},
        {"--out /tmp ../../x/msg/Y", "'../../x/msg/Y' is no name of a type: expected "},
        {"--out /tmp", "--out and at least one interface are needed"},
        {"--outt /tmp", "--outt: unknown option"},
        {"--out", "--out: a value is missing"},
        {"--out /dev/null/x std_msgs/msg/String",
            "/dev/null/x/std_msgs/msg/String.h: Not a directory"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char output[2048];
        int status = generate(rows[i][0], output, sizeof output);
        if (status != 2 || !strstr(output, rows[i][1])) {
            fail_msg("%s: exit status %d, %s", rows[i][0], status, output);
        }
    }
    char output[2048];
    assert_int_equal(generate("--help", output, sizeof output), 0);
    assert_non_null(strstr(output, "usage: rclite-generate --out DIR"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_have_values_and_types),
        cmocka_unit_test(one_struct_serves_both),
        cmocka_unit_test(one_generation_alone),
        cmocka_unit_test(mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
