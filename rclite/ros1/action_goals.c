/* The goals of an action server. The result is published before the status that shows it, and the
 * status once for all changes of a turn of the loop: a round trip does not get longer with the
 * number of goals that the status list still remembers. */
#include "ros1/action_server.h"

#include <string.h>

static void set_status(
    struct ros1_action_server *server, struct ros1_goal_entry *entry, enum ros1_goal_status to) {
    rclitei_ros1_status_set(&server->list, entry, (uint8_t)to);
    rclitei_loop_post(server->context->loop, &server->flush);
}

/* ---- results and feedback; mutex held ------------------------------------------------------- */

/* Fills header and status of a wrapper message, lends it the caller's content, and publishes it. */
static rclite_result publish_wrapped(struct ros1_action_server *server, rclite_publisher *publisher,
    const rclite_type *wrapper, void *message, const rclite_type *content, const void *value,
    const struct ros1_goal_entry *entry) {
    std_msgs__msg__Header *header = rclitei_ros1_action_field(wrapper, message, 0);
    actionlib_msgs__msg__GoalStatus *status = rclitei_ros1_action_field(wrapper, message, 1);
    void *slot = rclitei_ros1_action_field(wrapper, message, 2);
    header->stamp = rclite_time_from_ns(rclite_now_ns());
    status->status = entry->status;
    status->goal_id.stamp = entry->stamp;
    status->goal_id.id.data = (char *)(uintptr_t)rclitei_ros1_status_id(&server->list, entry);
    status->goal_id.id.size = entry->id_bytes;
    memcpy(slot, value, content->size_bytes);
    rclite_result result = rclite_publisher_publish(publisher, message);
    memset(message, 0, wrapper->size_bytes); /* nothing in it is its own */
    return result;
}

/* Ends a goal: its result goes out now, its status with the next flush. */
rclite_result rclitei_ros1_goal_end(struct ros1_action_server *server,
    struct ros1_goal_entry *entry, enum ros1_goal_status to, const void *result) {
    entry->finished_ns = rclite_monotonic_ns();
    entry->goal = NULL;
    rclitei_ros1_status_set(&server->list, entry, (uint8_t)to);
    const rclite_action_type *type = server->base.type;
    rclite_result outcome =
        publish_wrapped(server, server->result_publisher, type->ros1_action_result,
            server->result_message, type->result, result ? result : server->empty_result, entry);
    rclitei_loop_post(server->context->loop, &server->flush);
    return outcome;
}

/* ---- goals; mutex held ---------------------------------------------------------------------- */

static struct ros1_server_goal *goal_take(struct ros1_action_server *server) {
    struct ros1_server_goal *goal = server->free_goals;
    const rclite_allocator *allocator = &server->context->base.allocator;
    if (goal) {
        server->free_goals = goal->next;
        return goal;
    }
    goal = rclitei_allocate(allocator, sizeof *goal);
    if (!goal) {
        return NULL;
    }
    goal->base.server = &server->base;
    goal->message = rclitei_message_create(server->base.type->goal, allocator);
    return goal->message ? goal : rclitei_release(allocator, goal);
}

void rclitei_ros1_goal_recycle(struct ros1_action_server *server, struct ros1_server_goal *goal) {
    goal->next = server->free_goals;
    server->free_goals = goal;
}

/* A callback that was given the handle is over. */
static void unpin(struct ros1_action_server *server, struct ros1_server_goal *goal) {
    pthread_mutex_lock(&server->mutex);
    goal->pins--;
    if (goal->pins == 0 && !goal->entry) {
        rclitei_ros1_goal_recycle(server, goal);
    }
    pthread_mutex_unlock(&server->mutex);
}

static struct ros1_server_goal *goal_open(struct ros1_action_server *server,
    struct ros1_goal_entry *entry, const void *message, rclite_goal_status status) {
    struct ros1_server_goal *goal = goal_take(server);
    if (!goal) {
        return NULL;
    }
    if (rclite_message_copy(server->base.type->goal, goal->message, message,
            &server->context->base.allocator) != RCLITE_OK) {
        rclitei_ros1_goal_recycle(server, goal);
        return NULL;
    }
    size_t id_bytes = entry->id_bytes < sizeof goal->base.id.text ? entry->id_bytes
                                                                  : sizeof goal->base.id.text - 1;
    memcpy(goal->base.id.text, rclitei_ros1_status_id(&server->list, entry), id_bytes);
    goal->base.id.text[id_bytes] = '\0';
    goal->base.id.stamp = entry->stamp;
    atomic_store(&goal->base.status, status);
    goal->entry = entry;
    goal->pins = 1;
    entry->goal = goal;
    return goal;
}

