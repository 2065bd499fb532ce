/* Peers that break the rules: each must cost an error and its own connection, and nothing else: no
 * memory that was only announced, no standstill of the others. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "testing/ros1_testing.h"

#include "ros1/header.h"
#include "ros1/stream.h"
#include "std_msgs/msg/String.h"
#include "std_msgs/msg/UInt8MultiArray.h"

#define STRING (&std_msgs__msg__String__type)
#define ARRAY (&std_msgs__msg__UInt8MultiArray__type)
#define MEBIBYTE ((size_t)1 << 20)

struct fixture {
    rclite_context *context;
    rclite_node *node;
    rclite_publisher *publisher;
    rclite_subscription *subscription;
    atomic_int count;
    int wanted;
    char last[64];
};

static void on_text(const void *message, const rclite_message_info *info, void *user) {
    (void)info;
    struct fixture *fixture = user;
    const std_msgs__msg__String *text = message;
    snprintf(fixture->last, sizeof fixture->last, "%.*s", (int)text->data.size, text->data.data);
    atomic_fetch_add(&fixture->count, 1);
    rclite_context_wake(fixture->context);
}

static bool has_counted(void *user) {
    struct fixture *fixture = user;
    return atomic_load(&fixture->count) >= fixture->wanted;
}

/* A node that publishes and subscribes its own topic, and a second subscription that is ours. */
static void open_fixture(struct fixture *fixture) {
    memset(fixture, 0, sizeof *fixture);
    fixture->context = testing_context(RCLITE_DELIVERY_DIRECT);
    fixture->node = testing_node(fixture->context, "victim");
    rclite_publisher_options options = RCLITE_PUBLISHER_OPTIONS_INIT;
    assert_int_equal(rclite_publisher_create(
                         fixture->node, "/text", STRING, &options, &fixture->publisher, NULL),
        RCLITE_OK);
    rclite_subscription_options in = RCLITE_SUBSCRIPTION_OPTIONS_INIT;
    assert_int_equal(rclite_subscription_create(fixture->node, "/text", STRING, on_text, fixture,
                         &in, &fixture->subscription, NULL),
        RCLITE_OK);
    assert_int_equal(
        rclite_publisher_wait_matched(fixture->publisher, 1, TESTING_TIMEOUT_NS), RCLITE_OK);
    assert_int_equal(
        rclite_subscription_wait_matched(fixture->subscription, 1, TESTING_TIMEOUT_NS), RCLITE_OK);
}

static void close_fixture(struct fixture *fixture) {
    rclite_subscription_free(fixture->subscription);
    rclite_publisher_free(fixture->publisher);
    rclite_node_free(fixture->node);
    rclite_context_free(fixture->context);
}

/* The node still does its work. */
static void check_alive(struct fixture *fixture) {
    static char text[] = "alive";
    std_msgs__msg__String message = {.data = {text, 5, 0}};
    fixture->wanted = atomic_load(&fixture->count) + 1;
    assert_int_equal(rclite_publisher_publish(fixture->publisher, &message), RCLITE_OK);
    testing_wait(fixture->context, has_counted, fixture);
    assert_string_equal(fixture->last, "alive");
}

static uint64_t malformed(const struct fixture *fixture) {
    return rclite_context_count(fixture->context).malformed;
}

/* ---- against the TCPROS server ----------------------------------------------------------------
 */

static void check_refused(
    struct fixture *fixture, const void *bytes, size_t size, uint64_t counted) {
    uint64_t before = malformed(fixture);
    int fd = testing_connect(testing_tcpros_port(fixture->node));
    testing_send(fd, bytes, size);
    assert_true(testing_is_closed(fd));
    close(fd);
    assert_int_equal(malformed(fixture), before + counted);
    check_alive(fixture);
}

