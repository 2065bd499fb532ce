/* What action servers and clients on ROS 2 share: a table of goals by their UUID, where the fields
 * of the synthesised wrapper types are, and scratch memory for wrappers around a user's message. An
 * action is three services and two topics, made with the public calls on the action's node. */
#ifndef RCLITE_ROS2_ACTION_COMMON_H
#define RCLITE_ROS2_ACTION_COMMON_H

#include "core/backend.h"

#define ROS2_UUID_BYTES 16u

/* rmw's depth of 10 for services loses requests and replies when more goals than that are on their
 * way at once; what the other side has does not matter for this. */
#define ROS2_ACTION_SERVICE_DEPTH 1000u

/* ---- goals by UUID -------------------------------------------------------------------------- */

typedef struct ros2_goal_entry {
    uint8_t uuid[ROS2_UUID_BYTES];
    struct ros2_goal_entry *next;
} ros2_goal_entry;

/* The caller locks. */
typedef struct ros2_goal_table {
    ros2_goal_entry **buckets;
    size_t bucket_count; /* a power of two, or 0 */
    size_t count;
    uint64_t seed; /* so that nobody can choose UUIDs that fall together */
} ros2_goal_table;

void ros2_goal_table_init(ros2_goal_table *table);
/* The entries are the caller's. */
void ros2_goal_table_done(ros2_goal_table *table, const rclite_allocator *allocator);
ros2_goal_entry *ros2_goal_table_find(const ros2_goal_table *table, const uint8_t *uuid);
/* The UUID is not in the table yet. false: no memory. */
bool ros2_goal_table_add(
    ros2_goal_table *table, const rclite_allocator *allocator, ros2_goal_entry *entry);
void ros2_goal_table_remove(ros2_goal_table *table, ros2_goal_entry *entry);
/* Any entry, or NULL. */
ros2_goal_entry *ros2_goal_table_any(const ros2_goal_table *table);

/* Of an action's service or topic, "/a/_action/which". NULL: no memory, and reterr says so. */
char *ros2_action_name(
    const rclite_allocator *allocator, const char *action, const char *which, rclite_error *reterr);

/* A random one, version 4. */
void ros2_uuid_make(uint8_t *uuid);
/* 8-4-4-4-12 hexadecimal digits. */
void ros2_uuid_text(const uint8_t *uuid, char *text, size_t capacity);

/* ---- wrapper types -------------------------------------------------------------------------- */

/* Offsets in the C structs of the wrapper types. Each goal_id is a UUID: 16 bytes in place. */
typedef struct ros2_action_layout {
    size_t request_id, request_goal;          /* SendGoal_Request */
    size_t response_accepted, response_stamp; /* SendGoal_Response */
    size_t result_request_id;                 /* GetResult_Request */
    size_t result_status, result_result;      /* GetResult_Response */
    size_t feedback_id, feedback_feedback;    /* FeedbackMessage */
} ros2_action_layout;

/* RCLITE_ERR_TYPE when a wrapper type does not have the fields it should have. */
rclite_result ros2_action_layout_read(
    const rclite_action_type *type, ros2_action_layout *ret_layout, rclite_error *reterr);

static inline void *ros2_field(void *message, size_t offset) {
    return (char *)message + offset;
}

static inline const void *ros2_const_field(const void *message, size_t offset) {
    return (const char *)message + offset;
}

/* ---- scratch -------------------------------------------------------------------------------- */

/* Memory for a wrapper struct that is filled, sent, and forgotten; a wrapper is given a shallow
 * copy of the user's message. Kept for the next time, so that sending does not allocate. */
typedef struct ros2_scratch {
    pthread_mutex_t lock;
    void *free; /* each begins with a pointer to the next */
    size_t size_bytes;
} ros2_scratch;

/* Room for every wrapper of the type. */
void ros2_scratch_init(ros2_scratch *scratch, const rclite_action_type *type);
void ros2_scratch_done(ros2_scratch *scratch, const rclite_allocator *allocator);
/* NULL: no memory. */
void *ros2_scratch_take(ros2_scratch *scratch, const rclite_allocator *allocator);
void ros2_scratch_give(ros2_scratch *scratch, void *memory);

#endif
