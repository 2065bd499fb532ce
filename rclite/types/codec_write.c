/* Runs a codec's program to size and to write a message. */
#include <assert.h>
#include <string.h>

#include "types/codec_program.h"

typedef struct writer {
    uint8_t *buffer;
    size_t position; /* of the next byte; alignment counts from 0 */
    size_t capacity;
    bool string_nul;
    rclitei_codec_hole *holes; /* NULL: everything is copied */
    size_t hole_count;
} writer;

static size_t align_up(size_t position, size_t align) {
    return (position + align - 1) & ~(align - 1);
}

static size_t length_align(bool string_nul) {
    return string_nul ? sizeof(uint32_t) : 1; /* strings have a NUL where values are aligned */
}

/* ---- sizes ---------------------------------------------------------------------------------- */

static size_t string_end(const rclite_string *string, size_t position, bool nul) {
    return align_up(position, length_align(nul)) + sizeof(uint32_t) + string->size + nul;
}

static size_t program_end(
    const codec_program *program, const char *message, size_t position, bool nul) {
    for (size_t i = 0; i < program->count; i++) {
        const codec_operation *op = &program->operations[i];
        const void *field = message + op->offset;
        const rclite_uint8_sequence *sequence = field; /* of any element type */
        switch ((codec_operation_kind)op->kind) {
        case CODEC_COPY:
            position = align_up(position, op->align) + op->bytes;
            break;
        case CODEC_FIX:
            break;
        case CODEC_ZERO:
            position++;
            break;
        case CODEC_STRINGS:
            for (size_t n = 0; n < op->count; n++) {
                position = string_end((const rclite_string *)field + n, position, nul);
            }
            break;
        case CODEC_MESSAGES:
            for (size_t n = 0; n < op->count; n++) {
                position = program_end(
                    op->elements, (const char *)field + n * op->element_bytes, position, nul);
            }
            break;
        case CODEC_SEQUENCE:
            position = align_up(position, length_align(nul)) + sizeof(uint32_t);
            if (sequence->size) {
                position = align_up(position, op->align) + sequence->size * op->element_bytes;
            }
            break;
        case CODEC_STRING_SEQUENCE:
            position = align_up(position, length_align(nul)) + sizeof(uint32_t);
            for (size_t n = 0; n < sequence->size; n++) {
                position = string_end(
                    (const rclite_string *)(const void *)sequence->data + n, position, nul);
            }
            break;
        case CODEC_MESSAGE_SEQUENCE:
            position = align_up(position, length_align(nul)) + sizeof(uint32_t);
            for (size_t n = 0; n < sequence->size; n++) {
                position = program_end(op->elements,
                    (const char *)sequence->data + n * op->element_bytes, position, nul);
            }
            break;
        }
    }
    return position;
}

size_t rclitei_codec_size(const rclitei_codec *codec, const void *message, size_t origin) {
    assert(origin % 8 == 0); /* so that it changes no alignment */
    (void)origin;
    return program_end(&codec->native, message, 0, codec->string_nul);
}

/* ---- writing -------------------------------------------------------------------------------- */

/* Pads with zeros and returns where to write, or NULL when the buffer ends before. */
static uint8_t *reserve(writer *w, size_t align, size_t bytes) {
    size_t begin = align_up(w->position, align);
    if (begin > w->capacity || bytes > w->capacity - begin) {
        return NULL;
    }
    while (w->position < begin) {
        w->buffer[w->position++] = 0;
    }
    w->position = begin + bytes;
    return w->buffer + begin;
}

static bool write_length(writer *w, size_t length) {
    uint8_t *to = reserve(w, length_align(w->string_nul), sizeof(uint32_t));
    if (!to || length > UINT32_MAX) {
        return false;
    }
    uint32_t value = (uint32_t)length;
    memcpy(to, &value, sizeof value);
    return true;
}

static rclite_result write_string(writer *w, const rclite_string *string, uint32_t bound) {
    if (bound && string->size > bound) {
        return RCLITE_ERR_OVERFLOW;
    }
    if (string->size && !string->data) {
        return RCLITE_ERR_INVALID;
    }
    uint8_t *to = write_length(w, string->size + w->string_nul)
                      ? reserve(w, 1, string->size + w->string_nul)
                      : NULL;
    if (!to) {
        return RCLITE_ERR_OVERFLOW;
    }
    if (string->size) {
        memcpy(to, string->data, string->size);
    }
    if (w->string_nul) {
        to[string->size] = '\0';
    }
    return RCLITE_OK;
}

