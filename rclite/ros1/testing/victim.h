/* For tests of peers that break the rules: a node that publishes and subscribes its own topic, and
 * must go on doing so; and calls to its slave API as anyone can make them. */
#ifndef RCLITE_ROS1_VICTIM_H
#define RCLITE_ROS1_VICTIM_H

#include "testing/topic_testing.h"

struct victim {
    rclite_context *context;
    rclite_node *node;           /* /victim */
    rclite_publisher *publisher; /* /text, both ends matched */
    rclite_subscription *subscription;
    struct text_counter heard;
};

void victim_open(struct victim *victim);
void victim_close(struct victim *victim);
/* It still does its work. */
void victim_check_alive(struct victim *victim);
uint64_t victim_malformed(const struct victim *victim);

/* The body of a method call. */
#define CALL(method, params)                                                                       \
    "<?xml version=\"1.0\"?><methodCall><methodName>" method "</methodName><params>" params        \
    "</params></methodCall>"
#define TEXT(text) "<param><value>" text "</value></param>"

/* Posts a body to its slave API; the answer must contain what is expected. */
void victim_check_answer(
    struct victim *victim, const char *path, const char *body, const char *expected);

#endif
