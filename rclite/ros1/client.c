/* Service clients: calls and how they end. Connections, and what goes over them, are in
 * client_connection.c. */
#include "ros1/services.h"

#include <stdio.h>
#include <string.h>

#define LOOK_AGAIN_NS INT64_C(50000000) /* a service that is not there is looked for so often */

/* ---- delivering ----------------------------------------------------------------------------- */

/* Back among the free ones. context->lock held. */
static void call_free(struct ros1_client *client, struct ros1_client_call *call) {
    rclitei_packet_release(call->request);
    rclitei_packet_release(call->response);
    call->request = call->response = NULL;
    call->next = client->free_calls;
    client->free_calls = call;
}

/* Keeps a call until the spinning thread (or the end of the client) delivers it. lock held. */
static void keep_finished(struct ros1_client *client, struct ros1_client_call *call) {
    call->next = NULL;
    *client->finished_end = call;
    client->finished_end = &call->next;
}

/* Calls the user; the call is in no list. No lock held. False: after a shutdown, not called. */
static bool deliver(struct ros1_client *client, struct ros1_client_call *call, rclite_result result,
    const uint8_t *body, size_t size, const char *error_text) {
    rclite_context *context = client->base.node->context;
    if (!rclitei_callback_enter(context)) {
        return false;
    }
    if (result == RCLITE_OK) {
        const rclitei_codec_read_options options = {.views = true};
        result = rclitei_codec_read(
            client->response_codec, body, size, &options, client->response, &context->allocator);
        if (result != RCLITE_OK) {
            atomic_fetch_add(&context->malformed, 1);
            error_text = "the response is no message of its type";
        }
    }
    if (call->callback) {
        call->callback(
            result, result == RCLITE_OK ? client->response : NULL, error_text, call->user);
    }
    rclitei_callback_leave(context);
    return true;
}

/* Delivers with running_id set, so that forget and done can wait for it. */
static void deliver_guarded(struct ros1_client *client, struct ros1_client_call *call,
    rclite_result result, const uint8_t *body, size_t size, const char *error_text) {
    struct ros1_context *context = client->node->context;
    bool delivered = deliver(client, call, result, body, size, error_text);
    pthread_mutex_lock(&context->lock);
    client->running_id = 0;
    if (delivered || !call->callback) {
        call_free(client, call);
    } else { /* it ends with the client */
        call->result = RCLITE_ERR_SHUTDOWN;
        keep_finished(client, call);
    }
    pthread_cond_broadcast(&context->changed);
    pthread_mutex_unlock(&context->lock);
}

static void keep_outcome(struct ros1_client *client, struct ros1_client_call *call,
    rclite_result result, const uint8_t *body, size_t size, const char *error_text) {
    call->result = result;
    snprintf(call->error_text, sizeof call->error_text, "%s", error_text);
    if (result == RCLITE_OK) {
        call->response = rclitei_packet_take(client->pool, size);
        if (!call->response) {
            call->result = RCLITE_ERR_NO_MEMORY;
        } else if (size > 0) {
            memcpy(call->response->bytes, body, size);
        }
    }
    keep_finished(client, call);
    rclitei_ready_push(&client->node->context->base, &client->ready);
}

/* Takes the connection's first call off and ends it. False: there is none. Loop thread, no lock. */
static bool finish_first(struct ros1_client_connection *connection, rclite_result result,
    const uint8_t *body, size_t size, const char *error_text) {
    struct ros1_context *context = connection->context;
    bool is_spin = context->base.delivery == RCLITE_DELIVERY_SPIN;
    pthread_mutex_lock(&context->lock);
    struct ros1_client *client = connection->client;
    struct ros1_client_call *call = client ? connection->calls : NULL;
    if (call) {
        connection->calls = call->next;
        if (!connection->calls) {
            connection->calls_end = &connection->calls;
        }
        if (is_spin) {
            keep_outcome(client, call, result, body, size, error_text);
        } else {
            client->running_id = call->id;
        }
    }
    pthread_mutex_unlock(&context->lock);
    if (call && !is_spin) {
        deliver_guarded(client, call, result, body, size, error_text);
    }
    return call != NULL;
}

void rclitei_ros1_client_finish(struct ros1_client_connection *connection, rclite_result result,
    const uint8_t *body, size_t size, const char *error_text) {
    finish_first(connection, result, body, size, error_text);
}

void rclitei_ros1_client_lost(
    struct ros1_client_connection *connection, rclite_result result, const char *error_text) {
    struct ros1_context *context = connection->context;
    pthread_mutex_lock(&context->lock);
    struct ros1_client *client = connection->client;
    if (client && client->persistent == connection) {
        client->persistent = NULL;
    }
    pthread_mutex_unlock(&context->lock);
    while (finish_first(connection, result, NULL, 0, error_text)) {
    }
    pthread_mutex_lock(&context->lock);
    client = connection->client;
    if (client) {
        rclitei_ros1_client_connection_abandon(connection);
        client->next_look_ns = rclite_monotonic_ns() + LOOK_AGAIN_NS;
        rclitei_loop_timer_start(context->loop, &client->again, LOOK_AGAIN_NS);
    }
    pthread_mutex_unlock(&context->lock);
}

