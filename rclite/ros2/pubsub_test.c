/* Topics between two contexts of one process, over loopback. */
#include <stdlib.h>
#include <string.h>

#include "ros2/testing/ros2_testing.h"

static rclite_publisher *publisher_of(
    rclite_node *node, const char *topic, const rclite_publisher_options *options) {
    rclite_publisher_options defaults = RCLITE_PUBLISHER_OPTIONS_INIT;
    rclite_publisher *publisher = NULL;
    assert_ok(rclite_publisher_create(
        node, topic, &testing_bytes_type, options ? options : &defaults, &publisher, NULL));
    return publisher;
}

/* Atomic, since nothing but the network orders a reading here before the next message. */
typedef struct received {
    testing_gate gate;
    _Atomic uint64_t last_seq;
    _Atomic size_t last_size;
    _Atomic uint8_t last_first, last_last;
    rclite_message_info info;
    _Atomic uint64_t disorder;
} received;

static void on_bytes(const void *message, const rclite_message_info *info, void *user) {
    const testing_bytes *bytes = message;
    received *to = user;
    to->disorder += to->last_seq != 0 && bytes->seq != to->last_seq + 1;
    to->last_seq = bytes->seq;
    to->last_size = bytes->data.size;
    if (bytes->data.size > 0) {
        to->last_first = bytes->data.data[0];
        to->last_last = bytes->data.data[bytes->data.size - 1];
    }
    to->info = *info;
    testing_gate_add(&to->gate, 1);
}

static rclite_subscription *subscription_of(rclite_node *node, const char *topic,
    rclite_subscription_callback callback, void *user, const rclite_subscription_options *options) {
    rclite_subscription_options defaults = RCLITE_SUBSCRIPTION_OPTIONS_INIT;
    rclite_subscription *subscription = NULL;
    assert_ok(rclite_subscription_create(node, topic, &testing_bytes_type, callback, user,
        options ? options : &defaults, &subscription, NULL));
    return subscription;
}

static testing_bytes make_bytes(uint64_t seq, size_t size) {
    testing_bytes bytes = {.seq = seq};
    assert_ok(rclite_sequence_resize(&bytes.data, 1, size, NULL));
    if (size > 0) {
        memset(bytes.data.data, 0x5a, size);
        bytes.data.data[0] = 1;
        bytes.data.data[size - 1] = 2;
    }
    return bytes;
}

static void direct_delivery(void **state) {
    (void)state;
    testing_pair pair = testing_pair_open(RCLITE_DELIVERY_DIRECT);
    received got = {.gate = TESTING_GATE_INIT};
    rclite_subscription *subscription =
        subscription_of(pair.nodes[1], "/direct", on_bytes, &got, NULL);
    rclite_publisher *publisher = publisher_of(pair.nodes[0], "/direct", NULL);
    assert_ok(rclite_publisher_wait_matched(publisher, 1, TESTING_TIMEOUT_NS));
    assert_ok(rclite_subscription_wait_matched(subscription, 1, TESTING_TIMEOUT_NS));
    const size_t sizes[] = {0, 1, 3, 1000, 65536, 1 << 20};
    uint64_t sent = 0;
    const int64_t before_ns = rclite_now_ns();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        testing_bytes bytes = make_bytes(++sent, sizes[i]);
        assert_ok(rclite_publisher_publish(publisher, &bytes));
        assert_true(testing_gate_wait(&got.gate, sent, TESTING_TIMEOUT_NS));
        assert_int_equal(got.last_seq, sent);
        assert_int_equal(got.last_size, sizes[i]);
        if (sizes[i] > 1) {
            assert_int_equal(got.last_first, 1);
            assert_int_equal(got.last_last, 2);
        }
        rclite_message_done(&testing_bytes_type, &bytes, NULL);
    }
    assert_true(got.info.source_ns >= before_ns);
    assert_true(got.info.received_ns >= got.info.source_ns);
    assert_ok(rclite_publisher_wait_sent(publisher, TESTING_TIMEOUT_NS));
    rclite_publisher_free(publisher);
    rclite_subscription_free(subscription);
    testing_pair_close(&pair);
}

