/* Structs as JSON objects by tables: see fields.h. */
#include "report/fields.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void place_text(const field_place *place, char *text, size_t size) {
    if (place == NULL) {
        return;
    }
    place_text(place->parent, text, size);
    size_t used = strlen(text);
    if (place->name != NULL) {
        snprintf(text + used, size - used, "%s%s", used > 0 ? "." : "", place->name);
    } else {
        snprintf(text + used, size - used, "[%zu]", place->index);
    }
}

bool field_fail(field_error *error, const field_place *place, const char *format, ...) {
    if (error->text[0] != '\0') {
        return false;
    }
    char what[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof(what), format, arguments);
    va_end(arguments);
    char where[200] = "";
    place_text(place, where, sizeof(where));
    snprintf(error->text, sizeof(error->text), "%s%s%s", where, where[0] != '\0' ? ": " : "", what);
    return false;
}

static json_t *integer_or_null(int64_t value) {
    return value < 0 ? json_null() : json_integer(value);
}

/* JSON has no infinities; a figure that is not finite is not known. */
static json_t *real_or_null(double value, bool negative_is_null) {
    return !isfinite(value) || (negative_is_null && value < 0) ? json_null() : json_real(value);
}

static json_t *field_to_json(const field *f, const void *from) {
    const void *at = (const char *)from + f->offset;
    switch (f->kind) {
    case FIELD_TEXT: {
        const char *text = *(char *const *)at;
        return text == NULL ? json_null() : json_string(text);
    }
    case FIELD_BOOL:
        return json_boolean(*(const bool *)at);
    case FIELD_INT:
        return json_integer(*(const int *)at);
    case FIELD_U32:
        return json_integer(*(const uint32_t *)at);
    case FIELD_COUNT:
        return json_integer((int64_t) * (const uint64_t *)at);
    case FIELD_I64:
        return json_integer(*(const int64_t *)at);
    case FIELD_I64_OR_NULL:
        return integer_or_null(*(const int64_t *)at);
    case FIELD_REAL:
        return real_or_null(*(const double *)at, false);
    case FIELD_REAL_OR_NULL:
        return real_or_null(*(const double *)at, true);
    }
    return json_null();
}

/* What other programs said may not be UTF-8; then it is shown byte by byte. */
static json_t *text_escaped(const char *text) {
    char escaped[4096];
    size_t used = 0;
    for (; *text != '\0' && used + 5 < sizeof(escaped); text++) {
        unsigned char c = (unsigned char)*text;
        used += (size_t)snprintf(
            escaped + used, sizeof(escaped) - used, c < 0x80 ? "%c" : "\\x%02x", c);
    }
    return json_string(escaped);
}

void fields_write(json_t *object, const field *table, size_t count, const void *from) {
    for (size_t i = 0; i < count; i++) {
        json_t *value = field_to_json(&table[i], from);
        if (value == NULL && table[i].kind == FIELD_TEXT) {
            value = text_escaped(*(char *const *)((const char *)from + table[i].offset));
        }
        json_object_set_new(object, table[i].key, value);
    }
}

static bool read_integer(const json_t *value, int64_t low, int64_t high, int64_t *ret,
    const field_place *place, field_error *error) {
    if (!json_is_integer(value)) {
        return field_fail(error, place, "not an integer");
    }
    int64_t number = json_integer_value(value);
    if (number < low || number > high) {
        return field_fail(error, place, "%lld is out of range", (long long)number);
    }
    *ret = number;
    return true;
}

static bool read_text(
    const json_t *value, char **ret, const field_place *place, field_error *error) {
    if (json_is_null(value)) {
        *ret = NULL;
        return true;
    }
    if (!json_is_string(value)) {
        return field_fail(error, place, "not a string");
    }
    /* Borrowed: nobody writes through it, the structs' members are merely not
     * const. */
    *ret = (char *)(uintptr_t)json_string_value(value);
    return true;
}

static bool read_real(const json_t *value, bool null_allowed, double *ret, const field_place *place,
    field_error *error) {
    if (json_is_null(value) && null_allowed) {
        *ret = -1;
        return true;
    }
    if (!json_is_number(value)) {
        return field_fail(error, place, "not a number");
    }
    *ret = json_number_value(value);
    if (null_allowed && *ret < 0) {
        return field_fail(error, place, "negative");
    }
    return true;
}

static bool read_small(
    const json_t *value, field_kind kind, void *at, const field_place *place, field_error *error) {
    int64_t number = 0;
    int64_t low = kind == FIELD_INT ? INT_MIN : 0;
    int64_t high = kind == FIELD_INT ? INT_MAX : (int64_t)UINT32_MAX;
    if (!read_integer(value, low, high, &number, place, error)) {
        return false;
    }
    if (kind == FIELD_INT) {
        *(int *)at = (int)number;
    } else {
        *(uint32_t *)at = (uint32_t)number;
    }
    return true;
}

static bool field_from_json(
    const field *f, const json_t *value, void *to, const field_place *place, field_error *error) {
    void *at = (char *)to + f->offset;
    int64_t number = -1;
    switch (f->kind) {
    case FIELD_TEXT:
        return read_text(value, at, place, error);
    case FIELD_BOOL:
        *(bool *)at = json_is_true(value);
        return json_is_boolean(value) || field_fail(error, place, "not true or false");
    case FIELD_INT:
    case FIELD_U32:
        return read_small(value, f->kind, at, place, error);
    case FIELD_COUNT:
        if (!read_integer(value, 0, INT64_MAX, &number, place, error)) {
            return false;
        }
        *(uint64_t *)at = (uint64_t)number;
        return true;
    case FIELD_I64:
        return read_integer(value, INT64_MIN, INT64_MAX, at, place, error);
    case FIELD_I64_OR_NULL:
        if (!json_is_null(value) && !read_integer(value, 0, INT64_MAX, &number, place, error)) {
            return false;
        }
        *(int64_t *)at = number;
        return true;
    case FIELD_REAL:
    case FIELD_REAL_OR_NULL:
        return read_real(value, f->kind == FIELD_REAL_OR_NULL, at, place, error);
    }
    return false;
}

bool fields_read(const json_t *object, const field *table, size_t count, void *to,
    const field_place *place, field_error *error) {
    for (size_t i = 0; i < count; i++) {
        const field_place here = {place, table[i].key, 0};
        const json_t *value = json_object_get(object, table[i].key);
        if (value == NULL) {
            return field_fail(error, &here, "missing");
        }
        if (!field_from_json(&table[i], value, to, &here, error)) {
            return false;
        }
    }
    return true;
}

const json_t *field_object(
    const json_t *parent, const char *key, const field_place *place, field_error *error) {
    const field_place here = {place, key, 0};
    const json_t *value = json_object_get(parent, key);
    if (!json_is_object(value)) {
        field_fail(error, &here, value == NULL ? "missing" : "not an object");
        return NULL;
    }
    return value;
}

const json_t *field_array(
    const json_t *parent, const char *key, const field_place *place, field_error *error) {
    const field_place here = {place, key, 0};
    const json_t *value = json_object_get(parent, key);
    if (!json_is_array(value)) {
        field_fail(error, &here, value == NULL ? "missing" : "not an array");
        return NULL;
    }
    return value;
}
