/* Service servers: requests, the user's callback, and answers. How requests come is in
 * service_connection.c. */
#include "ros1/services.h"

#include <stdio.h>
#include <string.h>

static bool run_ready(rclitei_ready *ready);

void rclitei_ros1_service_wire_name(const rclite_service_type *type, char *ret_name, size_t size) {
    const char *middle = strstr(type->name, "/srv/");
    int package = middle ? (int)(middle - type->name) : 0;
    snprintf(ret_name, size, "%.*s/%s", package, type->name, middle ? middle + 5 : type->name);
}

/* ---- calls; context->lock held -------------------------------------------------------------- */

static struct ros1_call *call_open(struct ros1_service *service, struct ros1_inbound *inbound) {
    struct ros1_call *call = service->free_calls;
    if (call) {
        service->free_calls = call->next;
    } else {
        call = rclitei_allocate(&service->node->context->base.allocator, sizeof *call);
        if (!call) {
            return NULL;
        }
    }
    *call = (struct ros1_call){.base.service = &service->base, .inbound = inbound};
    call->next = service->outstanding;
    if (call->next) {
        call->next->previous = call;
    }
    service->outstanding = call;
    inbound->call = call;
    return call;
}

static void call_close(struct ros1_call *call) {
    struct ros1_service *service = (struct ros1_service *)call->base.service;
    if (call->inbound) {
        call->inbound->call = NULL;
    }
    if (call->previous) {
        call->previous->next = call->next;
    } else {
        service->outstanding = call->next;
    }
    if (call->next) {
        call->next->previous = call->previous;
    }
    call->request = rclitei_packet_release(call->request);
    call->inbound = NULL;
    call->next = service->free_calls;
    service->free_calls = call;
}

/* ---- answering ------------------------------------------------------------------------------ */

/* ok byte, length, body. NULL: no memory, or the response does not fit its type. */
static rclitei_packet *build_answer(
    struct ros1_service *service, bool ok, const void *response, const char *error_text) {
    size_t body =
        ok ? rclitei_codec_size(service->response_codec, response, 0) : strlen(error_text);
    rclitei_packet *packet =
        body <= ROS1_MESSAGE_BYTES_MAX ? rclitei_packet_take(service->pool, 5 + body) : NULL;
    if (!packet) {
        return NULL;
    }
    packet->bytes[0] = ok ? 1 : 0;
    rclitei_u32_write(packet->bytes + 1, (uint32_t)body);
    if (!ok) {
        memcpy(packet->bytes + 5, error_text, body);
        return packet;
    }
    if (rclitei_packet_write(packet, 5, service->response_codec, response) != RCLITE_OK) {
        return rclitei_packet_release(packet);
    }
    return packet;
}

/* Consumes the call. Any thread, no lock. */
static rclite_result answer(
    struct ros1_call *call, rclite_result result, const void *response, const char *error_text) {
    struct ros1_service *service = (struct ros1_service *)call->base.service;
    struct ros1_context *context = service->node->context;
    rclite_result outcome = RCLITE_OK;
    rclitei_packet *packet = build_answer(service, result == RCLITE_OK, response, error_text);
    if (!packet && result == RCLITE_OK) {
        outcome = RCLITE_ERR_OVERFLOW;
        packet = build_answer(service, false, NULL, "the response cannot be serialised");
    }
    pthread_mutex_lock(&context->lock);
    struct ros1_inbound *inbound = call->inbound;
    call_close(call);
    if (inbound && packet) {
        outcome = rclitei_stream_send(&inbound->stream, packet, 0, NULL) == RCLITE_OK
                      ? outcome
                      : RCLITE_ERR_TRANSPORT;
        rclitei_packet_seal(packet);
    } else {
        outcome = inbound ? RCLITE_ERR_NO_MEMORY : RCLITE_ERR_TRANSPORT;
    }
    /* Its handler goes on by itself when this is the callback it called. */
    if (inbound &&
        (!rclitei_loop_is_current(context->loop) || inbound->served || inbound->stream.paused)) {
        rclitei_loop_post(context->loop, &inbound->resume);
    }
    pthread_mutex_unlock(&context->lock);
    rclitei_packet_release(packet);
    return outcome;
}

