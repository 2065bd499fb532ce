/* The pool: a free list for each power of two, under one short lock. What lies free is bounded, so
 * that one flood of large messages does not hold its memory for ever. */
#include "ros2/pool.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "rclite/time.h"

#define CLASS_BYTES_MIN 256u
#define CLASS_COUNT 26u /* up to 8 GiB: more than DDS can send */
#define FREE_BYTES_MAX ((size_t)64 << 20)

/* Leads every buffer; 16 bytes, so that what follows is aligned as malloc's memory. */
typedef union pool_block {
    struct {
        union pool_block *next; /* while free */
        uint32_t class_index;
    } head;
    _Alignas(16) uint8_t bytes[16];
} pool_block;

struct ros2_pool {
    rclite_allocator allocator;
    pthread_mutex_t lock;
    pthread_cond_t returned;
    pool_block *free[CLASS_COUNT];
    size_t free_bytes;
    size_t out_count; /* buffers that are in use */
};

static size_t class_bytes(uint32_t class_index) {
    return (size_t)CLASS_BYTES_MIN << class_index;
}

static void release(const rclite_allocator *allocator, void *memory) {
    allocator->reallocate(allocator->state, memory, 0);
}

ros2_pool *ros2_pool_create(const rclite_allocator *allocator) {
    ros2_pool *pool = allocator->reallocate(allocator->state, NULL, sizeof *pool);
    if (!pool) {
        return NULL;
    }
    *pool = (ros2_pool){.allocator = *allocator};
    pthread_mutex_init(&pool->lock, NULL);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&pool->returned, &monotonic);
    pthread_condattr_destroy(&monotonic);
    return pool;
}

static bool wait_for_all(ros2_pool *pool, int64_t timeout_ns) {
    const int64_t end_ns = rclite_monotonic_ns() + timeout_ns;
    const struct timespec end = {
        .tv_sec = (time_t)(end_ns / 1000000000), .tv_nsec = (long)(end_ns % 1000000000)};
    pthread_mutex_lock(&pool->lock);
    int waited = 0;
    while (pool->out_count > 0 && waited != ETIMEDOUT) {
        waited = pthread_cond_timedwait(&pool->returned, &pool->lock, &end);
    }
    const bool all = pool->out_count == 0;
    pthread_mutex_unlock(&pool->lock);
    return all;
}

bool ros2_pool_free(ros2_pool *pool, int64_t timeout_ns) {
    if (!pool) {
        return true;
    }
    if (!wait_for_all(pool, timeout_ns)) {
        return false;
    }
    const rclite_allocator allocator = pool->allocator;
    for (uint32_t i = 0; i < CLASS_COUNT; i++) {
        while (pool->free[i]) {
            pool_block *block = pool->free[i];
            pool->free[i] = block->head.next;
            release(&allocator, block);
        }
    }
    pthread_cond_destroy(&pool->returned);
    pthread_mutex_destroy(&pool->lock);
    release(&allocator, pool);
    return true;
}

static uint32_t class_of(size_t size_bytes) {
    if (size_bytes <= CLASS_BYTES_MIN) {
        return 0;
    }
    const uint32_t bits = 64u - (uint32_t)__builtin_clzll((unsigned long long)(size_bytes - 1));
    return bits - 8u;
}

void *ros2_pool_take(ros2_pool *pool, size_t size_bytes) {
    const uint32_t class_index = class_of(size_bytes + sizeof(pool_block));
    if (class_index >= CLASS_COUNT) {
        return NULL;
    }
    pthread_mutex_lock(&pool->lock);
    pool->out_count++;
    pool_block *block = pool->free[class_index];
    if (block) {
        pool->free[class_index] = block->head.next;
        pool->free_bytes -= class_bytes(class_index);
    }
    pthread_mutex_unlock(&pool->lock);
    if (!block) {
        block = pool->allocator.reallocate(pool->allocator.state, NULL, class_bytes(class_index));
    }
    if (!block) {
        pthread_mutex_lock(&pool->lock);
        pool->out_count--;
        pthread_mutex_unlock(&pool->lock);
        return NULL;
    }
    block->head.class_index = class_index;
    return block + 1;
}

void ros2_pool_give(ros2_pool *pool, void *buffer) {
    pool_block *block = (pool_block *)buffer - 1;
    const uint32_t class_index = block->head.class_index;
    const rclite_allocator allocator = pool->allocator;
    pthread_mutex_lock(&pool->lock);
    const bool keep = pool->free_bytes + class_bytes(class_index) <= FREE_BYTES_MAX;
    if (keep) {
        block->head.next = pool->free[class_index];
        pool->free[class_index] = block;
        pool->free_bytes += class_bytes(class_index);
        block = NULL;
    }
    pool->out_count--;
    if (pool->out_count == 0) {
        pthread_cond_broadcast(&pool->returned);
    }
    pthread_mutex_unlock(&pool->lock);
    if (block) {
        release(&allocator, block);
    }
}