static void test_bad_headers(void **state) {
    (void)state;
    struct fixture fixture;
    uint8_t bytes[512];
    open_fixture(&fixture);
    check_refused(&fixture, "\xff\xff\xff\xff", 4, 1);
    check_refused(&fixture, "\x01\x00\x10\x00", 4, 1); /* 1 MiB and a byte */
    check_refused(&fixture,
        "\x08\0\0\0\xff\xff\xff\x7f"
        "abcd",
        12, 1);                                                /* a field beyond */
    check_refused(&fixture, "\x07\0\0\0\x03\0\0\0abc", 11, 1); /* no '=' */
    check_refused(&fixture, "\0\0\0\0", 4, 0);                 /* neither topic nor service */
    size_t size = testing_header(bytes, sizeof bytes, "topic=/text", "callerid=/x", (char *)NULL);
    check_refused(&fixture, bytes, size, 0); /* no md5sum */
    size = testing_header(bytes, sizeof bytes, "topic=/text", "callerid=/x", "type=std_msgs/Int8",
        "md5sum=27ffa0c9c4b8fb8492252bcad9e5c57b", (char *)NULL);
    check_refused(&fixture, bytes, size, 0);
    assert_non_null(strstr(testing_last_log(), "std_msgs/Int8"));
    size = testing_header(
        bytes, sizeof bytes, "topic=/nothing", "md5sum=*", "callerid=/x", (char *)NULL);
    check_refused(&fixture, bytes, size, 0);
    close_fixture(&fixture);
}

/* A header that never becomes whole is given up; meanwhile the others go on. */
static void test_half_header(void **state) {
    (void)state;
    struct fixture fixture;
    open_fixture(&fixture);
    testing_set_handshake(fixture.context, 300000000);
    int fd = testing_connect(testing_tcpros_port(fixture.node));
    testing_send(fd, "\x20\0\0\0\x03\0", 6);
    check_alive(&fixture);
    assert_true(testing_is_closed(fd));
    close(fd);
    check_alive(&fixture);
    close_fixture(&fixture);
}

/* Connections that say nothing, as many as the process has descriptors and more. */
static void test_flood(void **state) {
    (void)state;
    struct fixture fixture;
    enum { FLOOD = 400 };
    int fds[FLOOD];
    open_fixture(&fixture);
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    uint16_t port = testing_tcpros_port(fixture.node);
    for (int i = 0; i < FLOOD; i++) {
        fds[i] = testing_connect(port);
    }
    /* From now on nothing more can be accepted: what is connected goes on. */
    struct rlimit tight = {.rlim_cur = (rlim_t)fds[FLOOD - 1] + 8, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &tight), 0);
    check_alive(&fixture);
    for (int i = 0; i < FLOOD; i++) {
        close(fds[i]);
    }
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    testing_wait_inbounds(fixture.node, 1); /* all the flood is forgotten */
    check_alive(&fixture);
    close_fixture(&fixture);
}

/* A subscriber that never reads costs its queue; the other one gets everything. */
struct flow {
    rclite_context *context;
    atomic_int count;
};

static void on_flow(const void *message, const rclite_message_info *info, void *user) {
    (void)info;
    struct flow *flow = user;
    assert_int_equal(((const std_msgs__msg__UInt8MultiArray *)message)->data.size, MEBIBYTE / 4);
    atomic_fetch_add(&flow->count, 1);
    rclite_context_wake(flow->context);
}

static bool has_flowed(void *user) {
    struct flow *flow = user;
    return atomic_load(&flow->count) == 400;
}

static void publish_flow(struct fixture *fixture, rclite_publisher *publisher, struct flow *flow) {
    std_msgs__msg__UInt8MultiArray message;
    assert_int_equal(rclite_message_init(ARRAY, &message, NULL), RCLITE_OK);
    assert_int_equal(rclite_sequence_resize(&message.data, 1, MEBIBYTE / 4, NULL), RCLITE_OK);
    for (int i = 0; i < 400; i++) {
        assert_int_equal(rclite_publisher_publish(publisher, &message), RCLITE_OK);
        while (atomic_load(&flow->count) < i - 2) { /* the good one keeps up */
            int64_t wait_ns = 1000000;
            rclite_result result = rclite_spin_once(fixture->context, wait_ns);
            assert_true(result == RCLITE_OK || result == RCLITE_EMPTY);
        }
    }
    rclite_message_done(ARRAY, &message, NULL);
}

