/* What an action client gets: goals, found by their ids, move through their states by statuses and
 * results. Results of other clients' goals come on the same topic and are passed over. */
#include "ros1/action_client.h"

#include <stdio.h>
#include <string.h>

static struct ros1_client_goal *find_goal(
    struct ros1_action_client *client, const rclite_string *id) {
    for (struct ros1_client_goal *at = client->goals; at; at = at->next) {
        if (at->id_bytes == id->size && memcmp(at->base.id.text, id->data, id->size) == 0) {
            return at;
        }
    }
    return NULL;
}

/* ---- callbacks ------------------------------------------------------------------------------ */

/* Before and after a callback for a goal. The mutex is held before and after; end gives false when
 * the goal was freed meanwhile. */
static void begin_callback(struct ros1_action_client *client, struct ros1_client_goal *goal) {
    client->running = goal;
    client->runner = pthread_self();
    pthread_mutex_unlock(&client->mutex);
}

static bool end_callback(struct ros1_action_client *client, struct ros1_client_goal *goal) {
    pthread_mutex_lock(&client->mutex);
    client->running = NULL;
    bool freed = goal->freed;
    if (freed) {
        rclitei_ros1_client_goal_remove(client, goal);
    }
    pthread_cond_broadcast(&client->returned);
    return !freed;
}

/* Tells of acceptance or rejection, once. False: the goal was freed. */
static bool respond(
    struct ros1_action_client *client, struct ros1_client_goal *goal, bool accepted) {
    if (goal->responded) {
        return true;
    }
    goal->responded = true;
    if (!goal->base.callbacks.response) {
        return true;
    }
    begin_callback(client, goal);
    goal->base.callbacks.response(&goal->base, accepted, goal->base.user);
    return end_callback(client, goal);
}

static rclite_goal_status public_status(enum ros1_goal_state state, rclite_goal_status before) {
    switch (state) {
    case ROS1_STATE_PENDING:
        return RCLITE_GOAL_ACCEPTED;
    case ROS1_STATE_ACTIVE:
        return RCLITE_GOAL_EXECUTING;
    case ROS1_STATE_RECALLING:
    case ROS1_STATE_PREEMPTING:
        return RCLITE_GOAL_CANCELING;
    default:
        return before;
    }
}

/* A status for the goal, from the list or from its result. False: the goal was freed. */
static bool take_status(
    struct ros1_action_client *client, struct ros1_client_goal *goal, uint8_t status) {
    enum ros1_goal_state path[3];
    int count = rclitei_ros1_goal_path(goal->state, (enum ros1_goal_status)status, path);
    if (count < 0) {
        rclitei_ros1_log(client->context, RCLITE_LOG_WARN,
            "action %s: status %u of goal %s does not fit its state", client->base.name,
            (unsigned)status, goal->base.id.text);
        return true;
    }
    for (int i = 0; i < count; i++) {
        rclite_goal_status before = (rclite_goal_status)atomic_load(&goal->base.status);
        goal->state = path[i];
        atomic_store(&goal->base.status, public_status(path[i], before));
    }
    if (count > 0) {
        rclitei_signal(&client->context->base);
        return respond(client, goal, status != ROS1_GOAL_REJECTED);
    }
    return true;
}

/* The goal is over; message is NULL without a result. False: the goal was freed. */
static bool finish(struct ros1_action_client *client, struct ros1_client_goal *goal,
    rclite_goal_status status, void *message) {
    goal->state = ROS1_STATE_DONE;
    goal->base.result = message;
    atomic_store(&goal->base.status, status);
    rclitei_signal(&client->context->base);
    if (!goal->base.callbacks.result) {
        return true;
    }
    begin_callback(client, goal);
    goal->base.callbacks.result(&goal->base, status, message, goal->base.user);
    return end_callback(client, goal);
}

static rclite_goal_status terminal_status(uint8_t status) {
    switch (status) {
    case ROS1_GOAL_SUCCEEDED:
        return RCLITE_GOAL_SUCCEEDED;
    case ROS1_GOAL_ABORTED:
        return RCLITE_GOAL_ABORTED;
    case ROS1_GOAL_REJECTED:
        return RCLITE_GOAL_REJECTED;
    case ROS1_GOAL_PREEMPTED:
    case ROS1_GOAL_RECALLED:
        return RCLITE_GOAL_CANCELED;
    default:
        return RCLITE_GOAL_LOST;
    }
}

