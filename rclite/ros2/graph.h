/* The graph. Discovery (discovery.c) tells the others which nodes this context has and which
 * endpoints are whose, in ros_discovery_info, and keeps what the others tell. Queries (graph.c)
 * join that with Cyclone's built-in topics, which know every endpoint but no node. */
#ifndef RCLITE_ROS2_GRAPH_H
#define RCLITE_ROS2_GRAPH_H

#include "rmw_dds_common/msg/ParticipantEntitiesInfo.h"
#include "ros2/ros2.h"

typedef rmw_dds_common__msg__Gid ros2_gid;
typedef rmw_dds_common__msg__Gid__sequence ros2_gids;
typedef rmw_dds_common__msg__NodeEntitiesInfo ros2_node_info;
typedef rmw_dds_common__msg__ParticipantEntitiesInfo ros2_participant_info;

/* A node of this context. */
typedef struct ros2_own_node {
    rclite_node *node;
    ros2_gids readers, writers;
    struct ros2_own_node *next;
} ros2_own_node;

/* What another participant told last. */
typedef struct ros2_other {
    ros2_participant_info info;
    struct ros2_other *next;
} ros2_other;

struct ros2_graph {
    ros2_context *context;
    pthread_mutex_t lock; /* own, others, on_change */
    ros2_own_node *own;
    ros2_other *others;
    ros2_writer writer;
    ros2_reader reader;
    dds_entity_t participants, publications, subscriptions; /* readers of built-in topics */
    rclitei_codec *codec;
    ros2_participant_info *received;
    ros2_task task; /* tells the others */
    bool told_of_humble;
    pthread_mutex_t change_lock; /* one call of on_change at a time */
    void (*on_change)(void *user);
    void *on_change_user;
    _Atomic bool watched; /* on_change is set */
    rclitei_ready ready;
    pthread_mutex_t query_lock; /* one reading of the built-in topics at a time */
    size_t query_capacity;
};

rclite_result ros2_graph_create(ros2_context *context, rclite_error *reterr);
void ros2_graph_free(ros2_context *context);

rclite_result ros2_node_init(rclite_node *node, rclite_error *reterr);
void ros2_node_done(rclite_node *node);
/* An endpoint of a node came or goes; either may be NULL. Tells the others. */
rclite_result ros2_graph_add(
    rclite_node *node, const dds_guid_t *reader, const dds_guid_t *writer, rclite_error *reterr);
void ros2_graph_remove(rclite_node *node, const dds_guid_t *reader, const dds_guid_t *writer);

/* Each node of this context and of the others, with the graph's lock held; the names and gids are
 * valid during the call; false stops. */
typedef bool (*ros2_node_visitor)(const ros2_node_info *node, void *user);
void ros2_graph_visit_nodes(ros2_graph *graph, ros2_node_visitor visit, void *user);

/* Something changed: calls on_change or makes the spinning thread call it. */
void ros2_graph_changed(ros2_graph *graph);

rclite_result ros2_graph_list(rclite_context *context, rclite_graph_query query, const char *name,
    rclite_graph_list *ret_list, rclite_error *reterr);
rclite_result ros2_graph_on_change(
    rclite_context *context, void (*callback)(void *user), void *user);

#endif
