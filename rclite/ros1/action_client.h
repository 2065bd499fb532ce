/* The objects of an action client. */
#ifndef RCLITE_ROS1_ACTION_CLIENT_H
#define RCLITE_ROS1_ACTION_CLIENT_H

#include "ros1/actions.h"

/* A goal from send to free. Its memory is reused. */
struct ros1_client_goal {
    rclite_client_goal base;       /* first */
    struct ros1_client_goal *next; /* among the client's, or among the free ones */
    size_t id_bytes;
    enum ros1_goal_state state;
    bool responded; /* the response callback was called */
    bool freed;     /* while its callback runs: taken off when that returns */
    bool listed;    /* seen in the status message that is being walked */
    void *message;  /* of type->result; base.result points here when a result came */
};

struct ros1_action_client {
    rclite_action_client base; /* first */
    struct ros1_context *context;
    rclite_publisher *goal_publisher, *cancel_publisher;
    rclite_subscription *status_subscription, *feedback_subscription, *result_subscription;
    pthread_mutex_t mutex; /* guards what follows; never held while the user is called */
    pthread_cond_t returned;
    struct ros1_client_goal *goals, *free_goals;
    const struct ros1_client_goal *running; /* the goal whose callback runs */
    pthread_t runner;
    uint64_t last_number;
    void *goal_message; /* a wrapper, all zero between uses */
    char server[256];   /* the node that publishes the status; "" none yet */
};

/* Back among the free ones; mutex held. */
void rclitei_ros1_client_goal_remove(
    struct ros1_action_client *client, struct ros1_client_goal *goal);

/* action_events.c: the callbacks of the client's subscriptions. */
void rclitei_ros1_action_on_status(
    const void *message, const rclite_message_info *info, void *user);
void rclitei_ros1_action_on_feedback(
    const void *message, const rclite_message_info *info, void *user);
void rclitei_ros1_action_on_result(
    const void *message, const rclite_message_info *info, void *user);

#endif
