/* Action servers: beginning, publishing the status, and the end. Goals are in action_goals.c. */
#include "ros1/action_server.h"

#define DEFAULT_TIMEOUT_NS INT64_C(5000000000)
#define NS_PER_S 1e9

/* ---- status --------------------------------------------------------------------------------- */

static void publish_status(struct ros1_action_server *server) {
    size_t size;
    pthread_mutex_lock(&server->mutex);
    const uint8_t *message =
        rclitei_ros1_status_message(&server->list, rclite_time_from_ns(rclite_now_ns()), &size);
    rclite_result result =
        rclite_publisher_publish_serialized(server->status_publisher, message, size);
    pthread_mutex_unlock(&server->mutex);
    if (result != RCLITE_OK) {
        atomic_fetch_add(&server->context->base.send_failures, 1);
    }
}

static void run_flush(rclitei_task *task) {
    publish_status(
        (struct ros1_action_server *)(void *)((char *)task -
                                              offsetof(struct ros1_action_server, flush)));
}

static void on_tick(rclitei_loop_timer *timer) {
    struct ros1_action_server *server =
        (struct ros1_action_server *)(void *)((char *)timer -
                                              offsetof(struct ros1_action_server, tick));
    pthread_mutex_lock(&server->mutex);
    rclitei_ros1_status_expire(&server->list, rclite_monotonic_ns() - server->timeout_ns);
    pthread_mutex_unlock(&server->mutex);
    publish_status(server);
    rclitei_loop_timer_start(server->context->loop, timer, server->period_ns);
}

/* ---- begin and end -------------------------------------------------------------------------- */

static rclite_result create_publishers(struct ros1_action_server *server, rclite_error *reterr) {
    rclite_node *node = server->base.node;
    const char *name = server->base.name;
    const rclite_action_type *type = server->base.type;
    rclite_qos qos = rclitei_ros1_action_qos(node, "actionlib_server_pub_queue_size", 50);
    rclite_qos latched = qos;
    latched.durability = RCLITE_QOS_TRANSIENT_LOCAL;
    rclite_result result = rclitei_ros1_action_publisher(
        node, name, "result", type->ros1_action_result, qos, &server->result_publisher, reterr);
    if (result == RCLITE_OK) {
        result = rclitei_ros1_action_publisher(node, name, "feedback", type->ros1_action_feedback,
            qos, &server->feedback_publisher, reterr);
    }
    if (result == RCLITE_OK) {
        result = rclitei_ros1_action_publisher(node, name, "status",
            &actionlib_msgs__msg__GoalStatusArray__type, latched, &server->status_publisher,
            reterr);
    }
    return result;
}

static rclite_result create_subscriptions(struct ros1_action_server *server, rclite_error *reterr) {
    rclite_node *node = server->base.node;
    const char *name = server->base.name;
    rclite_qos qos = rclitei_ros1_action_qos(node, "actionlib_server_sub_queue_size", -1);
    rclite_result result =
        rclitei_ros1_action_subscription(node, name, "goal", server->base.type->ros1_action_goal,
            qos, rclitei_ros1_action_on_goal, server, &server->goal_subscription, reterr);
    if (result == RCLITE_OK) {
        result = rclitei_ros1_action_subscription(node, name, "cancel",
            &actionlib_msgs__msg__GoalID__type, qos, rclitei_ros1_action_on_cancel, server,
            &server->cancel_subscription, reterr);
    }
    return result;
}

static rclite_result create_memory(struct ros1_action_server *server) {
    const rclite_action_type *type = server->base.type;
    const rclite_allocator *allocator = &server->context->base.allocator;
    rclite_result result = rclitei_ros1_status_init(&server->list, allocator);
    if (result != RCLITE_OK) {
        return result;
    }
    server->result_message = rclitei_allocate(allocator, type->ros1_action_result->size_bytes);
    server->feedback_message = rclitei_allocate(allocator, type->ros1_action_feedback->size_bytes);
    server->empty_result = rclitei_message_create(type->result, allocator);
    return server->result_message && server->feedback_message && server->empty_result
               ? RCLITE_OK
               : RCLITE_ERR_NO_MEMORY;
}

static void release_goals(struct ros1_action_server *server) {
    const rclite_allocator *allocator = &server->context->base.allocator;
    while (server->free_goals) {
        struct ros1_server_goal *next = server->free_goals->next;
        rclitei_message_free(server->base.type->goal, server->free_goals->message, allocator);
        rclitei_release(allocator, server->free_goals);
        server->free_goals = next;
    }
}

static void release_parts(struct ros1_action_server *server) {
    const rclite_allocator *allocator = &server->context->base.allocator;
    rclite_subscription_free(server->goal_subscription);
    rclite_subscription_free(server->cancel_subscription);
    rclite_publisher_free(server->result_publisher);
    rclite_publisher_free(server->feedback_publisher);
    rclite_publisher_free(server->status_publisher);
    release_goals(server);
    rclitei_message_free(server->base.type->result, server->empty_result, allocator);
    rclitei_release(allocator, server->result_message);
    rclitei_release(allocator, server->feedback_message);
    rclitei_ros1_status_done(&server->list);
    pthread_mutex_destroy(&server->mutex);
}

rclite_result rclitei_ros1_action_server_init(rclite_action_server *base, rclite_error *reterr) {
    struct ros1_action_server *server = (struct ros1_action_server *)base;
    server->context = rclitei_ros1_context(base->node);
    pthread_mutex_init(&server->mutex, NULL);
    server->flush.run = run_flush;
    server->tick.on_due = on_tick;
    double frequency = rclitei_ros1_action_parameter(base->node, "actionlib_status_frequency", 5.0);
    server->period_ns =
        (int64_t)(NS_PER_S / (frequency > 0.01 && frequency < 1e3 ? frequency : 5.0));
    server->timeout_ns = base->options.result_timeout_ns;
    if (server->timeout_ns < 0) {
        server->timeout_ns =
            (int64_t)(NS_PER_S * rclitei_ros1_action_parameter(base->node, "status_list_timeout",
                                     (double)DEFAULT_TIMEOUT_NS / NS_PER_S));
    }
    rclite_result result = create_memory(server);
    if (result == RCLITE_OK) {
        result = create_publishers(server, reterr);
    } else {
        rclitei_fail(reterr, result, 0, "action %.100s: out of memory", base->name);
    }
    if (result == RCLITE_OK) {
        result = create_subscriptions(server, reterr);
    }
    if (result != RCLITE_OK) {
        release_parts(server);
        return result;
    }
    publish_status(server);
    rclitei_loop_timer_start(server->context->loop, &server->tick, server->period_ns);
    return RCLITE_OK;
}

void rclitei_ros1_action_server_done(rclite_action_server *base) {
    struct ros1_action_server *server = (struct ros1_action_server *)base;
    server->goal_subscription = rclite_subscription_free(server->goal_subscription);
    server->cancel_subscription = rclite_subscription_free(server->cancel_subscription);
    pthread_mutex_lock(&server->mutex);
    for (size_t i = 0; i < server->list.count; i++) {
        struct ros1_goal_entry *entry = server->list.entries[i];
        struct ros1_server_goal *goal = entry->goal;
        if (goal) {
            rclitei_ros1_goal_end(server, entry, ROS1_GOAL_ABORTED, NULL);
            goal->entry = NULL;
            rclitei_ros1_goal_recycle(server, goal);
        }
    }
    pthread_mutex_unlock(&server->mutex);
    rclitei_loop_timer_stop(server->context->loop, &server->tick);
    rclitei_loop_task_cancel(server->context->loop, &server->flush);
    publish_status(server);
    release_parts(server);
}
