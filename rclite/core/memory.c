/* Wrappers around the context's allocator. */
#include "core/memory.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

void *rclitei_allocate(const rclite_allocator *allocator, size_t size_bytes) {
    if (size_bytes == 0) {
        size_bytes = 1;
    }
    void *memory = allocator->reallocate(allocator->state, NULL, size_bytes);
    if (memory) {
        memset(memory, 0, size_bytes);
    }
    return memory;
}

void *rclitei_release(const rclite_allocator *allocator, void *memory) {
    if (memory) {
        allocator->reallocate(allocator->state, memory, 0);
    }
    return NULL;
}

char *rclitei_copy_text(const rclite_allocator *allocator, const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = allocator->reallocate(allocator->state, NULL, size);
    if (copy) {
        memcpy(copy, text, size);
    }
    return copy;
}

char *rclitei_format(const rclite_allocator *allocator, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0) {
        return NULL;
    }
    char *text = rclitei_allocate(allocator, (size_t)length + 1);
    if (text) {
        va_start(arguments, format);
        vsnprintf(text, (size_t)length + 1, format, arguments);
        va_end(arguments);
    }
    return text;
}

void *rclitei_grow(const rclite_allocator *allocator, void *array_pointer, size_t count,
    size_t *capacity, size_t element_bytes) {
    void *array;
    memcpy(&array, array_pointer, sizeof array);
    if (count == *capacity) {
        size_t wanted = *capacity ? *capacity * 2 : 4;
        if (wanted > SIZE_MAX / element_bytes) {
            return NULL;
        }
        array = allocator->reallocate(allocator->state, array, wanted * element_bytes);
        if (!array) {
            return NULL;
        }
        memcpy(array_pointer, &array, sizeof array);
        *capacity = wanted;
    }
    void *element = (char *)array + count * element_bytes;
    memset(element, 0, element_bytes);
    return element;
}

void *rclitei_message_create(const rclite_type *type, const rclite_allocator *allocator) {
    void *message = rclitei_allocate(allocator, type->size_bytes);
    if (message && rclite_message_init(type, message, allocator) != RCLITE_OK) {
        message = rclitei_release(allocator, message);
    }
    return message;
}

void *rclitei_message_free(
    const rclite_type *type, void *message, const rclite_allocator *allocator) {
    if (message) {
        rclite_message_done(type, message, allocator);
    }
    return rclitei_release(allocator, message);
}
