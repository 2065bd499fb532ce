/* Services: checks, and the blocking calls built on the asynchronous one. */
#include <stdio.h>

#include "core/endpoint.h"
#include "core/memory.h"

/* ---- server --------------------------------------------------------------------------------- */

rclite_result rclite_service_create(rclite_node *node, const char *name,
    const rclite_service_type *type, rclite_service_callback callback, void *user,
    const rclite_service_options *options, rclite_service **ret_service, rclite_error *reterr) {
    if (!node || !name || !type || !callback || !options || !ret_service) {
        return rclitei_fail(reterr, RCLITE_ERR_INVALID, 0,
            "node, name, type, callback, options or ret_service is NULL");
    }
    const rclitei_backend *backend = node->context->backend;
    void *object;
    char *full_name;
    const rclitei_endpoint_plan plan = {.node = node,
        .what = "service",
        .kind = RCLITEI_NAME_SERVICE,
        .name = name,
        .options_size = options->size,
        .options_expected = sizeof *options,
        .options_macro = "SERVICE",
        .qos = &options->qos,
        .types = {type->request, type->response},
        .bytes = backend->service_bytes,
        .supported = backend->service_init != NULL};
    rclite_result result = rclitei_endpoint_create(&plan, &object, &full_name, reterr);
    if (result != RCLITE_OK) {
        return result;
    }
    rclite_service *service = object;
    *service = (rclite_service){.node = node,
        .name = full_name,
        .type = type,
        .callback = callback,
        .user = user,
        .options = *options};
    result = backend->service_init(service, reterr);
    if (result != RCLITE_OK) {
        rclitei_endpoint_release(node, object, full_name);
        return result;
    }
    *ret_service = service;
    return RCLITE_OK;
}

rclite_service *rclite_service_free(rclite_service *service) {
    if (!service) {
        return NULL;
    }
    service->node->context->backend->service_done(service);
    return rclitei_endpoint_release(service->node, service, service->name);
}

const char *rclite_service_name(const rclite_service *service) {
    return service->name;
}

rclite_result rclite_service_respond(
    rclite_service_call *call, rclite_result result, const void *response, const char *error_text) {
    if (!call || (result == RCLITE_OK && !response) || result == RCLITE_EMPTY) {
        return RCLITE_ERR_INVALID;
    }
    return call->service->node->context->backend->service_respond(
        call, result, response, error_text ? error_text : "");
}

/* ---- client --------------------------------------------------------------------------------- */

rclite_result rclite_client_create(rclite_node *node, const char *name,
    const rclite_service_type *type, const rclite_client_options *options,
    rclite_client **ret_client, rclite_error *reterr) {
    if (!node || !name || !type || !options || !ret_client) {
        return rclitei_fail(
            reterr, RCLITE_ERR_INVALID, 0, "node, name, type, options or ret_client is NULL");
    }
    const rclitei_backend *backend = node->context->backend;
    void *object;
    char *full_name;
    const rclitei_endpoint_plan plan = {.node = node,
        .what = "client",
        .kind = RCLITEI_NAME_SERVICE,
        .name = name,
        .options_size = options->size,
        .options_expected = sizeof *options,
        .options_macro = "CLIENT",
        .qos = &options->qos,
        .types = {type->request, type->response},
        .bytes = backend->client_bytes,
        .supported = backend->client_init != NULL};
    rclite_result result = rclitei_endpoint_create(&plan, &object, &full_name, reterr);
    if (result != RCLITE_OK) {
        return result;
    }
    rclite_client *client = object;
    *client = (rclite_client){.node = node, .name = full_name, .type = type, .options = *options};
    result = backend->client_init(client, reterr);
    if (result != RCLITE_OK) {
        rclitei_endpoint_release(node, object, full_name);
        return result;
    }
    *ret_client = client;
    return RCLITE_OK;
}

rclite_client *rclite_client_free(rclite_client *client) {
    if (!client) {
        return NULL;
    }
    client->node->context->backend->client_done(client);
    return rclitei_endpoint_release(client->node, client, client->name);
}

const char *rclite_client_name(const rclite_client *client) {
    return client->name;
}

bool rclite_client_is_ready(rclite_client *client) {
    return client && client->node->context->backend->client_ready(client);
}

static bool client_is_ready(void *user) {
    return rclite_client_is_ready(user);
}

rclite_result rclite_client_wait_for_service(rclite_client *client, int64_t timeout_ns) {
    if (!client) {
        return RCLITE_ERR_INVALID;
    }
    return rclitei_wait(client->node->context, client_is_ready, client, timeout_ns);
}

rclite_result rclite_client_call_async(rclite_client *client, const void *request,
    rclite_client_callback callback, void *user, int64_t *ret_id) {
    if (!client || !request || !callback) {
        return RCLITE_ERR_INVALID;
    }
    int64_t id;
    return client->node->context->backend->client_call_async(
        client, request, callback, user, ret_id ? ret_id : &id);
}

void rclite_client_forget(rclite_client *client, int64_t id) {
    if (client) {
        client->node->context->backend->client_forget(client, id);
    }
}

/* A call that rclite_client_call waits for. */
typedef struct pending_call {
    rclite_client *client;
    void *response;
    rclite_error *reterr;
    rclite_result result;
    _Atomic bool done;
} pending_call;

static void take_answer(
    rclite_result result, const void *response, const char *error_text, void *user) {
    pending_call *call = user;
    rclite_client *client = call->client;
    rclite_context *context = client->node->context;
    if (result == RCLITE_OK) {
        result = rclite_message_copy(
            client->type->response, call->response, response, &context->allocator);
    }
    if (result != RCLITE_OK) {
        const char *reason = error_text[0] ? error_text : rclite_result_string(result);
        rclitei_fail(call->reterr, result, 0, "service %.100s: %.140s", client->name, reason);
    }
    call->result = result;
    atomic_store(&call->done, true); /* the caller may return now, and call be gone */
    rclitei_signal(context);
}

static bool call_is_done(void *user) {
    pending_call *call = user;
    return atomic_load(&call->done);
}

rclite_result rclite_client_call(rclite_client *client, const void *request, void *response,
    int64_t timeout_ns, rclite_error *reterr) {
    if (!client || !request || !response) {
        return rclitei_fail(reterr, RCLITE_ERR_INVALID, 0, "client, request or response is NULL");
    }
    rclite_context *context = client->node->context;
    if (rclitei_in_callback(context)) {
        return rclitei_fail(reterr, RCLITE_ERR_STATE, 0,
            "service %.100s: a blocking call from inside a callback would never end", client->name);
    }
    pending_call call = {.client = client, .response = response, .reterr = reterr};
    int64_t id;
    rclite_result result =
        context->backend->client_call_async(client, request, take_answer, &call, &id);
    if (result != RCLITE_OK) {
        return rclitei_fail(reterr, result, 0, "service %.100s: the request was not sent: %s",
            client->name, rclite_result_string(result));
    }
    result = rclitei_wait(context, call_is_done, &call, timeout_ns);
    if (result != RCLITE_OK) {
        context->backend->client_forget(client, id);
        /* The answer may have come in between; then it counts. */
        if (!atomic_load(&call.done) || call.result == RCLITE_ERR_TIMEOUT) {
            return rclitei_fail(reterr, result, 0, "service %.100s: no answer: %s", client->name,
                rclite_result_string(result));
        }
    }
    return call.result;
}
