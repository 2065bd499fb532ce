/* Domain numbers and what the environment says about the network; nothing is sent. */
#include <stdlib.h>
#include <string.h>

#include "ros2/domain.h"
#include "ros2/testing/ros2_testing.h"

static const char *const variables[] = {"ROS_DOMAIN_ID", "CYCLONEDDS_URI",
    "ROS_AUTOMATIC_DISCOVERY_RANGE", "ROS_LOCALHOST_ONLY", "ROS_STATIC_PEERS"};

static int clear_environment(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        unsetenv(variables[i]);
    }
    return 0;
}

static void domain_ids(void **state) {
    (void)state;
    uint32_t id = 99;
    rclite_error error = {.text = ""};
    assert_ok(ros2_domain_id(RCLITE_DOMAIN_FROM_ENVIRONMENT, &id, &error));
    assert_int_equal(id, 0);
    assert_ok(ros2_domain_id(7, &id, &error));
    assert_int_equal(id, 7);
    setenv("ROS_DOMAIN_ID", "42", 1);
    assert_ok(ros2_domain_id(RCLITE_DOMAIN_FROM_ENVIRONMENT, &id, &error));
    assert_int_equal(id, 42);
    const char *const bad[] = {"x", "4x", "-1", "233", "99999999999999999999", " "};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        setenv("ROS_DOMAIN_ID", bad[i], 1);
        error.text[0] = '\0';
        assert_int_equal(
            ros2_domain_id(RCLITE_DOMAIN_FROM_ENVIRONMENT, &id, &error), RCLITE_ERR_INVALID);
        assert_non_null(strstr(error.text, "ROS_DOMAIN_ID"));
        assert_non_null(strstr(error.text, bad[i]));
        assert_int_equal(id, 42);
    }
    setenv("ROS_DOMAIN_ID", "", 1);
    assert_ok(ros2_domain_id(RCLITE_DOMAIN_FROM_ENVIRONMENT, &id, &error));
    assert_int_equal(id, 0);
    assert_int_equal(ros2_domain_id(233, &id, &error), RCLITE_ERR_INVALID);
}

static void check_config(const char *option, const char *const present[], const char *absent) {
    const rclite_allocator allocator = rclite_allocator_default();
    char *xml = NULL;
    assert_ok(ros2_domain_config(&allocator, option, &xml, NULL));
    for (size_t i = 0; present[i]; i++) {
        if (!strstr(xml, present[i])) {
            fail_msg("%s is not in %s", present[i], xml);
        }
    }
    if (absent && strstr(xml, absent)) {
        fail_msg("%s is in %s", absent, xml);
    }
    allocator.reallocate(allocator.state, xml, 0);
}

#define TEXTS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void nothing_set_is_loopback(void **state) {
    (void)state;
    check_config(NULL,
        TEXTS("name=\"lo\"", "<ParticipantIndex>none", "<SocketReceiveBufferSize max="), "Peers");
}

static void the_option_prevails(void **state) {
    (void)state;
    setenv("CYCLONEDDS_URI", "<other/>", 1);
    setenv("ROS_LOCALHOST_ONLY", "1", 1);
    check_config("<mine/>", TEXTS("<mine/>"), "other");
}

/* As rmw_cyclonedds: what the range implies first, the user's own behind it. */
static void cyclonedds_uri(void **state) {
    (void)state;
    setenv("CYCLONEDDS_URI", "file:///tmp/mine.xml", 1);
    check_config(NULL,
        TEXTS("<ParticipantIndex>auto", "<MaxAutoParticipantIndex>32",
            "</CycloneDDS>,file:///tmp/mine.xml"),
        "AllowMulticast");
}

static void ranges(void **state) {
    (void)state;
    setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "SUBNET", 1);
    check_config(NULL, TEXTS("<ParticipantIndex>auto"), "Peers");
    setenv("ROS_STATIC_PEERS", "10.0.0.1;;robot<2>", 1);
    check_config(
        NULL, TEXTS("<Peer address=\"10.0.0.1\"/><Peer address=\"robot&lt;2&gt;\"/>"), "localhost");
    setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST", 1);
    check_config(
        NULL, TEXTS("<AllowMulticast>false", "<Peer address=\"localhost\"/>", "10.0.0.1"), "Tag");
    setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "nonsense", 1); /* counts as LOCALHOST in rcl */
    check_config(NULL, TEXTS("<AllowMulticast>false", "localhost"), "Tag");
    setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "OFF", 1);
    check_config(NULL,
        TEXTS("<AllowMulticast>false", "<Tag>ros_discovery_off_", "<ParticipantIndex>none"),
        "Peers");
    setenv("ROS_LOCALHOST_ONLY", "1", 1); /* prevails, and drops the peers */
    check_config(NULL, TEXTS("<Peer address=\"localhost\"/>"), "10.0.0.1");
    unsetenv("ROS_LOCALHOST_ONLY");
    setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "SYSTEM_DEFAULT", 1);
    setenv("CYCLONEDDS_URI", "<mine/>", 1);
    check_config(NULL, TEXTS("<mine/>"), "CycloneDDS");
}

static void broken_configuration(void **state) {
    (void)state;
    rclite_context_options options = RCLITE_CONTEXT_OPTIONS_INIT;
    options.domain_id = 77;
    options.dds_config = "<CycloneDDS><Domain><Nonsense/></Domain></CycloneDDS>";
    rclite_context *context = NULL;
    rclite_error error = {.text = ""};
    assert_int_equal(rclite_context_create(&options, &context, &error), RCLITE_ERR_TRANSPORT);
    assert_null(context);
    assert_non_null(strstr(error.text, "Nonsense"));
}

/* Contexts of one process share a domain; the last one ends it. */
static void shared_domain(void **state) {
    (void)state;
    for (int round = 0; round < 2; round++) {
        rclite_context *first = testing_context(RCLITE_DELIVERY_DIRECT, TESTING_DOMAIN);
        rclite_context *second = testing_context(RCLITE_DELIVERY_SPIN, TESTING_DOMAIN);
        assert_non_null(strstr(rclite_context_describe(first), "\"domain\":13"));
        assert_non_null(strstr(rclite_context_describe(first), "\"interfaces\":[\"lo\"]"));
        rclite_context_free(first);
        rclite_node *node = testing_node(second, "still_here");
        rclite_node_free(node);
        rclite_context_free(second);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(domain_ids, clear_environment),
        cmocka_unit_test_setup(nothing_set_is_loopback, clear_environment),
        cmocka_unit_test_setup(the_option_prevails, clear_environment),
        cmocka_unit_test_setup(cyclonedds_uri, clear_environment),
        cmocka_unit_test_setup(ranges, clear_environment),
        cmocka_unit_test_setup(broken_configuration, clear_environment),
        cmocka_unit_test_setup(shared_domain, clear_environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
