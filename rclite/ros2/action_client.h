/* The action client's structs, shared by action_client.c (endpoints, sending, cancelling) and
 * action_client_goal.c (what becomes of one goal). */
#ifndef RCLITE_ROS2_ACTION_CLIENT_H
#define RCLITE_ROS2_ACTION_CLIENT_H

#include "core/executor.h"
#include "ros2/action_common.h"

/* A callback of a goal that runs at the moment, on the stack of its thread. */
typedef struct ros2_goal_run {
    pthread_t thread;
    struct ros2_goal_run *next;
} ros2_goal_run;

typedef struct ros2_client_goal {
    rclite_client_goal base;
    ros2_goal_entry entry;
    struct ros2_client_goal *next_free, *next_made;
    ros2_goal_run *runs;
    int64_t send_id, result_id; /* of the calls, for forgetting them; 0: not called */
    void *result;               /* where a result is kept; base.result once there is one */
    bool listed;                /* in the client's table: it has not ended */
    bool freed;                 /* by the user; goes to the pool when nothing of it runs */
} ros2_client_goal;

typedef struct ros2_action_client {
    rclite_action_client base;
    ros2_action_layout layout;
    ros2_scratch scratch;
    rclite_client *goal_client, *cancel_client, *result_client;
    rclite_subscription *feedback_subscription, *status_subscription;
    rclitei_timer lost_timer; /* looks whether the last server has gone for good */
    int lost_looks;

    pthread_mutex_t lock; /* what follows; never held while calling out */
    pthread_cond_t ran;   /* a callback has ended */
    ros2_goal_table table;
    ros2_client_goal *free, *made;
} ros2_action_client;

static inline const rclite_allocator *ros2_client_allocator(const ros2_action_client *client) {
    return &client->base.node->context->allocator;
}

/* A listed goal with the user's callbacks; NULL: no memory. */
ros2_client_goal *ros2_client_goal_create(ros2_action_client *client, const uint8_t *uuid,
    const rclite_goal_callbacks *callbacks, void *user);
void ros2_client_goal_free(rclite_client_goal *base);
void ros2_client_release_goals(ros2_action_client *client);

/* rclite_client_callback of send_goal; user is the goal. */
void ros2_goal_on_response(
    rclite_result result, const void *response, const char *error_text, void *user);
void ros2_client_on_feedback(const void *message, const rclite_message_info *info, void *user);
void ros2_client_on_status(const void *message, const rclite_message_info *info, void *user);
/* The server has gone: its goals are LOST. */
void ros2_client_lose_all(ros2_action_client *client);
/* CANCELING, unless the goal is unknown or further already. */
void ros2_client_advance(ros2_action_client *client, const uint8_t *uuid, int8_t status);

rclite_result ros2_action_client_init(rclite_action_client *base, rclite_error *reterr);
void ros2_action_client_done(rclite_action_client *base);
bool ros2_action_client_ready(rclite_action_client *base);
rclite_result ros2_action_client_send(rclite_action_client *base, const void *goal,
    const rclite_goal_callbacks *callbacks, void *user, rclite_client_goal **ret_goal);
rclite_result ros2_action_client_cancel(
    rclite_action_client *base, rclite_client_goal *goal, rclite_time stamp);

#endif
