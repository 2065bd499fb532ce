/* Publishers that break the rules, and some that only bend them: a publisher made by hand sends
 * headers and messages that are none, announces memory, is slow, or drops the connection. Each must
 * cost an error and its own connection: no memory that was only announced, nothing delivered. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "testing/victim.h"

#include "ros1/header.h"
#include "ros1/stream.h"

#define MEBIBYTE ((size_t)1 << 20)

/* ---- the publisher made by hand ------------------------------------------------------------- */

/* A publisher made by hand: a slave API that answers requestTopic, and a TCPROS server. */
struct impostor {
    int slave_fd, tcpros_fd;
    uint16_t slave_port, tcpros_port;
    char md5_field[64];
};

static struct impostor open_impostor(void) {
    struct impostor impostor;
    impostor.slave_fd = rclitei_socket_listen("127.0.0.1", &impostor.slave_port);
    impostor.tcpros_fd = rclitei_socket_listen("127.0.0.1", &impostor.tcpros_port);
    snprintf(impostor.md5_field, sizeof impostor.md5_field, "md5sum=%s", STRING->ros1->fingerprint);
    return impostor;
}

static void close_impostor(struct impostor *impostor) {
    close(impostor->slave_fd);
    close(impostor->tcpros_fd);
}

static int accept_within(int listener) {
    struct timeval deadline = {10, 0};
    int64_t until = rclite_monotonic_ns() + TESTING_TIMEOUT_NS;
    int fd;
    while ((fd = accept(listener, NULL, NULL)) < 0) {
        assert_true(errno == EAGAIN && rclite_monotonic_ns() < until);
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &deadline, sizeof deadline);
    return fd;
}

/* Reads the call of requestTopic and answers with `port` (XML of its value). Chunked or without any
 * length, as some servers do. */
static void answer_request(struct impostor *impostor, const char *port, bool chunked) {
    char text[4096] = "";
    size_t have = 0;
    int fd = accept_within(impostor->slave_fd);
    while (!strstr(text, "</methodCall>")) {
        ssize_t got = recv(fd, text + have, sizeof text - 1 - have, 0);
        assert_true(got > 0);
        have += (size_t)got;
        text[have] = '\0';
    }
    assert_non_null(strstr(text, "requestTopic"));
    assert_non_null(strstr(text, "/victim"));
    char body[1024];
    char answer[2048];
    int size = snprintf(body, sizeof body,
        "<?xml version='1.0'?><methodResponse><params><param><value><array><data>"
        "<value><i4>1</i4></value><value></value><value><array><data><value>TCPROS</value>"
        "<value>127.0.0.1</value><value>%s</value></data></array></value>"
        "</data></array></value></param></params></methodResponse>",
        port);
    if (chunked) {
        size = snprintf(answer, sizeof answer,
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n",
            (unsigned)size, body);
    } else {
        size = snprintf(answer, sizeof answer, "HTTP/1.0 200 OK\r\n\r\n%s", body);
    }
    testing_send(fd, answer, (size_t)size);
    close(fd);
}

/* Makes the impostor the only publisher, up to the header of its TCPROS connection. */
static int lure(struct victim *victim, struct impostor *impostor, bool chunked) {
    char body[1024];
    char port[64];
    uint8_t header[4096];
    snprintf(body, sizeof body,
        CALL("publisherUpdate",
            TEXT("/master") TEXT("/text")
                TEXT("<array><data><value>http://127.0.0.1:%u</value></data></array>")),
        (unsigned)impostor->slave_port);
    victim_check_answer(victim, "/", body, "<i4>1</i4>");
    /* The port as an integer, and as roslua has it. */
    snprintf(port, sizeof port, chunked ? "<int>%u</int>" : "%u", (unsigned)impostor->tcpros_port);
    answer_request(impostor, port, chunked);
    int fd = accept_within(impostor->tcpros_fd);
    assert_true(testing_receive(fd, header, 4));
    size_t size = rclitei_u32_read(header);
    assert_true(size < sizeof header && testing_receive(fd, header, size));
    rclitei_header fields = {header, size};
    assert_true(rclitei_text_equal(rclitei_header_get(fields, "topic"), "/text"));
    assert_true(rclitei_text_equal(rclitei_header_get(fields, "callerid"), "/victim"));
    assert_true(rclitei_text_equal(rclitei_header_get(fields, "tcp_nodelay"), "1"));
    assert_true(rclitei_text_equal(rclitei_header_get(fields, "type"), "std_msgs/String"));
    assert_true(
        rclitei_text_equal(rclitei_header_get(fields, "md5sum"), STRING->ros1->fingerprint));
    return fd;
}

static void send_good_header(struct impostor *impostor, int fd) {
    uint8_t header[512];
    size_t size = testing_header(header, sizeof header, "callerid=/impostor", "latching=0",
        impostor->md5_field, "type=std_msgs/String", (char *)NULL);
    testing_send(fd, header, size);
}

/* ---- what it does --------------------------------------------------------------------------- */

/* Messages that come byte by byte, and several in one piece; the answers of its slave API chunked,
 * and without a length. */
