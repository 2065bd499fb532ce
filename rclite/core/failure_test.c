/* The n-th allocation fails, for every n, while one object of each kind is made: an error, no leak,
 * no crash. Those of names and arguments are in names_test.c. */
#include <stdlib.h>

#include "core/endpoint.h"
#include "core/testing/core_testing.h"
#include "core/testing/failing_allocator.h"

static void must_not_run(void *user) {
    (void)user;
    abort();
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    bool succeeded = false;
    for (long fail_at = 1; !succeeded; fail_at++) {
        assert_true(fail_at < 1000);
        failing_allocator allocator;
        failing_allocator_init(&allocator, fail_at);
        rclite_context_options options = RCLITE_CONTEXT_OPTIONS_INIT;
        options.allocator = &allocator.base;
        rclite_context *context = NULL;
        rclite_node *node = NULL;
        rclite_timer *timer = NULL;
        endpoint_set made = {0};
        rclite_error error = {0};
        rclite_result result =
            rclitei_context_create_with(&fake_backend, &options, &context, &error);
        if (result == RCLITE_OK) {
            result = rclite_node_create(context, "n", "/s", &node, &error);
        }
        for (int kind = 0; kind < ENDPOINT_KIND_COUNT && result == RCLITE_OK; kind++) {
            result = endpoint_create(node, &fake_plan, (endpoint_kind)kind, &made, &error);
        }
        if (result == RCLITE_OK) {
            result =
                rclite_timer_create(context, CORE_DEADLINE_NS, must_not_run, NULL, &timer, &error);
        }
        succeeded = result == RCLITE_OK;
        assert_true(succeeded || error.code == RCLITE_ERR_NO_MEMORY);
        assert_true(succeeded || result == RCLITE_ERR_NO_MEMORY);
        rclite_timer_free(timer);
        endpoint_set_free(&made);
        rclite_node_free(node);
        rclite_context_free(context);
        assert_int_equal(allocator.outstanding, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
