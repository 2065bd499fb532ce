/* A list of owned strings; see strvec.h. */
#include "util/strvec.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"
#include "util/strbuf.h"

void strvec_push_owned(strvec *list, char *text) {
    util_reserve(&list->items, &list->capacity, list->count + 2, sizeof *list->items);
    list->items[list->count++] = text;
    list->items[list->count] = NULL;
}

void strvec_push(strvec *list, const char *text) {
    strvec_push_owned(list, util_strdup(text));
}

static void push_len(strvec *list, const char *text, size_t len) {
    strvec_push_owned(list, util_strndup(text, len));
}

void strvec_pushf(strvec *list, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = util_vformat(format, arguments);
    va_end(arguments);
    strvec_push_owned(list, text);
}

void strvec_push_all(strvec *list, const strvec *other) {
    for (size_t i = 0; i < other->count; i++) {
        strvec_push(list, other->items[i]);
    }
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n';
}

void strvec_split(strvec *list, const char *text, char separator) {
    for (;;) {
        const char *end = strchrnul(text, separator);
        const char *first = text;
        const char *last = end;
        while (first < last && is_blank(*first)) {
            first++;
        }
        while (last > first && is_blank(last[-1])) {
            last--;
        }
        push_len(list, first, (size_t)(last - first));
        if (*end == '\0') {
            return;
        }
        text = end + 1;
    }
}

char *strvec_join(const strvec *list, const char *separator) {
    strbuf text = {0};
    for (size_t i = 0; i < list->count; i++) {
        if (i > 0) {
            strbuf_append(&text, separator);
        }
        strbuf_append(&text, list->items[i]);
    }
    return strbuf_take(&text);
}

bool strvec_contains(const strvec *list, const char *text) {
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->items[i], text) == 0) {
            return true;
        }
    }
    return false;
}

static size_t find_variable(const strvec *list, const char *name) {
    size_t len = strlen(name);
    for (size_t i = 0; i < list->count; i++) {
        if (strncmp(list->items[i], name, len) == 0 && list->items[i][len] == '=') {
            return i;
        }
    }
    return list->count;
}

void strvec_set_variable(strvec *list, const char *name, const char *value) {
    size_t i = find_variable(list, name);
    if (value == NULL) {
        if (i < list->count) {
            free(list->items[i]);
            memmove(&list->items[i], &list->items[i + 1], (list->count - i) * sizeof *list->items);
            list->count--;
        }
        return;
    }
    char *text = util_format("%s=%s", name, value);
    if (i < list->count) {
        free(list->items[i]);
        list->items[i] = text;
    } else {
        strvec_push_owned(list, text);
    }
}

const char *strvec_variable(const strvec *list, const char *name) {
    size_t i = find_variable(list, name);
    return i < list->count ? list->items[i] + strlen(name) + 1 : NULL;
}

void strvec_clear(strvec *list) {
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i]);
    }
    list->count = 0;
    if (list->items != NULL) {
        list->items[0] = NULL;
    }
}

void strvec_done(strvec *list) {
    strvec_clear(list);
    free(list->items);
    *list = (strvec){0};
}
