/* What the files of the rclc peer share: the process's ROS objects, and the functions of the
 * patterns. */
#ifndef PEER_RCLC_PEER_H
#define PEER_RCLC_PEER_H

#include <builtin_interfaces/msg/time.h>
#include <pthread.h>
#include <rclc/executor.h>
#include <rclc/rclc.h>
#include <stdatomic.h>

#include "peer_kit.h"

typedef struct rclc_peer rclc_peer;

/* The functions of one pattern; those that a pattern does not have are NULL. `state` of the peer is
 * the pattern's own. */
typedef struct rclc_pattern {
    bool (*create)(rclc_peer *peer, char *error);
    bool (*is_matched)(rclc_peer *peer, bool *ret_matched);
    bool (*publish)(rclc_peer *peer, const void *message, char *error); /* NULL: the outgoing one */
    bool (*call)(rclc_peer *peer, uint64_t token, int64_t t1_ns, char *error);
    void (*after_step)(rclc_peer *peer); /* on the executor's thread, after each of its steps */
    void (*destroy)(rclc_peer *peer);
} rclc_pattern;

struct rclc_peer {
    peer_kit *kit;
    const peer_job *job;
    const rclc_pattern *pattern;
    void *state;

    rcl_allocator_t allocator;
    rclc_support_t support;
    rcl_node_t node;
    rclc_executor_t executor;
    rcl_guard_condition_t wake;
    bool has_support, has_node, has_executor, has_wake, spins;
    pthread_t spinner;
    atomic_bool ends;
    peer_qos effective;
};

extern const rclc_pattern rclc_topic, rclc_service, rclc_action;

/* False with rcl's own words, which are then forgotten; `what` is the call that failed. */
bool rclc_peer_failed(char *error, const char *what);
/* The same from a callback: ends the run. */
void rclc_peer_fail(rclc_peer *peer, const char *what);
bool rclc_peer_is_spinner(const rclc_peer *peer);
/* Ends the executor's waiting. */
bool rclc_peer_wake(rclc_peer *peer, char *error);

rmw_qos_profile_t rclc_peer_qos(const peer_qos *asked);
peer_qos rclc_peer_effective(const rmw_qos_profile_t *actual);
int64_t rclc_peer_ns(const builtin_interfaces__msg__Time *stamp);
builtin_interfaces__msg__Time rclc_peer_stamp(int64_t ns);

#endif
