/* Actions: checks, the state machine, and the blocking calls. The protocols are the backends'. */
#include "core/endpoint.h"
#include "core/memory.h"

const char *rclite_goal_status_string(rclite_goal_status status) {
    static const char *const words[] = {"UNKNOWN", "ACCEPTED", "EXECUTING", "CANCELING",
        "SUCCEEDED", "CANCELED", "ABORTED", "REJECTED", "LOST"};
    _Static_assert(sizeof words / sizeof *words == RCLITE_GOAL_STATUS_COUNT, "a word for each");
    return (unsigned)status < RCLITE_GOAL_STATUS_COUNT ? words[status] : "UNKNOWN";
}

bool rclitei_goal_step_is_legal(rclite_goal_status from, rclite_goal_status to) {
    switch (to) {
    case RCLITE_GOAL_EXECUTING:
        return from == RCLITE_GOAL_ACCEPTED;
    case RCLITE_GOAL_CANCELING:
        return from == RCLITE_GOAL_ACCEPTED || from == RCLITE_GOAL_EXECUTING;
    case RCLITE_GOAL_SUCCEEDED:
    case RCLITE_GOAL_ABORTED:
        return from == RCLITE_GOAL_EXECUTING || from == RCLITE_GOAL_CANCELING;
    case RCLITE_GOAL_CANCELED:
        return from == RCLITE_GOAL_CANCELING;
    default:
        return false;
    }
}

bool rclitei_goal_is_terminal(rclite_goal_status status) {
    return status >= RCLITE_GOAL_SUCCEEDED;
}

static rclite_result check_action_type(
    const rclite_node *node, const rclite_action_type *type, rclite_error *reterr) {
    bool known =
        node->context->generation == RCLITE_ROS1
            ? type->ros1_action_goal && type->ros1_action_result && type->ros1_action_feedback
            : type->ros2_send_goal && type->ros2_get_result && type->ros2_feedback_message;
    return known ? RCLITE_OK
                 : rclitei_fail(reterr, RCLITE_ERR_TYPE, 0, "type %s does not exist in ROS %d",
                       type->name, (int)node->context->generation);
}

/* ---- server --------------------------------------------------------------------------------- */

static rclite_result check_server_options(
    const rclite_action_server_options *options, rclite_error *reterr) {
    if (options->size == sizeof *options && options->result_timeout_ns < -1) {
        return rclitei_fail(reterr, RCLITE_ERR_INVALID, 0,
            "options.result_timeout_ns is %lld; it must be at least 0, or -1 for the default",
            (long long)options->result_timeout_ns);
    }
    return RCLITE_OK;
}

rclite_result rclite_action_server_create(rclite_node *node, const char *name,
    const rclite_action_type *type, const rclite_action_server_callbacks *callbacks, void *user,
    const rclite_action_server_options *options, rclite_action_server **ret_server,
    rclite_error *reterr) {
    if (!node || !name || !type || !callbacks || !callbacks->accepted || !options || !ret_server) {
        return rclitei_fail(reterr, RCLITE_ERR_INVALID, 0,
            "node, name, type, callbacks, callbacks.accepted, options or ret_server is NULL");
    }
    const rclitei_backend *backend = node->context->backend;
    rclite_result result = check_server_options(options, reterr);
    if (result == RCLITE_OK) {
        result = check_action_type(node, type, reterr);
    }
    if (result != RCLITE_OK) {
        return result;
    }
    void *object;
    char *full_name;
    const rclitei_endpoint_plan plan = {.node = node,
        .what = "action server",
        .kind = RCLITEI_NAME_ACTION,
        .name = name,
        .options_size = options->size,
        .options_expected = sizeof *options,
        .options_macro = "ACTION_SERVER",
        .bytes = backend->action_server_bytes,
        .supported = backend->action_server_init != NULL};
    result = rclitei_endpoint_create(&plan, &object, &full_name, reterr);
    if (result != RCLITE_OK) {
        return result;
    }
    rclite_action_server *server = object;
    *server = (rclite_action_server){.node = node,
        .name = full_name,
        .type = type,
        .callbacks = *callbacks,
        .user = user,
        .options = *options};
    result = backend->action_server_init(server, reterr);
    if (result != RCLITE_OK) {
        rclitei_endpoint_release(node, object, full_name);
        return result;
    }
    *ret_server = server;
    return RCLITE_OK;
}

rclite_action_server *rclite_action_server_free(rclite_action_server *server) {
    if (!server) {
        return NULL;
    }
    server->node->context->backend->action_server_done(server);
    return rclitei_endpoint_release(server->node, server, server->name);
}

const rclite_goal_id *rclite_server_goal_get_id(const rclite_server_goal *handle) {
    return &handle->id;
}

rclite_goal_status rclite_server_goal_get_status(const rclite_server_goal *handle) {
    return (rclite_goal_status)atomic_load(&handle->status);
}

static rclite_result step(rclite_server_goal *handle, rclite_goal_status to, const void *result) {
    return handle->server->node->context->backend->server_goal_step(handle, to, result);
}

rclite_result rclite_server_goal_execute(rclite_server_goal *handle) {
    return handle ? step(handle, RCLITE_GOAL_EXECUTING, NULL) : RCLITE_ERR_INVALID;
}

rclite_result rclite_server_goal_feedback(rclite_server_goal *handle, const void *feedback) {
    if (!handle || !feedback) {
        return RCLITE_ERR_INVALID;
    }
    return handle->server->node->context->backend->server_goal_feedback(handle, feedback);
}