static enum ros1_goal_status wire_status(
    const struct ros1_goal_entry *entry, rclite_goal_status to) {
    switch (to) {
    case RCLITE_GOAL_EXECUTING:
        return ROS1_GOAL_ACTIVE;
    case RCLITE_GOAL_CANCELING:
        return entry->status == ROS1_GOAL_PENDING ? ROS1_GOAL_RECALLING : ROS1_GOAL_PREEMPTING;
    case RCLITE_GOAL_SUCCEEDED:
        return ROS1_GOAL_SUCCEEDED;
    case RCLITE_GOAL_ABORTED:
        return ROS1_GOAL_ABORTED;
    default:
        return entry->status == ROS1_GOAL_RECALLING ? ROS1_GOAL_RECALLED : ROS1_GOAL_PREEMPTED;
    }
}

rclite_result rclitei_ros1_server_goal_step(
    rclite_server_goal *base, rclite_goal_status to, const void *result) {
    struct ros1_server_goal *goal = (struct ros1_server_goal *)base;
    struct ros1_action_server *server = (struct ros1_action_server *)base->server;
    rclite_result outcome = RCLITE_ERR_STATE;
    pthread_mutex_lock(&server->mutex);
    if (goal->entry &&
        rclitei_goal_step_is_legal((rclite_goal_status)atomic_load(&base->status), to)) {
        enum ros1_goal_status status = wire_status(goal->entry, to);
        atomic_store(&base->status, to);
        if (rclitei_goal_is_terminal(to)) {
            outcome = rclitei_ros1_goal_end(server, goal->entry, status, result);
            goal->entry = NULL;
            if (goal->pins == 0) {
                rclitei_ros1_goal_recycle(server, goal);
            }
        } else {
            set_status(server, goal->entry, status);
            outcome = RCLITE_OK;
        }
    }
    pthread_mutex_unlock(&server->mutex);
    return outcome;
}

rclite_result rclitei_ros1_server_goal_feedback(rclite_server_goal *base, const void *feedback) {
    struct ros1_server_goal *goal = (struct ros1_server_goal *)base;
    struct ros1_action_server *server = (struct ros1_action_server *)base->server;
    const rclite_action_type *type = base->server->type;
    rclite_result result = RCLITE_ERR_STATE;
    pthread_mutex_lock(&server->mutex);
    if (goal->entry) {
        result = publish_wrapped(server, server->feedback_publisher, type->ros1_action_feedback,
            server->feedback_message, type->feedback, feedback, goal->entry);
    }
    pthread_mutex_unlock(&server->mutex);
    return result;
}

/* ---- what clients send ---------------------------------------------------------------------- */

/* A cancel request for a goal; its handle is pinned. No lock held. */
static void cancel_goal(struct ros1_action_server *server, struct ros1_server_goal *goal) {
    const rclite_action_server *base = &server->base;
    if (!base->callbacks.cancel || base->callbacks.cancel(&goal->base, base->user)) {
        bool canceling = false;
        pthread_mutex_lock(&server->mutex);
        if (goal->entry &&
            rclitei_goal_step_is_legal(
                (rclite_goal_status)atomic_load(&goal->base.status), RCLITE_GOAL_CANCELING)) {
            enum ros1_goal_status status = wire_status(goal->entry, RCLITE_GOAL_CANCELING);
            atomic_store(&goal->base.status, RCLITE_GOAL_CANCELING);
            set_status(server, goal->entry, status);
            canceling = true;
        }
        pthread_mutex_unlock(&server->mutex);
        if (canceling && base->callbacks.canceling) {
            base->callbacks.canceling(&goal->base, base->user);
        }
    }
    unpin(server, goal);
}

/* Is `stamp` set, and not after the other. */
static bool is_up_to(rclite_time stamp, rclite_time limit) {
    int64_t stamp_ns = rclite_time_to_ns(stamp);
    return stamp_ns != 0 && stamp_ns <= rclite_time_to_ns(limit);
}

/* Enters a goal that is new. A goal of which the cancel request came first is recalled at once;
 * NULL then, too. */
static struct ros1_goal_entry *enter_goal(
    struct ros1_action_server *server, const actionlib_msgs__msg__GoalID *id) {
    const char *text = id->id.data ? id->id.data : "";
    struct ros1_goal_entry *entry = rclitei_ros1_status_find(&server->list, text, id->id.size);
    if (!entry) {
        rclite_time stamp = id->stamp;
        if (stamp.sec == 0 && stamp.nanosec == 0) {
            stamp = rclite_time_from_ns(rclite_now_ns());
        }
        return rclitei_ros1_status_add(&server->list, stamp, text, id->id.size, ROS1_GOAL_PENDING);
    }
    if (entry->status == ROS1_GOAL_RECALLING && !entry->goal) {
        rclitei_ros1_goal_end(server, entry, ROS1_GOAL_RECALLED, NULL);
    }
    return NULL; /* sent twice */
}

