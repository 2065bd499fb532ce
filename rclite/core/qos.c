/* The QoS profiles of rmw. */
#include "rclite/qos.h"

static rclite_qos profile(
    rclite_qos_reliability reliability, rclite_qos_durability durability, uint32_t depth) {
    return (rclite_qos){
        .reliability = reliability,
        .durability = durability,
        .history = RCLITE_QOS_KEEP_LAST,
        .liveliness = RCLITE_QOS_LIVELINESS_AUTOMATIC,
        .depth = depth,
    };
}

rclite_qos rclite_qos_default(void) {
    return profile(RCLITE_QOS_RELIABLE, RCLITE_QOS_VOLATILE, 10);
}

rclite_qos rclite_qos_sensor_data(void) {
    return profile(RCLITE_QOS_BEST_EFFORT, RCLITE_QOS_VOLATILE, 5);
}

rclite_qos rclite_qos_services(void) {
    return profile(RCLITE_QOS_RELIABLE, RCLITE_QOS_VOLATILE, 10);
}

rclite_qos rclite_qos_action_status(void) {
    return profile(RCLITE_QOS_RELIABLE, RCLITE_QOS_TRANSIENT_LOCAL, 1);
}
