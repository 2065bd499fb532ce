/* For tests: an allocator that counts what is outstanding and fails at the n-th allocation. */
#ifndef RCLITE_CORE_TESTING_FAILING_ALLOCATOR_H
#define RCLITE_CORE_TESTING_FAILING_ALLOCATOR_H

#include <stdatomic.h>
#include <stdbool.h>

#include "rclite/allocator.h"

typedef struct failing_allocator {
    rclite_allocator base;
    atomic_long calls;       /* allocations asked for, growing included */
    atomic_long outstanding; /* blocks that were not freed */
    atomic_long fail_at;     /* this call fails, counted from 1, and all after it; 0: none */
    atomic_bool once;        /* those after it succeed */
} failing_allocator;

void failing_allocator_init(failing_allocator *allocator, long fail_at);

#endif
