/* The ROS 2 backend's table. */
#include "core/backend.h"

const rclitei_backend rclitei_ros2_backend = {.name = "ros2"};
