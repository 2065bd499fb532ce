/* Tests of making endpoints: what a backend cannot or does not do, what a type or an option must
 * be, and that nothing is made after the end or out of nothing. */
#include <string.h>

#include "core/endpoint.h"
#include "core/testing/core_testing.h"

static void endpoints_are_created_and_freed(void **state) {
    (void)state;
    core_fixture f = core_fixture_open(RCLITE_DELIVERY_DIRECT);
    endpoint_set made = {0};
    for (int kind = 0; kind < ENDPOINT_KIND_COUNT; kind++) {
        assert_int_equal(
            endpoint_create(f.node, &fake_plan, (endpoint_kind)kind, &made, NULL), RCLITE_OK);
    }
    assert_int_equal(((fake_context *)f.context)->live, 1 + ENDPOINT_KIND_COUNT);
    assert_string_equal(rclite_publisher_topic(made.publisher), "/n/topic");
    assert_string_equal(rclite_subscription_topic(made.subscription), "/n/topic");
    assert_string_equal(rclite_service_name(made.service), "/n/service");
    assert_string_equal(rclite_client_name(made.client), "/n/service");
    assert_int_equal(rclite_publisher_qos(made.publisher).depth, 10);
    assert_string_equal(rclite_context_describe(f.context), "{\"backend\":\"fake\"}");
    int32_t message = 1;
    assert_int_equal(rclite_publisher_publish(made.publisher, &message), RCLITE_OK);
    assert_int_equal(((fake_publisher *)made.publisher)->published, 1);
    endpoint_set_free(&made);
    assert_null(made.publisher);
    assert_null(made.subscription);
    assert_null(made.service);
    assert_null(made.client);
    assert_null(made.action_server);
    assert_null(made.action_client);
    core_fixture_close(f);
}

static void a_backend_that_fails_or_cannot(void **state) {
    (void)state;
    const struct {
        const rclitei_backend *backend;
        rclite_result code;
        const char *text;
    } cases[] = {{&fake_backend_failing, RCLITE_ERR_TRANSPORT, "told to fail"},
        {&fake_backend_empty, RCLITE_ERR_UNSUPPORTED, "backend 'empty' has no"}};
    for (size_t i = 0; i < 2; i++) {
        core_fixture f =
            core_fixture_open_over(cases[i].backend, RCLITE_DELIVERY_DIRECT, RCLITE_ROS2);
        endpoint_set made = {0};
        for (int kind = 0; kind < ENDPOINT_KIND_COUNT; kind++) {
            rclite_error error = {0};
            assert_int_equal(
                endpoint_create(f.node, &fake_plan, (endpoint_kind)kind, &made, &error),
                cases[i].code);
            assert_int_equal(error.code, cases[i].code);
            assert_non_null(strstr(error.text, cases[i].text));
        }
        endpoint_set_free(&made); /* all NULL: nothing was touched on failure */
        core_fixture_close(f);
    }
}

static void nothing_is_created_after_shutdown(void **state) {
    (void)state;
    core_fixture f = core_fixture_open(RCLITE_DELIVERY_DIRECT);
    rclite_context_shutdown(f.context);
    endpoint_set made = {0};
    for (int kind = 0; kind < ENDPOINT_KIND_COUNT; kind++) {
        assert_int_equal(endpoint_create(f.node, &fake_plan, (endpoint_kind)kind, &made, NULL),
            RCLITE_ERR_SHUTDOWN);
    }
    rclite_node *node = NULL;
    assert_int_equal(rclite_node_create(f.context, "m", "", &node, NULL), RCLITE_ERR_SHUTDOWN);
    core_fixture_close(f);
}

static void types_must_exist_in_the_generation(void **state) {
    (void)state;
    core_fixture f = core_fixture_open_over(&fake_backend, RCLITE_DELIVERY_DIRECT, RCLITE_ROS1);
    rclite_publisher_options options = RCLITE_PUBLISHER_OPTIONS_INIT;
    rclite_publisher *publisher = NULL;
    rclite_error error;
    assert_int_equal(
        rclite_publisher_create(f.node, "p", &fake_type_ros2, &options, &publisher, &error),
        RCLITE_ERR_TYPE);
    assert_non_null(strstr(error.text, "fake_msgs/msg/Newer does not exist in ROS 1"));
    endpoint_set made = {0};
    assert_int_equal(endpoint_create(f.node, &fake_plan, ENDPOINT_ACTION_SERVER, &made, &error),
        RCLITE_ERR_TYPE);
    assert_int_equal(endpoint_create(f.node, &fake_plan, ENDPOINT_ACTION_CLIENT, &made, &error),
        RCLITE_ERR_TYPE);
    core_fixture_close(f);
}

