/* The parsers and tables of the ROS 1 backend, without sockets: connection headers, HTTP framing,
 * the traps of ROS's XML-RPC, the kept status message, the goal states. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "actionlib_msgs/msg/GoalStatusArray.h"
#include "ros1/actions.h"
#include "ros1/header.h"
#include "ros1/http.h"
#include "ros1/rpc.h"
#include "ros1/status_list.h"

/* ---- connection headers --------------------------------------------------------------------- */

static rclitei_header header_of(const char *bytes, size_t size) {
    return (rclitei_header){(const uint8_t *)bytes, size};
}

static void test_header(void **state) {
    (void)state;
    static const char bytes[] = "\x0c\0\0\0callerid=/ab\x06\0\0\0type=*\x05\0\0\0a=b=c\x02\0\0\0n=";
    rclitei_header header = header_of(bytes, sizeof bytes - 1);
    assert_true(rclitei_header_is_valid(header));
    assert_true(rclitei_text_equal(rclitei_header_get(header, "callerid"), "/ab"));
    assert_true(rclitei_text_equal(rclitei_header_get(header, "type"), "*"));
    assert_true(rclitei_text_equal(rclitei_header_get(header, "a"), "b=c"));
    assert_true(rclitei_text_equal(rclitei_header_get(header, "n"), ""));
    assert_null(rclitei_header_get(header, "calle").data);
    assert_null(rclitei_header_get(header, "topic").data);
    assert_true(rclitei_header_is_valid(header_of("", 0)));
    for (size_t cut = 1; cut < sizeof bytes - 1; cut++) { /* valid only between fields */
        bool whole = cut == 16 || cut == 26 || cut == 35;
        assert_int_equal(rclitei_header_is_valid(header_of(bytes, cut)), whole);
    }
    assert_false(rclitei_header_is_valid(header_of("\x03\0\0\0abc", 7)));
    assert_false(rclitei_header_is_valid(header_of("\xff\xff\xff\xff"
                                                   "a=b",
        7)));
    assert_true(rclitei_text_is_true(rclitei_header_get(header_of("\x03\0\0\0p=1", 7), "p")));
    assert_true(rclitei_text_is_true(rclitei_header_get(header_of("\x06\0\0\0p=true", 10), "p")));
    assert_false(rclitei_text_is_true(rclitei_header_get(header_of("\x03\0\0\0p=0", 7), "p")));
    assert_false(rclitei_text_is_true(rclitei_header_get(header_of("", 0), "p")));
}

static void test_header_build(void **state) {
    (void)state;
    rclite_allocator allocator = rclite_allocator_default();
    rclitei_pool *pool = rclitei_pool_create(&allocator, 2);
    const rclitei_header_field fields[] = {{"a", "1"}, {"left_out", NULL}, {"bc", ""}};
    rclitei_packet *packet = rclitei_header_build(pool, fields, 3);
    static const char expected[] = "\x0e\0\0\0\x03\0\0\0a=1\x03\0\0\0bc=";
    assert_int_equal(packet->size, sizeof expected - 1);
    assert_memory_equal(packet->bytes, expected, packet->size);
    rclitei_packet_release(packet);
    rclitei_pool_free(pool);
}

/* ---- HTTP ----------------------------------------------------------------------------------- */

/* Feeds the text byte by byte: it must be whole exactly at its end. */
static void check_whole(const char *text, bool is_response, const char *body, bool keep_alive) {
    size_t size = strlen(text);
    rclitei_http_message message;
    for (size_t have = 0; have <= size; have++) {
        uint8_t *copy = malloc(size + 1); /* exactly sized, for the sanitizer */
        memcpy(copy, text, have);
        rclitei_http_result result = rclitei_http_read(copy, have, is_response, false, &message);
        assert_int_equal(result, have == size ? RCLITEI_HTTP_WHOLE : RCLITEI_HTTP_MORE);
        if (have == size) {
            assert_int_equal(message.body_size, strlen(body));
            assert_memory_equal(message.body, body, strlen(body));
            assert_int_equal(message.total_size, size);
            assert_int_equal(message.keep_alive, keep_alive);
        }
        free(copy);
    }
}

