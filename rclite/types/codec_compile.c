/* Compiles a field table into a program; see codec_program.h. While it walks the fields it tracks
 * what is known of the position on the wire (its remainder by a power of two), so that fields
 * between which neither the wire nor the struct has padding melt into one copy. */
#include <string.h>

#include "types/codec_program.h"
#include "types/layout.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "rclite copies fields as they stand in memory, which must be little-endian"
#endif

#define OPERATIONS_MAX ((size_t)1 << 16)
#define ALIGN_MAX 8 /* XCDR1 */

typedef struct compiler {
    rclitei_codec *codec;
    bool swapped;
    size_t operations; /* in all programs */
} compiler;

/* position is remainder modulo modulus. */
typedef struct place {
    codec_program *program;
    size_t modulus;
    size_t remainder;
    size_t last_copy; /* index of the copy that may grow; SIZE_MAX: none */
} place;

static rclite_result compile_fields(compiler *c, place *at, const rclite_type *type, size_t base);

static rclite_result emit(compiler *c, place *at, const codec_operation *operation) {
    codec_program *program = at->program;
    if (++c->operations > OPERATIONS_MAX) {
        return RCLITE_ERR_OVERFLOW;
    }
    if (program->count == program->capacity) {
        size_t capacity = program->capacity * 2 + 8;
        codec_operation *grown = rclitei_arena_alloc(&c->codec->arena, capacity * sizeof *grown);
        if (!grown) {
            return RCLITE_ERR_NO_MEMORY;
        }
        if (program->count) {
            memcpy(grown, program->operations, program->count * sizeof *grown);
        }
        program->operations = grown;
        program->capacity = capacity;
    }
    program->operations[program->count++] = *operation;
    return RCLITE_OK;
}

/* The alignment that must be looked up at run time to get to a multiple of align; 1 if none. */
static uint8_t advance_align(const compiler *c, place *at, size_t align) {
    if (c->codec->generation == RCLITE_ROS1 || align == 1) {
        return 1;
    }
    if (at->modulus >= align && at->remainder % align == 0) {
        return 1;
    }
    if (at->modulus < align) {
        at->modulus = align;
        at->remainder = 0;
    } else {
        at->remainder = (at->remainder + align - at->remainder % align) % at->modulus;
    }
    return (uint8_t)align;
}

static void advance_bytes(place *at, size_t bytes) {
    at->remainder = (at->remainder + bytes) % at->modulus;
}

/* What comes after something of unknown length, which is a multiple of unit bytes. */
static void advance_unknown(place *at, size_t unit) {
    size_t power = 1;
    while (power < 4 && unit % (power * 2) == 0) {
        power *= 2;
    }
    at->modulus = power;
    at->remainder = 0;
    at->last_copy = SIZE_MAX;
}

static rclite_result emit_copy(
    compiler *c, place *at, size_t offset, size_t bytes, size_t align, codec_fix fix) {
    uint8_t skip = advance_align(c, at, align);
    advance_bytes(at, bytes);
    at->program->wire_bytes_min += bytes;
    if (at->last_copy != SIZE_MAX && skip == 1 && !c->swapped) {
        codec_operation *last = &at->program->operations[at->last_copy];
        if (last->offset + last->bytes == offset) {
            last->bytes += bytes;
            goto fixed;
        }
    }
    codec_operation copy = {.kind = CODEC_COPY,
        .align = skip,
        .swap = c->swapped ? (uint8_t)align : 1,
        .offset = offset,
        .bytes = bytes};
    rclite_result result = emit(c, at, &copy);
    if (result != RCLITE_OK) {
        return result;
    }
    at->last_copy = at->program->count - 1;
fixed:
    if (fix == CODEC_FIX_NONE) {
        return RCLITE_OK;
    }
    size_t size = fix == CODEC_FIX_BOOL ? sizeof(bool) : sizeof(rclite_duration);
    codec_operation after = {.kind = CODEC_FIX,
        .fix = (uint8_t)fix,
        .align = 1,
        .swap = 1,
        .offset = offset,
        .count = bytes / size};
    return emit(c, at, &after);
}

