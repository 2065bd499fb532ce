/* subscription-stress-test: takes what publisher-stress-test publishes, whichever library that was
 * written with. Says nothing per message; on Ctrl-C, how many came. */
#include <stdatomic.h>
#include <stdio.h>

#include "program.h"
#include "std_msgs/msg/UInt8MultiArray.h"

typedef struct received {
    atomic_llong messages, bytes;
} received;

static void on_message(const void *message, const rclite_message_info *info, void *user) {
    (void)info;
    received *counts = user;
    const std_msgs__msg__UInt8MultiArray *array = message;
    atomic_fetch_add_explicit(&counts->messages, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&counts->bytes, (long long)array->data.size, memory_order_relaxed);
}

int main(int argc, char **argv) {
    program self = {.name = "subscription-stress-test",
        .ros = 2,
        .summary = "Receives std_msgs/msg/UInt8MultiArray on stress_topic until Ctrl-C."};
    int status;
    if (!program_start(&self, argc, argv, "stress_subscription_rclite", &status)) {
        return status;
    }
    received counts = {0};
    rclite_subscription *subscription = NULL;
    rclite_subscription_options settings = RCLITE_SUBSCRIPTION_OPTIONS_INIT;
    rclite_error error = {.text = ""};
    if (rclite_subscription_create(self.node, "stress_topic", &std_msgs__msg__UInt8MultiArray__type,
            on_message, &counts, &settings, &subscription, &error) != RCLITE_OK) {
        status = program_trouble(&self, "cannot subscribe", error.text);
    } else {
        status = program_spin(&self);
    }
    rclite_subscription_free(subscription);
    if (status == PROGRAM_GOOD) {
        printf("Received %lld messages with %lld bytes.\n",
            (long long)atomic_load(&counts.messages), (long long)atomic_load(&counts.bytes));
    }
    return program_end(&self, status);
}
