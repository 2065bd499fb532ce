/* Tells malloc what sizes to expect, in the one way that is not a command to the whole process. */
#include "ros2/heap.h"

#include <stdlib.h>

/* glibc doubles it for what an arena keeps. Measured: 4 MiB is too little for messages of 1 MiB. */
#define LARGEST_BLOCK_BYTES ((size_t)8 << 20)

void ros2_heap_keep_receive_buffers(void) {
    /* To free a mapped block raises glibc's dynamic thresholds to its size. Cyclone's memory is
     * malloc's, whatever allocator the context has. volatile: or the compiler drops the pair. */
    void *volatile block = malloc(LARGEST_BLOCK_BYTES);
    free(block);
}
