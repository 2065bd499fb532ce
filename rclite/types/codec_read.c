/* Runs a codec's program to read a message from bytes that may be hostile: every length is held
 * against the bytes that are left before anything is allocated for it. */
#include <assert.h>
#include <string.h>

#include "types/buffer.h"
#include "types/codec_program.h"

/* Elements that need no byte on the wire (ROS 1's std_msgs/Empty[]) are bounded by this alone. */
#define EMPTY_ELEMENTS_MAX 4096

typedef struct reader {
    const uint8_t *buffer;
    size_t position;
    size_t size;
    bool string_nul;
    bool big_endian;
    bool views;
    rclite_allocator memory;
} reader;

/* Skips padding and returns the next bytes, or NULL when there are fewer. */
static const uint8_t *take(reader *r, size_t align, size_t bytes) {
    size_t begin = (r->position + align - 1) & ~(align - 1);
    if (begin > r->size || bytes > r->size - begin) {
        return NULL;
    }
    r->position = begin + bytes;
    return r->buffer + begin;
}

static bool take_length(reader *r, size_t *ret_length) {
    const uint8_t *from = take(r, r->string_nul ? sizeof(uint32_t) : 1, sizeof(uint32_t));
    if (!from) {
        return false;
    }
    uint32_t length;
    memcpy(&length, from, sizeof length);
    *ret_length = r->big_endian ? __builtin_bswap32(length) : length;
    return true;
}

static void swap_units(void *memory, size_t bytes, size_t unit) {
    uint8_t *p = memory;
    for (size_t i = 0; i < bytes; i += unit) {
        for (size_t low = i, high = i + unit - 1; low < high; low++, high--) {
            uint8_t byte = p[low];
            p[low] = p[high];
            p[high] = byte;
        }
    }
}

static void fix_durations(rclite_duration *durations, size_t count) {
    const int64_t second = 1000000000;
    for (size_t i = 0; i < count; i++) {
        int32_t signed_part;
        memcpy(&signed_part, &durations[i].nanosec, sizeof signed_part);
        if (signed_part < 0 || signed_part >= second) {
            int64_t total = durations[i].sec * second + signed_part;
            int64_t sec = total / second - (total % second < 0);
            durations[i].nanosec = (uint32_t)(total - sec * second);
            durations[i].sec = sec > INT32_MAX   ? INT32_MAX
                               : sec < INT32_MIN ? INT32_MIN
                                                 : (int32_t)sec;
        }
    }
}

static void fix_values(codec_fix fix, void *memory, size_t count) {
    if (fix == CODEC_FIX_BOOL) {
        uint8_t *bools = memory;
        for (size_t i = 0; i < count; i++) {
            bools[i] = bools[i] != 0;
        }
    } else if (fix == CODEC_FIX_DURATION) {
        fix_durations(memory, count);
    }
}

static rclite_result read_string(reader *r, rclite_string *string, uint32_t bound) {
    size_t size;
    if (!take_length(r, &size)) {
        return RCLITE_ERR_MALFORMED;
    }
    const uint8_t *from = take(r, 1, size);
    if (!from) {
        return RCLITE_ERR_MALFORMED;
    }
    if (r->string_nul && size) { /* some writers send an empty string without its NUL */
        size--;
        if (from[size] != '\0') {
            return RCLITE_ERR_MALFORMED;
        }
    }
    if (bound && size > bound) {
        return RCLITE_ERR_OVERFLOW;
    }
    if (r->views && r->string_nul) {
        rclitei_buffer_borrow(string, size ? from : NULL, size, &r->memory);
        return RCLITE_OK;
    }
    return rclitei_string_set(string, (const char *)from, size, &r->memory);
}

static rclite_result read_strings(reader *r, rclite_string *strings, size_t count, uint32_t bound) {
    rclite_result result = RCLITE_OK;
    for (size_t i = 0; i < count && result == RCLITE_OK; i++) {
        result = read_string(r, &strings[i], bound);
    }
    return result;
}

static rclite_result read_program(reader *r, const codec_program *program, char *message);

static rclite_result read_messages(
    reader *r, const codec_operation *op, char *messages, size_t count) {
    rclite_result result = RCLITE_OK;
    for (size_t i = 0; i < count && result == RCLITE_OK; i++) {
        result = read_program(r, op->elements, messages + i * op->element_bytes);
    }
    return result;
}

