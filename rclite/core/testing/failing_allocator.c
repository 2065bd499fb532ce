/* The counting, failing allocator of the tests. */
#include "core/testing/failing_allocator.h"

#include <stdlib.h>

static void *count_and_reallocate(void *state, void *memory, size_t size_bytes) {
    failing_allocator *allocator = state;
    if (size_bytes == 0) {
        if (memory) {
            atomic_fetch_sub(&allocator->outstanding, 1);
        }
        free(memory);
        return NULL;
    }
    long call = atomic_fetch_add(&allocator->calls, 1) + 1;
    const long fail_at = allocator->fail_at;
    if (fail_at > 0 && (allocator->once ? call == fail_at : call >= fail_at)) {
        return NULL;
    }
    void *result = realloc(memory, size_bytes);
    if (result && !memory) {
        atomic_fetch_add(&allocator->outstanding, 1);
    }
    return result;
}

void failing_allocator_init(failing_allocator *allocator, long fail_at) {
    atomic_init(&allocator->calls, 0);
    atomic_init(&allocator->outstanding, 0);
    allocator->fail_at = fail_at;
    allocator->once = false;
    allocator->base = (rclite_allocator){.reallocate = count_and_reallocate, .state = allocator};
}