static void test_never_reading(void **state) {
    (void)state;
    struct fixture fixture;
    uint8_t bytes[512];
    char md5[64];
    open_fixture(&fixture);
    struct flow flow = {.context = fixture.context};
    rclite_publisher *publisher = NULL;
    rclite_subscription *subscription = NULL;
    rclite_publisher_options out = RCLITE_PUBLISHER_OPTIONS_INIT;
    rclite_subscription_options in = RCLITE_SUBSCRIPTION_OPTIONS_INIT;
    out.qos.depth = 4;
    assert_int_equal(
        rclite_publisher_create(fixture.node, "/flow", ARRAY, &out, &publisher, NULL), RCLITE_OK);
    assert_int_equal(rclite_subscription_create(
                         fixture.node, "/flow", ARRAY, on_flow, &flow, &in, &subscription, NULL),
        RCLITE_OK);
    snprintf(md5, sizeof md5, "md5sum=%s", ARRAY->ros1->fingerprint);
    size_t size =
        testing_header(bytes, sizeof bytes, "topic=/flow", md5, "callerid=/lazy", (char *)NULL);
    int fd = testing_connect(testing_tcpros_port(fixture.node));
    testing_send(fd, bytes, size);
    assert_int_equal(rclite_publisher_wait_matched(publisher, 2, TESTING_TIMEOUT_NS), RCLITE_OK);
    size_t memory = testing_memory_bytes();
    publish_flow(&fixture, publisher, &flow);
    testing_wait(fixture.context, has_flowed, &flow);
    assert_true(testing_memory_bytes() < memory + 8 * MEBIBYTE); /* of 100 MiB that were sent */
    assert_true(rclite_context_count(fixture.context).dropped > 300);
    check_alive(&fixture);
    close(fd);
    testing_wait_inbounds(fixture.node, 2);
    rclite_subscription_free(subscription);
    rclite_publisher_free(publisher);
    close_fixture(&fixture);
}

/* ---- against the XML-RPC server ----------------------------------------------------------------
 */

static void check_http(struct fixture *fixture, const char *request, const char *expected) {
    int fd = testing_connect(testing_slave_port(fixture->node));
    char answer[256] = "";
    testing_send(fd, request, strlen(request));
    ssize_t got = recv(fd, answer, sizeof answer - 1, 0);
    assert_true(got > 0);
    assert_memory_equal(answer, expected, strlen(expected));
    close(fd);
    check_alive(fixture);
}

static void test_bad_http(void **state) {
    (void)state;
    struct fixture fixture;
    open_fixture(&fixture);
    check_http(&fixture, "GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 405");
    check_http(&fixture, "nonsense\r\n\r\n", "HTTP/1.1 400");
    check_http(&fixture, "POST / HTTP/1.1\r\n\r\n", "HTTP/1.1 411");
    check_http(&fixture, "POST / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n", "HTTP/1.1 400");
    /* An announced body allocates nothing. */
    size_t memory = testing_memory_bytes();
    int fds[20];
    for (int i = 0; i < 20; i++) {
        static const char head[] = "POST / HTTP/1.1\r\nContent-Length: 60000000\r\n\r\n<?xml";
        fds[i] = testing_connect(testing_slave_port(fixture.node));
        testing_send(fds[i], head, sizeof head - 1);
    }
    check_alive(&fixture);
    assert_true(testing_memory_bytes() < memory + 20 * MEBIBYTE);
    for (int i = 0; i < 20; i++) {
        close(fds[i]);
    }
    close_fixture(&fixture);
}

#define CALL(method, params)                                                                       \
    "<?xml version=\"1.0\"?><methodCall><methodName>" method "</methodName><params>" params        \
    "</params></methodCall>"
#define TEXT(text) "<param><value>" text "</value></param>"

static void check_answer(
    struct fixture *fixture, const char *path, const char *body, const char *expected) {
    char *answer = testing_post(testing_slave_port(fixture->node), path, body);
    if (!strstr(answer, expected)) {
        fail_msg("%s is not in %s", expected, answer);
    }
    free(answer);
}