void rclitei_ros1_action_on_goal(const void *message, const rclite_message_info *info, void *user) {
    (void)info;
    struct ros1_action_server *server = user;
    const rclite_action_server *base = &server->base;
    const rclite_type *wrapper = base->type->ros1_action_goal;
    void *content = rclitei_ros1_action_field(wrapper, (void *)(uintptr_t)message, 2);
    const actionlib_msgs__msg__GoalID *id =
        rclitei_ros1_action_field(wrapper, (void *)(uintptr_t)message, 1);
    bool deferred = base->options.defer_execution;
    struct ros1_server_goal *goal = NULL;
    pthread_mutex_lock(&server->mutex);
    struct ros1_goal_entry *entry = enter_goal(server, id);
    bool is_late = entry && is_up_to(id->stamp, server->canceled_until);
    if (entry) {
        goal = goal_open(
            server, entry, content, deferred ? RCLITE_GOAL_ACCEPTED : RCLITE_GOAL_EXECUTING);
    }
    if (entry && !goal) { /* out of memory */
        rclitei_ros1_goal_end(server, entry, ROS1_GOAL_REJECTED, NULL);
    }
    pthread_mutex_unlock(&server->mutex);
    if (!goal) {
        return;
    }
    if (is_late || (base->callbacks.goal &&
                       !base->callbacks.goal(&goal->base.id, goal->message, base->user))) {
        pthread_mutex_lock(&server->mutex);
        atomic_store(&goal->base.status, is_late ? RCLITE_GOAL_CANCELED : RCLITE_GOAL_REJECTED);
        rclitei_ros1_goal_end(
            server, entry, is_late ? ROS1_GOAL_RECALLED : ROS1_GOAL_REJECTED, NULL);
        goal->entry = NULL;
        pthread_mutex_unlock(&server->mutex);
    } else {
        pthread_mutex_lock(&server->mutex);
        set_status(server, entry, deferred ? ROS1_GOAL_PENDING : ROS1_GOAL_ACTIVE);
        pthread_mutex_unlock(&server->mutex);
        base->callbacks.accepted(&goal->base, goal->message, base->user);
    }
    unpin(server, goal);
}

/* Pins and gives the next goal from *index on that a cancel request means; mutex held. */
static struct ros1_server_goal *next_meant(
    struct ros1_action_server *server, const actionlib_msgs__msg__GoalID *id, size_t *index) {
    bool has_stamp = id->stamp.sec != 0 || id->stamp.nanosec != 0;
    bool means_all = id->id.size == 0 && !has_stamp;
    while (*index < server->list.count) {
        struct ros1_goal_entry *entry = server->list.entries[(*index)++];
        struct ros1_server_goal *goal = entry->goal;
        bool is_named =
            id->id.size > 0 && entry->id_bytes == id->id.size &&
            memcmp(rclitei_ros1_status_id(&server->list, entry), id->id.data, id->id.size) == 0;
        if (goal && (means_all || is_named || is_up_to(entry->stamp, id->stamp))) {
            goal->pins++;
            return goal;
        }
    }
    return NULL;
}

void rclitei_ros1_action_on_cancel(
    const void *message, const rclite_message_info *info, void *user) {
    (void)info;
    struct ros1_action_server *server = user;
    const actionlib_msgs__msg__GoalID *id = message;
    pthread_mutex_lock(&server->mutex);
    if (id->id.size > 0 && !rclitei_ros1_status_find(&server->list, id->id.data, id->id.size)) {
        /* The goal may still come: then it is known that it must not be begun. */
        struct ros1_goal_entry *entry = rclitei_ros1_status_add(
            &server->list, id->stamp, id->id.data, id->id.size, ROS1_GOAL_RECALLING);
        if (entry) {
            entry->finished_ns = rclite_monotonic_ns();
            set_status(server, entry, ROS1_GOAL_RECALLING);
        }
    }
    if (rclite_time_to_ns(id->stamp) > rclite_time_to_ns(server->canceled_until)) {
        server->canceled_until = id->stamp;
    }
    /* New goals come on this same thread, so the list changes only through expiry meanwhile; that
     * happens on the loop's thread and moves entries down, so the walk begins anew each time. */
    uint64_t round = ++server->cancel_round;
    for (;;) {
        size_t index = 0;
        struct ros1_server_goal *goal;
        do {
            goal = next_meant(server, id, &index);
            if (goal && goal->cancel_round == round) { /* had it */
                goal->pins--;
            }
        } while (goal && goal->cancel_round == round);
        if (!goal) {
            break;
        }
        goal->cancel_round = round;
        pthread_mutex_unlock(&server->mutex);
        cancel_goal(server, goal);
        pthread_mutex_lock(&server->mutex);
    }
    pthread_mutex_unlock(&server->mutex);
}
