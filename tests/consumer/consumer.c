/* What a user of an installed rclite writes: a type of its own, there and back in both wire
 * formats. */
#include <rclite/rclite.h>
#include <stdio.h>
#include <string.h>

#include "consumer_msgs/msg/Reading.h"
#include "plain_msgs/msg/Pair.h"

static int round_trip(rclite_generation generation) {
    const rclite_type *type = &consumer_msgs__msg__Reading__type;
    consumer_msgs__msg__Reading sent, received;
    uint8_t bytes[256];
    size_t size = 0;
    int equal = 0;
    if (rclite_message_init(type, &sent, NULL) != RCLITE_OK ||
        rclite_message_init(type, &received, NULL) != RCLITE_OK) {
        return 0;
    }
    if (rclite_string_assign(&sent.sensor, "front", NULL) == RCLITE_OK &&
        rclite_sequence_resize(&sent.values, sizeof(double), 2, NULL) == RCLITE_OK) {
        sent.values.data[1] = 2.5;
        sent.stamp = rclite_time_from_ns(1500000000123456789);
        equal = rclite_message_serialize(type, generation, &sent, bytes, sizeof bytes, &size) ==
                    RCLITE_OK &&
                rclite_message_deserialize(type, generation, bytes, size, &received, NULL) ==
                    RCLITE_OK &&
                rclite_message_equal(type, generation, &sent, &received);
    }
    rclite_message_done(type, &sent, NULL);
    rclite_message_done(type, &received, NULL);
    return equal;
}

int main(void) {
    if (!round_trip(RCLITE_ROS1) || !round_trip(RCLITE_ROS2)) {
        fprintf(stderr, "consumer: a message did not come back as it was sent\n");
        return 1;
    }
    /* A folder without ros1/ and ros2/ serves both. */
    const rclite_type *pair = &plain_msgs__msg__Pair__type;
    if (pair->ros1 == NULL || pair->ros2 == NULL) {
        fprintf(stderr, "consumer: a definition for both generations is missing in one\n");
        return 1;
    }
    puts("consumer: ok");
    return 0;
}