static rclitei_http_result read_text(
    const char *text, bool is_response, bool closed, rclitei_http_message *ret_message) {
    char copy[1024];
    strcpy(copy, text);
    return rclitei_http_read((uint8_t *)copy, strlen(text), is_response, closed, ret_message);
}

static void test_http_requests(void **state) {
    (void)state;
    check_whole("POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc", false, "abc", true);
    check_whole("POST /RPC2 HTTP/1.1\r\ncontent-length:3\r\nCONNECTION: Close\r\n\r\nabc", false,
        "abc", false);
    check_whole("POST / HTTP/1.0\r\nContent-Length: 0\r\n\r\n", false, "", false);
    check_whole("POST / HTTP/1.0\r\nContent-Length: 1\r\nConnection: keep-alive\r\n\r\nx", false,
        "x", true);
    check_whole("POST / HTTP/1.1\nContent-Length: 2\n\nab", false, "ab", true);
    check_whole(
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\nA;x=y\r\n0123456789"
        "\r\n0\r\n\r\n",
        false, "ab0123456789", true);
}

static void test_http_refused(void **state) {
    (void)state;
    static const char *const bad[] = {
        "NONSENSE\r\n",
        "POST / HTTP/2.0\r\n",
        "POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "POST / HTTP/1.1\r\nno colon\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nfffffffff\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc",
    };
    rclitei_http_message message;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(read_text(bad[i], false, false, &message), RCLITEI_HTTP_BAD);
    }
    assert_int_equal(
        read_text("POST / HTTP/1.1\r\n\r\n", false, false, &message), RCLITEI_HTTP_BAD);
    assert_int_equal(message.status, 411);
    size_t size = RCLITEI_HTTP_HEAD_BYTES_MAX + 2;
    uint8_t *endless = malloc(size);
    memset(endless, 'a', size);
    assert_int_equal(rclitei_http_read(endless, size, false, false, &message), RCLITEI_HTTP_BAD);
    free(endless);
}

static void test_http_responses(void **state) {
    (void)state;
    rclitei_http_message message;
    check_whole("HTTP/1.1 200 OK\r\nContent-length: 2\r\n\r\nok", true, "ok", true);
    check_whole("HTTP/1.0 200 OK\r\nContent-length: 2\r\n\r\nok", true, "ok", false);
    assert_int_equal(
        read_text("HTTP/1.1 200 OK\r\n\r\nsome", true, false, &message), RCLITEI_HTTP_MORE);
    assert_int_equal(
        read_text("HTTP/1.1 200 OK\r\n\r\nsome", true, true, &message), RCLITEI_HTTP_WHOLE);
    assert_int_equal(message.body_size, 4);
    assert_int_equal(
        read_text("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nsome", true, true, &message),
        RCLITEI_HTTP_BAD);
    assert_int_equal(
        read_text("HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n", true, false, &message),
        RCLITEI_HTTP_WHOLE);
    assert_int_equal(message.status, 404);
}

static void test_uri(void **state) {
    (void)state;
    char host[16];
    uint16_t port;
    const char *path;
    assert_true(rclitei_uri_parse("http://a.b:80/RPC2", "http", host, sizeof host, &port, &path));
    assert_string_equal(host, "a.b");
    assert_int_equal(port, 80);
    assert_string_equal(path, "/RPC2");
    assert_true(
        rclitei_uri_parse("rosrpc://10.0.0.1:40001", "rosrpc", host, sizeof host, &port, &path));
    assert_int_equal(port, 40001);
    assert_string_equal(path, "/");
    assert_true(rclitei_uri_parse("rosrpc://h:40001/", "rosrpc", host, sizeof host, &port, &path));
    assert_int_equal(port, 40001);
    static const char *const bad[] = {"", "http:/x", "https://a:1", "http://:1", "http://a:0",
        "http://a:65536", "http://a:", "http://a:1x", "http://a-name-that-does-not-fit:1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(rclitei_uri_parse(bad[i], "http", host, sizeof host, &port, &path));
    }
}

