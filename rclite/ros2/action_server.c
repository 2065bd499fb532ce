/* Action servers on ROS 2: accepting goals, their state machine, feedback and results. The order of
 * what goes out is rclcpp's: the answer to the goal before anything else about it, the result
 * before the status that shows it. */
#include "ros2/action_server.h"

#include <assert.h>
#include <string.h>

#include "action_msgs/srv/CancelGoal.h"
#include "core/memory.h"

#define RESULT_TIMEOUT_DEFAULT_NS INT64_C(10000000000) /* as rcl since Iron */
#define RESULT_WAITS_MAX 100u /* requests for one result; a stranger must not fill our memory */

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

/* ---- the life of a goal --------------------------------------------------------------------- */

static void goal_release(ros2_action_server *server, ros2_server_goal *goal) {
    const rclite_allocator *allocator = ros2_server_allocator(server);
    const rclite_action_type *type = server->base.type;
    if (goal->goal) {
        rclite_message_done(type->goal, goal->goal, allocator);
    }
    if (goal->response) {
        rclite_message_done(type->ros2_get_result->response, goal->response, allocator);
    }
    rclitei_release(allocator, goal->goal);
    rclitei_release(allocator, goal->response);
    rclitei_release(allocator, goal);
}

static void *message_create(const rclite_type *type, const rclite_allocator *allocator) {
    void *message = rclitei_allocate(allocator, type->size_bytes);
    if (message && rclite_message_init(type, message, allocator) != RCLITE_OK) {
        message = rclitei_release(allocator, message);
    }
    return message;
}

/* From the pool; lock held. NULL: no memory. */
static ros2_server_goal *take_goal(ros2_action_server *server) {
    ros2_server_goal *goal = server->free;
    if (goal) {
        server->free = goal->next;
        return goal;
    }
    const rclite_allocator *allocator = ros2_server_allocator(server);
    const rclite_action_type *type = server->base.type;
    goal = rclitei_allocate(allocator, sizeof *goal);
    if (!goal) {
        return NULL;
    }
    goal->base.server = &server->base;
    goal->goal = message_create(type->goal, allocator);
    goal->response = message_create(type->ros2_get_result->response, allocator);
    if (!goal->goal || !goal->response) {
        goal_release(server, goal);
        return NULL;
    }
    goal->next_made = server->made;
    server->made = goal;
    return goal;
}

static void give_goal(ros2_action_server *server, ros2_server_goal *goal) {
    goal->next = server->free;
    server->free = goal;
}

/* Appends to the list of goals by acceptance; lock held. */
static void append(ros2_action_server *server, ros2_server_goal *goal) {
    goal->newer = NULL;
    goal->older = server->newest;
    if (server->newest) {
        server->newest->newer = goal;
    } else {
        server->oldest = goal;
    }
    server->newest = goal;
}

void ros2_server_recycle(ros2_action_server *server, ros2_server_goal *goal) {
    assert(goal->pins == 0 && !goal->waits);
    ros2_goal_table_remove(&server->table, &goal->entry);
    if (goal->older) {
        goal->older->newer = goal->newer;
    } else {
        server->oldest = goal->newer;
    }
    if (goal->newer) {
        goal->newer->older = goal->older;
    } else {
        server->newest = goal->older;
    }
    give_goal(server, goal);
}

void ros2_server_unpin(ros2_action_server *server, ros2_server_goal *goal) {
    pthread_mutex_lock(&server->lock);
    goal->pins -= 1;
    if (goal->pins == 0 && goal->forgotten) {
        ros2_server_recycle(server, goal);
    }
    pthread_mutex_unlock(&server->lock);
}

/* ---- accepting ------------------------------------------------------------------------------ */

/* Adds a pinned goal; NULL when its id is known already or there is no memory. */
static ros2_server_goal *add_goal(ros2_action_server *server, const rclite_goal_id *id,
    const uint8_t *uuid, const void *message) {
    const rclite_allocator *allocator = ros2_server_allocator(server);
    pthread_mutex_lock(&server->lock);
    ros2_server_goal *goal = ros2_goal_table_find(&server->table, uuid) ? NULL : take_goal(server);
    if (goal) {
        memcpy(goal->entry.uuid, uuid, ROS2_UUID_BYTES);
        goal->base.id = *id;
        goal->pins = 1;
        goal->announced = false;
        goal->forgotten = false;
        goal->wait_count = 0;
        atomic_store(&goal->base.status,
            server->base.options.defer_execution ? RCLITE_GOAL_ACCEPTED : RCLITE_GOAL_EXECUTING);
        if (rclite_message_copy(server->base.type->goal, goal->goal, message, allocator) !=
                RCLITE_OK ||
            !ros2_goal_table_add(&server->table, allocator, &goal->entry)) {
            give_goal(server, goal);
            goal = NULL;
        } else {
            append(server, goal);
        }
    }
    pthread_mutex_unlock(&server->lock);
    return goal;
}

