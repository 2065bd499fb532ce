/* publisher-stress-test: publishes a std_msgs/UInt8MultiArray N times, back to back, and says how
 * long that took, as the program of that name does in other client libraries. It waits for a
 * subscription first; that and the discovery are not in the time. */
#include <stdio.h>

#include "program.h"
#include "std_msgs/msg/UInt8MultiArray.h"

#define FILL 255
#define FLUSH_NS (5 * PROGRAM_SECOND_NS)

static rclite_result await_subscription(void *user, int64_t timeout_ns) {
    return rclite_publisher_wait_matched(user, 1, timeout_ns);
}

static bool set_dimension(std_msgs__msg__MultiArrayDimension *dimension, const char *label,
    uint32_t size, uint32_t stride) {
    dimension->size = size;
    dimension->stride = stride;
    return rclite_string_assign(&dimension->label, label, NULL) == RCLITE_OK;
}

static bool fill(std_msgs__msg__UInt8MultiArray *message, size_t bytes) {
    if (rclite_message_sequence_resize(&std_msgs__msg__MultiArrayDimension__type,
            &message->layout.dim, 3, NULL) != RCLITE_OK ||
        rclite_sequence_resize(&message->data, 1, bytes, NULL) != RCLITE_OK) {
        return false;
    }
    for (size_t i = 0; i < bytes; i++) {
        message->data.data[i] = FILL;
    }
    std_msgs__msg__MultiArrayDimension *dimensions = message->layout.dim.data;
    return set_dimension(&dimensions[0], "height", 10, 600) &&
           set_dimension(&dimensions[1], "width", 20, 60) &&
           set_dimension(&dimensions[2], "channel", 3, 4);
}

static int publish_all(
    program *self, rclite_publisher *publisher, const void *message, int64_t runs) {
    int64_t begun_ns = rclite_monotonic_ns();
    for (int64_t i = 0; i < runs; i++) {
        rclite_result result = rclite_context_is_shutdown(self->context)
                                   ? RCLITE_ERR_SHUTDOWN
                                   : rclite_publisher_publish(publisher, message);
        if (result != RCLITE_OK) {
            char text[80];
            snprintf(text, sizeof(text), "stopped after %lld of %lld messages", (long long)i,
                (long long)runs);
            return program_trouble(self, text, rclite_result_string(result));
        }
    }
    int64_t took_ns = rclite_monotonic_ns() - begun_ns;
    /* Not in the time: what was handed over should also arrive before the writer goes. */
    if (rclite_publisher_wait_sent(publisher, FLUSH_NS) == RCLITE_ERR_TIMEOUT) {
        fprintf(stderr, "%s: not everything was acknowledged\n", self->name);
    }
    program_print_duration(took_ns);
    return PROGRAM_GOOD;
}

int main(int argc, char **argv) {
    int64_t runs = 1, size_kib = 1;
    const program_option options[] = {
        {"-r", "--run", 1, INT32_MAX, false, &runs, "how many times to publish"},
        {"-s", "--size", 1, 1 << 20, false, &size_kib, "size of the array in KiB"},
    };
    program self = {.name = "publisher-stress-test",
        .ros = 2,
        .options = options,
        .option_count = 2,
        .summary = "Publishes std_msgs/msg/UInt8MultiArray on stress_topic and times it."};
    int status;
    if (!program_start(&self, argc, argv, "stress_publisher_rclite", &status)) {
        return status;
    }
    printf("The publisher will publish a UInt8MultiArray topic(contains a size of %dKB array) %d "
           "times.\n",
        (int)size_kib, (int)runs);
    std_msgs__msg__UInt8MultiArray message = {0};
    rclite_publisher *publisher = NULL;
    rclite_publisher_options settings = RCLITE_PUBLISHER_OPTIONS_INIT;
    rclite_error error = {.text = "no memory"};
    if (rclite_message_init(&std_msgs__msg__UInt8MultiArray__type, &message, NULL) != RCLITE_OK ||
        !fill(&message, (size_t)size_kib * 1024) ||
        rclite_publisher_create(self.node, "stress_topic", &std_msgs__msg__UInt8MultiArray__type,
            &settings, &publisher, &error) != RCLITE_OK) {
        status = program_trouble(&self, "cannot publish", error.text);
    } else if (program_await(
                   &self, "subscription of stress_topic", await_subscription, publisher, &status)) {
        status = publish_all(&self, publisher, &message, runs);
    }
    rclite_publisher_free(publisher);
    rclite_message_done(&std_msgs__msg__UInt8MultiArray__type, &message, NULL);
    return program_end(&self, status);
}