/* ---- what servers send ---------------------------------------------------------------------- */

/* A goal that the server has shown, and shows no more. */
static bool is_lost(const struct ros1_client_goal *goal) {
    return !goal->listed && goal->state != ROS1_STATE_WAITING_FOR_GOAL_ACK &&
           goal->state != ROS1_STATE_WAITING_FOR_RESULT && goal->state != ROS1_STATE_DONE;
}

static void lose_goals(struct ros1_action_client *client) {
    bool again = true;
    while (again) { /* a callback may change the list */
        again = false;
        for (struct ros1_client_goal *at = client->goals; at && !again; at = at->next) {
            if (is_lost(at)) {
                finish(client, at, RCLITE_GOAL_LOST, NULL);
                again = true;
            }
        }
    }
}

void rclitei_ros1_action_on_status(
    const void *message, const rclite_message_info *info, void *user) {
    struct ros1_action_client *client = user;
    const actionlib_msgs__msg__GoalStatusArray *array = message;
    pthread_mutex_lock(&client->mutex);
    if (strncmp(client->server, info->publisher_name, sizeof client->server - 1) != 0) {
        snprintf(client->server, sizeof client->server, "%s", info->publisher_name);
        rclitei_signal(&client->context->base);
    }
    size_t open = 0;
    for (struct ros1_client_goal *at = client->goals; at; at = at->next) {
        at->listed = false;
        open += at->state != ROS1_STATE_DONE;
    }
    /* New goals are at the end of the list. */
    for (size_t i = array->status_list.size; open > 0 && i > 0; i--) {
        const actionlib_msgs__msg__GoalStatus *entry = &array->status_list.data[i - 1];
        struct ros1_client_goal *goal = find_goal(client, &entry->goal_id.id);
        if (goal && goal->state != ROS1_STATE_DONE) {
            open--;
            goal->listed = true;
            take_status(client, goal, entry->status);
        }
    }
    lose_goals(client);
    pthread_mutex_unlock(&client->mutex);
}

void rclitei_ros1_action_on_feedback(
    const void *message, const rclite_message_info *info, void *user) {
    (void)info;
    struct ros1_action_client *client = user;
    const rclite_type *wrapper = client->base.type->ros1_action_feedback;
    const actionlib_msgs__msg__GoalStatus *status =
        rclitei_ros1_action_field(wrapper, (void *)(uintptr_t)message, 1);
    pthread_mutex_lock(&client->mutex);
    struct ros1_client_goal *goal = find_goal(client, &status->goal_id.id);
    if (goal && goal->state != ROS1_STATE_DONE && goal->base.callbacks.feedback) {
        begin_callback(client, goal);
        goal->base.callbacks.feedback(&goal->base,
            rclitei_ros1_action_field(wrapper, (void *)(uintptr_t)message, 2), goal->base.user);
        end_callback(client, goal);
    }
    pthread_mutex_unlock(&client->mutex);
}

void rclitei_ros1_action_on_result(
    const void *message, const rclite_message_info *info, void *user) {
    (void)info;
    struct ros1_action_client *client = user;
    const rclite_action_type *type = client->base.type;
    const actionlib_msgs__msg__GoalStatus *status =
        rclitei_ros1_action_field(type->ros1_action_result, (void *)(uintptr_t)message, 1);
    pthread_mutex_lock(&client->mutex);
    struct ros1_client_goal *goal = find_goal(client, &status->goal_id.id);
    if (goal && goal->state != ROS1_STATE_DONE && take_status(client, goal, status->status)) {
        void *result = NULL;
        if (rclite_message_copy(type->result, goal->message,
                rclitei_ros1_action_field(type->ros1_action_result, (void *)(uintptr_t)message, 2),
                &client->context->base.allocator) == RCLITE_OK) {
            result = goal->message;
        }
        finish(client, goal, terminal_status(status->status), result);
    }
    pthread_mutex_unlock(&client->mutex);
}
