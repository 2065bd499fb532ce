/* The cancel service of an action server: which goals a request means, asking the user, and the
 * answer. The rules are rcl_action's:
 *   an id and no stamp: that goal; no id and no stamp: all goals; a stamp: all goals accepted at or
 *   before it, and the one with the id. */
#include <string.h>

#include "action_msgs/srv/CancelGoal.h"
#include "ros2/action_server.h"

typedef action_msgs__srv__CancelGoal_Request cancel_request;
typedef action_msgs__srv__CancelGoal_Response cancel_response;

/* Goals picked by one request, linked by next_picked and pinned. */
typedef struct picked_goals {
    ros2_server_goal *first, **end;
} picked_goals;

static void pick(picked_goals *picked, ros2_server_goal *goal) {
    goal->pins += 1;
    goal->next_picked = NULL;
    *picked->end = goal;
    picked->end = &goal->next_picked;
}

static bool is_cancelable(const ros2_server_goal *goal) {
    return goal->announced && rclitei_goal_step_is_legal(rclite_server_goal_get_status(&goal->base),
                                  RCLITE_GOAL_CANCELING);
}

/* One goal by its id; lock held. */
static int8_t pick_one(ros2_action_server *server, const uint8_t *uuid, picked_goals *picked) {
    ros2_goal_entry *entry = ros2_goal_table_find(&server->table, uuid);
    if (!entry) {
        return action_msgs__srv__CancelGoal_Response__ERROR_UNKNOWN_GOAL_ID;
    }
    ros2_server_goal *goal = ros2_goal_of_entry(entry);
    if (!is_cancelable(goal)) {
        return action_msgs__srv__CancelGoal_Response__ERROR_GOAL_TERMINATED;
    }
    pick(picked, goal);
    return action_msgs__srv__CancelGoal_Response__ERROR_NONE;
}

/* Lock held. */
static int8_t pick_goals(
    ros2_action_server *server, const cancel_request *request, picked_goals *picked) {
    static const uint8_t no_uuid[ROS2_UUID_BYTES];
    const uint8_t *uuid = request->goal_info.goal_id.uuid;
    int64_t until_ns = rclite_time_to_ns(request->goal_info.stamp);
    bool has_uuid = memcmp(uuid, no_uuid, sizeof no_uuid) != 0;
    if (has_uuid && until_ns == 0) {
        return pick_one(server, uuid, picked);
    }
    bool all = !has_uuid && until_ns == 0;
    for (ros2_server_goal *goal = server->oldest; goal; goal = goal->newer) {
        bool meant = all || rclite_time_to_ns(goal->base.id.stamp) <= until_ns ||
                     memcmp(uuid, goal->entry.uuid, ROS2_UUID_BYTES) == 0;
        if (meant && is_cancelable(goal)) {
            pick(picked, goal);
        }
    }
    return action_msgs__srv__CancelGoal_Response__ERROR_NONE;
}

/* The user agreed: makes the step, unless the goal ended meanwhile, and lists it in the answer. */
static bool start_canceling(
    ros2_action_server *server, ros2_server_goal *goal, cancel_response *response) {
    action_msgs__msg__GoalInfo__sequence *list = &response->goals_canceling;
    pthread_mutex_lock(&server->lock);
    bool started = is_cancelable(goal) &&
                   rclite_message_sequence_resize(&action_msgs__msg__GoalInfo__type, list,
                       list->size + 1, ros2_server_allocator(server)) == RCLITE_OK;
    if (started) {
        action_msgs__msg__GoalInfo *info = &list->data[list->size - 1];
        memcpy(info->goal_id.uuid, goal->entry.uuid, ROS2_UUID_BYTES);
        info->stamp = goal->base.id.stamp;
        atomic_store(&goal->base.status, RCLITE_GOAL_CANCELING);
    }
    pthread_mutex_unlock(&server->lock);
    return started;
}

/* Those that the user refuses leave the list. */
static void ask_user(ros2_action_server *server, picked_goals *picked, cancel_response *response) {
    const rclite_action_server_callbacks *callbacks = &server->base.callbacks;
    for (ros2_server_goal **at = &picked->first; *at;) {
        ros2_server_goal *goal = *at;
        bool agreed = !callbacks->cancel || callbacks->cancel(&goal->base, server->base.user);
        if (agreed && start_canceling(server, goal, response)) {
            at = &goal->next_picked;
        } else {
            *at = goal->next_picked;
            ros2_server_unpin(server, goal);
        }
    }
}

rclite_result ros2_server_on_cancel(rclite_service_call *call, const void *request,
    void *response_message, char *error_text, void *user) {
    (void)error_text;
    ros2_action_server *server = user;
    cancel_response *response = response_message;
    picked_goals picked = {.first = NULL};
    picked.end = &picked.first;
    response->goals_canceling.size = 0;
    pthread_mutex_lock(&server->lock);
    response->return_code = pick_goals(server, request, &picked);
    pthread_mutex_unlock(&server->lock);
    bool any = picked.first != NULL;
    ask_user(server, &picked, response);
    if (any && !picked.first) {
        response->return_code = action_msgs__srv__CancelGoal_Response__ERROR_REJECTED;
    }
    ros2_server_reply(server, call, response);
    if (picked.first) {
        ros2_server_status_changed(server);
    }
    while (picked.first) {
        ros2_server_goal *goal = picked.first;
        picked.first = goal->next_picked;
        bool ended = rclite_server_goal_get_status(&goal->base) != RCLITE_GOAL_CANCELING;
        if (server->base.callbacks.canceling && !ended) {
            server->base.callbacks.canceling(&goal->base, server->base.user);
        }
        ros2_server_unpin(server, goal);
    }
    return RCLITE_EMPTY;
}
