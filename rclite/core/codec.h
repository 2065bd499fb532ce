/* The serializer: a type's field table of one generation, compiled once into a short program in
 * which runs of fixed-size fields and primitive arrays are one copy each. Used by endpoints; the
 * public rclite_message_serialize builds one for each call. */
#ifndef RCLITE_CORE_CODEC_H
#define RCLITE_CORE_CODEC_H

#include "rclite/type.h"

typedef struct rclitei_codec rclitei_codec;

/* RCLITE_ERR_TYPE when the type is not in this generation. */
rclite_result rclitei_codec_create(const rclite_type *type, rclite_generation generation,
    const rclite_allocator *allocator, rclitei_codec **ret_codec);
rclitei_codec *rclitei_codec_free(rclitei_codec *codec);
/* The body only: without CDR's encapsulation header, without ROS 1's length. `origin` is the offset
 * of the body's first byte from where CDR alignment counts (16 behind a request header); ROS 1: 0.
 */
size_t rclitei_codec_size(const rclitei_codec *codec, const void *message, size_t origin);
/* Writes exactly rclitei_codec_size bytes; padding bytes are zero.
 * RCLITE_ERR_OVERFLOW: a bound of the type, or capacity, is exceeded. */
rclite_result rclitei_codec_write(const rclitei_codec *codec, const void *message, size_t origin,
    uint8_t *buffer, size_t capacity_bytes, size_t *ret_size_bytes);

/* A long run of bytes that was left out of what was written: it belongs at `position`. */
typedef struct rclitei_codec_hole {
    size_t position;
    const void *data; /* in the message */
    size_t bytes;
} rclitei_codec_hole;

#define RCLITEI_CODEC_HOLES_MAX 4
#define RCLITEI_CODEC_HOLE_BYTES ((size_t)32768) /* shorter ones are just copied */

/* As rclitei_codec_write, but long runs are not copied: so they can be sent from where they are.
 * Holes come in the order of their positions. */
rclite_result rclitei_codec_write_around(const rclitei_codec *codec, const void *message,
    size_t origin, uint8_t *buffer, size_t capacity_bytes, size_t *ret_size_bytes,
    rclitei_codec_hole ret_holes[RCLITEI_CODEC_HOLES_MAX], size_t *ret_hole_count);

typedef struct rclitei_codec_read_options {
    size_t origin;
    bool big_endian;
    bool views; /* strings and primitive sequences may point into buffer (which must then outlive
                   the message), where alignment and endianness allow; the message must be one that
                   is only ever read with views or initialised anew */
} rclitei_codec_read_options;
rclite_result rclitei_codec_read(const rclitei_codec *codec, const uint8_t *buffer,
    size_t size_bytes, const rclitei_codec_read_options *options, void *message,
    const rclite_allocator *allocator);

#endif