/* On the wire, times are two 32-bit numbers. */
static size_t wire_align(rclite_field_kind kind) {
    return kind == RCLITE_FIELD_TIME || kind == RCLITE_FIELD_DURATION ? 4
                                                                      : rclitei_kind_bytes(kind);
}

static codec_fix kind_fix(const compiler *c, rclite_field_kind kind) {
    if (kind == RCLITE_FIELD_BOOL) {
        return CODEC_FIX_BOOL;
    }
    return kind == RCLITE_FIELD_DURATION && c->codec->generation == RCLITE_ROS1 ? CODEC_FIX_DURATION
                                                                                : CODEC_FIX_NONE;
}

/* A program of its own for the elements of an array of structs. */
static rclite_result compile_elements(
    compiler *c, const rclite_type *type, const codec_program **ret_program) {
    codec_program *program = rclitei_arena_alloc(&c->codec->arena, sizeof *program);
    if (!program) {
        return RCLITE_ERR_NO_MEMORY;
    }
    place at = {.program = program, .modulus = 1, .last_copy = SIZE_MAX};
    *ret_program = program;
    return compile_fields(c, &at, type, 0);
}

/* The elements are on the wire as they are in memory, without a gap inside or between them. */
static bool is_flat(const codec_program *program, const rclite_type *type) {
    return program->count == 1 && program->operations[0].kind == CODEC_COPY &&
           program->operations[0].swap == 1 && program->operations[0].offset == 0 &&
           program->operations[0].bytes == type->size_bytes &&
           type->size_bytes % program->operations[0].align == 0;
}

static rclite_result compile_messages(
    compiler *c, place *at, const rclite_field *field, size_t offset) {
    if (field->array == RCLITE_ARRAY_NONE) {
        return compile_fields(c, at, field->type, offset);
    }
    codec_operation operation = {.align = 1,
        .swap = 1,
        .bound = field->count,
        .memory_align = (uint32_t)field->type->align_bytes,
        .offset = offset,
        .count = field->count,
        .element_bytes = field->element_bytes};
    rclite_result result = compile_elements(c, field->type, &operation.elements);
    if (result != RCLITE_OK) {
        return result;
    }
    bool flat = is_flat(operation.elements, field->type);
    size_t align = flat ? operation.elements->operations[0].align : 1;
    if (field->array == RCLITE_ARRAY_FIXED) {
        if (flat) {
            return emit_copy(
                c, at, offset, field->count * field->element_bytes, align, CODEC_FIX_NONE);
        }
        operation.kind = CODEC_MESSAGES;
        at->program->wire_bytes_min += field->count * operation.elements->wire_bytes_min;
        advance_unknown(at, 1);
        return emit(c, at, &operation);
    }
    operation.kind = flat ? CODEC_SEQUENCE : CODEC_MESSAGE_SEQUENCE;
    operation.align = (uint8_t)align;
    at->program->wire_bytes_min += sizeof(uint32_t);
    advance_unknown(at, flat ? field->element_bytes : 1);
    return emit(c, at, &operation);
}

static rclite_result compile_strings(
    compiler *c, place *at, const rclite_field *field, size_t offset) {
    bool sequence = field->array == RCLITE_ARRAY_SEQUENCE;
    codec_operation operation = {.kind = sequence ? CODEC_STRING_SEQUENCE : CODEC_STRINGS,
        .align = 1,
        .swap = 1,
        .bound = field->count,
        .string_bound = field->string_bound,
        .offset = offset,
        .count = field->array == RCLITE_ARRAY_FIXED ? field->count : 1,
        .element_bytes = sizeof(rclite_string)};
    at->program->wire_bytes_min += sizeof(uint32_t) * (sequence ? 1 : operation.count);
    advance_unknown(at, 1);
    return emit(c, at, &operation);
}

