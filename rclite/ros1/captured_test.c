/* Replays what real ROS 1 programs sent (captured/README.md) through the parsers, whole and in
 * every possible two pieces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "actionlib_benchmark/action/Roundtrip.h"
#include "actionlib_msgs/msg/GoalStatusArray.h"
#include "nav_msgs/srv/GetMap.h"
#include "ros1/header.h"
#include "ros1/http.h"
#include "ros1/rpc.h"
#include "std_msgs/msg/UInt8MultiArray.h"

#define TRIP (&actionlib_benchmark__action__Roundtrip__type)
#define MAP (&nav_msgs__srv__GetMap__type)
#define ARRAY (&std_msgs__msg__UInt8MultiArray__type)

struct bytes {
    uint8_t *data;
    size_t size;
};

static struct bytes load(const char *name) {
    char path[512];
    struct bytes bytes = {malloc(65536), 0};
    snprintf(path, sizeof path, CAPTURED_FOLDER "/%s", name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_non_null(bytes.data);
    bytes.size = fread(bytes.data, 1, 65536, file);
    fclose(file);
    assert_in_range(bytes.size, 1, 65535);
    return bytes;
}

/* The header at the front; *ret_rest is what follows. */
static rclitei_header take_header(const struct bytes *bytes, size_t *ret_rest) {
    size_t size = rclitei_u32_read(bytes->data);
    assert_true(bytes->size >= 4 + size);
    *ret_rest = 4 + size;
    rclitei_header header = {bytes->data + 4, size};
    assert_true(rclitei_header_is_valid(header));
    return header;
}

static void check_field(rclitei_header header, const char *name, const char *expected) {
    rclitei_text text = rclitei_header_get(header, name);
    assert_non_null(text.data);
    if (!rclitei_text_equal(text, expected)) {
        fail_msg("%s is %.*s, not %s", name, (int)text.size, text.data, expected);
    }
}

static void check_publisher(const char *name) {
    struct bytes bytes = load(name);
    size_t at;
    rclitei_header header = take_header(&bytes, &at);
    std_msgs__msg__UInt8MultiArray message;
    int count = 0;
    check_field(header, "md5sum", ARRAY->ros1->fingerprint);
    check_field(header, "type", "std_msgs/UInt8MultiArray");
    check_field(header, "topic", "/ping");
    check_field(header, "latching", "0");
    assert_true(rclitei_header_get(header, "message_definition").size > 100);
    assert_int_equal(rclite_message_init(ARRAY, &message, NULL), RCLITE_OK);
    while (at < bytes.size) {
        size_t size = rclitei_u32_read(bytes.data + at);
        assert_true(at + 4 + size <= bytes.size);
        assert_int_equal(rclite_message_deserialize(
                             ARRAY, RCLITE_ROS1, bytes.data + at + 4, size, &message, NULL),
            RCLITE_OK);
        assert_int_equal(message.data.size, 64);
        assert_int_equal(message.layout.dim.size, 3);
        assert_string_equal(message.layout.dim.data[2].label.data, "channel");
        at += 4 + size;
        count++;
    }
    assert_true(count >= 3);
    rclite_message_done(ARRAY, &message, NULL);
    free(bytes.data);
}

static void test_publishers(void **state) {
    (void)state;
    check_publisher("roscpp_publisher.tcpros");
    check_publisher("rospy_publisher.tcpros");
}

static void test_subscribers(void **state) {
    (void)state;
    static const char *const names[] = {"roscpp_subscriber.tcpros", "rospy_subscriber.tcpros"};
    for (int i = 0; i < 2; i++) {
        struct bytes bytes = load(names[i]);
        size_t rest;
        rclitei_header header = take_header(&bytes, &rest);
        assert_int_equal(rest, bytes.size);
        check_field(header, "topic", "/pong");
        check_field(header, "type", "std_msgs/UInt8MultiArray");
        check_field(header, "md5sum", ARRAY->ros1->fingerprint);
        assert_true(rclitei_text_is_true(rclitei_header_get(header, "tcp_nodelay")));
        assert_int_equal(rclitei_header_get(header, "message_definition").data != NULL, i == 1);
        free(bytes.data);
    }
}

