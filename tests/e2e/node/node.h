/* A node of rclite for tests against a real ROS 2: it does one thing, says what it saw on stdout,
 * one line each, and ends by itself or on SIGTERM. Not an example: see docs/rclite.md for those.
 * What it can do is the table in main.c; this is what the things have in common. */
#ifndef TESTS_E2E_NODE_H
#define TESTS_E2E_NODE_H

#include <stdint.h>

#include "rclite/rclite.h"

#define NODE_WAIT_NS INT64_C(20000000000)

struct node_program {
    rclite_context *context;
    rclite_node *node;
    const char *name; /* of the topic, service, action or node it is about */
    long wanted;      /* how often; 0: until it is ended */
    _Atomic long done;
};

/* Done once more, and said so. */
void node_one_more(struct node_program *program);
/* Until it was done as often as is wanted, or the end; the exit status. */
int node_wait(struct node_program *program);
/* Says what went wrong; the exit status. */
int node_complain(const char *what, const rclite_error *error);

/* Each gives the exit status. */
int node_talk(struct node_program *program);
int node_listen(struct node_program *program);
int node_serve(struct node_program *program);
int node_serve_flag(struct node_program *program);
int node_call(struct node_program *program);
int node_act(struct node_program *program);
int node_goal(struct node_program *program);
int node_list(struct node_program *program);

#endif
