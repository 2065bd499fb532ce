/* The graph as two contexts see each other: nodes, topics, services, endpoints, changes. */
#include <stdio.h>
#include <string.h>

#include "core/testing/endpoint_set.h"
#include "ros2/graph_names.h"
#include "ros2/testing/ros2_testing.h"

static testing_gate changes = TESTING_GATE_INIT;

/* Asks again after each change, until the answer has that many entries. */
static rclite_graph_list wait_for_entries(
    rclite_context *context, rclite_graph_query query, const char *name, size_t count) {
    const int64_t end_ns = rclite_monotonic_ns() + TESTING_TIMEOUT_NS;
    for (;;) {
        const uint64_t seen = testing_gate_count(&changes);
        rclite_graph_list list = {.count = 0};
        rclite_error error = {.text = ""};
        const rclite_result result = rclite_graph_list_get(context, query, name, &list, &error);
        if (result == RCLITE_OK && list.count == count) {
            return list;
        }
        rclite_graph_list_done(&list);
        const int64_t left_ns = end_ns - rclite_monotonic_ns();
        if (left_ns <= 0) {
            fail_msg("query %d of %s: %zu entries, result %d %s", (int)query,
                name ? name : "everything", list.count, (int)result, error.text);
        }
        testing_gate_wait(&changes, seen + 1, left_ns < 100000000 ? left_ns : 100000000);
    }
}

static void count_change(void *user) {
    (void)user;
    testing_gate_add(&changes, 1);
}

/* One publisher, no subscription, and what it asked for. */
static void check_the_publisher(rclite_context *context) {
    rclite_graph_list list = wait_for_entries(context, RCLITE_GRAPH_ENDPOINTS, "/a/b/chatter", 1);
    assert_true(list.entries[0].is_publisher);
    assert_string_equal(list.entries[0].node_name, "/a/b/deep");
    assert_string_equal(list.entries[0].type_hash, testing_bytes_type.ros2->fingerprint);
    assert_int_equal(list.entries[0].qos.reliability, RCLITE_QOS_RELIABLE);
    assert_int_equal(list.entries[0].qos.deadline_ns, 5000000000);
    rclite_graph_list_done(&list);
    uint32_t publishers = 9, subscriptions = 9;
    assert_ok(rclite_graph_count(context, "/a/b/chatter", &publishers, &subscriptions));
    assert_int_equal(publishers, 1);
    assert_int_equal(subscriptions, 0);
}

static void nodes_and_topics(void **state) {
    (void)state;
    testing_pair pair = testing_pair_open(RCLITE_DELIVERY_DIRECT);
    assert_ok(rclite_graph_on_change(pair.contexts[1], count_change, NULL));
    rclite_node *deep = NULL;
    assert_ok(rclite_node_create(pair.contexts[0], "deep", "/a/b", &deep, NULL));
    rclite_publisher_options offer = RCLITE_PUBLISHER_OPTIONS_INIT;
    offer.qos.depth = 7;
    offer.qos.deadline_ns = 5000000000;
    rclite_publisher *publisher = NULL;
    assert_ok(
        rclite_publisher_create(deep, "chatter", &testing_bytes_type, &offer, &publisher, NULL));
    const rclite_service_options options = RCLITE_SERVICE_OPTIONS_INIT;
    rclite_service *service = NULL;
    assert_ok(rclite_service_create(pair.nodes[0], "make", &testing_service_type, ignore_request,
        NULL, &options, &service, NULL));

    rclite_graph_list list = wait_for_entries(pair.contexts[1], RCLITE_GRAPH_NODES, NULL, 3);
    assert_string_equal(list.entries[0].name, "/a/b/deep");
    assert_string_equal(list.entries[1].name, "/left");
    assert_string_equal(list.entries[2].name, "/right");
    rclite_graph_list_done(&list);

    list = wait_for_entries(pair.contexts[1], RCLITE_GRAPH_TOPICS, NULL, 1);
    assert_string_equal(list.entries[0].name, "/a/b/chatter");
    assert_int_equal(list.entries[0].type_count, 1);
    assert_string_equal(list.entries[0].types[0], "testing/msg/Bytes");
    rclite_graph_list_done(&list);

    list = wait_for_entries(pair.contexts[1], RCLITE_GRAPH_TOPICS, "/a/b/deep", 1);
    rclite_graph_list_done(&list);
    list = wait_for_entries(pair.contexts[1], RCLITE_GRAPH_TOPICS, "/left", 0);
    rclite_graph_list_done(&list);
    assert_int_equal(
        rclite_graph_list_get(pair.contexts[1], RCLITE_GRAPH_TOPICS, "/nobody", &list, NULL),
        RCLITE_ERR_NAME);

    list = wait_for_entries(pair.contexts[1], RCLITE_GRAPH_SERVICES, "/left", 1);
    assert_string_equal(list.entries[0].name, "/make");
    assert_string_equal(list.entries[0].types[0], "testing/srv/Make");
    rclite_graph_list_done(&list);

    check_the_publisher(pair.contexts[1]);

    rclite_publisher_free(publisher);
    rclite_node_free(deep);
    rclite_service_free(service);
    list = wait_for_entries(pair.contexts[1], RCLITE_GRAPH_NODES, NULL, 2);
    rclite_graph_list_done(&list);
    list = wait_for_entries(pair.contexts[1], RCLITE_GRAPH_TOPICS, NULL, 0);
    rclite_graph_list_done(&list);
    list = wait_for_entries(pair.contexts[1], RCLITE_GRAPH_SERVICES, NULL, 0);
    rclite_graph_list_done(&list);

    /* A context that ends takes its nodes along. */
    rclite_node_free(pair.nodes[0]);
    rclite_context_free(pair.contexts[0]);
    list = wait_for_entries(pair.contexts[1], RCLITE_GRAPH_NODES, NULL, 1);
    assert_string_equal(list.entries[0].name, "/right");
    rclite_graph_list_done(&list);
    assert_ok(rclite_graph_on_change(pair.contexts[1], NULL, NULL));
    rclite_node_free(pair.nodes[1]);
    rclite_context_free(pair.contexts[1]);
}

