/* Values in definitions: constants and defaults, as text and as memory. */
#ifndef RCLITE_TYPES_VALUE_H
#define RCLITE_TYPES_VALUE_H

#include "rclite/type.h"

/* A piece of text that is not NUL-terminated. */
typedef struct rclitei_slice {
    const char *data;
    size_t size;
} rclitei_slice;

rclitei_slice rclitei_slice_trim(rclitei_slice slice);

/* Parses a number or truth value of a primitive kind into memory of that kind; false when the text
 * is none, or out of range. */
bool rclitei_value_parse(rclite_field_kind kind, rclitei_slice text, void *memory);
/* Decodes a string value (quoted with ' or ", or bare) into out, which has room for text.size + 1
 * bytes; false when quotes do not match. */
bool rclitei_value_string(rclitei_slice text, char *out, size_t *ret_size);
/* The next element of an array value "[a, b, c]". cursor begins as the whole text, trimmed. Returns
 * 1 with an element, 0 at the end, -1 when the text is no array. */
int rclitei_value_next(rclitei_slice *cursor, rclitei_slice *ret_element);

#endif
