/* Between rpc.c (starting calls), rpc_channel.c (carrying them out in the loop) and rpc_wait.c
 * (calls that are waited for). */
#ifndef RCLITE_ROS1_RPC_INTERNAL_H
#define RCLITE_ROS1_RPC_INTERNAL_H

#include <time.h>

#include "ros1/rpc.h"

struct rpc_call {
    struct rpc_call *next;
    rclitei_packet *request;
    rclitei_rpc_done done;
    void *user;
    int64_t deadline_ns;
    const char *method; /* a literal */
};

struct rpc_channel {
    rclitei_task step; /* first: a task is its struct rpc_channel */
    rclitei_loop_timer timer;
    rclitei_grave grave;
    rclitei_rpc *rpc;
    struct rpc_channel *next;
    struct rpc_connection *connection; /* loop thread only, as are the next three */
    bool sent;                         /* the first call was handed to the connection */
    bool retried;                      /* ... a second time */
    struct rpc_call *first, **last;    /* guarded by rpc->mutex */
    uint16_t port;
    const char *path;
    char host[256];
    char uri[];
};

struct rclitei_rpc {
    rclite_allocator allocator;
    rclitei_loop *loop;
    rclitei_resolver *resolver;
    rclitei_pool *pool;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct rpc_channel *channels;
    size_t outstanding;
    bool stopped;
};

void *rclitei_rpc_allocate(rclitei_rpc *rpc, void *memory, size_t size);
/* So far from now, on CLOCK_MONOTONIC, for rpc->changed. */
struct timespec rclitei_rpc_deadline(int64_t ns);

/* rpc_channel.c; all on the loop's thread. */
void rclitei_rpc_channel_run(rclitei_task *task); /* sends the next call, if none is under way */
void rclitei_rpc_channel_on_timer(rclitei_loop_timer *timer);
void rclitei_rpc_channel_abandon(struct rpc_channel *channel); /* its connection */
struct rpc_call *rclitei_rpc_channel_peek(struct rpc_channel *channel);
/* Ends the first call: takes it off and tells its caller. */
void rclitei_rpc_channel_finish(
    struct rpc_channel *channel, rclite_result result, xmlrpc_value *value, const char *problem);

#endif
