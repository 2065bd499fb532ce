/* Action servers on ROS 2: their endpoints, and their end. What becomes of a goal is in
 * action_server_goal.c. */
#include "ros2/action_server.h"

#include "action_msgs/srv/CancelGoal.h"
#include "core/memory.h"

#define RESULT_TIMEOUT_DEFAULT_NS INT64_C(10000000000) /* as rcl since Iron */

void ros2_server_reply(
    ros2_action_server *server, rclite_service_call *call, const void *response) {
    rclite_result sent = rclite_service_respond(call, RCLITE_OK, response, NULL);
    if (sent != RCLITE_OK) {
        rclite_context *context = server->base.node->context;
        atomic_fetch_add(&context->send_failures, 1);
        rclitei_context_log(context, RCLITE_LOG_ERROR, "action %s: a reply was not sent: %s",
            server->base.name, rclite_result_string(sent));
    }
}

static rclite_result create_service(ros2_action_server *server, const char *which,
    const rclite_service_type *type, rclite_service_callback callback, rclite_service **ret_service,
    rclite_error *reterr) {
    const rclite_allocator *allocator = ros2_server_allocator(server);
    rclite_service_options options = RCLITE_SERVICE_OPTIONS_INIT;
    options.qos.depth = ROS2_ACTION_SERVICE_DEPTH;
    char *name = ros2_action_name(allocator, server->base.name, which, reterr);
    if (!name) {
        return RCLITE_ERR_NO_MEMORY;
    }
    rclite_result result = rclite_service_create(
        server->base.node, name, type, callback, server, &options, ret_service, reterr);
    rclitei_release(allocator, name);
    return result;
}

static rclite_result create_publisher(ros2_action_server *server, const char *which,
    const rclite_type *type, rclite_qos qos, rclite_publisher **ret_publisher,
    rclite_error *reterr) {
    const rclite_allocator *allocator = ros2_server_allocator(server);
    rclite_publisher_options options = RCLITE_PUBLISHER_OPTIONS_INIT;
    options.qos = qos;
    char *name = ros2_action_name(allocator, server->base.name, which, reterr);
    if (!name) {
        return RCLITE_ERR_NO_MEMORY;
    }
    rclite_result result =
        rclite_publisher_create(server->base.node, name, type, &options, ret_publisher, reterr);
    rclitei_release(allocator, name);
    return result;
}

/* The goal service last: when a client sees it, all others are there. */
static rclite_result create_endpoints(ros2_action_server *server, rclite_error *reterr) {
    const rclite_action_type *type = server->base.type;
    rclite_result result = create_publisher(server, "feedback", type->ros2_feedback_message,
        rclite_qos_default(), &server->feedback_publisher, reterr);
    if (result == RCLITE_OK) {
        result = create_publisher(server, "status", &action_msgs__msg__GoalStatusArray__type,
            rclite_qos_action_status(), &server->status_publisher, reterr);
    }
    if (result == RCLITE_OK) {
        result = create_service(server, "get_result", type->ros2_get_result, ros2_server_on_result,
            &server->result_service, reterr);
    }
    if (result == RCLITE_OK) {
        result = create_service(server, "cancel_goal", &action_msgs__srv__CancelGoal__type,
            ros2_server_on_cancel, &server->cancel_service, reterr);
    }
    if (result == RCLITE_OK) {
        result = create_service(server, "send_goal", type->ros2_send_goal, ros2_server_on_goal,
            &server->goal_service, reterr);
    }
    return result;
}

rclite_result ros2_action_server_init(rclite_action_server *base, rclite_error *reterr) {
    ros2_action_server *server = (ros2_action_server *)base;
    rclite_context *context = base->node->context;
    rclite_result result = ros2_action_layout_read(base->type, &server->layout, reterr);
    if (result == RCLITE_OK) {
        result = rclitei_executor_start(context, reterr);
    }
    if (result != RCLITE_OK) {
        return result;
    }
    if (base->options.result_timeout_ns == -1) {
        base->options.result_timeout_ns = RESULT_TIMEOUT_DEFAULT_NS;
    }
    server->forget_timer.ready.run = ros2_server_run_forget_timer;
    server->status_timer.ready.run = ros2_server_run_status_timer;
    pthread_mutex_init(&server->lock, NULL);
    pthread_mutex_init(&server->status_lock, NULL);
    ros2_scratch_init(&server->scratch, base->type);
    ros2_goal_table_init(&server->table);
    server->empty_result = rclitei_message_create(base->type->result, &context->allocator);
    result = server->empty_result
                 ? create_endpoints(server, reterr)
                 : rclitei_fail(reterr, RCLITE_ERR_NO_MEMORY, 0, "no memory for a result");
    if (result != RCLITE_OK) {
        ros2_action_server_done(base);
    }
    return result;
}

/* Ends every goal that still runs. No new ones come. */
static void abort_all(ros2_action_server *server) {
    for (;;) {
        pthread_mutex_lock(&server->lock);
        ros2_server_goal *goal = server->oldest;
        while (goal && rclitei_goal_is_terminal(rclite_server_goal_get_status(&goal->base))) {
            goal = goal->newer;
        }
        if (goal && rclite_server_goal_get_status(&goal->base) == RCLITE_GOAL_ACCEPTED) {
            atomic_store(&goal->base.status, RCLITE_GOAL_EXECUTING);
        }
        pthread_mutex_unlock(&server->lock);
        if (!goal || ros2_server_goal_step(&goal->base, RCLITE_GOAL_ABORTED,
                         server->empty_result) == RCLITE_ERR_NO_MEMORY) {
            return;
        }
    }
}

static void release_all(ros2_action_server *server) {
    const rclite_allocator *allocator = ros2_server_allocator(server);
    while (server->made) {
        ros2_server_goal *goal = server->made;
        server->made = goal->next_made;
        while (goal->waits) {
            ros2_result_wait *wait = goal->waits;
            goal->waits = wait->next;
            rclitei_release(allocator, wait);
        }
        ros2_server_goal_release(server, goal);
    }
    while (server->free_waits) {
        ros2_result_wait *wait = server->free_waits;
        server->free_waits = wait->next;
        rclitei_release(allocator, wait);
    }
    server->empty_result =
        rclitei_message_free(server->base.type->result, server->empty_result, allocator);
    rclite_message_done(
        &action_msgs__msg__GoalStatusArray__type, &server->status_message, allocator);
}

void ros2_action_server_done(rclite_action_server *base) {
    ros2_action_server *server = (ros2_action_server *)base;
    rclite_context *context = base->node->context;
    server->goal_service = rclite_service_free(server->goal_service);
    server->cancel_service = rclite_service_free(server->cancel_service);
    rclitei_timer_disarm(context, &server->forget_timer);
    abort_all(server);
    rclitei_timer_disarm(context, &server->forget_timer); /* armed by the aborted goals */
    rclitei_timer_disarm(context, &server->status_timer);
    if (server->status_pending) {
        ros2_server_publish_status(server);
    }
    server->result_service = rclite_service_free(server->result_service);
    server->feedback_publisher = rclite_publisher_free(server->feedback_publisher);
    server->status_publisher = rclite_publisher_free(server->status_publisher);
    release_all(server);
    ros2_goal_table_done(&server->table, &context->allocator);
    ros2_scratch_done(&server->scratch, &context->allocator);
    pthread_mutex_destroy(&server->status_lock);
    pthread_mutex_destroy(&server->lock);
}
