/* Serializing whole messages through the public API: a codec for each call, and on ROS 2 the 4
 * bytes of CDR's encapsulation before the body. Endpoints keep a codec instead. */
#include <string.h>

#include "core/codec.h"
#include "types/message.h"

#define ENCAPSULATION_BYTES 4

const rclite_type_view *rclitei_type_view(const rclite_type *type, rclite_generation generation) {
    if (!type) {
        return NULL;
    }
    return generation == RCLITE_ROS1 ? type->ros1 : generation == RCLITE_ROS2 ? type->ros2 : NULL;
}

static size_t header_bytes(rclite_generation generation) {
    return generation == RCLITE_ROS2 ? ENCAPSULATION_BYTES : 0;
}

rclite_result rclite_message_serialized_size(const rclite_type *type, rclite_generation generation,
    const void *message, size_t *ret_size_bytes) {
    if (!type || !message || !ret_size_bytes) {
        return RCLITE_ERR_INVALID;
    }
    rclitei_codec *codec;
    rclite_result result = rclitei_codec_create(type, generation, NULL, &codec);
    if (result == RCLITE_OK) {
        *ret_size_bytes = header_bytes(generation) + rclitei_codec_size(codec, message, 0);
        rclitei_codec_free(codec);
    }
    return result;
}

rclite_result rclite_message_serialize(const rclite_type *type, rclite_generation generation,
    const void *message, uint8_t *buffer, size_t capacity_bytes, size_t *ret_size_bytes) {
    if (!type || !message || !buffer || !ret_size_bytes) {
        return RCLITE_ERR_INVALID;
    }
    size_t header = header_bytes(generation);
    if (capacity_bytes < header) {
        return RCLITE_ERR_OVERFLOW;
    }
    rclitei_codec *codec;
    rclite_result result = rclitei_codec_create(type, generation, NULL, &codec);
    if (result != RCLITE_OK) {
        return result;
    }
    size_t size;
    result =
        rclitei_codec_write(codec, message, 0, buffer + header, capacity_bytes - header, &size);
    if (result == RCLITE_OK) {
        static const uint8_t little_endian_cdr[ENCAPSULATION_BYTES] = {0, 1, 0, 0};
        memcpy(buffer, little_endian_cdr, header);
        *ret_size_bytes = header + size;
    }
    rclitei_codec_free(codec);
    return result;
}

rclite_result rclite_message_deserialize(const rclite_type *type, rclite_generation generation,
    const uint8_t *buffer, size_t size_bytes, void *message, const rclite_allocator *allocator) {
    if (!type || !message || (!buffer && size_bytes)) {
        return RCLITE_ERR_INVALID;
    }
    size_t header = header_bytes(generation);
    rclitei_codec_read_options options = {0};
    if (header) {
        /* 0: big-endian CDR, 1: little-endian CDR; the others are encodings of keyed or XCDR2 data.
         */
        if (size_bytes < header || buffer[0] != 0 || buffer[1] > 1) {
            return RCLITE_ERR_MALFORMED;
        }
        options.big_endian = buffer[1] == 0;
    }
    rclitei_codec *codec;
    rclite_result result = rclitei_codec_create(type, generation, allocator, &codec);
    if (result == RCLITE_OK) {
        result = rclitei_codec_read(codec, header ? buffer + header : buffer, size_bytes - header,
            &options, message, allocator);
        rclitei_codec_free(codec);
    }
    return result;
}
