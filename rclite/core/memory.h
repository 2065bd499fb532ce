/* Small wrappers around the context's allocator, so that nobody writes reallocate(state, 0, n) by
 * hand, and messages made with them. Not a pool: memory that is used per message is kept by its
 * owner. */
#ifndef RCLITE_CORE_MEMORY_H
#define RCLITE_CORE_MEMORY_H

#include <stddef.h>

#include "rclite/type.h"

/* Zeroed; NULL when there is no memory. size_bytes 0 gives one byte. */
void *rclitei_allocate(const rclite_allocator *allocator, size_t size_bytes);
/* NULL is allowed. Returns NULL. */
void *rclitei_release(const rclite_allocator *allocator, void *memory);
char *rclitei_copy_text(const rclite_allocator *allocator, const char *text);
/* As asprintf; NULL when there is no memory. */
char *rclitei_format(const rclite_allocator *allocator, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Makes room for one more element in a growing array: doubles *capacity when count reached it.
 * Returns the address of the new, zeroed element, or NULL. The caller increments its count. */
void *rclitei_grow(const rclite_allocator *allocator, void *array_pointer, size_t count,
    size_t *capacity, size_t element_bytes);

/* A message on the heap with its defaults; NULL: no memory. */
void *rclitei_message_create(const rclite_type *type, const rclite_allocator *allocator);
/* NULL is allowed. Returns NULL. */
void *rclitei_message_free(
    const rclite_type *type, void *message, const rclite_allocator *allocator);

#endif
