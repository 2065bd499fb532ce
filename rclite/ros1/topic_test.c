/* Topics over a real master, rclite with rclite: every delivery, taking, latching, types that do
 * not agree, large messages. Who comes and goes is in topic_life_test.c. */
#include <string.h>

#include "testing/topic_testing.h"

#include "std_msgs/msg/UInt8MultiArray.h"

#define ARRAY (&std_msgs__msg__UInt8MultiArray__type)

static void exchange(rclite_delivery delivery) {
    struct side out = side_open("out", RCLITE_DELIVERY_DIRECT);
    struct side in = side_open("in", delivery);
    struct text_counter counter = {.context = in.context, .wanted = 20};
    rclite_publisher *publisher = testing_advertise(out.node, "/text", STRING, false);
    rclite_subscription *subscription =
        testing_subscribe(in.node, "/text", STRING, text_count, &counter);
    assert_int_equal(rclite_publisher_wait_matched(publisher, 1, TESTING_TIMEOUT_NS), RCLITE_OK);
    assert_int_equal(
        rclite_subscription_wait_matched(subscription, 1, TESTING_TIMEOUT_NS), RCLITE_OK);
    for (int i = 0; i < 20; i++) {
        text_publish(publisher, i == 19 ? "last" : "hello");
    }
    testing_wait(in.context, text_is_counted, &counter);
    assert_int_equal(atomic_load(&counter.count), 20);
    assert_string_equal(counter.last, "last");
    assert_string_equal(counter.publisher, "/out");
    assert_int_equal(rclite_publisher_wait_sent(publisher, TESTING_TIMEOUT_NS), RCLITE_OK);
    rclite_subscription_free(subscription);
    rclite_publisher_free(publisher);
    side_close(&in);
    side_close(&out);
}

static void test_direct(void **state) {
    (void)state;
    exchange(RCLITE_DELIVERY_DIRECT);
}

static void test_spin(void **state) {
    (void)state;
    exchange(RCLITE_DELIVERY_SPIN);
}

/* Without a callback: the oldest give way when more come than the depth holds. */
static void test_take(void **state) {
    (void)state;
    struct side side = side_open("taker", RCLITE_DELIVERY_DIRECT);
    rclite_publisher *publisher = testing_advertise(side.node, "/taken", STRING, false);
    rclite_subscription_options options = RCLITE_SUBSCRIPTION_OPTIONS_INIT;
    rclite_subscription *subscription = NULL;
    std_msgs__msg__String message;
    rclite_message_info info;
    options.qos.depth = 2;
    assert_int_equal(rclite_message_init(STRING, &message, NULL), RCLITE_OK);
    assert_int_equal(rclite_subscription_create(
                         side.node, "/taken", STRING, NULL, NULL, &options, &subscription, NULL),
        RCLITE_OK);
    assert_int_equal(rclite_subscription_take(subscription, &message, &info), RCLITE_EMPTY);
    assert_int_equal(rclite_subscription_wait(subscription, 0), RCLITE_ERR_TIMEOUT);
    assert_int_equal(rclite_publisher_wait_matched(publisher, 1, TESTING_TIMEOUT_NS), RCLITE_OK);
    assert_int_equal(
        rclite_subscription_wait_matched(subscription, 1, TESTING_TIMEOUT_NS), RCLITE_OK);
    text_publish(publisher, "one");
    text_publish(publisher, "two");
    text_publish(publisher, "three");
    int64_t deadline = rclite_monotonic_ns() + TESTING_TIMEOUT_NS;
    while (rclite_context_count(side.context).dropped == 0) { /* until the third one is there */
        assert_true(rclite_monotonic_ns() < deadline);
        assert_int_equal(rclite_subscription_wait(subscription, TESTING_TIMEOUT_NS), RCLITE_OK);
    }
    assert_int_equal(rclite_subscription_take(subscription, &message, &info), RCLITE_OK);
    assert_string_equal(message.data.data, "two");
    assert_string_equal(info.publisher_name, "/taker");
    assert_int_equal(rclite_subscription_take(subscription, &message, NULL), RCLITE_OK);
    assert_string_equal(message.data.data, "three");
    assert_int_equal(rclite_subscription_take(subscription, &message, NULL), RCLITE_EMPTY);
    assert_int_equal(rclite_context_count(side.context).dropped, 1);
    rclite_message_done(STRING, &message, NULL);
    rclite_subscription_free(subscription);
    rclite_publisher_free(publisher);
    side_close(&side);
}

