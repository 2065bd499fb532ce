/* The life of a topic's ends over a real master: they come and go, are made inside a callback,
 * leave nothing behind, and may want no messages of their own node. */
#include "testing/topic_testing.h"

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
    struct side in = side_open("in", RCLITE_DELIVERY_DIRECT);
    struct text_counter counter = {.context = in.context};
    struct match match = {.context = in.context};
    rclite_subscription_options options = RCLITE_SUBSCRIPTION_OPTIONS_INIT;
    options.event = on_match;
    options.event_user = &match;
    rclite_subscription *subscription = NULL;
    assert_int_equal(rclite_subscription_create(in.node, "/going", STRING, text_count, &counter,
                         &options, &subscription, NULL),
        RCLITE_OK);
    for (int round = 1; round <= 3; round++) { /* a publisher's process starts anew */
        struct side out = side_open("out", RCLITE_DELIVERY_DIRECT);
        rclite_publisher *publisher = testing_advertise(out.node, "/going", STRING, false);
        testing_wait(in.context, is_matched, &match);
        assert_int_equal(
            rclite_publisher_wait_matched(publisher, 1, TESTING_TIMEOUT_NS), RCLITE_OK);
        text_publish(publisher, "again");
        counter.wanted = round;
        testing_wait(in.context, text_is_counted, &counter);
        rclite_publisher_free(publisher);
        testing_wait(in.context, is_alone, &match);
        side_close(&out);
    }
    assert_true(atomic_load(&match.changes) >= 6);
    rclite_subscription_free(subscription);
    side_close(&in);
}

static void test_ignore_local(void **state) {
    (void)state;
    struct side side = side_open("both", RCLITE_DELIVERY_DIRECT);
    struct side other = side_open("other", RCLITE_DELIVERY_DIRECT);
    struct text_counter counter = {.context = side.context, .wanted = 1};
    rclite_publisher *local = testing_advertise(side.node, "/local", STRING, false);
    rclite_publisher *remote = testing_advertise(other.node, "/local", STRING, false);
    rclite_subscription_options options = RCLITE_SUBSCRIPTION_OPTIONS_INIT;
    options.ignore_local = true;
    rclite_subscription *subscription = NULL;
    assert_int_equal(rclite_subscription_create(side.node, "/local", STRING, text_count, &counter,
                         &options, &subscription, NULL),
        RCLITE_OK);
    assert_int_equal(rclite_publisher_wait_matched(remote, 1, TESTING_TIMEOUT_NS), RCLITE_OK);
    text_publish(local, "from here");
    text_publish(remote, "from there");
    testing_wait(side.context, text_is_counted, &counter);
    assert_string_equal(counter.last, "from there");
    assert_int_equal(rclite_publisher_matched_count(local), 0);
    rclite_subscription_free(subscription);
    rclite_publisher_free(local);
    rclite_publisher_free(remote);
    side_close(&other);
    side_close(&side);
}

/* Creating endpoints from inside a callback does not wait for the master, and works. */
struct inside {
    struct text_counter counter; /* first */
    rclite_node *node;
    rclite_publisher *publisher;
};

static void create_inside(const void *message, const rclite_message_info *info, void *user) {
    (void)message;
    (void)info;
    struct inside *inside = user;
    inside->publisher = testing_advertise(inside->node, "/inside", STRING, true);
    text_publish(inside->publisher, "from inside");
}

static void test_create_in_callback(void **state) {
    (void)state;
    struct side side = side_open("side", RCLITE_DELIVERY_DIRECT);
    struct inside inside = {.counter = {.context = side.context, .wanted = 1}, .node = side.node};
    rclite_publisher *publisher = testing_advertise(side.node, "/outside", STRING, true);
    rclite_subscription *outer =
        testing_subscribe(side.node, "/outside", STRING, create_inside, &inside);
    rclite_subscription *inner =
        testing_subscribe(side.node, "/inside", STRING, text_count, &inside.counter);
    text_publish(publisher, "go");
    testing_wait(side.context, text_is_counted, &inside.counter);
    assert_string_equal(inside.counter.last, "from inside");
    rclite_subscription_free(outer);
    rclite_subscription_free(inner);
    rclite_publisher_free(publisher);
    rclite_publisher_free(inside.publisher);
    side_close(&side);
}

/* Nothing that was freed stays at the master. */
static void test_nothing_is_left(void **state) {
    (void)state;
    struct side side = side_open("leaving", RCLITE_DELIVERY_DIRECT);
    rclite_publisher *publisher = testing_advertise(side.node, "/left", STRING, false);
    uint32_t publishers = 0;
    uint32_t subscriptions = 0;
    assert_int_equal(
        rclite_graph_count(side.context, "/left", &publishers, &subscriptions), RCLITE_OK);
    assert_int_equal(publishers, 1);
    rclite_publisher_free(publisher);
    assert_int_equal(
        rclite_graph_count(side.context, "/left", &publishers, &subscriptions), RCLITE_OK);
    assert_int_equal(publishers, 0);
    side_close(&side);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coming_and_going),
        cmocka_unit_test(test_ignore_local),
        cmocka_unit_test(test_create_in_callback),
        cmocka_unit_test(test_nothing_is_left),
    };
    if (!testing_master_start()) {
        return 77;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    testing_master_stop();
    return failed;
}
