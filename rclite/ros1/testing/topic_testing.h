/* What tests over topics share: sides (a context with one node), publishers and subscriptions, and
 * texts that are counted as they come. */
#ifndef RCLITE_ROS1_TOPIC_TESTING_H
#define RCLITE_ROS1_TOPIC_TESTING_H

#include "testing/ros1_testing.h"

#include <stdatomic.h>

#include "std_msgs/msg/String.h"

#define STRING (&std_msgs__msg__String__type)

struct side {
    rclite_context *context;
    rclite_node *node;
};

struct side side_open(const char *name, rclite_delivery delivery);
void side_close(struct side *side);

rclite_publisher *testing_advertise(
    rclite_node *node, const char *topic, const rclite_type *type, bool latched);
/* With room for 100 messages. */
rclite_subscription *testing_subscribe(rclite_node *node, const char *topic,
    const rclite_type *type, rclite_subscription_callback callback, void *user);

/* For a message that is published and not changed. */
rclite_string text_borrow(const char *text);
void text_publish(rclite_publisher *publisher, const char *text);

struct text_counter {
    rclite_context *context; /* woken at each text */
    atomic_int count;
    int wanted;
    char last[64];      /* text */
    char publisher[64]; /* of that */
};

/* A subscription's callback, and a condition to wait for; user is the counter. */
void text_count(const void *message, const rclite_message_info *info, void *user);
bool text_is_counted(void *user);

#endif
