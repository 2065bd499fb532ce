/* Text by repeated addition; the two escapes that we need. */
#include "ros2/text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

static bool reserve(ros2_text *text, size_t more) {
    if (text->failed) {
        return false;
    }
    if (text->size + more + 1 > text->capacity) {
        const size_t capacity = 2 * text->capacity + more + 64;
        char *data = text->allocator->reallocate(text->allocator->state, text->data, capacity);
        if (!data) {
            text->failed = true;
            return false;
        }
        text->data = data;
        text->capacity = capacity;
    }
    return true;
}

void ros2_text_add(ros2_text *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0 || !reserve(text, (size_t)length)) {
        text->failed = true;
        return;
    }
    va_start(arguments, format);
    vsnprintf(text->data + text->size, (size_t)length + 1, format, arguments);
    va_end(arguments);
    text->size += (size_t)length;
}

void ros2_text_add_xml(ros2_text *text, const char *part, size_t size) {
    for (size_t i = 0; i < size; i++) {
        switch (part[i]) {
        case '&':
            ros2_text_add(text, "&amp;");
            break;
        case '<':
            ros2_text_add(text, "&lt;");
            break;
        case '>':
            ros2_text_add(text, "&gt;");
            break;
        case '"':
            ros2_text_add(text, "&quot;");
            break;
        default:
            ros2_text_add(text, "%c", part[i]);
        }
    }
}

void ros2_text_add_json(ros2_text *text, const char *part) {
    ros2_text_add(text, "\"");
    for (; *part; part++) {
        const unsigned char c = (unsigned char)*part;
        if (c == '"' || c == '\\') {
            ros2_text_add(text, "\\%c", c);
        } else if (c < 0x20) {
            ros2_text_add(text, "\\u%04x", c);
        } else {
            ros2_text_add(text, "%c", c);
        }
    }
    ros2_text_add(text, "\"");
}

void ros2_text_done(ros2_text *text) {
    if (text->data) {
        text->allocator->reallocate(text->allocator->state, text->data, 0);
    }
    *text = (ros2_text){.allocator = text->allocator};
}
