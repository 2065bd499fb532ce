/* Listing nodes. */
#include <stdio.h>
#include <string.h>

#include "node.h"

static void graph_changed(void *user) {
    rclite_context_wake(user);
}

static bool enough_nodes(void *user) {
    struct node_program *program = user;
    rclite_graph_list list;
    if (rclite_graph_list_get(program->context, RCLITE_GRAPH_NODES, NULL, &list, NULL) !=
        RCLITE_OK) {
        return false;
    }
    bool enough = false;
    for (size_t i = 0; i < list.count; i++) {
        enough = enough || strcmp(list.entries[i].name, program->name) == 0;
    }
    enough = enough && (long)list.count >= program->wanted;
    for (size_t i = 0; enough && i < list.count; i++) {
        printf("node %s\n", list.entries[i].name);
    }
    rclite_graph_list_done(&list);
    return enough;
}

int node_list(struct node_program *program) {
    if (rclite_graph_on_change(program->context, graph_changed, program->context) != RCLITE_OK) {
        return 1;
    }
    const rclite_result result =
        rclite_spin_until(program->context, enough_nodes, program, NODE_WAIT_NS);
    if (rclite_graph_on_change(program->context, NULL, NULL) != RCLITE_OK) {
        return 1;
    }
    return result == RCLITE_OK ? 0 : 1;
}