static void test_slave_api(void **state) {
    (void)state;
    struct fixture fixture;
    char pid[32];
    open_fixture(&fixture);
    snprintf(pid, sizeof pid, "<i4>%d</i4>", (int)getpid());
    check_answer(&fixture, "/", CALL("getPid", TEXT("/x")), pid);
    check_answer(&fixture, "/RPC2", CALL("getPid", TEXT("/x")), pid);
    check_answer(&fixture, "/", CALL("getMasterUri", TEXT("/x")), getenv("ROS_MASTER_URI"));
    check_answer(&fixture, "/", CALL("getPublications", TEXT("/x")), "std_msgs/String");
    check_answer(&fixture, "/", CALL("getSubscriptions", TEXT("/x")), "/text");
    check_answer(&fixture, "/", CALL("getBusInfo", TEXT("/x")), "TCPROS");
    check_answer(&fixture, "/", CALL("getBusStats", TEXT("/x")), "/text");
    check_answer(&fixture, "/", CALL("paramUpdate", TEXT("/master") TEXT("/a") TEXT("<i4>1</i4>")),
        "<i4>1</i4>");
    check_answer(&fixture, "/",
        CALL("requestTopic",
            TEXT("/x") TEXT("/text")
                TEXT("<array><data><value><array><data><value>UDPROS</value></data></array></value>"
                     "<value><array><data><value>TCPROS</value></data></array></value></data>"
                     "</array>")),
        "127.0.0.1");
    check_answer(&fixture, "/",
        CALL("requestTopic", TEXT("/x") TEXT("/other") TEXT("<array><data>\n</data></array>")),
        "not a publisher");
    /* Wrong arguments and unknown methods are faults; the connection lives. */
    check_answer(&fixture, "/", CALL("requestTopic", TEXT("/x")), "fault");
    check_answer(
        &fixture, "/", CALL("publisherUpdate", TEXT("/x") TEXT("/text") TEXT("no list")), "fault");
    check_answer(&fixture, "/", CALL("noSuchMethod", ""), "fault");
    check_answer(&fixture, "/", "<nonsense", "fault");
    check_http(&fixture,
        "POST / HTTP/1.1\r\nContent-Length: 65\r\n\r\n<?xml version=\"1.0\"?>"
        "<!DOCTYPE a [<!ENTITY a \"aaaaaaaaaaaaaaa\">]>",
        "HTTP/1.1 400");
    close_fixture(&fixture);
}

/* An empty list of publishers disconnects; the next list connects again. */
static void test_publisher_update(void **state) {
    (void)state;
    struct fixture fixture;
    char body[1024];
    open_fixture(&fixture);
    check_answer(&fixture, "/",
        CALL("publisherUpdate",
            TEXT("/master") TEXT("/text") TEXT("<array><data>\n</data></array>")),
        "<i4>1</i4>");
    testing_wait_inbounds(fixture.node, 0);
    assert_int_equal(rclite_subscription_matched_count(fixture.subscription), 0);
    snprintf(body, sizeof body,
        CALL("publisherUpdate",
            TEXT("/master") TEXT("/text") TEXT("<array><data><value>http://127.0.0.1:%u/</value>"
                                               "<value>not a uri</value></data></array>")),
        (unsigned)testing_slave_port(fixture.node));
    check_answer(&fixture, "/", body, "<i4>1</i4>");
    assert_int_equal(
        rclite_subscription_wait_matched(fixture.subscription, 1, TESTING_TIMEOUT_NS), RCLITE_OK);
    assert_int_equal(
        rclite_publisher_wait_matched(fixture.publisher, 1, TESTING_TIMEOUT_NS), RCLITE_OK);
    check_alive(&fixture);
    close_fixture(&fixture);
}

/* Keep-alive: several requests in one piece, and one request in three pieces. */
static void test_http_pieces(void **state) {
    (void)state;
    struct fixture fixture;
    static const char body[] = CALL("getPid", TEXT("/x"));
    char request[1024];
    char answer[4096] = "";
    open_fixture(&fixture);
    int size = snprintf(request, sizeof request,
        "POST /RPC2 HTTP/1.1\r\ncontent-LENGTH: %zu\r\n\r\n%s", sizeof body - 1, body);
    int fd = testing_connect(testing_slave_port(fixture.node));
    char twice[2048];
    memcpy(twice, request, (size_t)size);
    memcpy(twice + size, request, (size_t)size);
    testing_send(fd, twice, 2 * (size_t)size);
    testing_send(fd, request, 20);
    check_alive(&fixture);
    testing_send(fd, request + 20, 50);
    check_alive(&fixture);
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
    close_fixture(&fixture);
}

static bool is_shut_down(void *user) {
    return rclite_context_is_shutdown(user);
}

/* `rosnode kill` */
static void test_shutdown(void **state) {
    (void)state;
    struct fixture fixture;
    open_fixture(&fixture);
    check_answer(&fixture, "/", CALL("shutdown", TEXT("/x") TEXT("enough")), "<i4>1</i4>");
    int64_t deadline = rclite_monotonic_ns() + TESTING_TIMEOUT_NS;
    while (!is_shut_down(fixture.context)) {
        assert_true(rclite_monotonic_ns() < deadline);
    }
    close_fixture(&fixture);
}

