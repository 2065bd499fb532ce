/* Outgoing bytes: packets that several connections share by counting references, from a pool that
 * keeps freed ones for the next message, so that sending allocates nothing once it is warm. */
#ifndef RCLITE_ROS1_PACKET_H
#define RCLITE_ROS1_PACKET_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rclite/allocator.h"

typedef struct rclitei_pool rclitei_pool;

typedef struct rclitei_packet {
    rclitei_pool *pool;
    struct rclitei_packet *next; /* in the pool's list, or in a list of the holder's own */
    atomic_uint references;
    size_t size, capacity;
    _Alignas(16) uint8_t bytes[];
} rclitei_packet;

/* keep: how many free packets stay for reuse at most. NULL: no memory. */
rclitei_pool *rclitei_pool_create(const rclite_allocator *allocator, uint32_t keep);
/* Packets that are still out stay valid; the last one takes the pool with it. */
rclitei_pool *rclitei_pool_free(rclitei_pool *pool);

/* size is set, the bytes are not. One reference is the caller's. NULL: no memory. */
rclitei_packet *rclitei_packet_take(rclitei_pool *pool, size_t size);
rclitei_packet *rclitei_packet_retain(rclitei_packet *packet);
rclitei_packet *rclitei_packet_release(rclitei_packet *packet); /* NULL allowed; returns NULL */

#endif
