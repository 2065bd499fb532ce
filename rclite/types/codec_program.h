/* The serializer's programs: what codec_compile.c makes of a field table and codec_write.c and
 * codec_read.c run. One operation handles a run of bytes, a string, a sequence; nested structs are
 * flattened into their parent. */
#ifndef RCLITE_TYPES_CODEC_PROGRAM_H
#define RCLITE_TYPES_CODEC_PROGRAM_H

#include "core/codec.h"
#include "types/arena.h"

typedef enum codec_operation_kind {
    CODEC_COPY,     /* bytes at offset, as they are */
    CODEC_FIX,      /* reading only: normalises count elements at offset */
    CODEC_ZERO,     /* one byte on the wire that no field stands for */
    CODEC_STRINGS,  /* count strings at offset */
    CODEC_MESSAGES, /* count structs of element_bytes at offset, by the sub-program */
    CODEC_SEQUENCE, /* a sequence whose elements are copied in one piece */
    CODEC_STRING_SEQUENCE,
    CODEC_MESSAGE_SEQUENCE
} codec_operation_kind;

/* What a value needs after it was copied from the wire. */
typedef enum codec_fix {
    CODEC_FIX_NONE,
    CODEC_FIX_BOOL,    /* any byte but 0 is true */
    CODEC_FIX_DURATION /* ROS 1: nanoseconds may be negative */
} codec_fix;

typedef struct codec_program codec_program;

typedef struct codec_operation {
    uint8_t kind;
    uint8_t fix;
    uint8_t align; /* on the wire, of the first byte; 1 where nothing must be skipped */
    uint8_t swap;  /* size of the units whose bytes are swapped after reading; 1: none */
    uint32_t bound;
    uint32_t string_bound;
    uint32_t memory_align; /* CODEC_SEQUENCE: of an element, for views */
    size_t offset;
    size_t bytes; /* CODEC_COPY */
    size_t count;
    size_t element_bytes; /* sizeof an element */
    const codec_program *elements;
} codec_operation;

struct codec_program {
    codec_operation *operations;
    size_t count;
    size_t capacity;
    size_t wire_bytes_min; /* no message is shorter */
};

struct rclitei_codec {
    rclitei_arena arena;
    rclite_generation generation;
    bool string_nul; /* strings end with a NUL that their length counts */
    codec_program native;
    codec_program swapped; /* for big-endian CDR */
};

#endif
