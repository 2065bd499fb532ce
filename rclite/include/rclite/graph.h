/* The graph: who is there, what they offer, with which types and QoS. */
#ifndef RCLITE_GRAPH_H
#define RCLITE_GRAPH_H

#include "rclite/topic.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One row of an answer. Which members are set depends on the query. All strings are owned by the
 * list. */
typedef struct rclite_graph_entry {
    char *name;   /* topic, service, action, or full node name */
    char **types; /* pkg/msg/Name, NULL for nodes */
    size_t type_count;
    /* endpoints only: */
    char *node_name; /* full name of the node that owns it, or "" when unknown */
    char *type_hash; /* RIHS01_... or "" */
    uint8_t gid[16];
    bool is_publisher;
    rclite_qos qos;
} rclite_graph_entry;

typedef struct rclite_graph_list {
    rclite_graph_entry *entries;
    size_t count;
    rclite_allocator allocator; /* set by the query */
} rclite_graph_list;

typedef enum rclite_graph_query {
    RCLITE_GRAPH_NODES,
    RCLITE_GRAPH_TOPICS,   /* name: NULL, or the full name of the node whose topics are asked for */
    RCLITE_GRAPH_SERVICES, /* likewise */
    RCLITE_GRAPH_ACTIONS,
    RCLITE_GRAPH_ENDPOINTS, /* name: a topic; every publisher and subscription of it */
    RCLITE_GRAPH_QUERY_COUNT
} rclite_graph_query;

/* Sorted by name. Allocates: yes. Blocks: ROS 1: for the master. Thread-safe: yes. */
RCLITE_API RCLITE_MUST_USE rclite_result rclite_graph_list_get(rclite_context *context,
    rclite_graph_query query, const char *name, rclite_graph_list *ret_list, rclite_error *reterr);
RCLITE_API void rclite_graph_list_done(rclite_graph_list *list);
RCLITE_API RCLITE_MUST_USE rclite_result rclite_graph_count(rclite_context *context,
    const char *topic, uint32_t *ret_publishers, uint32_t *ret_subscriptions);
/* Called after each change of the graph (one caller at a time; NULL removes it). ROS 1: the master
 * is asked twice a second, so changes are seen up to half a second late, several of them may be one
 * call, and the first answer counts as a change. */
RCLITE_API RCLITE_MUST_USE rclite_result rclite_graph_on_change(
    rclite_context *context, void (*callback)(void *user), void *user);

#ifdef __cplusplus
}
#endif
#endif
