/* Topics over a real master, rclite with rclite: every delivery, latching, several endpoints on one
 * topic, large messages, coming and going. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testing/ros1_testing.h"

#include "std_msgs/msg/Header.h"
#include "std_msgs/msg/String.h"
#include "std_msgs/msg/UInt8MultiArray.h"

#define STRING (&std_msgs__msg__String__type)
#define ARRAY (&std_msgs__msg__UInt8MultiArray__type)

struct side {
    rclite_context *context;
    rclite_node *node;
};

static struct side open_side(const char *name, rclite_delivery delivery) {
    struct side side = {.context = testing_context(delivery)};
    side.node = testing_node(side.context, name);
    return side;
}

static void close_side(struct side *side) {
    rclite_node_free(side->node);
    rclite_context_free(side->context);
}

static rclite_publisher *advertise(
    rclite_node *node, const char *topic, const rclite_type *type, bool latched) {
    rclite_publisher_options options = RCLITE_PUBLISHER_OPTIONS_INIT;
    rclite_publisher *publisher = NULL;
    if (latched) {
        options.qos.durability = RCLITE_QOS_TRANSIENT_LOCAL;
    }
    assert_int_equal(
        rclite_publisher_create(node, topic, type, &options, &publisher, NULL), RCLITE_OK);
    return publisher;
}

static rclite_subscription *subscribe(rclite_node *node, const char *topic, const rclite_type *type,
    rclite_subscription_callback callback, void *user) {
    rclite_subscription_options options = RCLITE_SUBSCRIPTION_OPTIONS_INIT;
    rclite_subscription *subscription = NULL;
    options.qos.depth = 100;
    assert_int_equal(rclite_subscription_create(
                         node, topic, type, callback, user, &options, &subscription, NULL),
        RCLITE_OK);
    return subscription;
}

static void publish_text(rclite_publisher *publisher, const char *text) {
    std_msgs__msg__String message = {.data = {(char *)(uintptr_t)text, strlen(text), 0}};
    assert_int_equal(rclite_publisher_publish(publisher, &message), RCLITE_OK);
}

struct counter {
    rclite_context *context;
    atomic_int count;
    int wanted;
    char last[64];
    char publisher[64];
};

static void count_text(const void *message, const rclite_message_info *info, void *user) {
    struct counter *counter = user;
    const std_msgs__msg__String *text = message;
    snprintf(counter->last, sizeof counter->last, "%.*s", (int)text->data.size, text->data.data);
    snprintf(counter->publisher, sizeof counter->publisher, "%s", info->publisher_name);
    assert_true(info->received_ns > 0);
    atomic_fetch_add(&counter->count, 1);
    rclite_context_wake(counter->context);
}

static bool has_counted(void *user) {
    struct counter *counter = user;
    return atomic_load(&counter->count) >= counter->wanted;
}

static void exchange(rclite_delivery delivery) {
    struct side out = open_side("out", RCLITE_DELIVERY_DIRECT);
    struct side in = open_side("in", delivery);
    struct counter counter = {.context = in.context, .wanted = 20};
    rclite_publisher *publisher = advertise(out.node, "/text", STRING, false);
    rclite_subscription *subscription = subscribe(in.node, "/text", STRING, count_text, &counter);
    assert_int_equal(rclite_publisher_wait_matched(publisher, 1, TESTING_TIMEOUT_NS), RCLITE_OK);
    assert_int_equal(
        rclite_subscription_wait_matched(subscription, 1, TESTING_TIMEOUT_NS), RCLITE_OK);
    for (int i = 0; i < 20; i++) {
        publish_text(publisher, i == 19 ? "last" : "hello");
    }
    testing_wait(in.context, has_counted, &counter);
    assert_int_equal(atomic_load(&counter.count), 20);
    assert_string_equal(counter.last, "last");
    assert_string_equal(counter.publisher, "/out");
    assert_int_equal(rclite_publisher_wait_sent(publisher, TESTING_TIMEOUT_NS), RCLITE_OK);
    rclite_subscription_free(subscription);
    rclite_publisher_free(publisher);
    close_side(&in);
    close_side(&out);
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
    struct side side = open_side("taker", RCLITE_DELIVERY_DIRECT);
    rclite_publisher *publisher = advertise(side.node, "/taken", STRING, false);
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
    publish_text(publisher, "one");
    publish_text(publisher, "two");
    publish_text(publisher, "three");
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
    close_side(&side);
}

/* Who comes later gets the last message of each latched publisher. */
static void test_latched(void **state) {
    (void)state;
    struct side out = open_side("out", RCLITE_DELIVERY_DIRECT);
    struct side in = open_side("in", RCLITE_DELIVERY_DIRECT);
    struct counter counter = {.context = in.context, .wanted = 2};
    rclite_publisher *first = advertise(out.node, "/kept", STRING, true);
    rclite_publisher *second = advertise(out.node, "/kept", STRING, true);
    publish_text(first, "old");
    publish_text(first, "new");
    publish_text(second, "new");
    rclite_subscription *subscription = subscribe(in.node, "/kept", STRING, count_text, &counter);
    testing_wait(in.context, has_counted, &counter);
    assert_string_equal(counter.last, "new");
    assert_int_equal(atomic_load(&counter.count), 2);
    rclite_publisher_free(first); /* the topic stays with the second one */
    counter.wanted = 3;
    publish_text(second, "newer");
    testing_wait(in.context, has_counted, &counter);
    assert_string_equal(counter.last, "newer");
    rclite_subscription_free(subscription);
    rclite_publisher_free(second);
    close_side(&in);
    close_side(&out);
}