/* On a spinning thread. */
static bool run_ready(rclitei_ready *ready) {
    struct ros1_client *client =
        (struct ros1_client *)(void *)((char *)ready - offsetof(struct ros1_client, ready));
    struct ros1_context *context = client->node->context;
    pthread_mutex_lock(&context->lock);
    struct ros1_client_call *call = atomic_load(&context->base.shutdown) ? NULL : client->finished;
    if (call) {
        client->finished = call->next;
        if (!client->finished) {
            client->finished_end = &client->finished;
        }
        client->running_id = call->id;
    }
    bool more = call && client->finished;
    pthread_mutex_unlock(&context->lock);
    if (call) {
        const rclitei_packet *body = call->response;
        deliver_guarded(client, call, call->result, body ? body->bytes : NULL,
            body ? body->size : 0, call->error_text);
    }
    return more;
}

/* ---- readiness ------------------------------------------------------------------------------ */

/* A look that failed is over for a while: those who wait look again. */
static void on_again(rclitei_loop_timer *timer) {
    struct ros1_client *client =
        (struct ros1_client *)(void *)((char *)timer - offsetof(struct ros1_client, again));
    rclitei_signal(&client->node->context->base);
}

static bool has_probe(const struct ros1_client *client) {
    const struct ros1_client_connection *at = client->connections;
    while (at && !at->is_probe) {
        at = at->next;
    }
    return at != NULL;
}

/* A persistent client is ready when it is connected; the other one when a probe was answered in the
 * last second. Each question starts what is missing. */
bool rclitei_ros1_client_ready(rclite_client *base) {
    struct ros1_client *client = (struct ros1_client *)base;
    struct ros1_context *context = client->node->context;
    int64_t now = rclite_monotonic_ns();
    bool ready;
    pthread_mutex_lock(&context->lock);
    if (base->options.persistent) {
        ready = client->persistent && client->persistent->open;
        if (!client->persistent && now >= client->next_look_ns) {
            client->persistent = rclitei_ros1_client_connect(client, true, false);
        }
    } else {
        ready = now < client->found_until_ns;
        if (!ready && !has_probe(client) && now >= client->next_look_ns) {
            rclitei_ros1_client_connect(client, false, true);
        }
    }
    pthread_mutex_unlock(&context->lock);
    return ready;
}

/* ---- calls ---------------------------------------------------------------------------------- */

/* Length and body. */
static rclite_result build_request(
    struct ros1_client *client, const void *request, rclitei_packet **ret_packet) {
    size_t body = rclitei_codec_size(client->request_codec, request, 0);
    if (body > ROS1_MESSAGE_BYTES_MAX) {
        return RCLITE_ERR_OVERFLOW;
    }
    rclitei_packet *packet = rclitei_packet_take(client->pool, 4 + body);
    if (!packet) {
        return RCLITE_ERR_NO_MEMORY;
    }
    rclitei_u32_write(packet->bytes, (uint32_t)body);
    size_t written;
    rclite_result result =
        rclitei_codec_write(client->request_codec, request, 0, packet->bytes + 4, body, &written);
    if (result != RCLITE_OK) {
        rclitei_packet_release(packet);
        return result;
    }
    *ret_packet = packet;
    return RCLITE_OK;
}

static struct ros1_client_call *call_take(struct ros1_client *client) {
    struct ros1_client_call *call = client->free_calls;
    if (call) {
        client->free_calls = call->next;
    } else {
        call = rclitei_allocate(&client->node->context->base.allocator, sizeof *call);
    }
    return call;
}

rclite_result rclitei_ros1_client_call_async(rclite_client *base, const void *request,
    rclite_client_callback callback, void *user, int64_t *ret_id) {
    struct ros1_client *client = (struct ros1_client *)base;
    struct ros1_context *context = client->node->context;
    rclitei_packet *packet;
    if (atomic_load(&context->base.shutdown)) {
        return RCLITE_ERR_SHUTDOWN;
    }
    rclite_result result = build_request(client, request, &packet);
    if (result != RCLITE_OK) {
        return result;
    }
    pthread_mutex_lock(&context->lock);
    struct ros1_client_call *call = call_take(client);
    struct ros1_client_connection *connection = client->persistent;
    if (call && !connection) {
        connection = rclitei_ros1_client_connect(client, base->options.persistent, false);
        client->persistent = base->options.persistent ? connection : NULL;
    }
    if (call && connection) {
        *ret_id = ++client->last_id;
        call->id = *ret_id;
        call->callback = callback;
        call->user = user;
        call->request = packet;
        call->response = NULL;
        rclitei_ros1_client_connection_add(connection, call);
    } else {
        result = RCLITE_ERR_NO_MEMORY;
        rclitei_packet_release(packet);
        rclitei_release(&context->base.allocator, call);
    }
    pthread_mutex_unlock(&context->lock);
    return result;
}