/* ---- hostile publishers ------------------------------------------------------------------------
 */

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
static int lure(struct fixture *fixture, struct impostor *impostor, bool chunked) {
    char body[1024];
    char port[64];
    uint8_t header[4096];
    snprintf(body, sizeof body,
        CALL("publisherUpdate",
            TEXT("/master") TEXT("/text")
                TEXT("<array><data><value>http://127.0.0.1:%u</value></data></array>")),
        (unsigned)impostor->slave_port);
    check_answer(fixture, "/", body, "<i4>1</i4>");
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

/* Messages that come byte by byte, and several in one piece; the answers of its slave API chunked,
 * and without a length. */
static void test_slow_publisher(void **state) {
    (void)state;
    static const uint8_t first[] = "\x06\0\0\0\x02\0\0\0hi";
    static const uint8_t second[] = "\x08\0\0\0\x04\0\0\0slow\x07\0\0\0\x03\0\0\0end";
    struct impostor impostor = open_impostor();
    for (int chunked = 0; chunked < 2; chunked++) {
        struct fixture fixture;
        open_fixture(&fixture);
        int fd = lure(&fixture, &impostor, chunked);
        send_good_header(&impostor, fd);
        fixture.wanted = 3;
        for (size_t i = 0; i < sizeof first - 1; i++) {
            testing_send(fd, first + i, 1);
        }
        testing_send(fd, second, sizeof second - 1);
        testing_wait(fixture.context, has_counted, &fixture);
        assert_string_equal(fixture.last, "end");
        assert_int_equal(rclite_subscription_matched_count(fixture.subscription), 1);
        close(fd);
        close_fixture(&fixture);
    }
    close_impostor(&impostor);
}

/* After the header comes what is no message: the connection is closed, and nothing delivered. */
static void check_bad_messages(const void *bytes, size_t size) {
    struct fixture fixture;
    struct impostor impostor = open_impostor();
    open_fixture(&fixture);
    int fd = lure(&fixture, &impostor, true);
    send_good_header(&impostor, fd);
    testing_send(fd, bytes, size);
    assert_true(testing_is_closed(fd));
    assert_int_equal(malformed(&fixture), 1);
    assert_int_equal(atomic_load(&fixture.count), 0);
    close(fd);
    close_impostor(&impostor);
    close_fixture(&fixture);
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
    struct fixture fixture;
    struct impostor impostor = open_impostor();
    open_fixture(&fixture);
    int fd = lure(&fixture, &impostor, true);
    send_good_header(&impostor, fd);
    static uint8_t bytes[100000] = {0x00, 0xca, 0x9a, 0x3b}; /* 1,000,000,000 */
    size_t memory = testing_memory_bytes();
    testing_send(fd, bytes, sizeof bytes);
    assert_int_equal(
        rclite_subscription_wait_matched(fixture.subscription, 1, TESTING_TIMEOUT_NS), RCLITE_OK);
    assert_true(testing_memory_bytes() < memory + 4 * MEBIBYTE);
    assert_int_equal(malformed(&fixture), 0);
    close(fd);
    close_impostor(&impostor);
    close_fixture(&fixture);
}

/* Answers to the header that end the matter: it is not asked again. */
static void check_bad_answer(const uint8_t *bytes, size_t size) {
    struct fixture fixture;
    struct impostor impostor = open_impostor();
    open_fixture(&fixture);
    int fd = lure(&fixture, &impostor, false);
    testing_send(fd, bytes, size);
    assert_true(testing_is_closed(fd));
    assert_int_equal(rclite_subscription_matched_count(fixture.subscription), 0);
    close(fd);
    close_impostor(&impostor);
    close_fixture(&fixture);
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
    struct fixture fixture;
    struct impostor impostor = open_impostor();
    char port[32];
    open_fixture(&fixture);
    snprintf(port, sizeof port, "<int>%u</int>", (unsigned)impostor.tcpros_port);
    int fd = lure(&fixture, &impostor, true);
    close(fd);
    answer_request(&impostor, port, true);
    fd = accept_within(impostor.tcpros_fd);
    send_good_header(&impostor, fd);
    assert_int_equal(
        rclite_subscription_wait_matched(fixture.subscription, 1, TESTING_TIMEOUT_NS), RCLITE_OK);
    close(fd);
    close_impostor(&impostor);
    close_fixture(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_headers),
        cmocka_unit_test(test_half_header),
        cmocka_unit_test(test_flood),
        cmocka_unit_test(test_never_reading),
        cmocka_unit_test(test_bad_http),
        cmocka_unit_test(test_slave_api),
        cmocka_unit_test(test_publisher_update),
        cmocka_unit_test(test_http_pieces),
        cmocka_unit_test(test_shutdown),
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
