/* Memory of the type code: an arena whose pieces live and die together (everything that a loader
 * builds), and a text that grows at its end. Both take the context's allocator and remember a
 * failure, so that a long series of appends is checked once. */
#ifndef RCLITE_TYPES_ARENA_H
#define RCLITE_TYPES_ARENA_H

#include <stdbool.h>
#include <stddef.h>

#include "rclite/allocator.h"

typedef struct rclitei_arena_block rclitei_arena_block;

typedef struct rclitei_arena {
    rclite_allocator memory;
    rclitei_arena_block *blocks;
} rclitei_arena;

void rclitei_arena_init(rclitei_arena *arena, const rclite_allocator *allocator);
void rclitei_arena_done(rclitei_arena *arena);
/* Zeroed and aligned for every type; NULL when there is no memory. */
void *rclitei_arena_alloc(rclitei_arena *arena, size_t size_bytes);
char *rclitei_arena_copy(rclitei_arena *arena, const char *text, size_t size);
char *rclitei_arena_format(rclitei_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

typedef struct rclitei_text {
    rclite_allocator memory;
    char *data; /* NUL-terminated when not NULL */
    size_t size;
    size_t capacity;
    bool failed;
} rclitei_text;

void rclitei_text_init(rclitei_text *text, const rclite_allocator *allocator);
void rclitei_text_done(rclitei_text *text);
void rclitei_text_append(rclitei_text *text, const char *data, size_t size);
void rclitei_text_add(rclitei_text *text, const char *string);
void rclitei_text_format(rclitei_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The given allocator, or the default one for NULL. */
rclite_allocator rclitei_allocator_or_default(const rclite_allocator *allocator);

#endif
