/* Values in definitions; see value.h. Numbers are read as Python reads them: decimal (leading zeros
 * allowed) or 0x, in the C locale whatever the program's is. */
#include "types/value.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NUMBER_BYTES_MAX 64

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

rclitei_slice rclitei_slice_trim(rclitei_slice slice) {
    while (slice.size && is_space(slice.data[0])) {
        slice.data++;
        slice.size--;
    }
    while (slice.size && is_space(slice.data[slice.size - 1])) {
        slice.size--;
    }
    return slice;
}

static bool parse_float(const char *text, double *ret) {
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c_locale) {
        return false;
    }
    char *end;
    *ret = strtod_l(text, &end, c_locale);
    freelocale(c_locale);
    return end != text && *end == '\0';
}

static bool parse_bool(const char *text, bool *ret) {
    bool yes = strcasecmp(text, "true") == 0 || strcmp(text, "1") == 0;
    bool no = strcasecmp(text, "false") == 0 || strcmp(text, "0") == 0;
    *ret = yes;
    return yes || no;
}

/* Sign and magnitude, since one range reaches below int64 and another above it. */
static bool parse_integer(const char *text, bool *ret_negative, uint64_t *ret_magnitude) {
    *ret_negative = *text == '-';
    text += *text == '-' || *text == '+';
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    text += hex ? 2 : 0;
    if (!strchr(hex ? "0123456789abcdefABCDEF" : "0123456789", *text) || *text == '\0') {
        return false;
    }
    char *end;
    errno = 0;
    *ret_magnitude = strtoull(text, &end, hex ? 16 : 10);
    return *end == '\0' && errno == 0;
}

static bool store_integer(rclite_field_kind kind, bool negative, uint64_t magnitude, void *memory) {
    static const struct {
        uint8_t bytes;
        bool is_signed;
    } shape[RCLITE_FIELD_KIND_COUNT] = {
        [RCLITE_FIELD_INT8] = {1, true},
        [RCLITE_FIELD_UINT8] = {1, false},
        [RCLITE_FIELD_INT16] = {2, true},
        [RCLITE_FIELD_UINT16] = {2, false},
        [RCLITE_FIELD_INT32] = {4, true},
        [RCLITE_FIELD_UINT32] = {4, false},
        [RCLITE_FIELD_INT64] = {8, true},
        [RCLITE_FIELD_UINT64] = {8, false},
    };
    size_t bytes = shape[kind].bytes;
    if (bytes == 0) {
        return false;
    }
    uint64_t max = UINT64_MAX >> (64 - 8 * bytes);
    if (shape[kind].is_signed) {
        max = (max >> 1) + negative;
    } else if (negative && magnitude != 0) {
        return false;
    }
    if (magnitude > max) {
        return false;
    }
    uint64_t value = negative ? 0 - magnitude : magnitude;
    memcpy(memory, &value, bytes); /* little-endian, as codec.c demands */
    return true;
}

bool rclitei_value_parse(rclite_field_kind kind, rclitei_slice slice, void *memory) {
    char text[NUMBER_BYTES_MAX];
    slice = rclitei_slice_trim(slice);
    if (slice.size == 0 || slice.size >= sizeof text) {
        return false;
    }
    memcpy(text, slice.data, slice.size);
    text[slice.size] = '\0';
    double number;
    bool negative;
    uint64_t magnitude;
    switch (kind) {
    case RCLITE_FIELD_BOOL: {
        bool truth;
        if (!parse_bool(text, &truth)) {
            return false;
        }
        memcpy(memory, &truth, sizeof truth);
        return true;
    }
    case RCLITE_FIELD_FLOAT32:
        if (!parse_float(text, &number)) {
            return false;
        }
        memcpy(memory, &(float){(float)number}, sizeof(float));
        return true;
    case RCLITE_FIELD_FLOAT64:
        if (!parse_float(text, &number)) {
            return false;
        }
        memcpy(memory, &number, sizeof number);
        return true;
    default:
        return parse_integer(text, &negative, &magnitude) &&
               store_integer(kind, negative, magnitude, memory);
    }
}

bool rclitei_value_string(rclitei_slice text, char *out, size_t *ret_size) {
    text = rclitei_slice_trim(text);
    char quote = text.size && (text.data[0] == '"' || text.data[0] == '\'') ? text.data[0] : '\0';
    if (!quote) {
        memcpy(out, text.data, text.size);
        out[text.size] = '\0';
        *ret_size = text.size;
        return true;
    }
    if (text.size < 2 || text.data[text.size - 1] != quote) {
        return false;
    }
    size_t size = 0;
    for (size_t i = 1; i < text.size - 1; i++) {
        if (text.data[i] == '\\' && (text.data[i + 1] == quote || text.data[i + 1] == '\\')) {
            i++;
            if (i == text.size - 1) {
                return false; /* the closing quote is escaped */
            }
        } else if (text.data[i] == quote) {
            return false;
        }
        out[size++] = text.data[i];
    }
    out[size] = '\0';
    *ret_size = size;
    return true;
}

int rclitei_value_next(rclitei_slice *cursor, rclitei_slice *ret_element) {
    if (cursor->size && cursor->data[0] == '[') {
        if (cursor->data[cursor->size - 1] != ']' || cursor->size < 2) {
            return -1;
        }
        *cursor = rclitei_slice_trim((rclitei_slice){cursor->data + 1, cursor->size - 1});
        if (cursor->size == 1) {
            return 0;
        }
    } else if (cursor->size && cursor->data[0] == ',') {
        cursor->data++;
        cursor->size--;
    } else {
        return cursor->size == 1 && cursor->data[0] == ']' ? 0 : -1;
    }
    char quote = '\0';
    size_t end = 0;
    for (; end + 1 < cursor->size; end++) {
        char c = cursor->data[end];
        if (quote && c == '\\' && end + 2 < cursor->size) {
            end++;
        } else if (quote) {
            quote = c == quote ? '\0' : quote;
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else if (c == ',') {
            break;
        }
    }
    *ret_element = rclitei_slice_trim((rclitei_slice){cursor->data, end});
    cursor->data += end;
    cursor->size -= end;
    return ret_element->size ? 1 : -1;
}
