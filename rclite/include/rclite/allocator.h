/* The one allocator of a context, given once at creation and used for everything below it. */
#ifndef RCLITE_ALLOCATOR_H
#define RCLITE_ALLOCATOR_H

#include <stddef.h>

#include "rclite/result.h"

#ifdef __cplusplus
extern "C" {
#endif

/* reallocate(state, NULL, n) allocates, reallocate(state, p, 0) frees and returns NULL. Returns
 * NULL when there is no memory, and then p is untouched. Must be thread-safe. */
typedef struct rclite_allocator {
    void *(*reallocate)(void *state, void *memory, size_t size_bytes);
    void *state;
} rclite_allocator;

/* malloc, realloc and free of the C library. Thread-safe. */
RCLITE_API rclite_allocator rclite_allocator_default(void);

#ifdef __cplusplus
}
#endif
#endif
