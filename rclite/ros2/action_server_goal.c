/* What becomes of a goal on the server's side: accepted or rejected, feedback, its steps, its
 * result. The order of what goes out is rclcpp's: the answer to the goal before anything else about
 * it, the result before the status that shows it. */
#include <assert.h>
#include <string.h>

#include "core/memory.h"
#include "ros2/action_server.h"

#define RESULT_WAITS_MAX 100u /* requests for one result; a stranger must not fill our memory */

/* ---- pool and lists ------------------------------------------------------------------------- */

void ros2_server_goal_release(ros2_action_server *server, ros2_server_goal *goal) {
    const rclite_allocator *allocator = ros2_server_allocator(server);
    const rclite_action_type *type = server->base.type;
    rclitei_message_free(type->goal, goal->goal, allocator);
    rclitei_message_free(type->ros2_get_result->response, goal->response, allocator);
    rclitei_release(allocator, goal);
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
    goal->goal = rclitei_message_create(type->goal, allocator);
    goal->response = rclitei_message_create(type->ros2_get_result->response, allocator);
    if (!goal->goal || !goal->response) {
        ros2_server_goal_release(server, goal);
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

rclite_result ros2_server_on_goal(
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

rclite_result ros2_server_on_result(
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

/* ---- steps and feedback --------------------------------------------------------------------- */

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
