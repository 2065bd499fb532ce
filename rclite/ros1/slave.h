/* Between slave.c (the server) and slave_methods.c (what the methods of the slave API do). */
#ifndef RCLITE_ROS1_SLAVE_H
#define RCLITE_ROS1_SLAVE_H

#include "ros1/ros1.h"

/* What a method is called with, beside its arguments. context->lock is held during the call. */
struct ros1_slave_call {
    struct ros1_context *context;
    struct ros1_node *node;
    bool shutdown;    /* out: someone asks the node to end */
    char reason[160]; /* out: who, and why */
};

#endif
