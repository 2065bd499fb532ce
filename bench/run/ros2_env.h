/* Finds a ROS 2 installation and what sourcing it would set. */
#ifndef BENCH_RUN_ROS2_ENV_H
#define BENCH_RUN_ROS2_ENV_H

#include <stdbool.h>

#include "run/guard.h"
#include "util/strvec.h"

typedef struct run_ros2 {
    bool found;
    char *prefix;       /* NULL: the environment was sourced already and tells no single one */
    char *distribution; /* "jazzy" */
    char *rmw;          /* RMW_IMPLEMENTATION that will be used */
    strvec rmws;        /* those that are installed */
    char *problem;      /* why none was found or could not be sourced; heap */
    char *unusable;     /* found, but why its libraries cannot be measured; heap, or NULL */
    strvec environment; /* for peers that need it; without ROS 2 the plain environment */
} run_ros2;

/* prefix: --ros2-prefix or NULL (then the sourced one, else the newest of `root`/..., root being
 * "/opt/ros"). overlay: a script that is sourced after it, if it is there (what the set-up of the
 * peers built); may be NULL. base: the environment to start from. */
void run_ros2_find(run_ros2 *ros2, const char *prefix, const char *root, const char *overlay,
    const strvec *base, const run_guard *guard);
void run_ros2_done(run_ros2 *ros2);

#endif