static void spin_delivery(void **state) {
    (void)state;
    testing_pair pair = testing_pair_open(RCLITE_DELIVERY_SPIN);
    received got = {.gate = TESTING_GATE_INIT};
    rclite_subscription *subscription =
        subscription_of(pair.nodes[1], "/spin", on_bytes, &got, NULL);
    rclite_publisher *publisher = publisher_of(pair.nodes[0], "/spin", NULL);
    assert_ok(rclite_publisher_wait_matched(publisher, 1, TESTING_TIMEOUT_NS));
    assert_ok(rclite_subscription_wait_matched(subscription, 1, TESTING_TIMEOUT_NS));
    for (uint64_t i = 1; i <= 5; i++) {
        testing_bytes bytes = make_bytes(i, 100);
        assert_ok(rclite_publisher_publish(publisher, &bytes));
        rclite_message_done(&testing_bytes_type, &bytes, NULL);
    }
    assert_true(testing_gate_spin(&got.gate, pair.contexts[1], 5, TESTING_TIMEOUT_NS));
    assert_int_equal(got.disorder, 0);
    assert_int_equal(got.last_seq, 5);
    rclite_publisher_free(publisher);
    rclite_subscription_free(subscription);
    testing_pair_close(&pair);
}

static void taking(void **state) {
    (void)state;
    testing_pair pair = testing_pair_open(RCLITE_DELIVERY_DIRECT);
    rclite_subscription *subscription = subscription_of(pair.nodes[1], "/take", NULL, NULL, NULL);
    rclite_publisher *publisher = publisher_of(pair.nodes[0], "/take", NULL);
    assert_ok(rclite_publisher_wait_matched(publisher, 1, TESTING_TIMEOUT_NS));
    assert_ok(rclite_subscription_wait_matched(subscription, 1, TESTING_TIMEOUT_NS));
    testing_bytes to = {.seq = 0};
    assert_int_equal(rclite_subscription_take(subscription, &to, NULL), RCLITE_EMPTY);
    assert_int_equal(rclite_subscription_wait(subscription, 0), RCLITE_ERR_TIMEOUT);
    testing_bytes bytes = make_bytes(7, 50);
    assert_ok(rclite_publisher_publish(publisher, &bytes));
    assert_ok(rclite_subscription_wait(subscription, TESTING_TIMEOUT_NS));
    rclite_message_info info = {0};
    assert_ok(rclite_subscription_take(subscription, &to, &info));
    assert_true(rclite_message_equal(&testing_bytes_type, RCLITE_ROS2, &bytes, &to));
    assert_true(info.source_ns > 0);
    assert_int_equal(rclite_subscription_take(subscription, &to, NULL), RCLITE_EMPTY);
    rclite_message_done(&testing_bytes_type, &bytes, NULL);
    rclite_message_done(&testing_bytes_type, &to, NULL);
    rclite_publisher_free(publisher);
    rclite_subscription_free(subscription);
    testing_pair_close(&pair);
}

/* A subscriber that comes late gets the last `depth` messages of a transient local publisher. */
static void late_joiner(void **state) {
    (void)state;
    testing_pair pair = testing_pair_open(RCLITE_DELIVERY_DIRECT);
    rclite_publisher_options offer = RCLITE_PUBLISHER_OPTIONS_INIT;
    offer.qos.durability = RCLITE_QOS_TRANSIENT_LOCAL;
    offer.qos.depth = 3;
    rclite_publisher *publisher = publisher_of(pair.nodes[0], "/late", &offer);
    for (uint64_t i = 1; i <= 5; i++) {
        testing_bytes bytes = make_bytes(i, 8);
        assert_ok(rclite_publisher_publish(publisher, &bytes));
        rclite_message_done(&testing_bytes_type, &bytes, NULL);
    }
    received got = {.gate = TESTING_GATE_INIT};
    rclite_subscription_options ask = RCLITE_SUBSCRIPTION_OPTIONS_INIT;
    ask.qos = offer.qos;
    rclite_subscription *subscription =
        subscription_of(pair.nodes[1], "/late", on_bytes, &got, &ask);
    assert_true(testing_gate_wait(&got.gate, 3, TESTING_TIMEOUT_NS));
    assert_int_equal(got.last_seq, 5);
    assert_int_equal(got.disorder, 0);
    assert_int_equal(testing_gate_count(&got.gate), 3);
    rclite_publisher_free(publisher);
    rclite_subscription_free(subscription);
    testing_pair_close(&pair);
}

