/* Laying out run-time types; see layout.h. */
#include "types/layout.h"

#include "core/fail.h"

/* Every sequence type has the same shape. */
typedef rclite_uint8_sequence any_sequence;

static const struct {
    uint8_t bytes;
    uint8_t align;
} kinds[RCLITE_FIELD_KIND_COUNT] = {
    [RCLITE_FIELD_BOOL] = {sizeof(bool), _Alignof(bool)},
    [RCLITE_FIELD_INT8] = {1, 1},
    [RCLITE_FIELD_UINT8] = {1, 1},
    [RCLITE_FIELD_INT16] = {2, _Alignof(int16_t)},
    [RCLITE_FIELD_UINT16] = {2, _Alignof(uint16_t)},
    [RCLITE_FIELD_INT32] = {4, _Alignof(int32_t)},
    [RCLITE_FIELD_UINT32] = {4, _Alignof(uint32_t)},
    [RCLITE_FIELD_INT64] = {8, _Alignof(int64_t)},
    [RCLITE_FIELD_UINT64] = {8, _Alignof(uint64_t)},
    [RCLITE_FIELD_FLOAT32] = {sizeof(float), _Alignof(float)},
    [RCLITE_FIELD_FLOAT64] = {sizeof(double), _Alignof(double)},
    [RCLITE_FIELD_TIME] = {sizeof(rclite_time), _Alignof(rclite_time)},
    [RCLITE_FIELD_DURATION] = {sizeof(rclite_duration), _Alignof(rclite_duration)},
    [RCLITE_FIELD_STRING] = {sizeof(rclite_string), _Alignof(rclite_string)},
    [RCLITE_FIELD_MESSAGE] = {0, 0},
};

size_t rclitei_kind_bytes(rclite_field_kind kind) {
    return kinds[kind].bytes;
}

size_t rclitei_kind_align(rclite_field_kind kind) {
    return kinds[kind].align;
}

/* Appends one member to the struct; false when it would become too large. */
static bool place_member(rclite_type *type, const rclitei_member *member, rclite_field *field) {
    bool message = member->kind == RCLITE_FIELD_MESSAGE;
    size_t align = message ? member->spec->type->align_bytes : rclitei_kind_align(member->kind);
    size_t size = message ? member->spec->type->size_bytes : rclitei_kind_bytes(member->kind);
    *field = (rclite_field){
        .name = member->name,
        .kind = member->kind,
        .array = member->array,
        .count = member->count,
        .string_bound = member->string_bound,
        .element_bytes = size,
        .type = message ? member->spec->type : NULL,
        .default_text = member->default_text,
    };
    if (member->array == RCLITE_ARRAY_SEQUENCE) {
        align = _Alignof(any_sequence);
        size = sizeof(any_sequence);
    } else if (member->array == RCLITE_ARRAY_FIXED) {
        if (member->count > RCLITEI_STRUCT_BYTES_MAX / size) {
            return false;
        }
        size *= member->count;
    }
    size_t offset = (type->size_bytes + align - 1) / align * align;
    field->offset_bytes = offset;
    type->size_bytes = offset + size;
    if (align > type->align_bytes) {
        type->align_bytes = align;
    }
    return type->size_bytes <= RCLITEI_STRUCT_BYTES_MAX;
}

rclite_result rclitei_layout(
    rclitei_spec *spec, rclite_generation generation, rclitei_arena *arena, rclite_error *reterr) {
    if (spec->type) {
        return RCLITE_OK;
    }
    uint32_t count = spec->section.member_count;
    rclite_type *type = rclitei_arena_alloc(arena, sizeof *type);
    rclite_type_view *view = rclitei_arena_alloc(arena, sizeof *view);
    rclite_field *fields = rclitei_arena_alloc(arena, count * sizeof *fields);
    if (!type || !view || !fields) {
        return rclitei_fail(reterr, RCLITE_ERR_NO_MEMORY, 0, "out of memory while loading types");
    }
    *type = (rclite_type){.name = spec->full_name, .align_bytes = 1};
    for (uint32_t i = 0; i < count; i++) {
        const rclitei_member *member = &spec->section.members[i];
        if (member->kind == RCLITE_FIELD_MESSAGE) {
            rclite_result result = rclitei_layout(member->spec, generation, arena, reterr);
            if (result != RCLITE_OK) {
                return result;
            }
        }
        if (!place_member(type, member, &fields[i])) {
            return rclitei_fail(reterr, RCLITE_ERR_OVERFLOW, 0,
                "%s:%u: the struct would be larger than %u MiB", spec->path, member->line,
                RCLITEI_STRUCT_BYTES_MAX >> 20);
        }
    }
    if (count == 0) {
        type->size_bytes = 1; /* C has no empty struct */
    }
    type->size_bytes =
        (type->size_bytes + type->align_bytes - 1) / type->align_bytes * type->align_bytes;
    *view = (rclite_type_view){.fields = fields,
        .field_count = count,
        .wire_name = spec->wire_name,
        .fingerprint = spec->fingerprint,
        .definition = spec->definition};
    if (generation == RCLITE_ROS1) {
        type->ros1 = view;
    } else {
        type->ros2 = view;
    }
    spec->type = type;
    return RCLITE_OK;
}
