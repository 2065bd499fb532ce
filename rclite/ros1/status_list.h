/* The goals of an action server as its status message shows them: the message's bytes are kept
 * ready, a change of status writes one byte, and a new goal is appended, so that publishing costs
 * one copy however many goals are remembered. Not thread-safe; the server's mutex guards it. */
#ifndef RCLITE_ROS1_STATUS_LIST_H
#define RCLITE_ROS1_STATUS_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "rclite/allocator.h"
#include "rclite/time.h"

struct ros1_goal_entry {
    void *goal;          /* the server's object while the goal is not over */
    int64_t finished_ns; /* CLOCK_MONOTONIC; 0: not over */
    rclite_time stamp;
    uint8_t status; /* as on the wire */
    uint32_t id_bytes;
    size_t offset; /* of its bytes in the message */
    struct ros1_goal_entry *next_free;
};

struct ros1_status_list {
    rclite_allocator allocator;
    uint8_t *bytes; /* the body of an actionlib_msgs/GoalStatusArray */
    size_t size, capacity;
    struct ros1_goal_entry **entries;
    uint32_t *hashes; /* of the ids, beside each other so that looking one up is one walk */
    size_t count, entry_capacity;
    struct ros1_goal_entry *free_entries;
    uint32_t sequence;
};

/* Zeroed before. */
rclite_result rclitei_ros1_status_init(
    struct ros1_status_list *list, const rclite_allocator *allocator);
void rclitei_ros1_status_done(struct ros1_status_list *list);
/* NULL: no memory. */
struct ros1_goal_entry *rclitei_ros1_status_add(struct ros1_status_list *list, rclite_time stamp,
    const char *id, size_t id_bytes, uint8_t status);
struct ros1_goal_entry *rclitei_ros1_status_find(
    const struct ros1_status_list *list, const char *id, size_t id_bytes);
void rclitei_ros1_status_set(
    struct ros1_status_list *list, struct ros1_goal_entry *entry, uint8_t status);
/* Valid until the list changes; not terminated. */
const char *rclitei_ros1_status_id(
    const struct ros1_status_list *list, const struct ros1_goal_entry *entry);
/* Forgets the goals that were over before. */
void rclitei_ros1_status_expire(struct ros1_status_list *list, int64_t before_ns);
/* The message, stamped; valid until the list changes. */
const uint8_t *rclitei_ros1_status_message(
    struct ros1_status_list *list, rclite_time stamp, size_t *ret_size);

#endif
