/* The status topic of an action server, and how long a finished goal is remembered.
 *
 * The status message lists every goal that is remembered, so its cost grows with the rate of goals.
 * It is therefore sent beside the goals' own path, and no more often than its length allows: the
 * topic keeps the last message only, so what is left out is what nobody could rely on seeing. */
#include <string.h>

#include "ros2/action_server.h"

/* From a change until it is published, so that a short goal costs one message and not three. */
#define STATUS_DELAY_NS INT64_C(1000000)
/* Between publications, for each goal in the list: some ten times what publishing one takes. */
#define STATUS_INTERVAL_PER_GOAL_NS INT64_C(2000)

/* ---- status --------------------------------------------------------------------------------- */

/* Lock held. */
static rclite_result fill_message(ros2_action_server *server) {
    action_msgs__msg__GoalStatus__sequence *list = &server->status_message.status_list;
    rclite_result result = rclite_message_sequence_resize(&action_msgs__msg__GoalStatus__type, list,
        server->table.count, ros2_server_allocator(server));
    action_msgs__msg__GoalStatus *status = list->data;
    for (ros2_server_goal *goal = server->oldest; goal && result == RCLITE_OK; goal = goal->newer) {
        memcpy(status->goal_info.goal_id.uuid, goal->entry.uuid, ROS2_UUID_BYTES);
        status->goal_info.stamp = goal->base.id.stamp;
        status->status = (int8_t)rclite_server_goal_get_status(&goal->base);
        status += 1;
    }
    return result;
}

void ros2_server_publish_status(ros2_action_server *server) {
    rclite_context *context = server->base.node->context;
    pthread_mutex_lock(&server->status_lock);
    pthread_mutex_lock(&server->lock);
    server->status_pending = false;
    server->status_ns = rclite_monotonic_ns();
    rclite_result result = fill_message(server);
    pthread_mutex_unlock(&server->lock);
    if (result == RCLITE_OK) {
        result = rclite_publisher_publish(server->status_publisher, &server->status_message);
    }
    pthread_mutex_unlock(&server->status_lock);
    if (result != RCLITE_OK) {
        atomic_fetch_add(&context->send_failures, 1);
        rclitei_context_log(context, RCLITE_LOG_ERROR, "action %s: the status was not sent: %s",
            server->base.name, rclite_result_string(result));
    }
}

/* Direct delivery: on the helper thread, which keeps it off the goals' path. Spin delivery: the
 * spinning thread may be inside the user's code for long, so what is due is sent at once. */
void ros2_server_status_changed(ros2_action_server *server) {
    rclite_context *context = server->base.node->context;
    pthread_mutex_lock(&server->lock);
    int64_t now = rclite_monotonic_ns();
    int64_t due = server->status_ns + STATUS_DELAY_NS +
                  (int64_t)server->table.count * STATUS_INTERVAL_PER_GOAL_NS;
    bool at_once = context->delivery == RCLITE_DELIVERY_SPIN && due <= now;
    if (!at_once && !server->status_pending) {
        server->status_pending = true;
        due = due > now + STATUS_DELAY_NS ? due : now + STATUS_DELAY_NS;
        rclitei_timer_arm(context, &server->status_timer, due, 0);
    }
    pthread_mutex_unlock(&server->lock);
    if (at_once) {
        ros2_server_publish_status(server);
    }
}

bool ros2_server_run_status_timer(rclitei_ready *ready) {
    ros2_server_publish_status(
        (ros2_action_server *)((char *)ready - offsetof(ros2_action_server, status_timer.ready)));
    return false;
}

/* ---- forgetting ----------------------------------------------------------------------------- */

void ros2_server_keep_finished(ros2_action_server *server, ros2_server_goal *goal) {
    int64_t now = rclite_monotonic_ns();
    int64_t timeout = server->base.options.result_timeout_ns;
    goal->forget_ns = timeout > RCLITE_FOREVER - now ? RCLITE_FOREVER : now + timeout;
    goal->next = NULL;
    if (server->finished_last) {
        server->finished_last->next = goal;
    } else {
        server->finished_first = goal;
        rclitei_timer_arm(server->base.node->context, &server->forget_timer, goal->forget_ns, 0);
    }
    server->finished_last = goal;
}

bool ros2_server_run_forget_timer(rclitei_ready *ready) {
    ros2_action_server *server =
        (ros2_action_server *)((char *)ready - offsetof(ros2_action_server, forget_timer.ready));
    pthread_mutex_lock(&server->lock);
    int64_t now = rclite_monotonic_ns();
    ros2_server_goal *goal;
    while ((goal = server->finished_first) && goal->forget_ns <= now) {
        server->finished_first = goal->next;
        goal->forgotten = true;
        if (goal->pins == 0) {
            ros2_server_recycle(server, goal);
        }
    }
    if (goal) {
        rclitei_timer_arm(server->base.node->context, &server->forget_timer, goal->forget_ns, 0);
    } else {
        server->finished_last = NULL;
    }
    pthread_mutex_unlock(&server->lock);
    return false;
}
