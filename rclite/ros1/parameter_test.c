/* Parameters at a real master: of the command line, set, read back, and searched for. */
#include <stdlib.h>

#include "testing/ros1_testing.h"

static void test_parameters(void **state) {
    (void)state;
    static const char *const arguments[] = {"test", "_from_argument:=17", "_name:=text"};
    rclite_context *context = testing_context_with(RCLITE_DELIVERY_DIRECT, NULL, 3, arguments);
    rclite_node *node = testing_node(context, "params");
    rclite_parameter value;
    rclite_string found = {0};
    assert_int_equal(rclite_parameter_get(node, "~nothing", &value, NULL), RCLITE_EMPTY);
    assert_int_equal(rclite_parameter_get(node, "~from_argument", &value, NULL), RCLITE_OK);
    assert_int_equal(value.kind, RCLITE_PARAMETER_INTEGER);
    assert_int_equal(value.integer, 17);
    assert_int_equal(rclite_parameter_get(node, "~name", &value, NULL), RCLITE_OK);
    assert_string_equal(value.string.data, "text");
    rclite_parameter_done(node, &value);
    const rclite_parameter values[] = {
        {.kind = RCLITE_PARAMETER_BOOL, .boolean = true},
        {.kind = RCLITE_PARAMETER_INTEGER, .integer = -5},
        {.kind = RCLITE_PARAMETER_DOUBLE, .real = 0.25},
    };
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(rclite_parameter_set(node, "/value", &values[i], NULL), RCLITE_OK);
        assert_int_equal(rclite_parameter_get(node, "/value", &value, NULL), RCLITE_OK);
        assert_int_equal(value.kind, values[i].kind);
        assert_int_equal(value.boolean, values[i].boolean);
        assert_int_equal(value.integer, values[i].integer);
        assert_true(value.real == values[i].real);
    }
    assert_int_equal(rclite_parameter_search(node, "value", &found, NULL), RCLITE_OK);
    assert_string_equal(found.data, "/value");
    assert_int_equal(rclite_parameter_search(node, "absent", &found, NULL), RCLITE_EMPTY);
    free(found.data);
    rclite_node_free(node);
    rclite_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parameters),
    };
    if (!testing_master_start()) {
        return 77;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    testing_master_stop();
    return failed;
}