static void qos_and_sizes_are_checked(void **state) {
    (void)state;
    core_fixture f = core_fixture_open(RCLITE_DELIVERY_DIRECT);
    const rclite_publisher_options good = RCLITE_PUBLISHER_OPTIONS_INIT;
    rclite_publisher_options bad[9];
    for (int i = 0; i < 9; i++) {
        bad[i] = good;
    }
    bad[0].size = 0;
    bad[1].qos.depth = 0;
    bad[2].qos.reliability = RCLITE_QOS_RELIABILITY_COUNT;
    bad[3].qos.durability = (rclite_qos_durability)-1;
    bad[4].qos.history = RCLITE_QOS_HISTORY_COUNT;
    bad[5].qos.liveliness = RCLITE_QOS_LIVELINESS_COUNT;
    bad[6].qos.deadline_ns = -1;
    bad[7].qos.lifespan_ns = -1;
    bad[8].qos.liveliness_lease_ns = -1;
    const char *named[] = {"RCLITE_PUBLISHER_OPTIONS_INIT", "depth", "reliability", "durability",
        "history", "liveliness", "deadline_ns", "lifespan_ns", "liveliness_lease_ns"};
    rclite_publisher *publisher = NULL;
    for (int i = 0; i < 9; i++) {
        rclite_error error;
        assert_int_equal(
            rclite_publisher_create(f.node, "p", &fake_type, &bad[i], &publisher, &error),
            RCLITE_ERR_INVALID);
        assert_non_null(strstr(error.text, named[i]));
    }
    rclite_publisher_options all = good;
    all.qos.history = RCLITE_QOS_KEEP_ALL;
    all.qos.depth = 0; /* means nothing there */
    assert_int_equal(
        rclite_publisher_create(f.node, "p", &fake_type, &all, &publisher, NULL), RCLITE_OK);
    rclite_publisher_free(publisher);
    core_fixture_close(f);
}

static void null_arguments_are_refused(void **state) {
    (void)state;
    core_fixture f = core_fixture_open(RCLITE_DELIVERY_DIRECT);
    rclite_publisher_options options = RCLITE_PUBLISHER_OPTIONS_INIT;
    rclite_publisher *publisher = NULL;
    assert_int_equal(rclite_publisher_create(NULL, "p", &fake_type, &options, &publisher, NULL),
        RCLITE_ERR_INVALID);
    assert_int_equal(rclite_publisher_create(f.node, NULL, &fake_type, &options, &publisher, NULL),
        RCLITE_ERR_INVALID);
    assert_int_equal(
        rclite_publisher_create(f.node, "p", NULL, &options, &publisher, NULL), RCLITE_ERR_INVALID);
    assert_int_equal(rclite_publisher_create(f.node, "p", &fake_type, NULL, &publisher, NULL),
        RCLITE_ERR_INVALID);
    assert_int_equal(rclite_publisher_publish(NULL, &options), RCLITE_ERR_INVALID);
    assert_int_equal(rclite_publisher_wait_matched(NULL, 1, 0), RCLITE_ERR_INVALID);
    assert_int_equal(rclite_subscription_take(NULL, &options, NULL), RCLITE_ERR_INVALID);
    assert_int_equal(rclite_client_call(NULL, &f, &f, 0, NULL), RCLITE_ERR_INVALID);
    assert_int_equal(rclite_service_respond(NULL, RCLITE_OK, &f, NULL), RCLITE_ERR_INVALID);
    assert_int_equal(rclite_server_goal_succeed(NULL, &f), RCLITE_ERR_INVALID);
    assert_int_equal(rclite_client_goal_cancel(NULL), RCLITE_ERR_INVALID);
    assert_int_equal(rclite_spin(NULL), RCLITE_ERR_INVALID);
    assert_null(rclite_client_goal_free(NULL));
    rclite_action_server *server = NULL;
    rclite_action_server_callbacks none = {0};
    rclite_action_server_options server_options = RCLITE_ACTION_SERVER_OPTIONS_INIT;
    assert_int_equal(rclite_action_server_create(f.node, "a", &fake_action_type, &none, NULL,
                         &server_options, &server, NULL),
        RCLITE_ERR_INVALID);
    core_fixture_close(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(endpoints_are_created_and_freed),
        cmocka_unit_test(a_backend_that_fails_or_cannot),
        cmocka_unit_test(nothing_is_created_after_shutdown),
        cmocka_unit_test(types_must_exist_in_the_generation),
        cmocka_unit_test(qos_and_sizes_are_checked),
        cmocka_unit_test(null_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
