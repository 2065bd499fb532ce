/* The default allocator: the C library's. */
#include "rclite/allocator.h"

#include <stdlib.h>

static void *libc_reallocate(void *state, void *memory, size_t size_bytes) {
    (void)state;
    if (size_bytes == 0) {
        free(memory);
        return NULL;
    }
    return realloc(memory, size_bytes);
}

rclite_allocator rclite_allocator_default(void) {
    return (rclite_allocator){.reallocate = libc_reallocate, .state = NULL};
}
