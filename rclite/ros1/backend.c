/* The ROS 1 backend's table. */
#include "core/backend.h"

const rclitei_backend rclitei_ros1_backend = {.name = "ros1"};
