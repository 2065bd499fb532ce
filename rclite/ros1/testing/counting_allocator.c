/* See counting_allocator.h. */
#include "testing/counting_allocator.h"

#include <stdlib.h>

static void *count_and_reallocate(void *state, void *memory, size_t size_bytes) {
    counting_allocator *allocator = state;
    if (size_bytes == 0) {
        free(memory);
        return NULL;
    }
    atomic_fetch_add(&allocator->allocations, 1);
    return realloc(memory, size_bytes);
}

void counting_allocator_init(counting_allocator *allocator) {
    allocator->base = (rclite_allocator){.reallocate = count_and_reallocate, .state = allocator};
    atomic_init(&allocator->allocations, 0);
}
