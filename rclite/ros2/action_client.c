/* Action clients on ROS 2: their endpoints, sending goals and asking for cancelling. What becomes
 * of a goal is in action_client_goal.c. */
#include "ros2/action_client.h"

#include <string.h>

#include "action_msgs/msg/GoalStatusArray.h"
#include "action_msgs/srv/CancelGoal.h"
#include "core/memory.h"

#define LOST_LOOK_NS INT64_C(100000000)

/* ---- endpoints ------------------------------------------------------------------------------ */

static rclite_result create_client(ros2_action_client *client, const char *which,
    const rclite_service_type *type, rclite_client **ret_client, rclite_error *reterr) {
    const rclite_allocator *allocator = ros2_client_allocator(client);
    rclite_client_options options = RCLITE_CLIENT_OPTIONS_INIT;
    options.qos.depth = ROS2_ACTION_SERVICE_DEPTH;
    char *name = ros2_action_name(allocator, client->base.name, which, reterr);
    if (!name) {
        return RCLITE_ERR_NO_MEMORY;
    }
    rclite_result result =
        rclite_client_create(client->base.node, name, type, &options, ret_client, reterr);
    rclitei_release(allocator, name);
    return result;
}

/* What a subscription of the action needs beside its name. */
typedef struct topic_plan {
    const char *which;
    const rclite_type *type;
    rclite_subscription_callback callback;
    rclite_event_callback event;
    rclite_qos qos;
} topic_plan;

static rclite_result create_subscription(ros2_action_client *client, const topic_plan *plan,
    rclite_subscription **ret_subscription, rclite_error *reterr) {
    const rclite_allocator *allocator = ros2_client_allocator(client);
    rclite_subscription_options options = RCLITE_SUBSCRIPTION_OPTIONS_INIT;
    options.qos = plan->qos;
    options.event = plan->event;
    options.event_user = client;
    char *name = ros2_action_name(allocator, client->base.name, plan->which, reterr);
    if (!name) {
        return RCLITE_ERR_NO_MEMORY;
    }
    rclite_result result = rclite_subscription_create(client->base.node, name, plan->type,
        plan->callback, client, &options, ret_subscription, reterr);
    rclitei_release(allocator, name);
    return result;
}

/* The feedback topic tells that the last server has gone. The results that it sent at the end come
 * another way, and may still be on theirs. */
static void on_event(const rclite_event *event, void *user) {
    ros2_action_client *client = user;
    if (event->kind == RCLITE_EVENT_MATCHED && event->total == 0) {
        client->lost_looks = 0;
        rclitei_timer_arm(client->base.node->context, &client->lost_timer,
            rclite_monotonic_ns() + LOST_LOOK_NS, 0);
    }
}

/* A server's writers go when all they sent was received or given up; what was received has been
 * handed over when it is looked at for the second time. */
static bool run_lost_timer(rclitei_ready *ready) {
    ros2_action_client *client =
        (ros2_action_client *)((char *)ready - offsetof(ros2_action_client, lost_timer.ready));
    if (rclite_subscription_matched_count(client->feedback_subscription) > 0) {
        return false; /* there is one again */
    }
    client->lost_looks = rclite_client_is_ready(client->result_client) ? 0 : client->lost_looks + 1;
    if (client->lost_looks == 2) {
        ros2_client_lose_all(client);
    } else {
        rclitei_timer_arm(client->base.node->context, &client->lost_timer,
            rclite_monotonic_ns() + LOST_LOOK_NS, 0);
    }
    return false;
}

static rclite_result create_endpoints(ros2_action_client *client, rclite_error *reterr) {
    const rclite_action_type *type = client->base.type;
    const topic_plan feedback = {"feedback", type->ros2_feedback_message, ros2_client_on_feedback,
        on_event, rclite_qos_default()};
    const topic_plan status = {"status", &action_msgs__msg__GoalStatusArray__type,
        ros2_client_on_status, NULL, rclite_qos_action_status()};
    rclite_result result =
        create_subscription(client, &feedback, &client->feedback_subscription, reterr);
    if (result == RCLITE_OK) {
        result = create_subscription(client, &status, &client->status_subscription, reterr);
    }
    if (result == RCLITE_OK) {
        result =
            create_client(client, "send_goal", type->ros2_send_goal, &client->goal_client, reterr);
    }
    if (result == RCLITE_OK) {
        result = create_client(client, "cancel_goal", &action_msgs__srv__CancelGoal__type,
            &client->cancel_client, reterr);
    }
    if (result == RCLITE_OK) {
        result = create_client(
            client, "get_result", type->ros2_get_result, &client->result_client, reterr);
    }
    return result;
}