static void test_callers(void **state) {
    (void)state;
    static const char *const names[] = {"roscpp_caller.tcpros", "rospy_caller.tcpros"};
    for (int i = 0; i < 2; i++) {
        struct bytes bytes = load(names[i]);
        size_t rest;
        rclitei_header header = take_header(&bytes, &rest);
        check_field(header, "service", "/map");
        check_field(header, "md5sum", "6cdd0a18e0aff5b0a3ca2326a89b54ff");
        assert_true(rclitei_text_is_true(rclitei_header_get(header, "persistent")));
        assert_true(rest < bytes.size && (bytes.size - rest) % 4 == 0);
        for (; rest < bytes.size; rest += 4) { /* GetMap's request is empty */
            assert_int_equal(rclitei_u32_read(bytes.data + rest), 0);
        }
        free(bytes.data);
    }
}

static void test_probes(void **state) {
    (void)state;
    static const char *const names[] = {"rosservice_probe.tcpros", "rospy_probe.tcpros"};
    for (int i = 0; i < 2; i++) {
        struct bytes bytes = load(names[i]);
        size_t rest;
        rclitei_header header = take_header(&bytes, &rest);
        assert_int_equal(rest, bytes.size);
        check_field(header, "probe", "1");
        check_field(header, "md5sum", "*");
        check_field(header, "service", "/map");
        free(bytes.data);
    }
}

/* ---- roslua, which sends the four fields that must be there, and nothing else --------------- */

/* A header of the type, then messages of it, each given to visit. Returns how many. */
static int walk_messages(const char *name, const rclite_type *type, void (*visit)(void *message)) {
    struct bytes bytes = load(name);
    size_t at;
    int count = 0;
    void *message = calloc(1, type->size_bytes);
    rclitei_header header = take_header(&bytes, &at);
    assert_non_null(message);
    check_field(header, "md5sum", type->ros1->fingerprint);
    check_field(header, "type", type->ros1->wire_name);
    assert_non_null(rclitei_header_get(header, "topic").data);
    assert_non_null(rclitei_header_get(header, "callerid").data);
    assert_null(rclitei_header_get(header, "message_definition").data);
    assert_null(rclitei_header_get(header, "latching").data);
    assert_int_equal(rclite_message_init(type, message, NULL), RCLITE_OK);
    while (at < bytes.size) {
        size_t size = rclitei_u32_read(bytes.data + at);
        assert_true(at + 4 + size <= bytes.size);
        assert_int_equal(
            rclite_message_deserialize(type, RCLITE_ROS1, bytes.data + at + 4, size, message, NULL),
            RCLITE_OK);
        visit(message);
        at += 4 + size;
        count++;
    }
    rclite_message_done(type, message, NULL);
    free(message);
    free(bytes.data);
    return count;
}

static void check_array(void *message) {
    const std_msgs__msg__UInt8MultiArray *array = message;
    assert_int_equal(array->data.size, 100);
    assert_int_equal(array->layout.dim.size, 3);
}

static void check_goal(void *message) {
    const actionlib_benchmark__action__Roundtrip_ActionGoal *goal = message;
    assert_int_equal(goal->header.stamp.sec, 0); /* always, from roslua */
    assert_memory_equal(goal->goal_id.id.data, "/rclbench_client_", 17);
    assert_true(goal->goal.start.sec > 0);
}

static void check_status(void *message) {
    const actionlib_msgs__msg__GoalStatusArray *status = message;
    for (size_t i = 0; i < status->status_list.size; i++) {
        assert_int_equal(status->status_list.data[i].status, 3);
    }
}

static void check_result(void *message) {
    const actionlib_benchmark__action__Roundtrip_ActionResult *result = message;
    assert_int_equal(result->status.status, 3);
    assert_true(result->result.received.sec > 0);
}

static void test_roslua_publishers(void **state) {
    (void)state;
    assert_true(walk_messages("roslua_publisher.tcpros", ARRAY, check_array) >= 3);
    assert_int_equal(walk_messages("roslua_goal.tcpros", TRIP->ros1_action_goal, check_goal), 4);
    assert_int_equal(walk_messages("roslua_status.tcpros",
                         &actionlib_msgs__msg__GoalStatusArray__type, check_status),
        5);
    assert_int_equal(
        walk_messages("roslua_result.tcpros", TRIP->ros1_action_result, check_result), 4);
}

