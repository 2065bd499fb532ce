/* Test support: an allocator that counts, and fails at the call it was told to. */
#ifndef RCLITE_TYPES_TEST_ALLOCATOR_H
#define RCLITE_TYPES_TEST_ALLOCATOR_H

#include <stdint.h>
#include <stdlib.h>

#include "rclite/allocator.h"

typedef struct test_allocator {
    size_t fail_at; /* this call (from 0) returns NULL, as do all after it; SIZE_MAX: none */
    size_t calls;   /* that allocate or grow */
    size_t live;    /* pieces not freed */
    size_t largest_bytes;
} test_allocator;

static inline void *test_allocator_reallocate(void *state, void *memory, size_t size_bytes) {
    test_allocator *self = state;
    if (size_bytes == 0) {
        self->live -= memory != NULL;
        free(memory);
        return NULL;
    }
    if (size_bytes > self->largest_bytes) {
        self->largest_bytes = size_bytes;
    }
    if (self->calls++ >= self->fail_at) {
        return NULL;
    }
    self->live += memory == NULL;
    return realloc(memory, size_bytes);
}

static inline rclite_allocator test_allocator_interface(test_allocator *self) {
    return (rclite_allocator){.reallocate = test_allocator_reallocate, .state = self};
}

#endif
