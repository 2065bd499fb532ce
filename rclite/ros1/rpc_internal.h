/* Between rpc.c (calls in the loop) and rpc_wait.c (calls that are waited for). */
#ifndef RCLITE_ROS1_RPC_INTERNAL_H
#define RCLITE_ROS1_RPC_INTERNAL_H

#include <time.h>

#include "ros1/rpc.h"

struct channel;

struct rclitei_rpc {
    rclite_allocator allocator;
    rclitei_loop *loop;
    rclitei_resolver *resolver;
    rclitei_pool *pool;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct channel *channels;
    size_t outstanding;
    bool stopped;
};

void *rclitei_rpc_allocate(rclitei_rpc *rpc, void *memory, size_t size);
/* So far from now, on CLOCK_MONOTONIC, for rpc->changed. */
struct timespec rclitei_rpc_deadline(int64_t ns);

#endif