static rclite_result write_strings(
    writer *w, const rclite_string *strings, size_t count, uint32_t bound) {
    rclite_result result = RCLITE_OK;
    for (size_t i = 0; i < count && result == RCLITE_OK; i++) {
        result = write_string(w, &strings[i], bound);
    }
    return result;
}

static rclite_result write_program(writer *w, const codec_program *program, const char *message);

static rclite_result write_messages(
    writer *w, const codec_operation *op, const void *messages, size_t count) {
    rclite_result result = RCLITE_OK;
    for (size_t i = 0; i < count && result == RCLITE_OK; i++) {
        result = write_program(w, op->elements, (const char *)messages + i * op->element_bytes);
    }
    return result;
}

static rclite_result write_sequence(
    writer *w, const codec_operation *op, const rclite_uint8_sequence *sequence) {
    if (op->bound && sequence->size > op->bound) {
        return RCLITE_ERR_OVERFLOW;
    }
    if (sequence->size && !sequence->data) {
        return RCLITE_ERR_INVALID;
    }
    if (!write_length(w, sequence->size)) {
        return RCLITE_ERR_OVERFLOW;
    }
    if (op->kind == CODEC_STRING_SEQUENCE) {
        return write_strings(w, (const void *)sequence->data, sequence->size, op->string_bound);
    }
    if (op->kind == CODEC_MESSAGE_SEQUENCE) {
        return write_messages(w, op, sequence->data, sequence->size);
    }
    if (sequence->size) {
        if (sequence->size > SIZE_MAX / op->element_bytes) {
            return RCLITE_ERR_OVERFLOW;
        }
        size_t bytes = sequence->size * op->element_bytes;
        uint8_t *to = reserve(w, op->align, bytes);
        if (!to) {
            return RCLITE_ERR_OVERFLOW;
        }
        if (w->holes && w->hole_count < RCLITEI_CODEC_HOLES_MAX &&
            bytes >= RCLITEI_CODEC_HOLE_BYTES) {
            w->holes[w->hole_count++] =
                (rclitei_codec_hole){w->position - bytes, sequence->data, bytes};
        } else {
            memcpy(to, sequence->data, bytes);
        }
    }
    return RCLITE_OK;
}

static rclite_result write_program(writer *w, const codec_program *program, const char *message) {
    rclite_result result = RCLITE_OK;
    for (size_t i = 0; i < program->count && result == RCLITE_OK; i++) {
        const codec_operation *op = &program->operations[i];
        const void *field = message + op->offset;
        uint8_t *to;
        switch ((codec_operation_kind)op->kind) {
        case CODEC_COPY:
            to = reserve(w, op->align, op->bytes);
            if (!to) {
                return RCLITE_ERR_OVERFLOW;
            }
            memcpy(to, field, op->bytes);
            break;
        case CODEC_FIX:
            break;
        case CODEC_ZERO:
            to = reserve(w, 1, 1);
            if (!to) {
                return RCLITE_ERR_OVERFLOW;
            }
            *to = 0;
            break;
        case CODEC_STRINGS:
            result = write_strings(w, field, op->count, op->string_bound);
            break;
        case CODEC_MESSAGES:
            result = write_messages(w, op, field, op->count);
            break;
        case CODEC_SEQUENCE:
        case CODEC_STRING_SEQUENCE:
        case CODEC_MESSAGE_SEQUENCE:
            result = write_sequence(w, op, field);
            break;
        }
    }
    return result;
}

static rclite_result run_writer(writer *w, const rclitei_codec *codec, const void *message,
    size_t origin, size_t *ret_size_bytes) {
    assert(origin % 8 == 0);
    (void)origin;
    w->string_nul = codec->string_nul;
    rclite_result result = write_program(w, &codec->native, message);
    if (result == RCLITE_OK) {
        *ret_size_bytes = w->position;
    }
    return result;
}

rclite_result rclitei_codec_write(const rclitei_codec *codec, const void *message, size_t origin,
    uint8_t *buffer, size_t capacity_bytes, size_t *ret_size_bytes) {
    writer w = {.buffer = buffer, .capacity = capacity_bytes};
    return run_writer(&w, codec, message, origin, ret_size_bytes);
}

rclite_result rclitei_codec_write_around(const rclitei_codec *codec, const void *message,
    size_t origin, uint8_t *buffer, size_t capacity_bytes, size_t *ret_size_bytes,
    rclitei_codec_hole ret_holes[RCLITEI_CODEC_HOLES_MAX], size_t *ret_hole_count) {
    writer w = {.buffer = buffer, .capacity = capacity_bytes, .holes = ret_holes};
    rclite_result result = run_writer(&w, codec, message, origin, ret_size_bytes);
    *ret_hole_count = w.hole_count;
    return result;
}
