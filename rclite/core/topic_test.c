/* Tests of publishers and subscriptions: messages that come to a callback or are taken, and waiting
 * for the other side. */
#include "core/endpoint.h"
#include "core/testing/core_testing.h"

static void on_message(const void *message, const rclite_message_info *info, void *user) {
    (void)message;
    (void)info;
    *(atomic_int *)user += 1;
}

static void messages_are_delivered_or_taken(void **state) {
    (void)state;
    core_fixture f = core_fixture_open(RCLITE_DELIVERY_SPIN);
    rclite_subscription_options options = RCLITE_SUBSCRIPTION_OPTIONS_INIT;
    rclite_subscription *called = NULL, *taken = NULL;
    atomic_int count = 0;
    assert_int_equal(rclite_subscription_create(
                         f.node, "s", &fake_type, on_message, &count, &options, &called, NULL),
        RCLITE_OK);
    assert_int_equal(
        rclite_subscription_create(f.node, "s", &fake_type, NULL, NULL, &options, &taken, NULL),
        RCLITE_OK);
    int32_t message = 0;
    assert_int_equal(rclite_subscription_take(called, &message, NULL), RCLITE_ERR_STATE);
    assert_int_equal(rclite_subscription_wait(called, 0), RCLITE_ERR_STATE);
    assert_int_equal(rclite_subscription_wait(taken, 0), RCLITE_ERR_TIMEOUT);
    assert_int_equal(rclite_subscription_take(taken, &message, NULL), RCLITE_EMPTY);
    fake_deliver(called);
    fake_deliver(called);
    fake_deliver(taken);
    assert_int_equal(count, 0); /* only spinning delivers */
    assert_int_equal(rclite_subscription_wait(taken, CORE_DEADLINE_NS), RCLITE_OK);
    assert_int_equal(rclite_subscription_take(taken, &message, NULL), RCLITE_OK);
    assert_int_equal(message, 1);
    while (rclite_spin_once(f.context, 0) == RCLITE_OK) {
    }
    assert_int_equal(count, 2);
    fake_deliver(called);
    rclite_subscription_free(called); /* with a message waiting */
    rclite_subscription_free(taken);
    core_fixture_close(f);
}

static void *match_later(void *argument) {
    fake_publisher *publisher = argument;
    publisher->matched = 2;
    rclitei_signal(publisher->base.node->context);
    return NULL;
}

static void waiting_for_matches(void **state) {
    (void)state;
    for (int delivery = 0; delivery < RCLITE_DELIVERY_COUNT; delivery++) {
        core_fixture f = core_fixture_open((rclite_delivery)delivery);
        endpoint_set made = {0};
        assert_int_equal(
            endpoint_create(f.node, &fake_plan, ENDPOINT_PUBLISHER, &made, NULL), RCLITE_OK);
        assert_int_equal(rclite_publisher_wait_matched(made.publisher, 0, 0), RCLITE_OK);
        assert_int_equal(
            rclite_publisher_wait_matched(made.publisher, 1, CORE_MS), RCLITE_ERR_TIMEOUT);
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, match_later, made.publisher), 0);
        assert_int_equal(
            rclite_publisher_wait_matched(made.publisher, 2, CORE_DEADLINE_NS), RCLITE_OK);
        pthread_join(thread, NULL);
        assert_true(rclitei_callback_enter(f.context));
        assert_int_equal(rclite_publisher_wait_matched(made.publisher, 1, 0), RCLITE_ERR_STATE);
        assert_int_equal(rclite_publisher_wait_sent(made.publisher, 0), RCLITE_ERR_STATE);
        rclitei_callback_leave(f.context);
        endpoint_set_free(&made);
        core_fixture_close(f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_are_delivered_or_taken),
        cmocka_unit_test(waiting_for_matches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
