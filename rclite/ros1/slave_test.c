/* The slave API as anyone can call it: every method, what is no HTTP or no XML-RPC, requests in
 * pieces and several at once; the node goes on meanwhile. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "testing/victim.h"

#define MEBIBYTE ((size_t)1 << 20)

static void check_http(struct victim *victim, const char *request, const char *expected) {
    int fd = testing_connect(testing_slave_port(victim->node));
    char answer[256] = "";
    testing_send(fd, request, strlen(request));
    ssize_t got = recv(fd, answer, sizeof answer - 1, 0);
    assert_true(got > 0);
    assert_memory_equal(answer, expected, strlen(expected));
    close(fd);
    victim_check_alive(victim);
}

static void test_bad_http(void **state) {
    (void)state;
    struct victim victim;
    victim_open(&victim);
    check_http(&victim, "GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 405");
    check_http(&victim, "nonsense\r\n\r\n", "HTTP/1.1 400");
    check_http(&victim, "POST / HTTP/1.1\r\n\r\n", "HTTP/1.1 411");
    check_http(&victim, "POST / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n", "HTTP/1.1 400");
    /* An announced body allocates nothing. */
    size_t memory = testing_memory_bytes();
    int fds[20];
    for (int i = 0; i < 20; i++) {
        static const char head[] = "POST / HTTP/1.1\r\nContent-Length: 60000000\r\n\r\n<?xml";
        fds[i] = testing_connect(testing_slave_port(victim.node));
        testing_send(fds[i], head, sizeof head - 1);
    }
    victim_check_alive(&victim);
    assert_true(testing_memory_bytes() < memory + 20 * MEBIBYTE);
    for (int i = 0; i < 20; i++) {
        close(fds[i]);
    }
    victim_close(&victim);
}

static void test_slave_api(void **state) {
    (void)state;
    struct victim victim;
    char pid[32];
    victim_open(&victim);
    snprintf(pid, sizeof pid, "<i4>%d</i4>", (int)getpid());
    victim_check_answer(&victim, "/", CALL("getPid", TEXT("/x")), pid);
    victim_check_answer(&victim, "/RPC2", CALL("getPid", TEXT("/x")), pid);
    victim_check_answer(&victim, "/", CALL("getMasterUri", TEXT("/x")), getenv("ROS_MASTER_URI"));
    victim_check_answer(&victim, "/", CALL("getPublications", TEXT("/x")), "std_msgs/String");
    victim_check_answer(&victim, "/", CALL("getSubscriptions", TEXT("/x")), "/text");
    victim_check_answer(&victim, "/", CALL("getBusInfo", TEXT("/x")), "TCPROS");
    victim_check_answer(&victim, "/", CALL("getBusStats", TEXT("/x")), "/text");
    victim_check_answer(&victim, "/",
        CALL("paramUpdate", TEXT("/master") TEXT("/a") TEXT("<i4>1</i4>")), "<i4>1</i4>");
    victim_check_answer(&victim, "/",
        CALL("requestTopic",
            TEXT("/x") TEXT("/text")
                TEXT("<array><data><value><array><data><value>UDPROS</value></data></array></value>"
                     "<value><array><data><value>TCPROS</value></data></array></value></data>"
                     "</array>")),
        "127.0.0.1");
    victim_check_answer(&victim, "/",
        CALL("requestTopic", TEXT("/x") TEXT("/other") TEXT("<array><data>\n</data></array>")),
        "not a publisher");
    /* Wrong arguments and unknown methods are faults; the connection lives. */
    victim_check_answer(&victim, "/", CALL("requestTopic", TEXT("/x")), "fault");
    victim_check_answer(
        &victim, "/", CALL("publisherUpdate", TEXT("/x") TEXT("/text") TEXT("no list")), "fault");
    victim_check_answer(&victim, "/", CALL("noSuchMethod", ""), "fault");
    victim_check_answer(&victim, "/", "<nonsense", "fault");
    check_http(&victim,
        "POST / HTTP/1.1\r\nContent-Length: 65\r\n\r\n<?xml version=\"1.0\"?>"
        "<!DOCTYPE a [<!ENTITY a \"aaaaaaaaaaaaaaa\">]>",
        "HTTP/1.1 400");
    victim_close(&victim);
}