/* More endpoints than the first read has room for. */
static void many_endpoints(void **state) {
    (void)state;
    enum { COUNT = 150 };
    testing_pair pair = testing_pair_open(RCLITE_DELIVERY_SPIN);
    const rclite_publisher_options options = RCLITE_PUBLISHER_OPTIONS_INIT;
    rclite_publisher *publishers[COUNT];
    for (int i = 0; i < COUNT; i++) {
        char topic[32];
        snprintf(topic, sizeof topic, "/many/t%03d", i);
        assert_ok(rclite_publisher_create(
            pair.nodes[i % 2], topic, &testing_bytes_type, &options, &publishers[i], NULL));
    }
    rclite_graph_list list = wait_for_entries(pair.contexts[0], RCLITE_GRAPH_TOPICS, NULL, COUNT);
    assert_string_equal(list.entries[0].name, "/many/t000");
    assert_string_equal(list.entries[COUNT - 1].name, "/many/t149");
    rclite_graph_list_done(&list);
    list = wait_for_entries(pair.contexts[0], RCLITE_GRAPH_TOPICS, "/right", COUNT / 2);
    rclite_graph_list_done(&list);
    for (int i = 0; i < COUNT; i++) {
        rclite_publisher_free(publishers[i]);
    }
    testing_pair_close(&pair);
}

static void names(void **state) {
    (void)state;
    char name[ROS2_NAME_CAPACITY];
    assert_true(ros2_name_of_topic("rt/a/b", "rt", "", name));
    assert_string_equal(name, "/a/b");
    assert_false(ros2_name_of_topic("ros_discovery_info", "rt", "", name));
    assert_true(ros2_name_of_topic("rq/sRequest", "rq", "Request", name));
    assert_string_equal(name, "/s");
    assert_false(ros2_name_of_topic("rq/sReply", "rq", "Request", name));
    assert_true(ros2_name_of_type("std_msgs::msg::dds_::String_", "", name));
    assert_string_equal(name, "std_msgs/msg/String");
    assert_true(ros2_name_of_type("a::srv::dds_::B_Request_", "_Request", name));
    assert_string_equal(name, "a/srv/B");
    assert_false(ros2_name_of_type("a::srv::dds_::B_Response_", "_Request", name));
    assert_true(ros2_name_of_type("HelloWorld", "", name));
    assert_string_equal(name, "HelloWorld");
    assert_false(ros2_name_of_type("HelloWorld", "_Request", name));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_and_topics),
        cmocka_unit_test(many_endpoints),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