/* Who comes later gets the last message of each latched publisher. */
static void test_latched(void **state) {
    (void)state;
    struct side out = side_open("out", RCLITE_DELIVERY_DIRECT);
    struct side in = side_open("in", RCLITE_DELIVERY_DIRECT);
    struct text_counter counter = {.context = in.context, .wanted = 2};
    rclite_publisher *first = testing_advertise(out.node, "/kept", STRING, true);
    rclite_publisher *second = testing_advertise(out.node, "/kept", STRING, true);
    text_publish(first, "old");
    text_publish(first, "new");
    text_publish(second, "new");
    rclite_subscription *subscription =
        testing_subscribe(in.node, "/kept", STRING, text_count, &counter);
    testing_wait(in.context, text_is_counted, &counter);
    assert_string_equal(counter.last, "new");
    assert_int_equal(atomic_load(&counter.count), 2);
    rclite_publisher_free(first); /* the topic stays with the second one */
    counter.wanted = 3;
    text_publish(second, "newer");
    testing_wait(in.context, text_is_counted, &counter);
    assert_string_equal(counter.last, "newer");
    rclite_subscription_free(subscription);
    rclite_publisher_free(second);
    side_close(&in);
    side_close(&out);
}

static void test_type_conflict(void **state) {
    (void)state;
    struct side side = side_open("conflict", RCLITE_DELIVERY_DIRECT);
    rclite_publisher *publisher = testing_advertise(side.node, "/conflict", STRING, false);
    rclite_publisher_options options = RCLITE_PUBLISHER_OPTIONS_INIT;
    rclite_publisher *other = NULL;
    rclite_error error = {.text = ""};
    assert_int_equal(
        rclite_publisher_create(side.node, "/conflict", ARRAY, &options, &other, &error),
        RCLITE_ERR_TYPE);
    assert_non_null(strstr(error.text, "/conflict"));
    rclite_publisher_free(publisher);
    side_close(&side);
}

struct large {
    rclite_context *context;
    atomic_int count;
    size_t bytes;
};

static void check_large(const void *message, const rclite_message_info *info, void *user) {
    (void)info;
    struct large *large = user;
    const std_msgs__msg__UInt8MultiArray *array = message;
    assert_int_equal(array->data.size, large->bytes);
    for (size_t i = 0; i < large->bytes; i += 997) {
        assert_int_equal(array->data.data[i], (uint8_t)(i * 7));
    }
    atomic_fetch_add(&large->count, 1);
    rclite_context_wake(large->context);
}

static bool has_large(void *user) {
    struct large *large = user;
    return atomic_load(&large->count) == 5;
}

static void test_large(void **state) {
    (void)state;
    struct side out = side_open("out", RCLITE_DELIVERY_DIRECT);
    struct side in = side_open("in", RCLITE_DELIVERY_DIRECT);
    struct large large = {.context = in.context, .bytes = 8000000};
    rclite_publisher *publisher = testing_advertise(out.node, "/large", ARRAY, false);
    rclite_subscription *subscription =
        testing_subscribe(in.node, "/large", ARRAY, check_large, &large);
    std_msgs__msg__UInt8MultiArray message;
    assert_int_equal(rclite_message_init(ARRAY, &message, NULL), RCLITE_OK);
    assert_int_equal(rclite_sequence_resize(&message.data, 1, large.bytes, NULL), RCLITE_OK);
    for (size_t i = 0; i < large.bytes; i++) {
        message.data.data[i] = (uint8_t)(i * 7);
    }
    assert_int_equal(rclite_publisher_wait_matched(publisher, 1, TESTING_TIMEOUT_NS), RCLITE_OK);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(rclite_publisher_publish(publisher, &message), RCLITE_OK);
    }
    assert_int_equal(rclite_publisher_wait_sent(publisher, TESTING_TIMEOUT_NS), RCLITE_OK);
    testing_wait(in.context, has_large, &large);
    rclite_message_done(ARRAY, &message, NULL);
    rclite_subscription_free(subscription);
    rclite_publisher_free(publisher);
    side_close(&in);
    side_close(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_direct),
        cmocka_unit_test(test_spin),
        cmocka_unit_test(test_take),
        cmocka_unit_test(test_latched),
        cmocka_unit_test(test_type_conflict),
        cmocka_unit_test(test_large),
    };
    if (!testing_master_start()) {
        return 77;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    testing_master_stop();
    return failed;
}