static void test_roslua_server(void **state) {
    (void)state;
    struct bytes bytes = load("roslua_server.tcpros");
    size_t at;
    int count = 0;
    nav_msgs__srv__GetMap_Response response;
    rclitei_header header = take_header(&bytes, &at);
    check_field(header, "md5sum", MAP->ros1_md5sum);
    assert_null(rclitei_header_get(header, "request_type").data);
    assert_int_equal(rclite_message_init(MAP->response, &response, NULL), RCLITE_OK);
    for (; at < bytes.size; count++) {
        size_t size = rclitei_u32_read(bytes.data + at + 1);
        assert_int_equal(bytes.data[at], 1);
        assert_int_equal(rclite_message_deserialize(MAP->response, RCLITE_ROS1, bytes.data + at + 5,
                             size, &response, NULL),
            RCLITE_OK);
        assert_int_equal(response.map.info.width, 1024);
        at += 5 + size;
    }
    assert_int_equal(at, bytes.size);
    assert_int_equal(count, 3);
    rclite_message_done(MAP->response, &response, NULL);
    free(bytes.data);
}

/* ---- HTTP ----------------------------------------------------------------------------------- */

typedef void (*visit_message)(const rclitei_http_message *message);

/* Walks the messages of a connection; returns how many. Each must be whole exactly at its end. */
static int walk(const char *name, bool is_response, bool keep_alive, visit_message visit) {
    struct bytes bytes = load(name);
    size_t at = 0;
    int count = 0;
    while (at < bytes.size) {
        rclitei_http_message message;
        assert_int_equal(
            rclitei_http_read(bytes.data + at, bytes.size - at, is_response, false, &message),
            RCLITEI_HTTP_WHOLE);
        size_t total = message.total_size;
        assert_int_equal(message.keep_alive, keep_alive);
        visit(&message);
        for (size_t cut = 0; cut < total; cut++) {
            assert_int_equal(rclitei_http_read(bytes.data + at, cut, is_response, false, &message),
                RCLITEI_HTTP_MORE);
        }
        at += total;
        count++;
    }
    free(bytes.data);
    return count;
}

static void visit_answer(const rclitei_http_message *message) {
    char text[256];
    xmlrpc_value *value = NULL;
    assert_int_equal(message->status, 200);
    assert_int_equal(
        rclitei_rpc_parse_answer(message->body, message->body_size, &value, text, sizeof text),
        RCLITE_OK);
    xmlrpc_DECREF(value);
}

static void test_answers(void **state) {
    (void)state;
    assert_true(walk("master_answers.http", true, true, visit_answer) >= 5);
    assert_int_equal(walk("roscpp_answer.http", true, true, visit_answer), 1);
    assert_int_equal(walk("rospy_answer.http", true, true, visit_answer), 1);
    assert_int_equal(walk("roslua_answer.http", true, true, visit_answer), 1);
}

static void visit_call(const rclitei_http_message *message) {
    static const char *const methods[] = {
        "requestTopic", "getPid", "getBusInfo", "publisherUpdate"};
    xmlrpc_env env;
    const char *method = NULL;
    xmlrpc_value *params = NULL;
    bool known = false;
    assert_true(message->is_post);
    assert_true(rclitei_xmlrpc_is_plain(message->body, message->body_size));
    xmlrpc_env_init(&env);
    xmlrpc_parse_call(&env, message->body, message->body_size, &method, &params);
    assert_false(env.fault_occurred);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        known = known || strcmp(method, methods[i]) == 0;
    }
    assert_true(known);
    rclitei_xmlrpc_text_free(method);
    xmlrpc_DECREF(params);
    xmlrpc_env_clean(&env);
}

static void test_calls(void **state) {
    (void)state;
    assert_int_equal(walk("roscpp_request.http", false, true, visit_call), 1);
    assert_int_equal(walk("rospy_request.http", false, true, visit_call), 1);
    assert_int_equal(walk("roslua_request.http", false, false, visit_call), 1);
    assert_int_equal(walk("rosnode_requests.http", false, true, visit_call), 2);
    assert_int_equal(walk("master_updates.http", false, true, visit_call), 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_publishers),
        cmocka_unit_test(test_subscribers),
        cmocka_unit_test(test_callers),
        cmocka_unit_test(test_probes),
        cmocka_unit_test(test_roslua_publishers),
        cmocka_unit_test(test_roslua_server),
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_calls),
    };
    rclitei_xmlrpc_setup();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
