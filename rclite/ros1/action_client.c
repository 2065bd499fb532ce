/* Action clients: sending and cancelling goals, beginning and end. What servers send is in
 * action_events.c. */
#include "ros1/action_client.h"

#include <stdio.h>
#include <string.h>

/* ---- goals; mutex held ---------------------------------------------------------------------- */

static struct ros1_client_goal *goal_take(struct ros1_action_client *client) {
    const rclite_allocator *allocator = &client->context->base.allocator;
    struct ros1_client_goal *goal = client->free_goals;
    if (goal) {
        client->free_goals = goal->next;
        return goal;
    }
    goal = rclitei_allocate(allocator, sizeof *goal);
    if (!goal) {
        return NULL;
    }
    goal->message = rclitei_message_create(client->base.type->result, allocator);
    return goal->message ? goal : rclitei_release(allocator, goal);
}

void rclitei_ros1_client_goal_remove(
    struct ros1_action_client *client, struct ros1_client_goal *goal) {
    struct ros1_client_goal **at = &client->goals;
    while (*at != goal) {
        at = &(*at)->next;
    }
    *at = goal->next;
    goal->next = client->free_goals;
    client->free_goals = goal;
}

/* ---- asking --------------------------------------------------------------------------------- */

/* The status tells who the server is; it must be connected on all five topics. */
bool rclitei_ros1_action_client_ready(rclite_action_client *base) {
    struct ros1_action_client *client = (struct ros1_action_client *)base;
    char server[sizeof client->server];
    pthread_mutex_lock(&client->mutex);
    memcpy(server, client->server, sizeof server);
    pthread_mutex_unlock(&client->mutex);
    return server[0] && rclitei_ros1_publisher_has_node(client->goal_publisher, server) &&
           rclitei_ros1_publisher_has_node(client->cancel_publisher, server) &&
           rclitei_ros1_subscription_has_node(client->status_subscription, server) &&
           rclitei_ros1_subscription_has_node(client->feedback_subscription, server) &&
           rclitei_ros1_subscription_has_node(client->result_subscription, server);
}

static void name_goal(struct ros1_action_client *client, struct ros1_client_goal *goal) {
    rclite_goal_id *id = &goal->base.id;
    id->stamp = rclite_time_from_ns(rclite_now_ns());
    char tail[64];
    int tail_size = snprintf(tail, sizeof tail, "-%llu-%lld.%09u",
        (unsigned long long)++client->last_number, (long long)id->stamp.sec, id->stamp.nanosec);
    snprintf(id->text, sizeof id->text, "%.*s%s", (int)(sizeof id->text - 1) - tail_size,
        client->base.node->full_name, tail);
    goal->id_bytes = strlen(id->text);
}

static rclite_result publish_goal(
    struct ros1_action_client *client, const struct ros1_client_goal *goal, const void *content) {
    const rclite_action_type *type = client->base.type;
    const rclite_type *wrapper = type->ros1_action_goal;
    std_msgs__msg__Header *header = rclitei_ros1_action_field(wrapper, client->goal_message, 0);
    actionlib_msgs__msg__GoalID *id = rclitei_ros1_action_field(wrapper, client->goal_message, 1);
    header->stamp = goal->base.id.stamp;
    id->stamp = goal->base.id.stamp;
    id->id.data = (char *)(uintptr_t)goal->base.id.text;
    id->id.size = goal->id_bytes;
    memcpy(rclitei_ros1_action_field(wrapper, client->goal_message, 2), content,
        type->goal->size_bytes);
    rclite_result result = rclite_publisher_publish(client->goal_publisher, client->goal_message);
    memset(client->goal_message, 0, wrapper->size_bytes); /* nothing in it is its own */
    return result;
}

rclite_result rclitei_ros1_action_client_send(rclite_action_client *base, const void *content,
    const rclite_goal_callbacks *callbacks, void *user, rclite_client_goal **ret_goal) {
    struct ros1_action_client *client = (struct ros1_action_client *)base;
    rclite_result result = RCLITE_ERR_NO_MEMORY;
    pthread_mutex_lock(&client->mutex);
    struct ros1_client_goal *goal = goal_take(client);
    if (goal) {
        goal->base.client = base;
        goal->base.callbacks = *callbacks;
        goal->base.user = user;
        goal->base.result = NULL;
        atomic_store(&goal->base.status, RCLITE_GOAL_UNKNOWN);
        goal->state = ROS1_STATE_WAITING_FOR_GOAL_ACK;
        goal->responded = goal->freed = goal->listed = false;
        name_goal(client, goal);
        goal->next = client->goals;
        client->goals = goal;
        *ret_goal = &goal->base; /* before an answer can come */
        result = publish_goal(client, goal, content);
        if (result != RCLITE_OK) {
            rclitei_ros1_client_goal_remove(client, goal);
        }
    }
    pthread_mutex_unlock(&client->mutex);
    return result;
}

