/* The graph's changes as the master shows them; what is in it is asked by other tests. */
#include <stdatomic.h>

#include "testing/ros1_testing.h"

#include "std_msgs/msg/String.h"

struct watcher {
    rclite_context *context;
    atomic_int changes;
    int wanted;
};

static void on_change(void *user) {
    struct watcher *watcher = user;
    atomic_fetch_add(&watcher->changes, 1);
    rclite_context_wake(watcher->context);
}

static bool has_changed(void *user) {
    struct watcher *watcher = user;
    return atomic_load(&watcher->changes) >= watcher->wanted;
}

static void wait_change(struct watcher *watcher) {
    testing_wait(watcher->context, has_changed, watcher);
    watcher->wanted = atomic_load(&watcher->changes) + 1;
}

static void check_changes(rclite_delivery delivery) {
    struct watcher watcher = {.wanted = 1};
    watcher.context = testing_context(delivery);
    rclite_context *other = testing_context(RCLITE_DELIVERY_DIRECT);
    rclite_publisher_options options = RCLITE_PUBLISHER_OPTIONS_INIT;
    rclite_publisher *publisher = NULL;
    assert_int_equal(rclite_graph_on_change(watcher.context, on_change, &watcher), RCLITE_OK);
    wait_change(&watcher); /* what is there in the beginning */
    rclite_node *node = testing_node(other, "other");
    wait_change(&watcher);
    assert_int_equal(rclite_publisher_create(
                         node, "/new", &std_msgs__msg__String__type, &options, &publisher, NULL),
        RCLITE_OK);
    wait_change(&watcher);
    rclite_publisher_free(publisher);
    wait_change(&watcher);
    assert_int_equal(rclite_graph_on_change(watcher.context, NULL, NULL), RCLITE_OK);
    int before = atomic_load(&watcher.changes);
    rclite_node_free(node);
    rclite_context_free(other);
    /* Anew: the first answer counts, which shows that the old watch is over when there is one. */
    assert_int_equal(rclite_graph_on_change(watcher.context, on_change, &watcher), RCLITE_OK);
    watcher.wanted = before + 1;
    wait_change(&watcher);
    assert_int_equal(atomic_load(&watcher.changes), before + 1);
    rclite_context_free(watcher.context); /* with the watch */
}

static void test_direct(void **state) {
    (void)state;
    check_changes(RCLITE_DELIVERY_DIRECT);
}

static void test_spin(void **state) {
    (void)state;
    check_changes(RCLITE_DELIVERY_SPIN);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_direct),
        cmocka_unit_test(test_spin),
    };
    if (!testing_master_start()) {
        return 77;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    testing_master_stop();
    return failed;
}
