/* Pooled, reference-counted packets; see packet.h. */
#include "ros1/packet.h"

#include <string.h>

struct rclitei_pool {
    rclite_allocator allocator;
    pthread_mutex_t mutex;
    rclitei_packet *free_list;
    uint32_t free_count, keep;
    size_t out; /* packets that someone holds */
    bool closed;
};

static void *allocate(const rclite_allocator *allocator, void *memory, size_t size) {
    return allocator->reallocate(allocator->state, memory, size);
}

rclitei_pool *rclitei_pool_create(const rclite_allocator *allocator, uint32_t keep) {
    rclitei_pool *pool = allocate(allocator, NULL, sizeof *pool);
    if (pool) {
        memset(pool, 0, sizeof *pool);
        pool->allocator = *allocator;
        pool->keep = keep;
        pthread_mutex_init(&pool->mutex, NULL);
    }
    return pool;
}

static void *destroy_packet(const rclite_allocator *allocator, rclitei_packet *packet) {
    if (packet) {
        allocate(allocator, packet->bytes, 0);
        allocate(allocator, packet, 0);
    }
    return NULL;
}

static void destroy(rclitei_pool *pool) {
    rclite_allocator allocator = pool->allocator;
    pthread_mutex_destroy(&pool->mutex);
    allocate(&allocator, pool, 0);
}

rclitei_pool *rclitei_pool_free(rclitei_pool *pool) {
    if (!pool) {
        return NULL;
    }
    pthread_mutex_lock(&pool->mutex);
    rclitei_packet *packet = pool->free_list;
    pool->free_list = NULL;
    pool->closed = true;
    bool last = pool->out == 0;
    rclite_allocator allocator = pool->allocator; /* who has the last packet may end the pool now */
    pthread_mutex_unlock(&pool->mutex);
    while (packet) {
        rclitei_packet *next = packet->next;
        destroy_packet(&allocator, packet);
        packet = next;
    }
    if (last) {
        destroy(pool);
    }
    return NULL;
}

static rclitei_packet *create_packet(rclitei_pool *pool, size_t size) {
    /* A margin, so that sizes that vary a little settle soon. */
    size_t capacity = size + size / 8 + 64;
    rclitei_packet *packet =
        capacity > size ? allocate(&pool->allocator, NULL, sizeof *packet) : NULL;
    if (!packet) {
        return NULL;
    }
    *packet = (rclitei_packet){.pool = pool, .capacity = capacity};
    packet->bytes = allocate(&pool->allocator, NULL, capacity);
    return packet->bytes ? packet : destroy_packet(&pool->allocator, packet);
}

rclitei_packet *rclitei_packet_take(rclitei_pool *pool, size_t size) {
    pthread_mutex_lock(&pool->mutex);
    rclitei_packet *packet = pool->free_list;
    if (packet) {
        pool->free_list = packet->next;
        pool->free_count--;
    }
    pool->out++;
    pthread_mutex_unlock(&pool->mutex);
    if (!packet || packet->capacity < size) {
        destroy_packet(&pool->allocator, packet);
        packet = create_packet(pool, size);
    }
    if (!packet) {
        pthread_mutex_lock(&pool->mutex);
        pool->out--;
        pthread_mutex_unlock(&pool->mutex);
        return NULL;
    }
    packet->next = NULL;
    packet->size = size;
    packet->hole_count = 0;
    packet->filled_from = size;
    atomic_init(&packet->references, 1);
    return packet;
}

rclitei_packet *rclitei_packet_retain(rclitei_packet *packet) {
    atomic_fetch_add_explicit(&packet->references, 1, memory_order_relaxed);
    return packet;
}

rclitei_packet *rclitei_packet_release(rclitei_packet *packet) {
    if (!packet || atomic_fetch_sub_explicit(&packet->references, 1, memory_order_acq_rel) != 1) {
        return NULL;
    }
    rclitei_pool *pool = packet->pool;
    pthread_mutex_lock(&pool->mutex);
    pool->out--;
    bool last = pool->closed && pool->out == 0;
    bool keep = !pool->closed && pool->free_count < pool->keep;
    if (keep) {
        packet->next = pool->free_list;
        pool->free_list = packet;
        pool->free_count++;
    }
    rclite_allocator allocator = pool->allocator;
    pthread_mutex_unlock(&pool->mutex);
    if (!keep) {
        destroy_packet(&allocator, packet);
    }
    if (last) {
        destroy(pool);
    }
    return NULL;
}

rclite_result rclitei_packet_write(
    rclitei_packet *packet, size_t at, const rclitei_codec *codec, const void *message) {
    size_t written;
    rclite_result result = rclitei_codec_write_around(codec, message, 0, packet->bytes + at,
        packet->size - at, &written, packet->holes, &packet->hole_count);
    for (size_t i = 0; i < packet->hole_count; i++) {
        packet->holes[i].position += at;
    }
    return result;
}

void rclitei_packet_fill(rclitei_packet *packet, size_t from) {
    size_t until = packet->filled_from;
    for (size_t i = 0; i < packet->hole_count; i++) {
        const rclitei_codec_hole *hole = &packet->holes[i];
        size_t begin = hole->position > from ? hole->position : from;
        size_t end = hole->position + hole->bytes < until ? hole->position + hole->bytes : until;
        if (begin < end) {
            memcpy(packet->bytes + begin, (const uint8_t *)hole->data + (begin - hole->position),
                end - begin);
        }
    }
    packet->filled_from = from < until ? from : until;
}

void rclitei_packet_seal(rclitei_packet *packet) {
    packet->hole_count = 0;
}