rclite_result rclitei_ros1_service_respond(
    rclite_service_call *call, rclite_result result, const void *response, const char *error_text) {
    return answer((struct ros1_call *)call, result, response, error_text);
}

/* Reads the request and lets the user answer. */
static void call_user(
    struct ros1_service *service, struct ros1_call *call, const uint8_t *body, size_t size) {
    rclite_context *context = service->base.node->context;
    const rclitei_codec_read_options options = {.views = true};
    char error_text[256] = "";
    if (rclitei_codec_read(service->request_codec, body, size, &options, service->request,
            &context->allocator) != RCLITE_OK) {
        atomic_fetch_add(&context->malformed, 1);
        answer(call, RCLITE_ERR_MALFORMED, NULL, "the request is no message of its type");
        return;
    }
    if (!rclitei_callback_enter(context)) {
        answer(call, RCLITE_ERR_SHUTDOWN, NULL, "the server is being shut down");
        return;
    }
    rclite_result result = service->base.callback(
        &call->base, service->request, service->response, error_text, service->base.user);
    rclitei_callback_leave(context);
    if (result != RCLITE_EMPTY) {
        error_text[sizeof error_text - 1] = '\0';
        answer(call, result, service->response,
            result != RCLITE_OK && !error_text[0] ? rclite_result_string(result) : error_text);
    }
}

/* Spin delivery: keeps a copy of the request for the spinning thread. context->lock held. */
static bool keep_request(
    struct ros1_service *service, struct ros1_call *call, const uint8_t *body, size_t size) {
    call->request = rclitei_packet_take(service->pool, size);
    if (!call->request) {
        return false;
    }
    if (size > 0) {
        memcpy(call->request->bytes, body, size);
    }
    *service->waiting_end = call;
    service->waiting_end = &call->next_waiting;
    rclitei_ready_push(&service->node->context->base, &service->ready);
    return true;
}

static bool run_ready(rclitei_ready *ready) {
    struct ros1_service *service =
        (struct ros1_service *)(void *)((char *)ready - offsetof(struct ros1_service, ready));
    struct ros1_context *context = service->node->context;
    pthread_mutex_lock(&context->lock);
    struct ros1_call *call = service->waiting;
    if (call) {
        service->waiting = call->next_waiting;
        if (!service->waiting) {
            service->waiting_end = &service->waiting;
        }
        if (!call->inbound) { /* the caller did not wait */
            call_close(call);
            call = NULL;
        }
    }
    bool more = service->waiting != NULL;
    rclitei_packet *request = call ? rclitei_packet_retain(call->request) : NULL;
    pthread_mutex_unlock(&context->lock);
    if (call) {
        call_user(service, call, request->bytes, request->size);
        rclitei_packet_release(request);
    }
    return more;
}

bool rclitei_ros1_service_take(struct ros1_inbound *inbound, const uint8_t *body, size_t size) {
    struct ros1_context *context = inbound->context;
    bool is_spin = context->base.delivery == RCLITE_DELIVERY_SPIN;
    bool good = true;
    pthread_mutex_lock(&context->lock);
    struct ros1_service *service = inbound->service;
    struct ros1_call *call = service ? call_open(service, inbound) : NULL;
    if (call && is_spin) {
        good = keep_request(service, call, body, size);
    }
    if (call) {
        service->running = !is_spin;
    }
    pthread_mutex_unlock(&context->lock);
    if (!call || is_spin) {
        return good && (call || !service);
    }
    call_user(service, call, body, size);
    pthread_mutex_lock(&context->lock);
    service->running = false;
    if (service->ended) {
        pthread_cond_broadcast(&context->changed);
    }
    pthread_mutex_unlock(&context->lock);
    return true;
}

/* ---- begin and end -------------------------------------------------------------------------- */

static rclite_result create_parts(struct ros1_service *service) {
    const rclite_service_type *type = service->base.type;
    const rclite_allocator *allocator = &service->base.node->context->allocator;
    rclite_result result =
        rclitei_codec_create(type->request, RCLITE_ROS1, allocator, &service->request_codec);
    if (result == RCLITE_OK) {
        result =
            rclitei_codec_create(type->response, RCLITE_ROS1, allocator, &service->response_codec);
    }
    if (result != RCLITE_OK) {
        return result;
    }
    service->pool = rclitei_pool_create(allocator, 16);
    service->request = rclitei_message_create(type->request, allocator);
    service->response = rclitei_message_create(type->response, allocator);
    return service->pool && service->request && service->response ? RCLITE_OK
                                                                  : RCLITE_ERR_NO_MEMORY;
}