/* Marks the call as forgotten wherever it is. lock held. */
static struct ros1_client_call *find_call(struct ros1_client_call *at, int64_t id) {
    while (at && at->id != id) {
        at = at->next;
    }
    return at;
}

void rclitei_ros1_client_forget(rclite_client *base, int64_t id) {
    struct ros1_client *client = (struct ros1_client *)base;
    struct ros1_context *context = client->node->context;
    pthread_mutex_lock(&context->lock);
    while (client->running_id == id && !rclitei_in_callback(&context->base)) {
        pthread_cond_wait(&context->changed, &context->lock);
    }
    struct ros1_client_call *call = find_call(client->finished, id);
    for (struct ros1_client_connection *at = client->connections; at && !call; at = at->next) {
        call = find_call(at->calls, id);
    }
    rclite_client_callback callback = call ? call->callback : NULL;
    void *user = call ? call->user : NULL;
    if (call) { /* it stays where it is, so that the answers keep their order */
        call->callback = NULL;
    }
    pthread_mutex_unlock(&context->lock);
    if (callback) {
        callback(RCLITE_ERR_TIMEOUT, NULL, "no longer waited for", user);
    }
}

/* ---- begin and end -------------------------------------------------------------------------- */

static rclite_result create_parts(struct ros1_client *client) {
    const rclite_service_type *type = client->base.type;
    const rclite_allocator *allocator = &client->base.node->context->allocator;
    rclite_result result =
        rclitei_codec_create(type->request, RCLITE_ROS1, allocator, &client->request_codec);
    if (result == RCLITE_OK) {
        result =
            rclitei_codec_create(type->response, RCLITE_ROS1, allocator, &client->response_codec);
    }
    if (result != RCLITE_OK) {
        return result;
    }
    client->pool = rclitei_pool_create(allocator, 16);
    client->response = rclitei_message_create(type->response, allocator);
    return client->pool && client->response ? RCLITE_OK : RCLITE_ERR_NO_MEMORY;
}

static void release_parts(struct ros1_client *client) {
    const rclite_service_type *type = client->base.type;
    const rclite_allocator *allocator = &client->base.node->context->allocator;
    while (client->free_calls) {
        struct ros1_client_call *next = client->free_calls->next;
        rclitei_release(allocator, client->free_calls);
        client->free_calls = next;
    }
    rclitei_message_free(type->response, client->response, allocator);
    rclitei_pool_free(client->pool);
    rclitei_codec_free(client->request_codec);
    rclitei_codec_free(client->response_codec);
}

rclite_result rclitei_ros1_client_init(rclite_client *base, rclite_error *reterr) {
    struct ros1_client *client = (struct ros1_client *)base;
    client->node = rclitei_ros1_node(base->node);
    client->finished_end = &client->finished;
    client->ready.run = run_ready;
    client->again.on_due = on_again;
    rclite_result result = base->type->ros1_md5sum ? create_parts(client) : RCLITE_ERR_TYPE;
    if (result != RCLITE_OK) {
        release_parts(client);
        rclitei_fail(reterr, result, 0, "client of %.100s as %.60s: %s", base->name,
            base->type->name, rclite_result_string(result));
    }
    return result;
}

/* What was outstanding ends with RCLITE_ERR_SHUTDOWN, on this thread. */
static void end_calls(struct ros1_client *client, struct ros1_client_call *call) {
    struct ros1_context *context = client->node->context;
    while (call) {
        struct ros1_client_call *next = call->next;
        if (call->callback) {
            call->callback(RCLITE_ERR_SHUTDOWN, NULL, "the client was freed", call->user);
        }
        pthread_mutex_lock(&context->lock);
        call_free(client, call);
        pthread_mutex_unlock(&context->lock);
        call = next;
    }
}

void rclitei_ros1_client_done(rclite_client *base) {
    struct ros1_client *client = (struct ros1_client *)base;
    struct ros1_context *context = client->node->context;
    rclitei_loop_timer_stop(context->loop, &client->again);
    rclitei_ready_remove(&context->base, &client->ready);
    pthread_mutex_lock(&context->lock);
    client->ended = true;
    client->persistent = NULL;
    struct ros1_client_call *orphans = client->finished;
    client->finished = NULL;
    client->finished_end = &client->finished;
    while (client->connections) {
        struct ros1_client_call *calls =
            rclitei_ros1_client_connection_abandon(client->connections);
        struct ros1_client_call **end = &orphans;
        while (*end) {
            end = &(*end)->next;
        }
        *end = calls;
    }
    while (client->running_id != 0 && !rclitei_in_callback(&context->base)) {
        pthread_cond_wait(&context->changed, &context->lock);
    }
    pthread_mutex_unlock(&context->lock);
    rclitei_loop_timer_stop(context->loop, &client->again); /* a lost connection started it */
    end_calls(client, orphans);
    end_calls(client, client->finished);
    release_parts(client);
}
