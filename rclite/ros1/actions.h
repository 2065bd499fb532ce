/* What action servers and clients of ROS 1 share. An action is five topics below its name; both
 * sides are built from the public publishers and subscriptions, and add the goals and their states.
 */
#ifndef RCLITE_ROS1_ACTIONS_H
#define RCLITE_ROS1_ACTIONS_H

#include "actionlib_msgs/msg/GoalID.h"
#include "actionlib_msgs/msg/GoalStatus.h"
#include "actionlib_msgs/msg/GoalStatusArray.h"
#include "ros1/ros1.h"
#include "std_msgs/msg/Header.h"

/* actionlib_msgs/GoalStatus */
enum ros1_goal_status {
    ROS1_GOAL_PENDING,
    ROS1_GOAL_ACTIVE,
    ROS1_GOAL_PREEMPTED,
    ROS1_GOAL_SUCCEEDED,
    ROS1_GOAL_ABORTED,
    ROS1_GOAL_REJECTED,
    ROS1_GOAL_PREEMPTING,
    ROS1_GOAL_RECALLING,
    ROS1_GOAL_RECALLED,
    ROS1_GOAL_LOST,
    ROS1_GOAL_STATUS_COUNT
};

/* A parameter that may be set on any level of the node's namespace; fallback if it is nowhere or no
 * number. */
double rclitei_ros1_action_parameter(rclite_node *node, const char *name, double fallback);
/* A queue size from such a parameter as QoS: 0 and below keep all. */
rclite_qos rclitei_ros1_action_qos(rclite_node *node, const char *parameter, int fallback);

rclite_result rclitei_ros1_action_publisher(rclite_node *node, const char *action,
    const char *topic, const rclite_type *type, rclite_qos qos, rclite_publisher **ret_publisher,
    rclite_error *reterr);
rclite_result rclitei_ros1_action_subscription(rclite_node *node, const char *action,
    const char *topic, const rclite_type *type, rclite_qos qos,
    rclite_subscription_callback callback, void *user, rclite_subscription **ret_subscription,
    rclite_error *reterr);

/* The third field of the wrapper messages: goal, result or feedback; and the second one. */
void *rclitei_ros1_action_field(const rclite_type *wrapper, void *message, uint32_t index);

/* ---- the client's state machine (goal_state.c) ---------------------------------------------- */

enum ros1_goal_state {
    ROS1_STATE_WAITING_FOR_GOAL_ACK,
    ROS1_STATE_PENDING,
    ROS1_STATE_ACTIVE,
    ROS1_STATE_WAITING_FOR_RESULT,
    ROS1_STATE_WAITING_FOR_CANCEL_ACK,
    ROS1_STATE_RECALLING,
    ROS1_STATE_PREEMPTING,
    ROS1_STATE_DONE,
    ROS1_STATE_COUNT
};

/* The states that a goal goes through when a status arrives, in order, the last one being where it
 * stays; several when statuses in between were missed. Returns their number (0: no change), or -1:
 * this status must not come in this state. */
int rclitei_ros1_goal_path(
    enum ros1_goal_state from, enum ros1_goal_status status, enum ros1_goal_state ret_path[3]);

/* ---- backend functions ---------------------------------------------------------------------- */

rclite_result rclitei_ros1_action_server_init(rclite_action_server *base, rclite_error *reterr);
void rclitei_ros1_action_server_done(rclite_action_server *base);
rclite_result rclitei_ros1_server_goal_step(
    rclite_server_goal *goal, rclite_goal_status to, const void *result);
rclite_result rclitei_ros1_server_goal_feedback(rclite_server_goal *goal, const void *feedback);
rclite_result rclitei_ros1_action_client_init(rclite_action_client *base, rclite_error *reterr);
void rclitei_ros1_action_client_done(rclite_action_client *base);
bool rclitei_ros1_action_client_ready(rclite_action_client *base);
rclite_result rclitei_ros1_action_client_send(rclite_action_client *base, const void *goal,
    const rclite_goal_callbacks *callbacks, void *user, rclite_client_goal **ret_goal);
rclite_result rclitei_ros1_action_client_cancel(
    rclite_action_client *base, rclite_client_goal *goal, rclite_time stamp);
void rclitei_ros1_client_goal_free(rclite_client_goal *goal);

#endif