static void test_type_conflict(void **state) {
    (void)state;
    struct side side = open_side("conflict", RCLITE_DELIVERY_DIRECT);
    rclite_publisher *publisher = advertise(side.node, "/conflict", STRING, false);
    rclite_publisher_options options = RCLITE_PUBLISHER_OPTIONS_INIT;
    rclite_publisher *other = NULL;
    rclite_error error = {.text = ""};
    assert_int_equal(
        rclite_publisher_create(side.node, "/conflict", ARRAY, &options, &other, &error),
        RCLITE_ERR_TYPE);
    assert_non_null(strstr(error.text, "/conflict"));
    rclite_publisher_free(publisher);
    close_side(&side);
}

/* ---- large -------------------------------------------------------------------------------------
 */

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
    struct side out = open_side("out", RCLITE_DELIVERY_DIRECT);
    struct side in = open_side("in", RCLITE_DELIVERY_DIRECT);
    struct large large = {.context = in.context, .bytes = 8000000};
    rclite_publisher *publisher = advertise(out.node, "/large", ARRAY, false);
    rclite_subscription *subscription = subscribe(in.node, "/large", ARRAY, check_large, &large);
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
    close_side(&in);
    close_side(&out);
}

/* ---- coming and going --------------------------------------------------------------------------
 */

struct match {
    rclite_context *context;
    atomic_int total, changes;
};

static void on_match(const rclite_event *event, void *user) {
    struct match *match = user;
    assert_int_equal(event->kind, RCLITE_EVENT_MATCHED);
    atomic_store(&match->total, (int)event->total);
    atomic_fetch_add(&match->changes, 1);
    rclite_context_wake(match->context);
}

static bool is_matched(void *user) {
    struct match *match = user;
    return atomic_load(&match->total) == 1;
}

static bool is_alone(void *user) {
    struct match *match = user;
    return atomic_load(&match->total) == 0;
}

static void test_coming_and_going(void **state) {
    (void)state;
    struct side in = open_side("in", RCLITE_DELIVERY_DIRECT);
    struct counter counter = {.context = in.context};
    struct match match = {.context = in.context};
    rclite_subscription_options options = RCLITE_SUBSCRIPTION_OPTIONS_INIT;
    options.event = on_match;
    options.event_user = &match;
    rclite_subscription *subscription = NULL;
    assert_int_equal(rclite_subscription_create(in.node, "/going", STRING, count_text, &counter,
                         &options, &subscription, NULL),
        RCLITE_OK);
    for (int round = 1; round <= 3; round++) { /* a publisher's process starts anew */
        struct side out = open_side("out", RCLITE_DELIVERY_DIRECT);
        rclite_publisher *publisher = advertise(out.node, "/going", STRING, false);
        testing_wait(in.context, is_matched, &match);
        assert_int_equal(
            rclite_publisher_wait_matched(publisher, 1, TESTING_TIMEOUT_NS), RCLITE_OK);
        publish_text(publisher, "again");
        counter.wanted = round;
        testing_wait(in.context, has_counted, &counter);
        rclite_publisher_free(publisher);
        testing_wait(in.context, is_alone, &match);
        close_side(&out);
    }
    assert_true(atomic_load(&match.changes) >= 6);
    rclite_subscription_free(subscription);
    close_side(&in);
}

static void test_ignore_local(void **state) {
    (void)state;
    struct side side = open_side("both", RCLITE_DELIVERY_DIRECT);
    struct side other = open_side("other", RCLITE_DELIVERY_DIRECT);
    struct counter counter = {.context = side.context, .wanted = 1};
    rclite_publisher *local = advertise(side.node, "/local", STRING, false);
    rclite_publisher *remote = advertise(other.node, "/local", STRING, false);
    rclite_subscription_options options = RCLITE_SUBSCRIPTION_OPTIONS_INIT;
    options.ignore_local = true;
    rclite_subscription *subscription = NULL;
    assert_int_equal(rclite_subscription_create(side.node, "/local", STRING, count_text, &counter,
                         &options, &subscription, NULL),
        RCLITE_OK);
    assert_int_equal(rclite_publisher_wait_matched(remote, 1, TESTING_TIMEOUT_NS), RCLITE_OK);
    publish_text(local, "from here");
    publish_text(remote, "from there");
    testing_wait(side.context, has_counted, &counter);
    assert_string_equal(counter.last, "from there");
    assert_int_equal(rclite_publisher_matched_count(local), 0);
    rclite_subscription_free(subscription);
    rclite_publisher_free(local);
    rclite_publisher_free(remote);
    close_side(&other);
    close_side(&side);
}

