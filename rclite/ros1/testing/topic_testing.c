/* See topic_testing.h. */
#include "testing/topic_testing.h"

#include <stdio.h>
#include <string.h>

struct side side_open(const char *name, rclite_delivery delivery) {
    struct side side = {.context = testing_context(delivery)};
    side.node = testing_node(side.context, name);
    return side;
}

void side_close(struct side *side) {
    rclite_node_free(side->node);
    rclite_context_free(side->context);
}

rclite_publisher *testing_advertise(
    rclite_node *node, const char *topic, const rclite_type *type, bool latched) {
    rclite_publisher_options options = RCLITE_PUBLISHER_OPTIONS_INIT;
    rclite_publisher *publisher = NULL;
    if (latched) {
        options.qos.durability = RCLITE_QOS_TRANSIENT_LOCAL;
    }
    assert_int_equal(
        rclite_publisher_create(node, topic, type, &options, &publisher, NULL), RCLITE_OK);
    return publisher;
}

rclite_subscription *testing_subscribe(rclite_node *node, const char *topic,
    const rclite_type *type, rclite_subscription_callback callback, void *user) {
    rclite_subscription_options options = RCLITE_SUBSCRIPTION_OPTIONS_INIT;
    rclite_subscription *subscription = NULL;
    options.qos.depth = 100;
    assert_int_equal(rclite_subscription_create(
                         node, topic, type, callback, user, &options, &subscription, NULL),
        RCLITE_OK);
    return subscription;
}

rclite_string text_borrow(const char *text) {
    return (rclite_string){(char *)(uintptr_t)text, strlen(text), 0};
}

void text_publish(rclite_publisher *publisher, const char *text) {
    std_msgs__msg__String message = {.data = text_borrow(text)};
    assert_int_equal(rclite_publisher_publish(publisher, &message), RCLITE_OK);
}

void text_count(const void *message, const rclite_message_info *info, void *user) {
    struct text_counter *counter = user;
    const std_msgs__msg__String *text = message;
    snprintf(counter->last, sizeof counter->last, "%.*s", (int)text->data.size, text->data.data);
    snprintf(counter->publisher, sizeof counter->publisher, "%s", info->publisher_name);
    assert_true(info->received_ns > 0);
    atomic_fetch_add(&counter->count, 1);
    rclite_context_wake(counter->context);
}

bool text_is_counted(void *user) {
    struct text_counter *counter = user;
    return atomic_load(&counter->count) >= counter->wanted;
}
