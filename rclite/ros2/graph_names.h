/* DDS's names as ROS writes them. */
#ifndef RCLITE_ROS2_GRAPH_NAMES_H
#define RCLITE_ROS2_GRAPH_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#define ROS2_NAME_CAPACITY 512u

/* "rt/a/b" -> "/a/b" with prefix "rt" and suffix ""; "rq/sRequest" -> "/s" with "rq" and "Request".
 * false: not of that form, or too long. */
bool ros2_name_of_topic(
    const char *dds_topic, const char *prefix, const char *suffix, char name[ROS2_NAME_CAPACITY]);
/* "a::msg::dds_::B_" -> "a/msg/B"; "a::srv::dds_::B_Request_" -> "a/srv/B" with suffix "_Request".
 * What is not of ROS's form stays as it is; false: the suffix is missing, or too long. */
bool ros2_name_of_type(const char *dds_type, const char *suffix, char name[ROS2_NAME_CAPACITY]);

#endif
