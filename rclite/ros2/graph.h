/* The graph: which nodes and endpoints this context has and tells of, and what it knows of others. */
#ifndef RCLITE_ROS2_GRAPH_H
#define RCLITE_ROS2_GRAPH_H

#include "ros2/ros2.h"

rclite_result ros2_graph_create(ros2_context *context, rclite_error *reterr);
void ros2_graph_free(ros2_context *context);

rclite_result ros2_node_init(rclite_node *node, rclite_error *reterr);
void ros2_node_done(rclite_node *node);
/* An endpoint of a node came or goes; either may be NULL. Tells the others. */
rclite_result ros2_graph_add(rclite_node *node, const dds_guid_t *reader,
    const dds_guid_t *writer, rclite_error *reterr);
void ros2_graph_remove(rclite_node *node, const dds_guid_t *reader, const dds_guid_t *writer);

#endif
