/* Settling: from a match of a service's writer until what it sends reaches the reader at once.
 *
 * A writer matches when it has heard of the reader; whether the reader has heard of the writer is
 * another matter. Until then, and until the writer's first heartbeat after it, a reader of Cyclone
 * drops what comes and asks for it later, which takes up to 200 ms, and is in vain when the sample
 * was pushed out of the history or the sender has ended. So each match sends an "unregister" of the
 * topic's one instance, which no user sees: readers acknowledge it, and ignore it where the writer
 * has never written. When all have acknowledged, a client may call its server ready, and a server
 * sends the replies that it kept. */
#ifndef RCLITE_ROS2_SETTLE_H
#define RCLITE_ROS2_SETTLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "ros2/sender.h"

struct ros2_writer;

typedef struct ros2_settle {
    ros2_task task;
    ros2_sender *sender;
    struct ros2_writer *writer;
    void (*done)(void *user); /* on the sender thread, when all has settled */
    void *user;
    _Atomic bool started, ended;
    _Atomic bool probe_wanted;
    _Atomic int64_t matched_ns; /* CLOCK_MONOTONIC; 0: settled */
    int64_t least_ns;
} ros2_settle;

/* Not settled before least_ns after a match, and in any case soon: a reader may never answer. */
void ros2_settle_init(ros2_settle *settle, ros2_sender *sender, int64_t least_ns,
    void (*done)(void *user), void *user);
/* Once the writer exists; a match may have come before. */
void ros2_settle_start(ros2_settle *settle, struct ros2_writer *writer);
/* Before the writer is deleted, and again when no listener comes any more. */
void ros2_settle_end(ros2_settle *settle);
/* From a listener: the number of the writer's readers changed by that much. Also for the matches of
 * a reader that the answers come to, so that least_ns counts from the last of all. */
void ros2_settle_match(ros2_settle *settle, int32_t change);
bool ros2_settle_is_done(ros2_settle *settle);

#endif