/* ---- XML-RPC answers ------------------------------------------------------------------------ */

static rclite_result parse(const char *body, xmlrpc_value **ret_value, char *ret_text) {
    char document[1024];
    snprintf(document, sizeof document,
        "<?xml version=\"1.0\"?><methodResponse><params><param>%s</param></params>"
        "</methodResponse>",
        body);
    return rclitei_rpc_parse_answer(document, strlen(document), ret_value, ret_text, 256);
}

static void test_answers(void **state) {
    (void)state;
    xmlrpc_env env;
    xmlrpc_value *value = NULL;
    char text[256];
    const char *string;
    xmlrpc_env_init(&env);
    /* Untyped strings, and an array that is empty but for white space. */
    assert_int_equal(parse("<value><array><data><value><int>1</int></value><value></value>"
                           "<value>x y</value></data></array></value>",
                         &value, text),
        RCLITE_OK);
    xmlrpc_read_string(&env, value, &string);
    assert_string_equal(string, "x y");
    rclitei_xmlrpc_text_free(string);
    xmlrpc_DECREF(value);
    assert_int_equal(parse("<value><array><data><value><i4>1</i4></value><value>fine</value>"
                           "<value><array><data>\n</data></array></value></data></array></value>",
                         &value, text),
        RCLITE_OK);
    assert_int_equal(xmlrpc_array_size(&env, value), 0);
    xmlrpc_DECREF(value);
    assert_int_equal(parse("<value><array><data><value><int>-1</int></value><value>unknown</value>"
                           "<value><int>0</int></value></data></array></value>",
                         &value, text),
        RCLITE_ERR_REJECTED);
    assert_string_equal(text, "unknown");
    assert_int_equal(
        parse("<value><string>no tuple</string></value>", &value, text), RCLITE_ERR_MALFORMED);
    assert_int_equal(parse("<value><array><data><value>1</value><value>2</value></data></array>"
                           "</value>",
                         &value, text),
        RCLITE_ERR_MALFORMED);
    assert_int_equal(
        rclitei_rpc_parse_answer("<broken", 7, &value, text, sizeof text), RCLITE_ERR_MALFORMED);
    static const char fault[] =
        "<?xml version=\"1.0\"?><methodResponse><fault><value><struct><member><name>faultCode"
        "</name><value><int>7</int></value></member><member><name>faultString</name>"
        "<value><string>bad</string></value></member></struct></value></fault></methodResponse>";
    assert_int_equal(rclitei_rpc_parse_answer(fault, sizeof fault - 1, &value, text, sizeof text),
        RCLITE_ERR_REJECTED);
    assert_string_equal(text, "fault 7: bad");
    xmlrpc_env_clean(&env);
}

/* ---- the status message --------------------------------------------------------------------- */

/* Reads the kept bytes with the serializer. */
static void read_status(
    struct ros1_status_list *list, actionlib_msgs__msg__GoalStatusArray *message) {
    size_t size;
    const uint8_t *bytes = rclitei_ros1_status_message(list, (rclite_time){12, 34}, &size);
    assert_int_equal(rclite_message_deserialize(&actionlib_msgs__msg__GoalStatusArray__type,
                         RCLITE_ROS1, bytes, size, message, NULL),
        RCLITE_OK);
}

