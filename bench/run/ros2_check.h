/* Whether client libraries of a ROS 2 that was found can be measured: its distribution, and the RMW
 * that they would go over. */
#ifndef BENCH_RUN_ROS2_CHECK_H
#define BENCH_RUN_ROS2_CHECK_H

#include "run/ros2_env.h"

/* Fills rmws and unusable of a ROS 2 that was found. */
void run_ros2_check(run_ros2 *ros2);

#endif
