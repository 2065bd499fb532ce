/* For tests: a message goes to and fro between two topics of one node. */
#ifndef RCLITE_ROS1_TESTING_PING_PONG_H
#define RCLITE_ROS1_TESTING_PING_PONG_H

#include "testing/ros1_testing.h"

#include <stdatomic.h>

#include "std_msgs/msg/UInt8MultiArray.h"

struct ping_pong {
    rclite_context *context;
    rclite_node *node;
    rclite_publisher *ping, *pong;
    rclite_subscription *on_ping, *on_pong;
    std_msgs__msg__UInt8MultiArray message;
    int left;
    atomic_bool done;
};

/* Opens both topics, matched. The names are /ping and /pong with the suffix behind. */
void ping_pong_open(
    struct ping_pong *game, rclite_context *context, const char *suffix, size_t bytes);
void ping_pong_start(struct ping_pong *game, int rounds);
bool ping_pong_is_done(void *game);
void ping_pong_play(struct ping_pong *game, int rounds); /* starts and waits */
void ping_pong_close(struct ping_pong *game);

#endif