static rclite_result compile_primitives(
    compiler *c, place *at, const rclite_field *field, size_t offset) {
    size_t align = wire_align(field->kind);
    codec_fix fix = kind_fix(c, field->kind);
    if (field->array != RCLITE_ARRAY_SEQUENCE) {
        size_t count = field->array == RCLITE_ARRAY_FIXED ? field->count : 1;
        return emit_copy(c, at, offset, count * field->element_bytes, align, fix);
    }
    codec_operation operation = {.kind = CODEC_SEQUENCE,
        .fix = (uint8_t)fix,
        .align = c->codec->generation == RCLITE_ROS1 ? 1 : (uint8_t)align,
        .swap = c->swapped ? (uint8_t)align : 1,
        .bound = field->count,
        .memory_align = (uint32_t)rclitei_kind_align(field->kind),
        .offset = offset,
        .element_bytes = field->element_bytes};
    at->program->wire_bytes_min += sizeof(uint32_t);
    advance_unknown(at, field->element_bytes);
    return emit(c, at, &operation);
}

static rclite_result compile_fields(compiler *c, place *at, const rclite_type *type, size_t base) {
    bool ros2 = c->codec->generation == RCLITE_ROS2;
    const rclite_type_view *view = ros2 ? type->ros2 : type->ros1;
    if (!view) {
        return RCLITE_ERR_TYPE;
    }
    if (view->field_count == 0 && ros2) {
        /* structure_needs_at_least_one_member */
        advance_bytes(at, 1);
        at->last_copy = SIZE_MAX;
        at->program->wire_bytes_min++;
        return emit(c, at, &(codec_operation){.kind = CODEC_ZERO, .align = 1, .swap = 1});
    }
    rclite_result result = RCLITE_OK;
    for (uint32_t i = 0; i < view->field_count && result == RCLITE_OK; i++) {
        const rclite_field *field = &view->fields[i];
        size_t offset = base + field->offset_bytes;
        switch (field->kind) {
        case RCLITE_FIELD_MESSAGE:
            result = compile_messages(c, at, field, offset);
            break;
        case RCLITE_FIELD_STRING:
            result = compile_strings(c, at, field, offset);
            break;
        default:
            result = compile_primitives(c, at, field, offset);
            break;
        }
    }
    return result;
}

static rclite_result compile(
    rclitei_codec *codec, const rclite_type *type, codec_program *program, bool swapped) {
    compiler c = {.codec = codec, .swapped = swapped};
    /* A body begins at a multiple of the largest alignment; see rclitei_codec_size. */
    place at = {.program = program, .modulus = ALIGN_MAX, .last_copy = SIZE_MAX};
    return compile_fields(&c, &at, type, 0);
}

rclite_result rclitei_codec_create(const rclite_type *type, rclite_generation generation,
    const rclite_allocator *allocator, rclitei_codec **ret_codec) {
    rclite_allocator memory = rclitei_allocator_or_default(allocator);
    rclitei_codec *codec = memory.reallocate(memory.state, NULL, sizeof *codec);
    if (!codec) {
        return RCLITE_ERR_NO_MEMORY;
    }
    *codec = (rclitei_codec){.generation = generation, .string_nul = generation == RCLITE_ROS2};
    rclitei_arena_init(&codec->arena, &memory);
    rclite_result result = compile(codec, type, &codec->native, false);
    if (result == RCLITE_OK && generation == RCLITE_ROS2) {
        result = compile(codec, type, &codec->swapped, true);
    }
    if (result != RCLITE_OK) {
        rclitei_codec_free(codec);
        return result;
    }
    *ret_codec = codec;
    return RCLITE_OK;
}

rclitei_codec *rclitei_codec_free(rclitei_codec *codec) {
    if (codec) {
        rclite_allocator memory = codec->arena.memory;
        rclitei_arena_done(&codec->arena);
        memory.reallocate(memory.state, codec, 0);
    }
    return NULL;
}
