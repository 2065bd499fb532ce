/* Subscribers that break the rules: bad and half headers, floods of connections, and one that never
 * reads. Each must cost an error and its own connection, and nothing else. */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "testing/victim.h"

#include "std_msgs/msg/UInt8MultiArray.h"

#define ARRAY (&std_msgs__msg__UInt8MultiArray__type)
#define MEBIBYTE ((size_t)1 << 20)

static void check_refused(struct victim *victim, const void *bytes, size_t size, uint64_t counted) {
    uint64_t before = victim_malformed(victim);
    int fd = testing_connect(testing_tcpros_port(victim->node));
    testing_send(fd, bytes, size);
    assert_true(testing_is_closed(fd));
    close(fd);
    assert_int_equal(victim_malformed(victim), before + counted);
    victim_check_alive(victim);
}

static void test_bad_headers(void **state) {
    (void)state;
    struct victim victim;
    uint8_t bytes[512];
    victim_open(&victim);
    check_refused(&victim, "\xff\xff\xff\xff", 4, 1);
    check_refused(&victim, "\x01\x00\x10\x00", 4, 1); /* 1 MiB and a byte */
    check_refused(&victim,
        "\x08\0\0\0\xff\xff\xff\x7f"
        "abcd",
        12, 1);                                               /* a field beyond */
    check_refused(&victim, "\x07\0\0\0\x03\0\0\0abc", 11, 1); /* no '=' */
    check_refused(&victim, "\0\0\0\0", 4, 0);                 /* neither topic nor service */
    size_t size = testing_header(bytes, sizeof bytes, "topic=/text", "callerid=/x", (char *)NULL);
    check_refused(&victim, bytes, size, 0); /* no md5sum */
    size = testing_header(bytes, sizeof bytes, "topic=/text", "callerid=/x", "type=std_msgs/Int8",
        "md5sum=27ffa0c9c4b8fb8492252bcad9e5c57b", (char *)NULL);
    check_refused(&victim, bytes, size, 0);
    assert_non_null(strstr(testing_last_log(), "std_msgs/Int8"));
    size = testing_header(
        bytes, sizeof bytes, "topic=/nothing", "md5sum=*", "callerid=/x", (char *)NULL);
    check_refused(&victim, bytes, size, 0);
    victim_close(&victim);
}

/* A header that never becomes whole is given up; meanwhile the others go on. */
static void test_half_header(void **state) {
    (void)state;
    struct victim victim;
    victim_open(&victim);
    testing_set_handshake(victim.context, 300000000);
    int fd = testing_connect(testing_tcpros_port(victim.node));
    testing_send(fd, "\x20\0\0\0\x03\0", 6);
    victim_check_alive(&victim);
    assert_true(testing_is_closed(fd));
    close(fd);
    victim_check_alive(&victim);
    victim_close(&victim);
}

/* Connections that say nothing, as many as the process has descriptors and more. */
static void test_flood(void **state) {
    (void)state;
    struct victim victim;
    enum { FLOOD = 400 };
    int fds[FLOOD];
    victim_open(&victim);
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    uint16_t port = testing_tcpros_port(victim.node);
    for (int i = 0; i < FLOOD; i++) {
        fds[i] = testing_connect(port);
    }
    /* From now on nothing more can be accepted: what is connected goes on. */
    struct rlimit tight = {.rlim_cur = (rlim_t)fds[FLOOD - 1] + 8, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &tight), 0);
    victim_check_alive(&victim);
    for (int i = 0; i < FLOOD; i++) {
        close(fds[i]);
    }
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    testing_wait_inbounds(victim.node, 1); /* all the flood is forgotten */
    victim_check_alive(&victim);
    victim_close(&victim);
}

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

static void publish_flow(struct victim *victim, rclite_publisher *publisher, struct flow *flow) {
    std_msgs__msg__UInt8MultiArray message;
    assert_int_equal(rclite_message_init(ARRAY, &message, NULL), RCLITE_OK);
    assert_int_equal(rclite_sequence_resize(&message.data, 1, MEBIBYTE / 4, NULL), RCLITE_OK);
    for (int i = 0; i < 400; i++) {
        assert_int_equal(rclite_publisher_publish(publisher, &message), RCLITE_OK);
        while (atomic_load(&flow->count) < i - 2) { /* the good one keeps up */
            int64_t wait_ns = 1000000;
            rclite_result result = rclite_spin_once(victim->context, wait_ns);
            assert_true(result == RCLITE_OK || result == RCLITE_EMPTY);
        }
    }
    rclite_message_done(ARRAY, &message, NULL);
}

/* A subscriber that never reads costs its queue; the other one gets everything. */
static void test_never_reading(void **state) {
    (void)state;
    struct victim victim;
    uint8_t bytes[512];
    char md5[64];
    victim_open(&victim);
    struct flow flow = {.context = victim.context};
    rclite_publisher *publisher = NULL;
    rclite_subscription *subscription = NULL;
    rclite_publisher_options out = RCLITE_PUBLISHER_OPTIONS_INIT;
    rclite_subscription_options in = RCLITE_SUBSCRIPTION_OPTIONS_INIT;
    out.qos.depth = 4;
    assert_int_equal(
        rclite_publisher_create(victim.node, "/flow", ARRAY, &out, &publisher, NULL), RCLITE_OK);
    assert_int_equal(rclite_subscription_create(
                         victim.node, "/flow", ARRAY, on_flow, &flow, &in, &subscription, NULL),
        RCLITE_OK);
    snprintf(md5, sizeof md5, "md5sum=%s", ARRAY->ros1->fingerprint);
    size_t size =
        testing_header(bytes, sizeof bytes, "topic=/flow", md5, "callerid=/lazy", (char *)NULL);
    int fd = testing_connect(testing_tcpros_port(victim.node));
    testing_send(fd, bytes, size);
    assert_int_equal(rclite_publisher_wait_matched(publisher, 2, TESTING_TIMEOUT_NS), RCLITE_OK);
    size_t memory = testing_memory_bytes();
    publish_flow(&victim, publisher, &flow);
    testing_wait(victim.context, has_flowed, &flow);
    assert_true(testing_memory_bytes() < memory + 8 * MEBIBYTE); /* of 100 MiB that were sent */
    assert_true(rclite_context_count(victim.context).dropped > 300);
    victim_check_alive(&victim);
    close(fd);
    testing_wait_inbounds(victim.node, 2);
    rclite_subscription_free(subscription);
    rclite_publisher_free(publisher);
    victim_close(&victim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_headers),
        cmocka_unit_test(test_half_header),
        cmocka_unit_test(test_flood),
        cmocka_unit_test(test_never_reading),
    };
    if (!testing_master_start()) {
        return 77;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    testing_master_stop();
    return failed;
}