/* Bytes that were serialised elsewhere, of both byte orders; and bytes that are no CDR at all. */
static void serialized(void **state) {
    (void)state;
    testing_pair pair = testing_pair_open(RCLITE_DELIVERY_DIRECT);
    received got = {.gate = TESTING_GATE_INIT};
    rclite_subscription *subscription =
        subscription_of(pair.nodes[1], "/raw", on_bytes, &got, NULL);
    rclite_publisher *publisher = publisher_of(pair.nodes[0], "/raw", NULL);
    assert_ok(rclite_publisher_wait_matched(publisher, 1, TESTING_TIMEOUT_NS));
    assert_ok(rclite_subscription_wait_matched(subscription, 1, TESTING_TIMEOUT_NS));
    const uint8_t big[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 2, 0xaa, 0xbb};
    assert_ok(rclite_publisher_publish_serialized(publisher, big, sizeof big));
    assert_true(testing_gate_wait(&got.gate, 1, TESTING_TIMEOUT_NS));
    assert_int_equal(got.last_seq, 9);
    assert_int_equal(got.last_size, 2);
    assert_int_equal(got.last_last, 0xbb);
    assert_int_equal(rclite_publisher_publish_serialized(publisher, big, 3), RCLITE_ERR_MALFORMED);
    const uint8_t xcdr2[] = {0, 7, 0, 0, 1, 2, 3, 4};
    assert_int_equal(
        rclite_publisher_publish_serialized(publisher, xcdr2, sizeof xcdr2), RCLITE_ERR_MALFORMED);
    /* A length far beyond the bytes: counted at the other side, and nothing else happens. */
    const uint8_t lying[] = {0, 1, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0x7f};
    assert_ok(rclite_publisher_publish_serialized(publisher, lying, sizeof lying));
    testing_bytes bytes = make_bytes(10, 4);
    assert_ok(rclite_publisher_publish(publisher, &bytes));
    assert_true(testing_gate_wait(&got.gate, 2, TESTING_TIMEOUT_NS));
    assert_int_equal(got.last_seq, 10);
    assert_int_equal(rclite_context_count(pair.contexts[1]).malformed, 1);
    rclite_message_done(&testing_bytes_type, &bytes, NULL);
    rclite_publisher_free(publisher);
    rclite_subscription_free(subscription);
    testing_pair_close(&pair);
}

static void ignore_local(void **state) {
    (void)state;
    testing_pair pair = testing_pair_open(RCLITE_DELIVERY_DIRECT);
    received own = {.gate = TESTING_GATE_INIT}, other = {.gate = TESTING_GATE_INIT};
    rclite_subscription_options options = RCLITE_SUBSCRIPTION_OPTIONS_INIT;
    options.ignore_local = true;
    rclite_subscription *deaf = subscription_of(pair.nodes[0], "/local", on_bytes, &own, &options);
    rclite_subscription *hearing =
        subscription_of(pair.nodes[1], "/local", on_bytes, &other, &options);
    rclite_publisher *publisher = publisher_of(pair.nodes[0], "/local", NULL);
    assert_ok(rclite_subscription_wait_matched(hearing, 1, TESTING_TIMEOUT_NS));
    assert_ok(rclite_publisher_wait_matched(publisher, 1, TESTING_TIMEOUT_NS));
    testing_bytes bytes = make_bytes(1, 4);
    assert_ok(rclite_publisher_publish(publisher, &bytes));
    assert_true(testing_gate_wait(&other.gate, 1, TESTING_TIMEOUT_NS));
    assert_int_equal(testing_gate_count(&own.gate), 0);
    rclite_message_done(&testing_bytes_type, &bytes, NULL);
    rclite_publisher_free(publisher);
    rclite_subscription_free(deaf);
    rclite_subscription_free(hearing);
    testing_pair_close(&pair);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(direct_delivery),
        cmocka_unit_test(spin_delivery),
        cmocka_unit_test(taking),
        cmocka_unit_test(late_joiner),
        cmocka_unit_test(serialized),
        cmocka_unit_test(ignore_local),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
