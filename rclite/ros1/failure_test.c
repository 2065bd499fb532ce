/* The n-th allocation fails, for every n: an error, no leak, no crash. */
#include "testing/ros1_testing.h"

#include "actionlib_benchmark/action/Roundtrip.h"
#include "core/testing/endpoint_set.h"
#include "core/testing/failing_allocator.h"
#include "nav_msgs/srv/GetMap.h"
#include "std_msgs/msg/String.h"

struct everything {
    rclite_context *context;
    rclite_node *node;
    endpoint_set made;
};

static rclite_result create_endpoints(struct everything *all) {
    static const endpoint_plan plan = {.message = &std_msgs__msg__String__type,
        .service = &nav_msgs__srv__GetMap__type,
        .action = &actionlib_benchmark__action__Roundtrip__type,
        .durability = RCLITE_QOS_TRANSIENT_LOCAL};
    static char text[] = "text";
    const std_msgs__msg__String message = {.data = {text, 4, 0}};
    rclite_result result = endpoint_create(all->node, &plan, ENDPOINT_PUBLISHER, &all->made, NULL);
    if (result == RCLITE_OK) { /* latched, before anyone can get it */
        result = rclite_publisher_publish(all->made.publisher, &message);
    }
    for (int kind = ENDPOINT_SUBSCRIPTION; result == RCLITE_OK && kind < ENDPOINT_KIND_COUNT;
         kind++) {
        result = endpoint_create(all->node, &plan, (endpoint_kind)kind, &all->made, NULL);
    }
    return result;
}

static rclite_result create_everything(struct everything *all, const failing_allocator *allocator) {
    rclite_context_options options = RCLITE_CONTEXT_OPTIONS_INIT;
    options.generation = RCLITE_ROS1;
    options.allocator = &allocator->base;
    rclite_result result = rclite_context_create(&options, &all->context, NULL);
    if (result == RCLITE_OK) {
        result = rclite_node_create(all->context, "failing", "", &all->node, NULL);
    }
    return result == RCLITE_OK ? create_endpoints(all) : result;
}

static void free_everything(struct everything *all) {
    endpoint_set_free(&all->made);
    rclite_node_free(all->node);
    rclite_context_free(all->context);
}

static void test_every_allocation_may_fail(void **state) {
    (void)state;
    rclite_result result = RCLITE_ERR_NO_MEMORY;
    for (long fail_at = 1; result != RCLITE_OK; fail_at++) {
        failing_allocator allocator;
        struct everything all = {.node = NULL};
        failing_allocator_init(&allocator, fail_at);
        result = create_everything(&all, &allocator);
        assert_true(result == RCLITE_OK || result == RCLITE_ERR_NO_MEMORY);
        assert_true(fail_at < 5000);
        atomic_store(&allocator.fail_at, 0);
        free_everything(&all);
        assert_int_equal(atomic_load(&allocator.outstanding), 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_allocation_may_fail)};
    if (!testing_master_start()) {
        return 77;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    testing_master_stop();
    return failed;
}
