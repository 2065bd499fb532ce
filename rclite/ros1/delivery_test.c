/* What waits for a spin or a take comes out whole and in order, whatever the sizes of the messages
 * that came together: small bodies are copied out of the connection's buffer, for large ones the
 * buffer itself is exchanged, and what came behind moves into the next one. */
#include <stdio.h>
#include <string.h>

#include "testing/ros1_testing.h"

#include "std_msgs/msg/UInt8MultiArray.h"

#define ARRAY (&std_msgs__msg__UInt8MultiArray__type)
#define ROUNDS 4

static const size_t sizes[] = {0, 1, 16383, 16384, 1000000, 3, 20000, 70000, 70000, 16384, 12,
    300000, 0, 2000000, 90000, 1, 1, 500000};
#define SIZES (sizeof sizes / sizeof *sizes)
#define MESSAGES (ROUNDS * SIZES)

struct fixture {
    rclite_context *out, *in;
    rclite_node *out_node, *in_node;
    rclite_publisher *publisher;
    rclite_subscription *subscription;
    size_t received;
    char name[512]; /* of the publishing node, with its slash */
};

static uint8_t byte_of(size_t message, size_t at) {
    return (uint8_t)(message * 31 + at * 7);
}

static void check(struct fixture *f, const std_msgs__msg__UInt8MultiArray *message,
    const rclite_message_info *info) {
    size_t number = f->received++;
    assert_int_equal(message->data.size, sizes[number % SIZES]);
    for (size_t i = 0; i < message->data.size; i++) {
        if (message->data.data[i] != byte_of(number, i)) {
            fail_msg("message %zu differs at byte %zu", number, i);
        }
    }
    assert_string_equal(info->publisher_name, f->name);
    assert_true(info->received_ns > 0);
}

static void on_message(const void *message, const rclite_message_info *info, void *user) {
    struct fixture *f = user;
    check(f, message, info);
}

static bool has_all(void *user) {
    const struct fixture *f = user;
    return f->received == MESSAGES;
}

/* callback NULL: for taking. The name has no slash. */
static void open_fixture(
    struct fixture *f, const char *name, rclite_subscription_callback callback) {
    rclite_publisher_options out_options = RCLITE_PUBLISHER_OPTIONS_INIT;
    rclite_subscription_options in_options = RCLITE_SUBSCRIPTION_OPTIONS_INIT;
    out_options.qos.history = in_options.qos.history = RCLITE_QOS_KEEP_ALL;
    memset(f, 0, sizeof *f);
    snprintf(f->name, sizeof f->name, "/%s", name);
    f->out = testing_context(RCLITE_DELIVERY_DIRECT);
    f->in = testing_context(RCLITE_DELIVERY_SPIN);
    f->out_node = testing_node(f->out, name);
    f->in_node = testing_node(f->in, "receiver");
    assert_int_equal(
        rclite_publisher_create(f->out_node, "/waiting", ARRAY, &out_options, &f->publisher, NULL),
        RCLITE_OK);
    assert_int_equal(rclite_subscription_create(f->in_node, "/waiting", ARRAY, callback, f,
                         &in_options, &f->subscription, NULL),
        RCLITE_OK);
    assert_int_equal(rclite_publisher_wait_matched(f->publisher, 1, TESTING_TIMEOUT_NS), RCLITE_OK);
}

static void close_fixture(struct fixture *f) {
    rclite_subscription_free(f->subscription);
    rclite_publisher_free(f->publisher);
    rclite_node_free(f->in_node);
    rclite_node_free(f->out_node);
    rclite_context_free(f->in);
    rclite_context_free(f->out);
}

static void publish_all(struct fixture *f) {
    std_msgs__msg__UInt8MultiArray message;
    assert_int_equal(rclite_message_init(ARRAY, &message, NULL), RCLITE_OK);
    for (size_t number = 0; number < MESSAGES; number++) {
        size_t size = sizes[number % SIZES];
        assert_int_equal(rclite_sequence_resize(&message.data, 1, size, NULL), RCLITE_OK);
        for (size_t i = 0; i < size; i++) {
            message.data.data[i] = byte_of(number, i);
        }
        assert_int_equal(rclite_publisher_publish(f->publisher, &message), RCLITE_OK);
    }
    rclite_message_done(ARRAY, &message, NULL);
}

static void test_spin(void **state) {
    (void)state;
    struct fixture f;
    open_fixture(&f, "sender", on_message);
    publish_all(&f);
    testing_wait(f.in, has_all, &f);
    close_fixture(&f);
}

/* A name that does not fit behind a body: the message is copied, as small ones are. */
static void test_long_name(void **state) {
    (void)state;
    struct fixture f;
    char name[256];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    open_fixture(&f, name, on_message);
    publish_all(&f);
    testing_wait(f.in, has_all, &f);
    close_fixture(&f);
}

static void test_take(void **state) {
    (void)state;
    struct fixture f;
    std_msgs__msg__UInt8MultiArray message;
    rclite_message_info info;
    open_fixture(&f, "sender", NULL);
    publish_all(&f);
    assert_int_equal(rclite_message_init(ARRAY, &message, NULL), RCLITE_OK);
    while (!has_all(&f)) {
        assert_int_equal(rclite_subscription_wait(f.subscription, TESTING_TIMEOUT_NS), RCLITE_OK);
        assert_int_equal(rclite_subscription_take(f.subscription, &message, &info), RCLITE_OK);
        check(&f, &message, &info);
    }
    assert_int_equal(rclite_subscription_take(f.subscription, &message, &info), RCLITE_EMPTY);
    rclite_message_done(ARRAY, &message, NULL);
    close_fixture(&f);
}

/* Those that were never fetched go with the subscription. */
static void test_left_behind(void **state) {
    (void)state;
    struct fixture f;
    open_fixture(&f, "sender", NULL);
    publish_all(&f);
    assert_int_equal(rclite_subscription_wait(f.subscription, TESTING_TIMEOUT_NS), RCLITE_OK);
    close_fixture(&f);
}

int main(void) {
    if (!testing_master_start()) {
        return 77;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_spin),
        cmocka_unit_test(test_long_name), cmocka_unit_test(test_take),
        cmocka_unit_test(test_left_behind)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    testing_master_stop();
    return failed;
}
