/* The TCPROS connection header: fields "name=value", each led by its length, the whole led by its
 * length. Reads and builds them; what the fields mean is the endpoints' affair. */
#ifndef RCLITE_ROS1_HEADER_H
#define RCLITE_ROS1_HEADER_H

#include "ros1/packet.h"

/* A whole header may have so many bytes (message definitions are part of it). */
#define RCLITEI_HEADER_BYTES_MAX ((size_t)1 << 20)

typedef struct rclitei_header { /* borrowed bytes without the leading length */
    const uint8_t *bytes;
    size_t size;
} rclitei_header;

typedef struct rclitei_text { /* borrowed, not terminated */
    const char *data;
    size_t size;
} rclitei_text;

/* False: a field is longer than what is left, or has no '='. */
bool rclitei_header_is_valid(rclitei_header header);
/* The value of a field of a valid header; data NULL when it is not there. The first one counts. */
rclitei_text rclitei_header_get(rclitei_header header, const char *name);
bool rclitei_text_equal(rclitei_text text, const char *other);
/* "1" and "true" are true. */
bool rclitei_text_is_true(rclitei_text text);

typedef struct rclitei_header_field {
    const char *name, *value; /* value NULL: the field is left out */
} rclitei_header_field;

/* Builds a whole header, with its length. NULL: no memory. */
rclitei_packet *rclitei_header_build(
    rclitei_pool *pool, const rclitei_header_field *fields, size_t count);

/* Little-endian 32-bit numbers, as lengths are. */
uint32_t rclitei_u32_read(const uint8_t *bytes);
void rclitei_u32_write(uint8_t *bytes, uint32_t value);

#endif
