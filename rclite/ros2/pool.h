/* Reused payload buffers. One pool belongs to a context; every serialised sample that it sends or
 * receives lives in one of its buffers. It is no general allocator: a buffer never moves or grows.
 * Without it each message would cost malloc and free of its whole size on both sides. */
#ifndef RCLITE_ROS2_POOL_H
#define RCLITE_ROS2_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rclite/allocator.h"

typedef struct ros2_pool ros2_pool;

ros2_pool *ros2_pool_create(const rclite_allocator *allocator);
/* Waits until every buffer has come back, because Cyclone's collector may free samples a moment
 * after their writer was deleted; then frees the pool. Returns false when some never came: then the
 * pool stays as it is, since they are still in use. NULL is allowed. */
bool ros2_pool_free(ros2_pool *pool, int64_t timeout_ns);

/* A buffer of at least size_bytes, aligned to 16; NULL when there is no memory. */
void *ros2_pool_take(ros2_pool *pool, size_t size_bytes);
void ros2_pool_give(ros2_pool *pool, void *buffer);

#endif
