/* The arena and the growing text; see arena.h. */
#include "types/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define BLOCK_BYTES 8192

struct rclitei_arena_block {
    rclitei_arena_block *next;
    size_t used;
    size_t capacity;
    max_align_t data[];
};

rclite_allocator rclitei_allocator_or_default(const rclite_allocator *allocator) {
    return allocator ? *allocator : rclite_allocator_default();
}

void rclitei_arena_init(rclitei_arena *arena, const rclite_allocator *allocator) {
    arena->memory = rclitei_allocator_or_default(allocator);
    arena->blocks = NULL;
}

void rclitei_arena_done(rclitei_arena *arena) {
    while (arena->blocks) {
        rclitei_arena_block *next = arena->blocks->next;
        arena->memory.reallocate(arena->memory.state, arena->blocks, 0);
        arena->blocks = next;
    }
}

void *rclitei_arena_alloc(rclitei_arena *arena, size_t size_bytes) {
    if (size_bytes > SIZE_MAX / 2) {
        return NULL;
    }
    size_t align = _Alignof(max_align_t);
    size_t size = (size_bytes + align) / align * align; /* never 0 */
    rclitei_arena_block *block = arena->blocks;
    if (!block || block->capacity - block->used < size) {
        size_t capacity = size > BLOCK_BYTES ? size : BLOCK_BYTES;
        block = arena->memory.reallocate(arena->memory.state, NULL, sizeof *block + capacity);
        if (!block) {
            return NULL;
        }
        *block = (rclitei_arena_block){.next = arena->blocks, .capacity = capacity};
        arena->blocks = block;
    }
    void *memory = (char *)block->data + block->used;
    block->used += size;
    return memset(memory, 0, size);
}

char *rclitei_arena_copy(rclitei_arena *arena, const char *text, size_t size) {
    char *copy = rclitei_arena_alloc(arena, size + 1);
    if (copy) {
        memcpy(copy, text, size);
    }
    return copy;
}

char *rclitei_arena_format(rclitei_arena *arena, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = size < 0 ? NULL : rclitei_arena_alloc(arena, (size_t)size + 1);
    if (text) {
        va_start(arguments, format);
        vsnprintf(text, (size_t)size + 1, format, arguments);
        va_end(arguments);
    }
    return text;
}

void rclitei_text_init(rclitei_text *text, const rclite_allocator *allocator) {
    *text = (rclitei_text){.memory = rclitei_allocator_or_default(allocator)};
}

void rclitei_text_done(rclitei_text *text) {
    if (text->data) {
        text->memory.reallocate(text->memory.state, text->data, 0);
    }
    text->data = NULL;
    text->size = text->capacity = 0;
}

/* Makes room for size more bytes and the NUL. */
static bool text_reserve(rclitei_text *text, size_t size) {
    if (!text->failed && text->capacity - text->size <= size) {
        size_t capacity = (text->size + size + 1) * 2;
        char *data = text->memory.reallocate(text->memory.state, text->data, capacity);
        if (!data) {
            text->failed = true;
        } else {
            text->data = data;
            text->capacity = capacity;
        }
    }
    return !text->failed;
}

void rclitei_text_append(rclitei_text *text, const char *data, size_t size) {
    if (text_reserve(text, size)) {
        memcpy(text->data + text->size, data, size);
        text->size += size;
        text->data[text->size] = '\0';
    }
}

void rclitei_text_add(rclitei_text *text, const char *string) {
    rclitei_text_append(text, string, strlen(string));
}

void rclitei_text_format(rclitei_text *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (size < 0) {
        text->failed = true;
    } else if (text_reserve(text, (size_t)size)) {
        va_start(arguments, format);
        vsnprintf(text->data + text->size, (size_t)size + 1, format, arguments);
        va_end(arguments);
        text->size += (size_t)size;
    }
}