static rclite_result on_goal(
    rclite_service_call *call, const void *request, void *response, char *error_text, void *user) {
    (void)error_text;
    ros2_action_server *server = user;
    const rclite_action_server_callbacks *callbacks = &server->base.callbacks;
    const uint8_t *uuid = ros2_const_field(request, server->layout.request_id);
    const void *message = ros2_const_field(request, server->layout.request_goal);
    rclite_goal_id id = {.stamp = rclite_time_from_ns(rclite_now_ns())};
    ros2_uuid_text(uuid, id.text, sizeof id.text);
    bool accepted = !callbacks->goal || callbacks->goal(&id, message, server->base.user);
    ros2_server_goal *goal = accepted ? add_goal(server, &id, uuid, message) : NULL;
    if (accepted && !goal) {
        rclitei_context_log(server->base.node->context, RCLITE_LOG_ERROR,
            "action %s: goal %s is rejected: its id is in use, or there is no memory",
            server->base.name, id.text);
    }
    *(bool *)ros2_field(response, server->layout.response_accepted) = goal != NULL;
    *(rclite_time *)ros2_field(response, server->layout.response_stamp) = id.stamp;
    ros2_server_reply(server, call, response); /* the client hears of it before the user starts */
    if (goal) {
        pthread_mutex_lock(&server->lock);
        goal->announced = true;
        pthread_mutex_unlock(&server->lock);
        ros2_server_status_changed(server);
        callbacks->accepted(&goal->base, goal->goal, server->base.user);
        ros2_server_unpin(server, goal);
    }
    return RCLITE_EMPTY;
}

/* ---- results -------------------------------------------------------------------------------- */

/* Keeps the call for later; lock held. */
static bool add_wait(
    ros2_action_server *server, ros2_server_goal *goal, rclite_service_call *call) {
    if (goal->wait_count == RESULT_WAITS_MAX) {
        return false;
    }
    ros2_result_wait *wait = server->free_waits;
    if (wait) {
        server->free_waits = wait->next;
    } else {
        wait = rclitei_allocate(ros2_server_allocator(server), sizeof *wait);
    }
    if (!wait) {
        return false;
    }
    wait->call = call;
    wait->next = goal->waits;
    goal->waits = wait;
    goal->wait_count += 1;
    return true;
}

static rclite_result on_result(
    rclite_service_call *call, const void *request, void *response, char *error_text, void *user) {
    (void)error_text;
    ros2_action_server *server = user;
    const uint8_t *uuid = ros2_const_field(request, server->layout.result_request_id);
    pthread_mutex_lock(&server->lock);
    ros2_goal_entry *entry = ros2_goal_table_find(&server->table, uuid);
    ros2_server_goal *goal = entry ? ros2_goal_of_entry(entry) : NULL;
    bool over = goal && rclitei_goal_is_terminal(rclite_server_goal_get_status(&goal->base));
    bool kept = goal && !over && add_wait(server, goal, call);
    if (over) {
        goal->pins += 1;
    }
    pthread_mutex_unlock(&server->lock);
    if (over) {
        ros2_server_reply(server, call, goal->response);
        ros2_server_unpin(server, goal);
        return RCLITE_EMPTY;
    }
    if (goal) {
        return kept ? RCLITE_EMPTY : RCLITE_ERR_NO_MEMORY;
    }
    *(int8_t *)ros2_field(response, server->layout.result_status) = RCLITE_GOAL_UNKNOWN;
    return RCLITE_OK; /* the result in it has never been set */
}

/* Sends the result to all who asked, and takes their waits back. */
static void answer_waits(
    ros2_action_server *server, ros2_server_goal *goal, ros2_result_wait *waits) {
    ros2_result_wait *last = NULL;
    for (ros2_result_wait *wait = waits; wait; wait = wait->next) {
        ros2_server_reply(server, wait->call, goal->response);
        last = wait;
    }
    if (last) {
        pthread_mutex_lock(&server->lock);
        last->next = server->free_waits;
        server->free_waits = waits;
        pthread_mutex_unlock(&server->lock);
    }
}