static void free_calls(const rclite_allocator *allocator, struct ros1_call *call) {
    while (call) {
        struct ros1_call *next = call->next;
        rclitei_packet_release(call->request);
        rclitei_release(allocator, call);
        call = next;
    }
}

static void release_parts(struct ros1_service *service) {
    const rclite_service_type *type = service->base.type;
    const rclite_allocator *allocator = &service->base.node->context->allocator;
    free_calls(allocator, service->outstanding);
    free_calls(allocator, service->free_calls);
    rclitei_message_free(type->request, service->request, allocator);
    rclitei_message_free(type->response, service->response, allocator);
    rclitei_pool_free(service->pool);
    rclitei_codec_free(service->request_codec);
    rclitei_codec_free(service->response_codec);
}

/* False: the node offers this name already. */
static bool enter(struct ros1_service *service) {
    struct ros1_node *node = service->node;
    bool is_new = true;
    pthread_mutex_lock(&node->context->lock);
    for (struct ros1_service *at = node->services; at; at = at->next) {
        is_new = is_new && strcmp(at->base.name, service->base.name) != 0;
    }
    if (is_new) {
        service->next = node->services;
        node->services = service;
    }
    pthread_mutex_unlock(&node->context->lock);
    return is_new;
}

static void leave(struct ros1_service *service, const char *uri) {
    struct ros1_node *node = service->node;
    struct ros1_context *context = node->context;
    pthread_mutex_lock(&context->lock);
    struct ros1_service **at = &node->services;
    while (*at != service) {
        at = &(*at)->next;
    }
    *at = service->next;
    struct ros1_inbound *next;
    for (struct ros1_inbound *inbound = node->inbounds; inbound; inbound = next) {
        next = inbound->next;
        if (inbound->service == service) {
            rclitei_ros1_inbound_abandon(inbound);
        }
    }
    rclitei_ros1_tell_master(
        node, "unregisterService", "(sss)", node->base->full_name, service->base.name, uri);
    service->ended = true;
    while (service->running && !rclitei_loop_is_current(context->loop)) {
        pthread_cond_wait(&context->changed, &context->lock);
    }
    pthread_mutex_unlock(&context->lock);
    rclitei_ready_remove(&context->base, &service->ready);
}

static void build_uri(const struct ros1_node *node, char *ret_uri, size_t size) {
    snprintf(ret_uri, size, "rosrpc://%s:%u", node->context->host,
        (unsigned)node->tcpros_listener->port);
}

rclite_result rclitei_ros1_service_init(rclite_service *base, rclite_error *reterr) {
    struct ros1_service *service = (struct ros1_service *)base;
    struct ros1_node *node = rclitei_ros1_node(base->node);
    char uri[300];
    service->node = node;
    service->waiting_end = &service->waiting;
    service->ready.run = run_ready;
    rclite_result result = base->type->ros1_md5sum ? create_parts(service) : RCLITE_ERR_TYPE;
    if (result != RCLITE_OK) {
        release_parts(service);
        return rclitei_fail(reterr, result, 0, "service %.100s as %.60s: %s", base->name,
            base->type->name, rclite_result_string(result));
    }
    if (!enter(service)) {
        release_parts(service);
        return rclitei_fail(reterr, RCLITE_ERR_STATE, 0, "node %.60s offers service %.100s already",
            node->base->full_name, base->name);
    }
    build_uri(node, uri, sizeof uri);
    result = rclitei_ros1_register(node, "registerService", reterr, "(ssss)", node->base->full_name,
        base->name, uri, node->uri);
    if (result != RCLITE_OK) {
        leave(service, uri);
        release_parts(service);
    }
    return result;
}

void rclitei_ros1_service_done(rclite_service *base) {
    struct ros1_service *service = (struct ros1_service *)base;
    char uri[300];
    build_uri(service->node, uri, sizeof uri);
    leave(service, uri);
    release_parts(service);
}
