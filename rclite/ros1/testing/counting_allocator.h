/* For tests: an allocator that counts how often it is asked for memory. */
#ifndef RCLITE_ROS1_TESTING_COUNTING_ALLOCATOR_H
#define RCLITE_ROS1_TESTING_COUNTING_ALLOCATOR_H

#include <stdatomic.h>

#include "rclite/allocator.h"

typedef struct counting_allocator {
    rclite_allocator base;
    atomic_size_t allocations; /* growing included */
} counting_allocator;

void counting_allocator_init(counting_allocator *allocator);

#endif
