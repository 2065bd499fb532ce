/* A string that grows; see strbuf.h. */
#include "util/strbuf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

static void append_bytes(strbuf *buffer, const void *bytes, size_t len) {
    util_reserve(&buffer->data, &buffer->capacity, buffer->len + len + 1, 1);
    if (len > 0) {
        memcpy(buffer->data + buffer->len, bytes, len);
    }
    buffer->len += len;
    buffer->data[buffer->len] = '\0';
}

void strbuf_append(strbuf *buffer, const char *text) {
    append_bytes(buffer, text, strlen(text));
}

void strbuf_append_char(strbuf *buffer, char c) {
    append_bytes(buffer, &c, 1);
}

void strbuf_appendf(strbuf *buffer, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    va_list again;
    va_copy(again, arguments);
    int len = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (len < 0) {
        abort();
    }
    util_reserve(&buffer->data, &buffer->capacity, buffer->len + (size_t)len + 1, 1);
    vsnprintf(buffer->data + buffer->len, (size_t)len + 1, format, again);
    va_end(again);
    buffer->len += (size_t)len;
}

const char *strbuf_text(const strbuf *buffer) {
    return buffer->data == NULL ? "" : buffer->data;
}

char *strbuf_take(strbuf *buffer) {
    char *text = buffer->data == NULL ? util_strdup("") : buffer->data;
    *buffer = (strbuf){0};
    return text;
}

void strbuf_done(strbuf *buffer) {
    free(buffer->data);
    *buffer = (strbuf){0};
}
