/* Settling: how long after a match a writer of a service waits before what it sends counts.
 *
 * A reader of Cyclone drops what comes before the writer's first heartbeat and asks for it later,
 * which takes up to 200 ms, and is in vain when the sample was pushed out of the history or the
 * sender has ended. A heartbeat comes 1 ms after the writer's match, and one that the reader asks
 * for 10 ms after its own. So for some milliseconds after a match a client does not call its server
 * ready, and a server keeps its replies. */
#ifndef RCLITE_ROS2_SETTLE_H
#define RCLITE_ROS2_SETTLE_H

#include <stdatomic.h>
#include <stdint.h>

#include "ros2/sender.h"

typedef struct ros2_settle {
    ros2_task task;
    ros2_sender *sender;
    void (*done)(void *user); /* on the sender thread, when all has settled */
    void *user;
    _Atomic int64_t until_ns; /* CLOCK_MONOTONIC; 0: settled */
} ros2_settle;

void ros2_settle_init(
    ros2_settle *settle, ros2_sender *sender, void (*done)(void *user), void *user);
/* When no listener comes any more. */
void ros2_settle_end(ros2_settle *settle);
/* From the writer's listener: the number of its readers changed by that much. */
void ros2_settle_match(ros2_settle *settle, int32_t change);
bool ros2_settle_is_done(ros2_settle *settle);

#endif
