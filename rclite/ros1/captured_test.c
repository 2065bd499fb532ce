/* Replays what real ROS 1 programs sent (captured/README.md) through the parsers, whole and in
 * every possible two pieces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ros1/header.h"
#include "ros1/http.h"
#include "ros1/rpc.h"
#include "std_msgs/msg/UInt8MultiArray.h"

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

/* ---- HTTP --------------------------------------------------------------------------------------
 */

typedef void (*visit_message)(const rclitei_http_message *message);

/* Walks the messages of a connection; returns how many. Each must be whole exactly at its end. */
static int walk(const char *name, bool is_response, visit_message visit) {
    struct bytes bytes = load(name);
    size_t at = 0;
    int count = 0;
    while (at < bytes.size) {
        rclitei_http_message message;
        assert_int_equal(
            rclitei_http_read(bytes.data + at, bytes.size - at, is_response, false, &message),
            RCLITEI_HTTP_WHOLE);
        size_t total = message.total_size;
        assert_true(message.keep_alive);
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
    assert_true(walk("master_answers.http", true, visit_answer) >= 5);
    assert_int_equal(walk("roscpp_answer.http", true, visit_answer), 1);
    assert_int_equal(walk("rospy_answer.http", true, visit_answer), 1);
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
    assert_int_equal(walk("roscpp_request.http", false, visit_call), 1);
    assert_int_equal(walk("rospy_request.http", false, visit_call), 1);
    assert_int_equal(walk("rosnode_requests.http", false, visit_call), 2);
    assert_int_equal(walk("master_updates.http", false, visit_call), 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_publishers),
        cmocka_unit_test(test_subscribers),
        cmocka_unit_test(test_callers),
        cmocka_unit_test(test_probes),
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_calls),
    };
    rclitei_xmlrpc_setup();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