/* An empty list of publishers disconnects; the next list connects again. */
static void test_publisher_update(void **state) {
    (void)state;
    struct victim victim;
    char body[1024];
    victim_open(&victim);
    victim_check_answer(&victim, "/",
        CALL("publisherUpdate",
            TEXT("/master") TEXT("/text") TEXT("<array><data>\n</data></array>")),
        "<i4>1</i4>");
    testing_wait_inbounds(victim.node, 0);
    assert_int_equal(rclite_subscription_matched_count(victim.subscription), 0);
    snprintf(body, sizeof body,
        CALL("publisherUpdate",
            TEXT("/master") TEXT("/text") TEXT("<array><data><value>http://127.0.0.1:%u/</value>"
                                               "<value>not a uri</value></data></array>")),
        (unsigned)testing_slave_port(victim.node));
    victim_check_answer(&victim, "/", body, "<i4>1</i4>");
    assert_int_equal(
        rclite_subscription_wait_matched(victim.subscription, 1, TESTING_TIMEOUT_NS), RCLITE_OK);
    assert_int_equal(
        rclite_publisher_wait_matched(victim.publisher, 1, TESTING_TIMEOUT_NS), RCLITE_OK);
    victim_check_alive(&victim);
    victim_close(&victim);
}

/* Keep-alive: several requests in one piece, and one request in three pieces. */
static void test_http_pieces(void **state) {
    (void)state;
    struct victim victim;
    static const char body[] = CALL("getPid", TEXT("/x"));
    char request[1024];
    char answer[4096] = "";
    victim_open(&victim);
    int size = snprintf(request, sizeof request,
        "POST /RPC2 HTTP/1.1\r\ncontent-LENGTH: %zu\r\n\r\n%s", sizeof body - 1, body);
    int fd = testing_connect(testing_slave_port(victim.node));
    char twice[2048];
    memcpy(twice, request, (size_t)size);
    memcpy(twice + size, request, (size_t)size);
    testing_send(fd, twice, 2 * (size_t)size);
    testing_send(fd, request, 20);
    victim_check_alive(&victim);
    testing_send(fd, request + 20, 50);
    victim_check_alive(&victim);
    testing_send(fd, request + 70, (size_t)size - 70);
    size_t have = 0;
    int answers = 0;
    while (answers < 3) {
        ssize_t got = recv(fd, answer + have, sizeof answer - 1 - have, 0);
        assert_true(got > 0);
        have += (size_t)got;
        answer[have] = '\0';
        answers = 0;
        for (const char *at = answer; (at = strstr(at, "</methodResponse>")); at++) {
            answers++;
        }
    }
    close(fd);
    victim_close(&victim);
}

static bool is_shut_down(void *user) {
    return rclite_context_is_shutdown(user);
}

static void keep_text(rclite_log_level level, const char *text, void *user) {
    if (level == RCLITE_LOG_WARN) {
        snprintf(user, 128, "%s", text);
    }
}

/* `rosnode kill`, or the master when a node of the same name came: the program may want to know. */
static void check_shutdown(const char *request, const char *said) {
    char text[128] = "";
    rclite_context_options options = RCLITE_CONTEXT_OPTIONS_INIT;
    options.generation = RCLITE_ROS1;
    options.log = keep_text;
    options.log_user = text;
    struct victim victim = {0};
    assert_int_equal(rclite_context_create(&options, &victim.context, NULL), RCLITE_OK);
    victim.node = testing_node(victim.context, "victim");
    victim_check_answer(&victim, "/", request, "<i4>1</i4>");
    int64_t deadline = rclite_monotonic_ns() + TESTING_TIMEOUT_NS;
    while (!is_shut_down(victim.context)) {
        assert_true(rclite_monotonic_ns() < deadline);
    }
    assert_string_equal(text, said);
    rclite_node_free(victim.node);
    rclite_context_free(victim.context);
}

static void test_shutdown(void **state) {
    (void)state;
    check_shutdown(CALL("shutdown", TEXT("/x") TEXT("enough")), "shut down by /x: enough");
    check_shutdown(CALL("shutdown", TEXT("/x")), "shut down by somebody who does not say why");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_http),
        cmocka_unit_test(test_slave_api),
        cmocka_unit_test(test_publisher_update),
        cmocka_unit_test(test_http_pieces),
        cmocka_unit_test(test_shutdown),
    };
    if (!testing_master_start()) {
        return 77;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    testing_master_stop();
    return failed;
}
