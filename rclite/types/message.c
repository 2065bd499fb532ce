/* The life of messages: init, done, deep copy, comparison. A struct is the union of what both
 * generations have; each of its fields is visited once, through ROS 2's table, or through ROS 1's
 * where only that has it. */
#include <string.h>

#include "types/buffer.h"
#include "types/layout.h"
#include "types/message.h"

/* The tables' field number i, skipping those of ROS 1 that ROS 2 has too; NULL behind the last. */
const rclite_field *rclitei_union_field(const rclite_type *type, uint32_t *cursor) {
    uint32_t ros2_count = type->ros2 ? type->ros2->field_count : 0;
    if (*cursor < ros2_count) {
        return &type->ros2->fields[(*cursor)++];
    }
    while (type->ros1 && *cursor - ros2_count < type->ros1->field_count) {
        const rclite_field *field = &type->ros1->fields[(*cursor)++ - ros2_count];
        bool known = false;
        for (uint32_t i = 0; i < ros2_count && !known; i++) {
            known = type->ros2->fields[i].offset_bytes == field->offset_bytes;
        }
        if (!known) {
            return field;
        }
    }
    return NULL;
}

/* Elements in place: 1, or the fixed array's. */
static size_t inline_count(const rclite_field *field) {
    return field->array == RCLITE_ARRAY_FIXED ? field->count : 1;
}

static bool owns_memory(const rclite_field *field) {
    return field->array == RCLITE_ARRAY_SEQUENCE || field->kind == RCLITE_FIELD_STRING ||
           field->kind == RCLITE_FIELD_MESSAGE;
}

/* ---- done ----------------------------------------------------------------------------------- */

static void done_elements(
    const rclite_field *field, void *elements, size_t count, const rclite_allocator *memory) {
    for (size_t i = 0; i < count; i++) {
        void *element = (char *)elements + i * field->element_bytes;
        if (field->kind == RCLITE_FIELD_STRING) {
            rclitei_buffer_release(element, memory);
        } else if (field->kind == RCLITE_FIELD_MESSAGE) {
            rclitei_message_release(field->type, element, memory);
        }
    }
}

void rclitei_message_release(
    const rclite_type *type, void *message, const rclite_allocator *memory) {
    uint32_t cursor = 0;
    const rclite_field *field;
    while ((field = rclitei_union_field(type, &cursor))) {
        void *address = (char *)message + field->offset_bytes;
        if (!owns_memory(field)) {
            continue;
        }
        if (field->array == RCLITE_ARRAY_SEQUENCE) {
            rclite_uint8_sequence *sequence = address;
            /* Elements beyond size keep their buffers; those of a view belong to somebody else. */
            if (field->kind >= RCLITE_FIELD_STRING) {
                done_elements(field, sequence->data, sequence->capacity, memory);
            }
            rclitei_buffer_release(sequence, memory);
        } else {
            done_elements(field, address, inline_count(field), memory);
        }
    }
}

void rclite_message_done(
    const rclite_type *type, void *message, const rclite_allocator *allocator) {
    if (type && message) {
        rclite_allocator memory = rclitei_allocator_or_default(allocator);
        rclitei_message_release(type, message, &memory);
        memset(message, 0, type->size_bytes);
    }
}

/* ---- copy ----------------------------------------------------------------------------------- */

static rclite_result copy_fields(
    const rclite_type *type, void *to, const void *from, const rclite_allocator *memory);

static rclite_result copy_elements(const rclite_field *field, void *to, const void *from,
    size_t count, const rclite_allocator *memory) {
    if (field->kind < RCLITE_FIELD_STRING) {
        if (count) {
            memcpy(to, from, count * field->element_bytes);
        }
        return RCLITE_OK;
    }
    rclite_result result = RCLITE_OK;
    for (size_t i = 0; i < count && result == RCLITE_OK; i++) {
        void *target = (char *)to + i * field->element_bytes;
        const void *source = (const char *)from + i * field->element_bytes;
        if (field->kind == RCLITE_FIELD_STRING) {
            const rclite_string *string = source;
            result = rclitei_string_set(target, string->data, string->size, memory);
        } else {
            result = copy_fields(field->type, target, source, memory);
        }
    }
    return result;
}

static rclite_result copy_fields(
    const rclite_type *type, void *to, const void *from, const rclite_allocator *memory) {
    uint32_t cursor = 0;
    const rclite_field *field;
    rclite_result result = RCLITE_OK;
    while (result == RCLITE_OK && (field = rclitei_union_field(type, &cursor))) {
        void *target = (char *)to + field->offset_bytes;
        const void *source = (const char *)from + field->offset_bytes;
        if (field->array != RCLITE_ARRAY_SEQUENCE) {
            result = copy_elements(field, target, source, inline_count(field), memory);
            continue;
        }
        rclite_uint8_sequence *sequence = target;
        const rclite_uint8_sequence *other = source;
        result = rclitei_buffer_reserve(sequence, other->size, field->element_bytes,
            field->kind >= RCLITE_FIELD_STRING, memory);
        if (result == RCLITE_OK) {
            sequence->size = other->size;
            result = copy_elements(field, sequence->data, other->data, other->size, memory);
        }
    }
    return result;
}

rclite_result rclite_message_copy(
    const rclite_type *type, void *to, const void *from, const rclite_allocator *allocator) {
    if (!type || !to || !from) {
        return RCLITE_ERR_INVALID;
    }
    rclite_allocator memory = rclitei_allocator_or_default(allocator);
    return to == from ? RCLITE_OK : copy_fields(type, to, from, &memory);
}

/* ---- comparison ----------------------------------------------------------------------------- */

static bool elements_equal(const rclite_field *field, rclite_generation generation, const void *a,
    const void *b, size_t count) {
    if (field->kind < RCLITE_FIELD_STRING) {
        return count == 0 || memcmp(a, b, count * field->element_bytes) == 0;
    }
    for (size_t i = 0; i < count; i++) {
        const void *left = (const char *)a + i * field->element_bytes;
        const void *right = (const char *)b + i * field->element_bytes;
        if (field->kind == RCLITE_FIELD_STRING) {
            const rclite_string *l = left, *r = right;
            if (l->size != r->size || (l->size && memcmp(l->data, r->data, l->size) != 0)) {
                return false;
            }
        } else if (!rclite_message_equal(field->type, generation, left, right)) {
            return false;
        }
    }
    return true;
}

bool rclite_message_equal(
    const rclite_type *type, rclite_generation generation, const void *a, const void *b) {
    const rclite_type_view *view = rclitei_type_view(type, generation);
    if (!view || !a || !b) {
        return false;
    }
    for (uint32_t i = 0; i < view->field_count; i++) {
        const rclite_field *field = &view->fields[i];
        const void *left = (const char *)a + field->offset_bytes;
        const void *right = (const char *)b + field->offset_bytes;
        size_t count = inline_count(field);
        if (field->array == RCLITE_ARRAY_SEQUENCE) {
            const rclite_uint8_sequence *l = left, *r = right;
            if (l->size != r->size) {
                return false;
            }
            left = l->data;
            right = r->data;
            count = l->size;
        }
        if (!elements_equal(field, generation, left, right, count)) {
            return false;
        }
    }
    return true;
}