rclite_result rclitei_ros1_action_client_cancel(
    rclite_action_client *base, rclite_client_goal *handle, rclite_time stamp) {
    struct ros1_action_client *client = (struct ros1_action_client *)base;
    struct ros1_client_goal *goal = (struct ros1_client_goal *)handle;
    actionlib_msgs__msg__GoalID id = {.stamp = stamp};
    pthread_mutex_lock(&client->mutex);
    if (goal) {
        id.id.data = goal->base.id.text;
        id.id.size = goal->id_bytes;
        if (goal->state <= ROS1_STATE_ACTIVE) {
            goal->state = ROS1_STATE_WAITING_FOR_CANCEL_ACK;
        }
    }
    rclite_result result = rclite_publisher_publish(client->cancel_publisher, &id);
    pthread_mutex_unlock(&client->mutex);
    return result;
}

void rclitei_ros1_client_goal_free(rclite_client_goal *handle) {
    struct ros1_client_goal *goal = (struct ros1_client_goal *)handle;
    struct ros1_action_client *client = (struct ros1_action_client *)handle->client;
    pthread_mutex_lock(&client->mutex);
    while (client->running == goal && !pthread_equal(client->runner, pthread_self())) {
        pthread_cond_wait(&client->returned, &client->mutex);
    }
    if (client->running == goal) {
        goal->freed = true; /* from inside its own callback */
    } else {
        rclitei_ros1_client_goal_remove(client, goal);
    }
    pthread_mutex_unlock(&client->mutex);
}

/* ---- begin and end -------------------------------------------------------------------------- */

static rclite_result create_endpoints(struct ros1_action_client *client, rclite_error *reterr) {
    rclite_node *node = client->base.node;
    const char *name = client->base.name;
    const rclite_action_type *type = client->base.type;
    rclite_qos out = rclitei_ros1_action_qos(node, "actionlib_client_pub_queue_size", 10);
    rclite_qos in = rclitei_ros1_action_qos(node, "actionlib_client_sub_queue_size", -1);
    rclite_result result = rclitei_ros1_action_publisher(
        node, name, "goal", type->ros1_action_goal, out, &client->goal_publisher, reterr);
    if (result == RCLITE_OK) {
        result = rclitei_ros1_action_publisher(node, name, "cancel",
            &actionlib_msgs__msg__GoalID__type, out, &client->cancel_publisher, reterr);
    }
    if (result == RCLITE_OK) {
        result = rclitei_ros1_action_subscription(node, name, "result", type->ros1_action_result,
            in, rclitei_ros1_action_on_result, client, &client->result_subscription, reterr);
    }
    if (result == RCLITE_OK) {
        result =
            rclitei_ros1_action_subscription(node, name, "feedback", type->ros1_action_feedback, in,
                rclitei_ros1_action_on_feedback, client, &client->feedback_subscription, reterr);
    }
    if (result == RCLITE_OK) {
        result = rclitei_ros1_action_subscription(node, name, "status",
            &actionlib_msgs__msg__GoalStatusArray__type, in, rclitei_ros1_action_on_status, client,
            &client->status_subscription, reterr);
    }
    return result;
}

/* Subscriptions first: then no callback comes any more. */
static void release_parts(struct ros1_action_client *client) {
    const rclite_allocator *allocator = &client->context->base.allocator;
    rclite_subscription_free(client->status_subscription);
    rclite_subscription_free(client->feedback_subscription);
    rclite_subscription_free(client->result_subscription);
    rclite_publisher_free(client->goal_publisher);
    rclite_publisher_free(client->cancel_publisher);
    while (client->goals) {
        rclitei_ros1_client_goal_remove(client, client->goals);
    }
    while (client->free_goals) {
        struct ros1_client_goal *next = client->free_goals->next;
        rclitei_message_free(client->base.type->result, client->free_goals->message, allocator);
        rclitei_release(allocator, client->free_goals);
        client->free_goals = next;
    }
    rclitei_release(allocator, client->goal_message);
    pthread_cond_destroy(&client->returned);
    pthread_mutex_destroy(&client->mutex);
}

rclite_result rclitei_ros1_action_client_init(rclite_action_client *base, rclite_error *reterr) {
    struct ros1_action_client *client = (struct ros1_action_client *)base;
    client->context = rclitei_ros1_context(base->node);
    pthread_mutex_init(&client->mutex, NULL);
    pthread_cond_init(&client->returned, NULL);
    client->goal_message = rclitei_allocate(
        &client->context->base.allocator, base->type->ros1_action_goal->size_bytes);
    rclite_result result = client->goal_message ? create_endpoints(client, reterr)
                                                : rclitei_fail(reterr, RCLITE_ERR_NO_MEMORY, 0,
                                                      "action %.100s: out of memory", base->name);
    if (result != RCLITE_OK) {
        release_parts(client);
    }
    return result;
}

void rclitei_ros1_action_client_done(rclite_action_client *base) {
    release_parts((struct ros1_action_client *)base);
}
