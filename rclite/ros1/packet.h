/* Bytes on their way out, or waiting for the user: packets that several connections share by
 * counting references, from a pool that keeps freed ones for the next message, so that nothing is
 * allocated once it is warm. */
#ifndef RCLITE_ROS1_PACKET_H
#define RCLITE_ROS1_PACKET_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/codec.h"
#include "rclite/allocator.h"

typedef struct rclitei_pool rclitei_pool;

typedef struct rclitei_packet {
    rclitei_pool *pool;
    struct rclitei_packet *next; /* in the pool's list, or in a list of the holder's own */
    atomic_uint references;
    size_t size, capacity;
    /* While its message is being sent: what is not copied into it yet, and from where on it is. */
    rclitei_codec_hole holes[RCLITEI_CODEC_HOLES_MAX];
    size_t hole_count, filled_from;
    uint8_t *bytes; /* of the pool's allocator; a stream may exchange it, with its capacity */
} rclitei_packet;

/* keep: how many free packets stay for reuse at most. NULL: no memory. */
rclitei_pool *rclitei_pool_create(const rclite_allocator *allocator, uint32_t keep);
/* Packets that are still out stay valid; the last one takes the pool with it. */
rclitei_pool *rclitei_pool_free(rclitei_pool *pool);

/* size is set, the bytes are not. One reference is the caller's. NULL: no memory. */
rclitei_packet *rclitei_packet_take(rclitei_pool *pool, size_t size);
rclitei_packet *rclitei_packet_retain(rclitei_packet *packet);
rclitei_packet *rclitei_packet_release(rclitei_packet *packet); /* NULL allowed; returns NULL */

/* A packet has holes while it is sent for the first time, so that what the sockets take at once
 * needs no copy: from writing the message to sealing the packet, with the message still valid. */

/* Writes the message from `at` to the packet's end. */
rclite_result rclitei_packet_write(
    rclitei_packet *packet, size_t at, const rclitei_codec *codec, const void *message);
/* Puts what is missing in place, from `from` on: for who will send the rest later. */
void rclitei_packet_fill(rclitei_packet *packet, size_t from);
/* The message is no longer needed. */
void rclitei_packet_seal(rclitei_packet *packet);

#endif
