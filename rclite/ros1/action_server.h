/* The objects of an action server. */
#ifndef RCLITE_ROS1_ACTION_SERVER_H
#define RCLITE_ROS1_ACTION_SERVER_H

#include "ros1/actions.h"
#include "ros1/status_list.h"

/* A goal that is not over. Its handle is reused when it is over and no callback has it. */
struct ros1_server_goal {
    rclite_server_goal base;       /* first */
    void *message;                 /* of type->goal */
    struct ros1_goal_entry *entry; /* guarded by the server's mutex; NULL: over */
    unsigned pins;                 /* callbacks that have the handle */
    uint64_t cancel_round;         /* the last cancel request that met it */
    struct ros1_server_goal *next; /* among the free ones */
};

struct ros1_action_server {
    rclite_action_server base; /* first */
    struct ros1_context *context;
    rclite_publisher *result_publisher, *feedback_publisher, *status_publisher;
    rclite_subscription *goal_subscription, *cancel_subscription;
    rclitei_task flush;      /* publishes the status soon */
    rclitei_loop_timer tick; /* publishes it regularly */
    int64_t period_ns, timeout_ns;
    pthread_mutex_t mutex; /* guards what follows; never held while the user is called */
    struct ros1_status_list list;
    struct ros1_server_goal *free_goals;
    rclite_time canceled_until; /* goals up to this stamp are canceled, also those that come late */
    uint64_t cancel_round;
    void *result_message, *feedback_message; /* wrappers, all zero between uses */
    void *empty_result;
};

/* ---- action_goals.c ------------------------------------------------------------------------- */

void rclitei_ros1_action_on_goal(const void *message, const rclite_message_info *info, void *user);
void rclitei_ros1_action_on_cancel(
    const void *message, const rclite_message_info *info, void *user);
/* Ends a goal: its result (NULL: an empty one) goes out now, its status soon. mutex held. */
rclite_result rclitei_ros1_goal_end(struct ros1_action_server *server,
    struct ros1_goal_entry *entry, enum ros1_goal_status to, const void *result);
/* The handle may be used for another goal. mutex held. */
void rclitei_ros1_goal_recycle(struct ros1_action_server *server, struct ros1_server_goal *goal);

#endif