/* The step to a terminal status; lock held, and the goal is pinned on success. */
static rclite_result finish(ros2_action_server *server, ros2_server_goal *goal,
    rclite_goal_status to, const void *result, ros2_result_wait **ret_waits) {
    void *target = ros2_field(goal->response, server->layout.result_result);
    rclite_result copied = rclite_message_copy(
        server->base.type->result, target, result, ros2_server_allocator(server));
    if (copied != RCLITE_OK) {
        return copied;
    }
    *(int8_t *)ros2_field(goal->response, server->layout.result_status) = (int8_t)to;
    *ret_waits = goal->waits;
    goal->waits = NULL;
    goal->pins += 1;
    ros2_server_keep_finished(server, goal);
    return RCLITE_OK;
}

rclite_result ros2_server_goal_step(
    rclite_server_goal *base, rclite_goal_status to, const void *result) {
    ros2_server_goal *goal = (ros2_server_goal *)base;
    ros2_action_server *server = (ros2_action_server *)base->server;
    ros2_result_wait *waits = NULL;
    bool over = rclitei_goal_is_terminal(to);
    rclite_result outcome = RCLITE_OK;
    pthread_mutex_lock(&server->lock);
    if (!rclitei_goal_step_is_legal(rclite_server_goal_get_status(base), to)) {
        outcome = RCLITE_ERR_STATE;
    } else if (over) {
        outcome = finish(server, goal, to, result, &waits);
    }
    if (outcome == RCLITE_OK) {
        atomic_store(&base->status, (int)to);
    }
    pthread_mutex_unlock(&server->lock);
    if (outcome != RCLITE_OK) {
        return outcome;
    }
    if (over) {
        answer_waits(server, goal, waits);
        ros2_server_unpin(server, goal); /* the handle may be gone from here on */
    }
    ros2_server_status_changed(server);
    return RCLITE_OK;
}

rclite_result ros2_server_goal_feedback(rclite_server_goal *base, const void *feedback) {
    ros2_server_goal *goal = (ros2_server_goal *)base;
    ros2_action_server *server = (ros2_action_server *)base->server;
    if (rclitei_goal_is_terminal(rclite_server_goal_get_status(base))) {
        return RCLITE_ERR_STATE;
    }
    void *message = ros2_scratch_take(&server->scratch, ros2_server_allocator(server));
    if (!message) {
        return RCLITE_ERR_NO_MEMORY;
    }
    memcpy(ros2_field(message, server->layout.feedback_id), goal->entry.uuid, ROS2_UUID_BYTES);
    memcpy(ros2_field(message, server->layout.feedback_feedback), feedback,
        server->base.type->feedback->size_bytes);
    rclite_result result = rclite_publisher_publish(server->feedback_publisher, message);
    ros2_scratch_give(&server->scratch, message);
    return result;
}

/* ---- creation and end ----------------------------------------------------------------------- */

static rclite_result create_service(ros2_action_server *server, const char *which,
    const rclite_service_type *type, rclite_service_callback callback, rclite_service **ret_service,
    rclite_error *reterr) {
    const rclite_allocator *allocator = ros2_server_allocator(server);
    rclite_service_options options = RCLITE_SERVICE_OPTIONS_INIT;
    options.qos.depth = ROS2_ACTION_SERVICE_DEPTH;
    char *name = rclitei_format(allocator, "%s/_action/%s", server->base.name, which);
    if (!name) {
        return rclitei_fail(reterr, RCLITE_ERR_NO_MEMORY, 0, "no memory for a service name");
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
    char *name = rclitei_format(allocator, "%s/_action/%s", server->base.name, which);
    if (!name) {
        return rclitei_fail(reterr, RCLITE_ERR_NO_MEMORY, 0, "no memory for a topic name");
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
        result = create_service(server, "get_result", type->ros2_get_result, on_result,
            &server->result_service, reterr);
    }
    if (result == RCLITE_OK) {
        result = create_service(server, "cancel_goal", &action_msgs__srv__CancelGoal__type,
            ros2_server_on_cancel, &server->cancel_service, reterr);
    }
    if (result == RCLITE_OK) {
        result = create_service(
            server, "send_goal", type->ros2_send_goal, on_goal, &server->goal_service, reterr);
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
    server->empty_result = message_create(base->type->result, &context->allocator);
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
        goal_release(server, goal);
    }
    while (server->free_waits) {
        ros2_result_wait *wait = server->free_waits;
        server->free_waits = wait->next;
        rclitei_release(allocator, wait);
    }
    if (server->empty_result) {
        rclite_message_done(server->base.type->result, server->empty_result, allocator);
        server->empty_result = rclitei_release(allocator, server->empty_result);
    }
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
