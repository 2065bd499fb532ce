/* Strings and sequences: assigning, resizing, and the buffers below them. A buffer with capacity 0
 * and data is a view: it is never written to and never freed. */
#include <string.h>

#include "types/arena.h"
#include "types/buffer.h"

/* The shape that all strings and sequences have. */
typedef rclite_uint8_sequence any_buffer;
_Static_assert(sizeof(any_buffer) == sizeof(rclite_string), "one shape");

rclite_result rclitei_buffer_reserve(
    void *buffer, size_t count, size_t element_bytes, bool zeroed, const rclite_allocator *memory) {
    any_buffer *b = buffer;
    if (count <= b->capacity) {
        if (b->capacity == 0) {
            b->data = NULL; /* an empty view */
            b->size = 0;
        }
        return RCLITE_OK;
    }
    if (count > SIZE_MAX / 2 / element_bytes) {
        return RCLITE_ERR_NO_MEMORY;
    }
    void *owned = b->capacity ? b->data : NULL;
    void *data = memory->reallocate(memory->state, owned, count * element_bytes);
    if (!data) {
        return RCLITE_ERR_NO_MEMORY;
    }
    if (zeroed) {
        size_t old = b->capacity * element_bytes;
        memset((char *)data + old, 0, count * element_bytes - old);
    }
    b->data = data;
    b->capacity = count;
    return RCLITE_OK;
}

void rclitei_buffer_release(void *buffer, const rclite_allocator *memory) {
    any_buffer *b = buffer;
    if (b->capacity) {
        memory->reallocate(memory->state, b->data, 0);
    }
    *b = (any_buffer){NULL, 0, 0};
}

void rclitei_buffer_borrow(
    void *buffer, const void *data, size_t count, const rclite_allocator *memory) {
    any_buffer *b = buffer;
    if (b->capacity) {
        rclitei_buffer_release(b, memory);
    }
    /* Views are read only by contract; the members are shared with owned buffers, hence the cast.
     */
    *b = (any_buffer){(uint8_t *)(uintptr_t)data, count, 0};
}

rclite_result rclitei_string_set(
    rclite_string *string, const char *text, size_t size, const rclite_allocator *memory) {
    rclite_result result = rclitei_buffer_reserve(string, size + 1, 1, false, memory);
    if (result == RCLITE_OK) {
        if (size) {
            memcpy(string->data, text, size);
        }
        string->data[size] = '\0';
        string->size = size;
    }
    return result;
}

rclite_result rclite_string_assign(
    rclite_string *string, const char *text, const rclite_allocator *allocator) {
    if (!string || !text) {
        return RCLITE_ERR_INVALID;
    }
    rclite_allocator memory = rclitei_allocator_or_default(allocator);
    return rclitei_string_set(string, text, strlen(text), &memory);
}

rclite_result rclite_sequence_resize(
    void *sequence, size_t element_bytes, size_t size, const rclite_allocator *allocator) {
    any_buffer *b = sequence;
    if (!b || element_bytes == 0) {
        return RCLITE_ERR_INVALID;
    }
    rclite_allocator memory = rclitei_allocator_or_default(allocator);
    size_t shown = b->capacity ? 0 : b->size; /* of a view, whose elements are kept */
    const void *view = b->capacity ? NULL : b->data;
    rclite_result result = rclitei_buffer_reserve(b, size, element_bytes, false, &memory);
    if (result != RCLITE_OK) {
        return result;
    }
    size_t kept = b->size < size ? b->size : size;
    if (view && size) {
        kept = shown < size ? shown : size;
        memcpy(b->data, view, kept * element_bytes);
    }
    if (size > kept) {
        memset((char *)b->data + kept * element_bytes, 0, (size - kept) * element_bytes);
    }
    b->size = size;
    return RCLITE_OK;
}