/* Creating endpoints from inside a callback does not wait for the master, and works. */
struct inside {
    struct counter counter; /* first */
    rclite_node *node;
    rclite_publisher *publisher;
};

static void create_inside(const void *message, const rclite_message_info *info, void *user) {
    (void)message;
    (void)info;
    struct inside *inside = user;
    inside->publisher = advertise(inside->node, "/inside", STRING, true);
    publish_text(inside->publisher, "from inside");
}

static void test_create_in_callback(void **state) {
    (void)state;
    struct side side = open_side("side", RCLITE_DELIVERY_DIRECT);
    struct inside inside = {.counter = {.context = side.context, .wanted = 1}, .node = side.node};
    rclite_publisher *publisher = advertise(side.node, "/outside", STRING, true);
    rclite_subscription *outer = subscribe(side.node, "/outside", STRING, create_inside, &inside);
    rclite_subscription *inner =
        subscribe(side.node, "/inside", STRING, count_text, &inside.counter);
    publish_text(publisher, "go");
    testing_wait(side.context, has_counted, &inside.counter);
    assert_string_equal(inside.counter.last, "from inside");
    rclite_subscription_free(outer);
    rclite_subscription_free(inner);
    rclite_publisher_free(publisher);
    rclite_publisher_free(inside.publisher);
    close_side(&side);
}

/* Nothing that was freed stays at the master. */
static void test_nothing_is_left(void **state) {
    (void)state;
    struct side side = open_side("leaving", RCLITE_DELIVERY_DIRECT);
    rclite_publisher *publisher = advertise(side.node, "/left", STRING, false);
    uint32_t publishers = 0;
    uint32_t subscriptions = 0;
    assert_int_equal(
        rclite_graph_count(side.context, "/left", &publishers, &subscriptions), RCLITE_OK);
    assert_int_equal(publishers, 1);
    rclite_publisher_free(publisher);
    assert_int_equal(
        rclite_graph_count(side.context, "/left", &publishers, &subscriptions), RCLITE_OK);
    assert_int_equal(publishers, 0);
    close_side(&side);
}

static void test_parameters(void **state) {
    (void)state;
    static const char *const arguments[] = {"test", "_from_argument:=17", "_name:=text"};
    rclite_context *context = testing_context_with(RCLITE_DELIVERY_DIRECT, NULL, 3, arguments);
    rclite_node *node = testing_node(context, "params");
    rclite_parameter value;
    rclite_string found = {0};
    assert_int_equal(rclite_parameter_get(node, "~nothing", &value, NULL), RCLITE_EMPTY);
    assert_int_equal(rclite_parameter_get(node, "~from_argument", &value, NULL), RCLITE_OK);
    assert_int_equal(value.kind, RCLITE_PARAMETER_INTEGER);
    assert_int_equal(value.integer, 17);
    assert_int_equal(rclite_parameter_get(node, "~name", &value, NULL), RCLITE_OK);
    assert_string_equal(value.string.data, "text");
    rclite_parameter_done(node, &value);
    const rclite_parameter values[] = {
        {.kind = RCLITE_PARAMETER_BOOL, .boolean = true},
        {.kind = RCLITE_PARAMETER_INTEGER, .integer = -5},
        {.kind = RCLITE_PARAMETER_DOUBLE, .real = 0.25},
    };
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(rclite_parameter_set(node, "/value", &values[i], NULL), RCLITE_OK);
        assert_int_equal(rclite_parameter_get(node, "/value", &value, NULL), RCLITE_OK);
        assert_int_equal(value.kind, values[i].kind);
        assert_int_equal(value.boolean, values[i].boolean);
        assert_int_equal(value.integer, values[i].integer);
        assert_true(value.real == values[i].real);
    }
    assert_int_equal(rclite_parameter_search(node, "value", &found, NULL), RCLITE_OK);
    assert_string_equal(found.data, "/value");
    assert_int_equal(rclite_parameter_search(node, "absent", &found, NULL), RCLITE_EMPTY);
    free(found.data);
    rclite_node_free(node);
    rclite_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_direct),
        cmocka_unit_test(test_spin),
        cmocka_unit_test(test_take),
        cmocka_unit_test(test_latched),
        cmocka_unit_test(test_type_conflict),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_coming_and_going),
        cmocka_unit_test(test_ignore_local),
        cmocka_unit_test(test_create_in_callback),
        cmocka_unit_test(test_nothing_is_left),
        cmocka_unit_test(test_parameters),
    };
    if (!testing_master_start()) {
        return 77;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    testing_master_stop();
    return failed;
}
