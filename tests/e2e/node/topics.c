/* Talking and listening: std_msgs/String. */
#include <stdio.h>

#include "node.h"
#include "std_msgs/msg/String.h"

static bool nothing(void *user) {
    (void)user;
    return false;
}

int node_talk(struct node_program *program) {
    rclite_error error = {.text = ""};
    const rclite_publisher_options options = RCLITE_PUBLISHER_OPTIONS_INIT;
    rclite_publisher *publisher = NULL;
    if (rclite_publisher_create(program->node, program->name, &std_msgs__msg__String__type,
            &options, &publisher, &error) != RCLITE_OK) {
        return node_complain(program->name, &error);
    }
    int status = 0;
    std_msgs__msg__String message = {.data = {.data = NULL}};
    for (long i = 0; status == 0 && (program->wanted == 0 || i < program->wanted); i++) {
        char text[32];
        snprintf(text, sizeof text, "hello %ld", i);
        if (rclite_string_assign(&message.data, text, NULL) != RCLITE_OK ||
            rclite_publisher_publish(publisher, &message) != RCLITE_OK) {
            status = 1;
        }
        if (rclite_spin_until(program->context, nothing, NULL, 50000000) == RCLITE_ERR_SHUTDOWN) {
            break;
        }
    }
    rclite_message_done(&std_msgs__msg__String__type, &message, NULL);
    rclite_publisher_free(publisher);
    return status;
}

static void on_text(const void *message, const rclite_message_info *info, void *user) {
    const std_msgs__msg__String *text = message;
    (void)info;
    printf("heard %.*s\n", (int)text->data.size, text->data.data ? text->data.data : "");
    node_one_more(user);
}

int node_listen(struct node_program *program) {
    rclite_error error = {.text = ""};
    const rclite_subscription_options options = RCLITE_SUBSCRIPTION_OPTIONS_INIT;
    rclite_subscription *subscription = NULL;
    if (rclite_subscription_create(program->node, program->name, &std_msgs__msg__String__type,
            on_text, program, &options, &subscription, &error) != RCLITE_OK) {
        return node_complain(program->name, &error);
    }
    const int status = node_wait(program);
    rclite_subscription_free(subscription);
    return status;
}
