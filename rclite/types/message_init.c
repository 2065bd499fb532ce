/* Initial values: zero everywhere, then the defaults that definitions of ROS 2 may give. */
#include <string.h>

#include "types/buffer.h"
#include "types/message.h"
#include "types/value.h"

static rclite_result default_fields(
    const rclite_type *type, void *message, const rclite_allocator *memory);

static rclite_result default_scalar(
    const rclite_field *field, rclitei_slice value, void *address, const rclite_allocator *memory) {
    if (field->kind != RCLITE_FIELD_STRING) {
        return rclitei_value_parse(field->kind, value, address) ? RCLITE_OK : RCLITE_ERR_INVALID;
    }
    rclite_string *string = address;
    rclite_result result = rclitei_buffer_reserve(string, value.size + 1, 1, false, memory);
    if (result != RCLITE_OK) {
        return result;
    }
    return rclitei_value_string(value, string->data, &string->size) ? RCLITE_OK
                                                                    : RCLITE_ERR_INVALID;
}

static rclite_result default_array(
    const rclite_field *field, rclitei_slice value, void *address, const rclite_allocator *memory) {
    rclite_uint8_sequence *sequence = field->array == RCLITE_ARRAY_SEQUENCE ? address : NULL;
    rclitei_slice element;
    rclite_result result = RCLITE_OK;
    int more = 0;
    for (size_t i = 0; result == RCLITE_OK && (more = rclitei_value_next(&value, &element)) == 1;
         i++) {
        char *elements = address;
        if (sequence) {
            result = rclitei_buffer_reserve(sequence, i + 1, field->element_bytes, true, memory);
            if (result != RCLITE_OK) {
                break;
            }
            sequence->size = i + 1;
            elements = (char *)sequence->data;
        } else if (i >= field->count) {
            return RCLITE_ERR_INVALID;
        }
        result = default_scalar(field, element, elements + i * field->element_bytes, memory);
    }
    return result ? result : more < 0 ? RCLITE_ERR_INVALID : RCLITE_OK;
}

static rclite_result default_fields(
    const rclite_type *type, void *message, const rclite_allocator *memory) {
    uint32_t cursor = 0;
    const rclite_field *field;
    rclite_result result = RCLITE_OK;
    while (result == RCLITE_OK && (field = rclitei_union_field(type, &cursor))) {
        char *address = (char *)message + field->offset_bytes;
        if (field->default_text) {
            rclitei_slice value = {field->default_text, strlen(field->default_text)};
            result = field->array == RCLITE_ARRAY_NONE
                         ? default_scalar(field, value, address, memory)
                         : default_array(field, value, address, memory);
        } else if (field->kind == RCLITE_FIELD_MESSAGE && field->array != RCLITE_ARRAY_SEQUENCE) {
            size_t count = field->array == RCLITE_ARRAY_FIXED ? field->count : 1;
            for (size_t i = 0; i < count && result == RCLITE_OK; i++) {
                result = default_fields(field->type, address + i * field->element_bytes, memory);
            }
        }
    }
    return result;
}

/* Zeroes a message and sets the definition's defaults. On failure it owns nothing. */
static rclite_result set_defaults(
    const rclite_type *type, void *message, const rclite_allocator *memory) {
    memset(message, 0, type->size_bytes);
    rclite_result result = default_fields(type, message, memory);
    if (result != RCLITE_OK) {
        rclitei_message_release(type, message, memory);
        memset(message, 0, type->size_bytes);
    }
    return result;
}

rclite_result rclite_message_init(
    const rclite_type *type, void *message, const rclite_allocator *allocator) {
    if (!type || !message) {
        return RCLITE_ERR_INVALID;
    }
    rclite_allocator memory = rclitei_allocator_or_default(allocator);
    return set_defaults(type, message, &memory);
}

rclite_result rclite_message_sequence_resize(
    const rclite_type *type, void *sequence, size_t size, const rclite_allocator *allocator) {
    rclite_uint8_sequence *s = sequence;
    if (!type || !s || (s->capacity == 0 && s->size)) {
        return RCLITE_ERR_INVALID;
    }
    rclite_allocator memory = rclitei_allocator_or_default(allocator);
    rclite_result result = rclitei_buffer_reserve(s, size, type->size_bytes, true, &memory);
    for (size_t i = s->size; i < size && result == RCLITE_OK; i++) {
        void *element = (char *)s->data + i * type->size_bytes;
        rclitei_message_release(type, element, &memory); /* what it kept from an earlier use */
        result = set_defaults(type, element, &memory);
    }
    if (result == RCLITE_OK) {
        s->size = size;
    }
    return result;
}

rclite_result rclite_string_sequence_resize(
    rclite_string_sequence *sequence, size_t size, const rclite_allocator *allocator) {
    if (!sequence || (sequence->capacity == 0 && sequence->size)) {
        return RCLITE_ERR_INVALID;
    }
    rclite_allocator memory = rclitei_allocator_or_default(allocator);
    rclite_result result =
        rclitei_buffer_reserve(sequence, size, sizeof(rclite_string), true, &memory);
    for (size_t i = sequence->size; i < size && result == RCLITE_OK; i++) {
        rclite_string *string = &sequence->data[i];
        string->size = 0;
        if (string->capacity) {
            string->data[0] = '\0';
        }
    }
    if (result == RCLITE_OK) {
        sequence->size = size;
    }
    return result;
}