rclite_result rclite_server_goal_succeed(rclite_server_goal *handle, const void *result) {
    return handle && result ? step(handle, RCLITE_GOAL_SUCCEEDED, result) : RCLITE_ERR_INVALID;
}

rclite_result rclite_server_goal_abort(rclite_server_goal *handle, const void *result) {
    return handle && result ? step(handle, RCLITE_GOAL_ABORTED, result) : RCLITE_ERR_INVALID;
}

rclite_result rclite_server_goal_canceled(rclite_server_goal *handle, const void *result) {
    return handle && result ? step(handle, RCLITE_GOAL_CANCELED, result) : RCLITE_ERR_INVALID;
}

/* ---- client --------------------------------------------------------------------------------- */

rclite_result rclite_action_client_create(rclite_node *node, const char *name,
    const rclite_action_type *type, rclite_action_client **ret_client, rclite_error *reterr) {
    if (!node || !name || !type || !ret_client) {
        return rclitei_fail(
            reterr, RCLITE_ERR_INVALID, 0, "node, name, type or ret_client is NULL");
    }
    const rclitei_backend *backend = node->context->backend;
    rclite_result result = check_action_type(node, type, reterr);
    if (result != RCLITE_OK) {
        return result;
    }
    void *object;
    char *full_name;
    const rclitei_endpoint_plan plan = {.node = node,
        .what = "action client",
        .kind = RCLITEI_NAME_ACTION,
        .name = name,
        .bytes = backend->action_client_bytes,
        .supported = backend->action_client_init != NULL};
    result = rclitei_endpoint_create(&plan, &object, &full_name, reterr);
    if (result != RCLITE_OK) {
        return result;
    }
    rclite_action_client *client = object;
    *client = (rclite_action_client){.node = node, .name = full_name, .type = type};
    result = backend->action_client_init(client, reterr);
    if (result != RCLITE_OK) {
        rclitei_endpoint_release(node, object, full_name);
        return result;
    }
    *ret_client = client;
    return RCLITE_OK;
}

rclite_action_client *rclite_action_client_free(rclite_action_client *client) {
    if (!client) {
        return NULL;
    }
    client->node->context->backend->action_client_done(client);
    return rclitei_endpoint_release(client->node, client, client->name);
}

static bool client_is_ready(void *user) {
    rclite_action_client *client = user;
    return client->node->context->backend->action_client_ready(client);
}

rclite_result rclite_action_client_wait_for_server(
    rclite_action_client *client, int64_t timeout_ns) {
    if (!client) {
        return RCLITE_ERR_INVALID;
    }
    return rclitei_wait(client->node->context, client_is_ready, client, timeout_ns);
}

rclite_result rclite_action_client_send_goal(rclite_action_client *client, const void *goal,
    const rclite_goal_callbacks *callbacks, void *user, rclite_client_goal **ret_handle) {
    if (!client || !goal || !callbacks || !ret_handle) {
        return RCLITE_ERR_INVALID;
    }
    return client->node->context->backend->action_client_send(
        client, goal, callbacks, user, ret_handle);
}

rclite_client_goal *rclite_client_goal_free(rclite_client_goal *handle) {
    if (handle) {
        handle->client->node->context->backend->client_goal_free(handle);
    }
    return NULL;
}

const rclite_goal_id *rclite_client_goal_get_id(const rclite_client_goal *handle) {
    return &handle->id;
}

rclite_goal_status rclite_client_goal_get_status(const rclite_client_goal *handle) {
    return (rclite_goal_status)atomic_load(&handle->status);
}

rclite_result rclite_client_goal_cancel(rclite_client_goal *handle) {
    if (!handle) {
        return RCLITE_ERR_INVALID;
    }
    return handle->client->node->context->backend->action_client_cancel(
        handle->client, handle, (rclite_time){0, 0});
}

rclite_result rclite_action_client_cancel_all(rclite_action_client *client) {
    if (!client) {
        return RCLITE_ERR_INVALID;
    }
    return client->node->context->backend->action_client_cancel(client, NULL, (rclite_time){0, 0});
}

rclite_result rclite_action_client_cancel_before(rclite_action_client *client, rclite_time stamp) {
    bool means_all = stamp.sec == 0 && stamp.nanosec == 0; /* what a zero stamp says on the wire */
    if (!client || means_all) {
        return RCLITE_ERR_INVALID;
    }
    return client->node->context->backend->action_client_cancel(client, NULL, stamp);
}

static bool goal_is_over(void *user) {
    const rclite_client_goal *handle = user;
    return rclitei_goal_is_terminal(rclite_client_goal_get_status(handle));
}

rclite_result rclite_client_goal_wait(
    rclite_client_goal *handle, void *result, int64_t timeout_ns, rclite_goal_status *ret_status) {
    if (!handle) {
        return RCLITE_ERR_INVALID;
    }
    rclite_context *context = handle->client->node->context;
    rclite_result outcome = rclitei_wait(context, goal_is_over, handle, timeout_ns);
    if (outcome != RCLITE_OK) {
        return outcome;
    }
    if (result && handle->result) {
        outcome = rclite_message_copy(
            handle->client->type->result, result, handle->result, &context->allocator);
    }
    if (outcome == RCLITE_OK && ret_status) {
        *ret_status = rclite_client_goal_get_status(handle);
    }
    return outcome;
}
