/* The action server's structs, shared by action_server.c (endpoints), action_server_goal.c (goals
 * and results), action_cancel.c and action_status.c (status topic, forgetting finished goals). */
#ifndef RCLITE_ROS2_ACTION_SERVER_H
#define RCLITE_ROS2_ACTION_SERVER_H

#include "action_msgs/msg/GoalStatusArray.h"
#include "core/executor.h"
#include "ros2/action_common.h"

/* A request for a result that is not there yet. */
typedef struct ros2_result_wait {
    rclite_service_call *call;
    struct ros2_result_wait *next;
} ros2_result_wait;

typedef struct ros2_server_goal {
    rclite_server_goal base;
    ros2_goal_entry entry;
    struct ros2_server_goal *older, *newer; /* by acceptance: the order of the status list */
    struct ros2_server_goal *next;          /* finished, or free */
    struct ros2_server_goal *next_picked;   /* by a request to cancel */
    struct ros2_server_goal *next_made;
    int64_t forget_ns; /* once finished, CLOCK_MONOTONIC */
    unsigned pins;     /* uses outside the lock: it is not recycled meanwhile */
    bool announced;    /* the user has been given the handle */
    bool forgotten;    /* recycled at the last unpin */
    unsigned wait_count;
    ros2_result_wait *waits;
    void *goal;     /* the user's goal, a copy */
    void *response; /* GetResult_Response, filled once finished */
} ros2_server_goal;

typedef struct ros2_action_server {
    rclite_action_server base;
    ros2_action_layout layout;
    ros2_scratch scratch;
    rclite_service *goal_service, *cancel_service, *result_service;
    rclite_publisher *feedback_publisher, *status_publisher;
    void *empty_result; /* for goals that end with the server */

    pthread_mutex_t lock; /* what follows; never held while calling out */
    ros2_goal_table table;
    ros2_server_goal *oldest, *newest;
    ros2_server_goal *finished_first, *finished_last; /* by forget_ns */
    ros2_server_goal *free, *made;
    ros2_result_wait *free_waits;
    rclitei_timer forget_timer, status_timer;
    bool status_pending; /* status_timer is armed */
    int64_t status_ns;   /* of the last publication, CLOCK_MONOTONIC */

    pthread_mutex_t status_lock; /* outside lock: the message, while it is published */
    action_msgs__msg__GoalStatusArray status_message;
} ros2_action_server;

static inline const rclite_allocator *ros2_server_allocator(const ros2_action_server *server) {
    return &server->base.node->context->allocator;
}

static inline ros2_server_goal *ros2_goal_of_entry(ros2_goal_entry *entry) {
    return (ros2_server_goal *)((char *)entry - offsetof(ros2_server_goal, entry));
}

/* Makes a finished goal findable until its result timeout; lock held. */
void ros2_server_keep_finished(ros2_action_server *server, ros2_server_goal *goal);
/* Frees a goal that is in no list. */
void ros2_server_goal_release(ros2_action_server *server, ros2_server_goal *goal);
/* Takes a goal out of all lists and into the pool; lock held, no pins left. */
void ros2_server_recycle(ros2_action_server *server, ros2_server_goal *goal);
void ros2_server_unpin(ros2_action_server *server, ros2_server_goal *goal);

/* A goal's status changed: the status topic will show it soon. */
void ros2_server_status_changed(ros2_action_server *server);
void ros2_server_publish_status(ros2_action_server *server);
bool ros2_server_run_status_timer(rclitei_ready *ready);
bool ros2_server_run_forget_timer(rclitei_ready *ready);

/* rclite_service_callbacks; user is the server. */
rclite_result ros2_server_on_goal(
    rclite_service_call *call, const void *request, void *response, char *error_text, void *user);
rclite_result ros2_server_on_result(
    rclite_service_call *call, const void *request, void *response, char *error_text, void *user);
rclite_result ros2_server_on_cancel(
    rclite_service_call *call, const void *request, void *response, char *error_text, void *user);
/* Counts a reply that could not be sent. */
void ros2_server_reply(ros2_action_server *server, rclite_service_call *call, const void *response);

rclite_result ros2_action_server_init(rclite_action_server *base, rclite_error *reterr);
void ros2_action_server_done(rclite_action_server *base);
rclite_result ros2_server_goal_step(
    rclite_server_goal *base, rclite_goal_status to, const void *result);
rclite_result ros2_server_goal_feedback(rclite_server_goal *base, const void *feedback);

#endif
