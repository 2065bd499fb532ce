/* Allocation that cannot fail; see memory.h. */
#include "util/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE_PAGE_BYTES ((size_t)2 << 20)

void *util_alloc(size_t count, size_t size) {
    void *memory = calloc(count == 0 ? 1 : count, size == 0 ? 1 : size);
    if (memory == NULL) {
        abort();
    }
    return memory;
}

void *util_alloc_large(size_t count, size_t size) {
    size_t bytes;
    void *memory = NULL;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        abort();
    }
    if (bytes < 2 * HUGE_PAGE_BYTES) {
        memory = malloc(bytes > 0 ? bytes : 1);
    } else if (posix_memalign(&memory, HUGE_PAGE_BYTES, bytes) == 0) {
        madvise(memory, bytes, MADV_HUGEPAGE); /* Advice: without it everything works, slower. */
    }
    if (memory == NULL) {
        abort();
    }
    return memory;
}

void util_reserve(void *array_pointer, size_t *capacity, size_t needed, size_t size) {
    if (needed <= *capacity) {
        return;
    }
    size_t grown = *capacity < 8 ? 8 : *capacity * 2;
    if (grown < needed) {
        grown = needed;
    }
    void *array = NULL;
    memcpy(&array, array_pointer, sizeof array);
    array = reallocarray(array, grown, size);
    if (array == NULL) {
        abort();
    }
    memcpy(array_pointer, &array, sizeof array);
    *capacity = grown;
}

char *util_strndup(const char *text, size_t len) {
    char *copy = util_alloc(len + 1, 1);
    memcpy(copy, text, len);
    return copy;
}

char *util_strdup(const char *text) {
    return text == NULL ? NULL : util_strndup(text, strlen(text));
}

char *util_vformat(const char *format, va_list arguments) {
    char *text = NULL;
    if (vasprintf(&text, format, arguments) < 0) {
        abort();
    }
    return text;
}

char *util_format(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = util_vformat(format, arguments);
    va_end(arguments);
    return text;
}
