/* The graph's own side: nodes with their endpoints. */
#include "ros2/graph.h"

rclite_result ros2_graph_create(ros2_context *context, rclite_error *reterr) {
    (void)context;
    (void)reterr;
    return RCLITE_OK;
}

void ros2_graph_free(ros2_context *context) {
    (void)context;
}

rclite_result ros2_node_init(rclite_node *node, rclite_error *reterr) {
    (void)node;
    (void)reterr;
    return RCLITE_OK;
}

void ros2_node_done(rclite_node *node) {
    (void)node;
}

rclite_result ros2_graph_add(rclite_node *node, const dds_guid_t *reader,
    const dds_guid_t *writer, rclite_error *reterr) {
    (void)node;
    (void)reader;
    (void)writer;
    (void)reterr;
    return RCLITE_OK;
}

void ros2_graph_remove(rclite_node *node, const dds_guid_t *reader, const dds_guid_t *writer) {
    (void)node;
    (void)reader;
    (void)writer;
}
