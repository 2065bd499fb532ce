/* Growth: nodes with every kind of endpoint, made and freed many times in one context, leave the
 * heap as it was; and many of them at once find each other. */
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/testing/endpoint_set.h"
#include "core/testing/failing_allocator.h"
#include "rclite_test/action/Count.h"
#include "ros2/testing/ros2_testing.h"

/* Each round makes 22 DDS endpoints: 6 kinds, an action's server and client being 8 each. */
#define ROUNDS 500
#define WARM_UP 100

static const endpoint_plan plan = {.message = &testing_bytes_type,
    .service = &testing_service_type,
    .action = &rclite_test__action__Count__type};

typedef struct everything {
    rclite_node *node;
    endpoint_set made;
} everything;

static everything make_everything(rclite_context *context, const char *name) {
    everything all = {.node = testing_node(context, name)};
    assert_ok(endpoint_set_create(all.node, &plan, &all.made, NULL));
    return all;
}

static void free_everything(everything *all) {
    endpoint_set_free(&all->made);
    rclite_node_free(all->node);
}

/* Cyclone 0.10 keeps some 400 bytes of each endpoint that ever was until its domain ends; rclite
 * keeps nothing. */
static void what_is_freed_is_gone(void **state) {
    (void)state;
    failing_allocator allocator;
    failing_allocator_init(&allocator, 0);
    size_t heap_bytes_before = mallinfo2().uordblks;
    size_t heap_bytes = 0;
    long outstanding = 0;
    rclite_context *context = testing_context_allocating(&allocator.base);
    for (int i = 0; i < WARM_UP + ROUNDS; i++) {
        if (i == WARM_UP) {
            outstanding = allocator.outstanding;
            heap_bytes = mallinfo2().uordblks;
        }
        everything all = make_everything(context, "node");
        free_everything(&all);
    }
    /* The transport's pool may grow by a few buffers; a block lost in each round would show. */
    assert_true(allocator.outstanding < outstanding + ROUNDS / 10);
    assert_true(mallinfo2().uordblks < heap_bytes + (size_t)ROUNDS * 22 * 1024);
    rclite_context_free(context);
    assert_int_equal(allocator.outstanding, 0);
    assert_true(mallinfo2().uordblks < heap_bytes_before + 1024 * 1024);
}

/* 128 nodes with 10 endpoints and more each in one context. */
static void many_nodes_in_one_context(void **state) {
    enum { NODES = 128 };
    (void)state;
    failing_allocator allocator;
    failing_allocator_init(&allocator, 0);
    rclite_context *context = testing_context_allocating(&allocator.base);
    everything *all = calloc(NODES, sizeof *all);
    assert_non_null(all);
    for (int i = 0; i < NODES; i++) {
        char name[16];
        snprintf(name, sizeof name, "node_%d", i);
        all[i] = make_everything(context, name);
    }
    for (int i = 0; i < NODES; i++) {
        assert_ok(rclite_publisher_wait_matched(all[i].made.publisher, 1, TESTING_TIMEOUT_NS));
        assert_ok(rclite_client_wait_for_service(all[i].made.client, TESTING_TIMEOUT_NS));
        assert_ok(
            rclite_action_client_wait_for_server(all[i].made.action_client, TESTING_TIMEOUT_NS));
    }
    for (int i = 0; i < NODES; i++) {
        free_everything(&all[i]);
    }
    free(all);
    rclite_context_free(context);
    assert_int_equal(allocator.outstanding, 0);
}

static void contexts_come_and_go(void **state) {
    (void)state;
    failing_allocator allocator;
    failing_allocator_init(&allocator, 0);
    size_t heap_bytes = 0;
    for (int i = 0; i < 30; i++) {
        if (i == 10) {
            heap_bytes = mallinfo2().uordblks;
        }
        rclite_context *context = testing_context_allocating(&allocator.base);
        everything all = make_everything(context, "node");
        free_everything(&all);
        rclite_context_free(context);
        assert_int_equal(allocator.outstanding, 0);
    }
    assert_true(mallinfo2().uordblks < heap_bytes + 20 * 10240);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_freed_is_gone),
        cmocka_unit_test(many_nodes_in_one_context),
        cmocka_unit_test(contexts_come_and_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