/* Elements that are copied in one piece. */
static rclite_result read_plain_sequence(
    reader *r, const codec_operation *op, rclite_uint8_sequence *sequence, size_t count) {
    if (count > SIZE_MAX / op->element_bytes) {
        return RCLITE_ERR_MALFORMED;
    }
    size_t bytes = count * op->element_bytes;
    const uint8_t *from = count ? take(r, op->align, bytes) : NULL;
    if (count && !from) {
        return RCLITE_ERR_MALFORMED;
    }
    if (r->views && op->fix == CODEC_FIX_NONE && op->swap == 1 &&
        (uintptr_t)from % op->memory_align == 0) {
        rclitei_buffer_borrow(sequence, from, count, &r->memory);
        return RCLITE_OK;
    }
    rclite_result result =
        rclitei_buffer_reserve(sequence, count, op->element_bytes, false, &r->memory);
    if (result == RCLITE_OK && count) {
        memcpy(sequence->data, from, bytes);
        if (op->swap > 1) {
            swap_units(sequence->data, bytes, op->swap);
        }
        fix_values((codec_fix)op->fix, sequence->data, count);
    }
    sequence->size = result == RCLITE_OK ? count : 0;
    return result;
}

static rclite_result read_sequence(
    reader *r, const codec_operation *op, rclite_uint8_sequence *sequence) {
    size_t count;
    if (!take_length(r, &count)) {
        return RCLITE_ERR_MALFORMED;
    }
    if (op->bound && count > op->bound) {
        return RCLITE_ERR_OVERFLOW;
    }
    if (op->kind == CODEC_SEQUENCE) {
        return read_plain_sequence(r, op, sequence, count);
    }
    size_t least = op->elements ? op->elements->wire_bytes_min : sizeof(uint32_t);
    if (least ? count > (r->size - r->position) / least : count > EMPTY_ELEMENTS_MAX) {
        return RCLITE_ERR_MALFORMED;
    }
    /* New elements are zeroed, which every field takes for empty; old ones keep their buffers. A
     * sequence that grows from message to message is not moved each time. */
    size_t room = count;
    if (count > sequence->capacity) {
        room += sequence->capacity / 2;
    }
    rclite_result result =
        rclitei_buffer_reserve(sequence, room, op->element_bytes, true, &r->memory);
    if (result != RCLITE_OK) {
        return result;
    }
    sequence->size = count;
    return op->kind == CODEC_STRING_SEQUENCE
               ? read_strings(r, (void *)sequence->data, count, op->string_bound)
               : read_messages(r, op, (char *)sequence->data, count);
}

static rclite_result read_program(reader *r, const codec_program *program, char *message) {
    rclite_result result = RCLITE_OK;
    for (size_t i = 0; i < program->count && result == RCLITE_OK; i++) {
        const codec_operation *op = &program->operations[i];
        void *field = message + op->offset;
        const uint8_t *from;
        switch ((codec_operation_kind)op->kind) {
        case CODEC_COPY:
            from = take(r, op->align, op->bytes);
            if (!from) {
                return RCLITE_ERR_MALFORMED;
            }
            memcpy(field, from, op->bytes);
            if (op->swap > 1) {
                swap_units(field, op->bytes, op->swap);
            }
            break;
        case CODEC_FIX:
            fix_values((codec_fix)op->fix, field, op->count);
            break;
        case CODEC_ZERO:
            if (!take(r, 1, 1)) {
                return RCLITE_ERR_MALFORMED;
            }
            break;
        case CODEC_STRINGS:
            result = read_strings(r, field, op->count, op->string_bound);
            break;
        case CODEC_MESSAGES:
            result = read_messages(r, op, field, op->count);
            break;
        case CODEC_SEQUENCE:
        case CODEC_STRING_SEQUENCE:
        case CODEC_MESSAGE_SEQUENCE:
            result = read_sequence(r, op, field);
            break;
        }
    }
    return result;
}

rclite_result rclitei_codec_read(const rclitei_codec *codec, const uint8_t *buffer,
    size_t size_bytes, const rclitei_codec_read_options *options, void *message,
    const rclite_allocator *allocator) {
    assert(options->origin % 8 == 0);
    reader r = {.buffer = buffer,
        .size = size_bytes,
        .string_nul = codec->string_nul,
        .big_endian = options->big_endian && codec->generation == RCLITE_ROS2,
        .views = options->views,
        .memory = rclitei_allocator_or_default(allocator)};
    rclite_result result =
        read_program(&r, r.big_endian ? &codec->swapped : &codec->native, message);
    if (result == RCLITE_OK && codec->generation == RCLITE_ROS1 && r.position != r.size) {
        return RCLITE_ERR_MALFORMED; /* CDR may be padded at its end; a ROS 1 body may not */
    }
    return result;
}
