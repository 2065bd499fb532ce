/* What identifies a resolved type on the wire: names, ROS 1's md5sum and full definition text, ROS
 * 2's type hash. */
#ifndef RCLITE_TYPES_DESCRIBE_H
#define RCLITE_TYPES_DESCRIBE_H

#include "types/definition.h"

/* Fills fingerprint and definition; nested specs have theirs. */
rclite_result rclitei_describe_ros1(rclitei_spec *spec, rclitei_arena *arena);
rclite_result rclitei_describe_ros2(rclitei_spec *spec, rclitei_arena *arena);
/* The md5sum of a service is that of its request's and its response's text together. */
rclite_result rclitei_describe_ros1_service(rclitei_service_spec *service, rclitei_arena *arena);

#endif