static void test_slow_publisher(void **state) {
    (void)state;
    static const uint8_t first[] = "\x06\0\0\0\x02\0\0\0hi";
    static const uint8_t second[] = "\x08\0\0\0\x04\0\0\0slow\x07\0\0\0\x03\0\0\0end";
    struct impostor impostor = open_impostor();
    for (int chunked = 0; chunked < 2; chunked++) {
        struct victim victim;
        victim_open(&victim);
        int fd = lure(&victim, &impostor, chunked);
        send_good_header(&impostor, fd);
        victim.heard.wanted = 3;
        for (size_t i = 0; i < sizeof first - 1; i++) {
            testing_send(fd, first + i, 1);
        }
        testing_send(fd, second, sizeof second - 1);
        testing_wait(victim.context, text_is_counted, &victim.heard);
        assert_string_equal(victim.heard.last, "end");
        assert_int_equal(rclite_subscription_matched_count(victim.subscription), 1);
        close(fd);
        victim_close(&victim);
    }
    close_impostor(&impostor);
}

/* After the header comes what is no message: the connection is closed, and nothing delivered. */
static void check_bad_messages(const void *bytes, size_t size) {
    struct victim victim;
    struct impostor impostor = open_impostor();
    victim_open(&victim);
    int fd = lure(&victim, &impostor, true);
    send_good_header(&impostor, fd);
    testing_send(fd, bytes, size);
    assert_true(testing_is_closed(fd));
    assert_int_equal(victim_malformed(&victim), 1);
    assert_int_equal(atomic_load(&victim.heard.count), 0);
    close(fd);
    close_impostor(&impostor);
    victim_close(&victim);
}

static void test_bad_messages(void **state) {
    (void)state;
    check_bad_messages("\xff\xff\xff\xff", 4);
    check_bad_messages("\x06\0\0\0\xff\xff\0\0hi", 10); /* a string beyond the message */
    check_bad_messages("\x07\0\0\0\x02\0\0\0hi!", 11);  /* a message beyond the string */
    check_bad_messages("\x02\0\0\0hi", 6);
    check_bad_messages("\0\0\0\0", 4);
}

/* A length prefix allocates nothing. */
static void test_announced_memory(void **state) {
    (void)state;
    struct victim victim;
    struct impostor impostor = open_impostor();
    victim_open(&victim);
    int fd = lure(&victim, &impostor, true);
    send_good_header(&impostor, fd);
    static uint8_t bytes[100000] = {0x00, 0xca, 0x9a, 0x3b}; /* 1,000,000,000 */
    size_t memory = testing_memory_bytes();
    testing_send(fd, bytes, sizeof bytes);
    assert_int_equal(
        rclite_subscription_wait_matched(victim.subscription, 1, TESTING_TIMEOUT_NS), RCLITE_OK);
    assert_true(testing_memory_bytes() < memory + 4 * MEBIBYTE);
    assert_int_equal(victim_malformed(&victim), 0);
    close(fd);
    close_impostor(&impostor);
    victim_close(&victim);
}

/* Answers to the header that end the matter: it is not asked again. */
static void check_bad_answer(const uint8_t *bytes, size_t size) {
    struct victim victim;
    struct impostor impostor = open_impostor();
    victim_open(&victim);
    int fd = lure(&victim, &impostor, false);
    testing_send(fd, bytes, size);
    assert_true(testing_is_closed(fd));
    assert_int_equal(rclite_subscription_matched_count(victim.subscription), 0);
    close(fd);
    close_impostor(&impostor);
    victim_close(&victim);
}

static void test_bad_answers(void **state) {
    (void)state;
    uint8_t bytes[512];
    check_bad_answer((const uint8_t *)"\xff\xff\xff\xff", 4);
    check_bad_answer((const uint8_t *)"\x05\0\0\0\xff\0\0\0x", 9);
    size_t size = testing_header(bytes, sizeof bytes, "callerid=/impostor", "type=std_msgs/String",
        "md5sum=27ffa0c9c4b8fb8492252bcad9e5c57b", (char *)NULL);
    check_bad_answer(bytes, size);
    assert_non_null(strstr(testing_last_log(), "27ffa0c9c4b8fb8492252bcad9e5c57b"));
    size = testing_header(bytes, sizeof bytes, "error=go away", (char *)NULL);
    check_bad_answer(bytes, size);
    assert_non_null(strstr(testing_last_log(), "go away"));
}

/* A publisher that drops the connection is asked again. */
static void test_reconnecting(void **state) {
    (void)state;
    struct victim victim;
    struct impostor impostor = open_impostor();
    char port[32];
    victim_open(&victim);
    snprintf(port, sizeof port, "<int>%u</int>", (unsigned)impostor.tcpros_port);
    int fd = lure(&victim, &impostor, true);
    close(fd);
    answer_request(&impostor, port, true);
    fd = accept_within(impostor.tcpros_fd);
    send_good_header(&impostor, fd);
    assert_int_equal(
        rclite_subscription_wait_matched(victim.subscription, 1, TESTING_TIMEOUT_NS), RCLITE_OK);
    close(fd);
    close_impostor(&impostor);
    victim_close(&victim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slow_publisher),
        cmocka_unit_test(test_bad_messages),
        cmocka_unit_test(test_announced_memory),
        cmocka_unit_test(test_bad_answers),
        cmocka_unit_test(test_reconnecting),
    };
    if (!testing_master_start()) {
        return 77;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    testing_master_stop();
    return failed;
}
