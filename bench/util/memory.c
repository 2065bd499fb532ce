/* Allocation that cannot fail; see memory.h. */
#include "util/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *util_alloc(size_t count, size_t size) {
    void *memory = calloc(count == 0 ? 1 : count, size == 0 ? 1 : size);
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

char *util_format(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = NULL;
    int len = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (len < 0) {
        abort();
    }
    return text;
}
