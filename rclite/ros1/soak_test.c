/* A million messages: the memory of the process stays what it is, and so does the number of
 * allocations. Labelled slow. */
#include <stdlib.h>

#include "testing/counting_allocator.h"
#include "testing/ping_pong.h"

#define MESSAGES 1000000
#define WARM_UP (MESSAGES / 100)
#define GROWTH_BYTES 500000 /* half a byte per message */
#define NEW_HEIGHTS 20      /* allocations let pass; see allocation_test.c */

static void check_flat(rclite_delivery delivery) {
    struct ping_pong game = {.left = 0};
    counting_allocator allocator;
    counting_allocator_init(&allocator);
    rclite_context *context = testing_context_with(delivery, &allocator.base, 0, NULL);
    ping_pong_open(&game, context, "", 64);
    ping_pong_play(&game, WARM_UP);
    size_t allocations = atomic_load(&allocator.allocations);
    size_t bytes = testing_memory_bytes();
    for (int i = 0; i < 100; i++) { /* each within the time that tests wait */
        ping_pong_play(&game, MESSAGES / 2 / 100);
    }
    assert_in_range(testing_memory_bytes(), 0, bytes + GROWTH_BYTES);
    assert_in_range(atomic_load(&allocator.allocations) - allocations, 0, NEW_HEIGHTS);
    ping_pong_close(&game);
    rclite_context_free(context);
}

static void test_flat_direct(void **state) {
    (void)state;
    check_flat(RCLITE_DELIVERY_DIRECT);
}

static void test_flat_spin(void **state) {
    (void)state;
    check_flat(RCLITE_DELIVERY_SPIN);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flat_direct),
        cmocka_unit_test(test_flat_spin),
    };
    if (!testing_master_start()) {
        return 77;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    testing_master_stop();
    return failed;
}