rclite_result ros2_action_client_init(rclite_action_client *base, rclite_error *reterr) {
    ros2_action_client *client = (ros2_action_client *)base;
    rclite_result result = ros2_action_layout_read(base->type, &client->layout, reterr);
    if (result == RCLITE_OK) {
        result = rclitei_executor_start(base->node->context, reterr);
    }
    if (result != RCLITE_OK) {
        return result;
    }
    client->lost_timer.ready.run = run_lost_timer;
    pthread_mutex_init(&client->lock, NULL);
    pthread_cond_init(&client->ran, NULL);
    ros2_scratch_init(&client->scratch, base->type);
    ros2_goal_table_init(&client->table);
    result = create_endpoints(client, reterr);
    if (result != RCLITE_OK) {
        ros2_action_client_done(base);
    }
    return result;
}

void ros2_action_client_done(rclite_action_client *base) {
    ros2_action_client *client = (ros2_action_client *)base;
    const rclite_allocator *allocator = ros2_client_allocator(client);
    client->feedback_subscription = rclite_subscription_free(client->feedback_subscription);
    client->status_subscription = rclite_subscription_free(client->status_subscription);
    rclitei_timer_disarm(base->node->context, &client->lost_timer);
    ros2_client_lose_all(client);
    client->goal_client = rclite_client_free(client->goal_client);
    client->cancel_client = rclite_client_free(client->cancel_client);
    client->result_client = rclite_client_free(client->result_client);
    ros2_client_release_goals(client);
    ros2_goal_table_done(&client->table, allocator);
    ros2_scratch_done(&client->scratch, allocator);
    pthread_cond_destroy(&client->ran);
    pthread_mutex_destroy(&client->lock);
}

bool ros2_action_client_ready(rclite_action_client *base) {
    ros2_action_client *client = (ros2_action_client *)base;
    return rclite_subscription_matched_count(client->feedback_subscription) > 0 &&
           rclite_subscription_matched_count(client->status_subscription) > 0 &&
           rclite_client_is_ready(client->goal_client) &&
           rclite_client_is_ready(client->cancel_client) &&
           rclite_client_is_ready(client->result_client);
}

/* ---- goals ---------------------------------------------------------------------------------- */

rclite_result ros2_action_client_send(rclite_action_client *base, const void *message,
    const rclite_goal_callbacks *callbacks, void *user, rclite_client_goal **ret_goal) {
    ros2_action_client *client = (ros2_action_client *)base;
    const rclite_allocator *allocator = ros2_client_allocator(client);
    uint8_t uuid[ROS2_UUID_BYTES];
    ros2_uuid_make(uuid);
    void *request = ros2_scratch_take(&client->scratch, allocator);
    if (!request) {
        return RCLITE_ERR_NO_MEMORY;
    }
    ros2_client_goal *goal = ros2_client_goal_create(client, uuid, callbacks, user);
    rclite_result result = RCLITE_ERR_NO_MEMORY;
    if (goal) {
        memcpy(ros2_field(request, client->layout.request_id), uuid, ROS2_UUID_BYTES);
        memcpy(ros2_field(request, client->layout.request_goal), message,
            base->type->goal->size_bytes);
        *ret_goal = &goal->base; /* the answer may come before this returns */
        result = rclite_client_call_async(
            client->goal_client, request, ros2_goal_on_response, goal, &goal->send_id);
        if (result != RCLITE_OK) {
            *ret_goal = NULL;
            ros2_client_goal_free(&goal->base);
        }
    }
    ros2_scratch_give(&client->scratch, request);
    return result;
}

/* The goals that the server agreed to cancel. */
static void on_cancel(
    rclite_result result, const void *message, const char *error_text, void *user) {
    (void)error_text;
    ros2_action_client *client = user;
    if (result != RCLITE_OK) {
        return;
    }
    const action_msgs__srv__CancelGoal_Response *response = message;
    for (size_t i = 0; i < response->goals_canceling.size; i++) {
        ros2_client_advance(
            client, response->goals_canceling.data[i].goal_id.uuid, RCLITE_GOAL_CANCELING);
    }
}

rclite_result ros2_action_client_cancel(
    rclite_action_client *base, rclite_client_goal *goal, rclite_time stamp) {
    ros2_action_client *client = (ros2_action_client *)base;
    action_msgs__srv__CancelGoal_Request request;
    memset(&request, 0, sizeof request);
    request.goal_info.stamp = stamp;
    if (goal) {
        memcpy(request.goal_info.goal_id.uuid, ((ros2_client_goal *)goal)->entry.uuid,
            ROS2_UUID_BYTES);
    }
    return rclite_client_call_async(client->cancel_client, &request, on_cancel, client, NULL);
}