static void test_status_list(void **state) {
    (void)state;
    rclite_allocator allocator = rclite_allocator_default();
    struct ros1_status_list list = {0};
    actionlib_msgs__msg__GoalStatusArray message;
    assert_int_equal(
        rclite_message_init(&actionlib_msgs__msg__GoalStatusArray__type, &message, NULL),
        RCLITE_OK);
    assert_int_equal(rclitei_ros1_status_init(&list, &allocator), RCLITE_OK);
    read_status(&list, &message);
    assert_int_equal(message.status_list.size, 0);
    char id[32];
    for (int i = 0; i < 1000; i++) {
        int size = snprintf(id, sizeof id, "/client-%d", i);
        struct ros1_goal_entry *entry =
            rclitei_ros1_status_add(&list, (rclite_time){i, 1}, id, (size_t)size, ROS1_GOAL_ACTIVE);
        assert_non_null(entry);
        entry->finished_ns = i % 3 == 0 ? 0 : i + 1; /* every third one is not over */
        rclitei_ros1_status_set(&list, entry, (uint8_t)(i % 9));
    }
    read_status(&list, &message);
    assert_int_equal(message.status_list.size, 1000);
    assert_int_equal(message.header.stamp.sec, 12);
    assert_string_equal(message.status_list.data[999].goal_id.id.data, "/client-999");
    assert_int_equal(message.status_list.data[999].status, 0);
    assert_int_equal(message.status_list.data[998].status, 8);
    rclitei_ros1_status_expire(&list, 501);
    read_status(&list, &message);
    size_t at = 0;
    for (int i = 0; i < 1000; i++) {
        int size = snprintf(id, sizeof id, "/client-%d", i);
        bool stays = i % 3 == 0 || i >= 500;
        struct ros1_goal_entry *entry = rclitei_ros1_status_find(&list, id, (size_t)size);
        assert_int_equal(entry != NULL, stays);
        if (stays) {
            assert_string_equal(message.status_list.data[at].goal_id.id.data, id);
            assert_int_equal(message.status_list.data[at].goal_id.stamp.sec, i);
            assert_int_equal(message.status_list.data[at].status, i % 9);
            at++;
        }
    }
    assert_int_equal(message.status_list.size, at);
    rclite_message_done(&actionlib_msgs__msg__GoalStatusArray__type, &message, NULL);
    rclitei_ros1_status_done(&list);
}

/* ---- goal states ---------------------------------------------------------------------------- */

static void test_goal_states(void **state) {
    (void)state;
    enum ros1_goal_state path[3];
    /* A result that comes before any status: through ACTIVE. */
    assert_int_equal(
        rclitei_ros1_goal_path(ROS1_STATE_WAITING_FOR_GOAL_ACK, ROS1_GOAL_SUCCEEDED, path), 2);
    assert_int_equal(path[0], ROS1_STATE_ACTIVE);
    assert_int_equal(path[1], ROS1_STATE_WAITING_FOR_RESULT);
    assert_int_equal(
        rclitei_ros1_goal_path(ROS1_STATE_WAITING_FOR_GOAL_ACK, ROS1_GOAL_PREEMPTED, path), 3);
    assert_int_equal(path[1], ROS1_STATE_PREEMPTING);
    assert_int_equal(rclitei_ros1_goal_path(ROS1_STATE_ACTIVE, ROS1_GOAL_ACTIVE, path), 0);
    assert_int_equal(rclitei_ros1_goal_path(ROS1_STATE_ACTIVE, ROS1_GOAL_PENDING, path), -1);
    assert_int_equal(rclitei_ros1_goal_path(ROS1_STATE_PREEMPTING, ROS1_GOAL_RECALLED, path), -1);
    assert_int_equal(rclitei_ros1_goal_path(ROS1_STATE_ACTIVE, ROS1_GOAL_LOST, path), -1);
    assert_int_equal(
        rclitei_ros1_goal_path(ROS1_STATE_ACTIVE, (enum ros1_goal_status)200, path), -1);
    /* From every state but DONE, a terminal status that may come ends in WAITING_FOR_RESULT. */
    for (int from = 0; from < ROS1_STATE_WAITING_FOR_RESULT; from++) {
        int count = rclitei_ros1_goal_path((enum ros1_goal_state)from, ROS1_GOAL_ABORTED, path);
        assert_true(count > 0);
        assert_int_equal(path[count - 1], ROS1_STATE_WAITING_FOR_RESULT);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_header),
        cmocka_unit_test(test_header_build),
        cmocka_unit_test(test_http_requests),
        cmocka_unit_test(test_http_refused),
        cmocka_unit_test(test_http_responses),
        cmocka_unit_test(test_uri),
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_status_list),
        cmocka_unit_test(test_goal_states),
    };
    rclitei_xmlrpc_setup();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
