/* Connections of service callers. A connection carries one request at a time; while its answer is
 * due, nothing more is read from it, so that a caller cannot fill our memory. */
#include <stdio.h>

#include "ros1/services.h"

/* Is an answer due on this connection. */
static bool is_busy(struct ros1_inbound *inbound) {
    pthread_mutex_lock(&inbound->context->lock);
    bool busy = inbound->call != NULL;
    pthread_mutex_unlock(&inbound->context->lock);
    return busy;
}

static void on_input(rclitei_stream *stream) {
    struct ros1_inbound *inbound = (struct ros1_inbound *)stream;
    while (!atomic_load(&stream->watch.dead) && !inbound->served) {
        if (is_busy(inbound)) {
            rclitei_stream_pause(stream, true);
            return;
        }
        size_t size;
        const uint8_t *bytes = rclitei_stream_input(stream, &size);
        if (size < 4) {
            return;
        }
        size_t body = rclitei_u32_read(bytes);
        if (body > ROS1_MESSAGE_BYTES_MAX) {
            atomic_fetch_add(&inbound->context->base.malformed, 1);
            rclitei_ros1_inbound_on_closed(stream, 0);
            return;
        }
        rclitei_stream_want(stream, 4 + body);
        if (size < 4 + body) {
            return;
        }
        inbound->served = !inbound->persistent;
        if (!rclitei_ros1_service_take(inbound, bytes + 4, body)) {
            rclitei_ros1_inbound_on_closed(stream, 0);
            return;
        }
        rclitei_stream_consume(stream, 4 + body);
    }
}

/* A connection that is not persistent ends with its answer. */
static void on_drained(rclitei_stream *stream) {
    struct ros1_inbound *inbound = (struct ros1_inbound *)stream;
    if (inbound->served && !is_busy(inbound)) {
        rclitei_ros1_inbound_on_closed(stream, 0);
    }
}

/* The answer went into the stream: on with the next request. Loop thread. */
static void run_resume(rclitei_task *task) {
    struct ros1_inbound *inbound =
        (struct ros1_inbound *)(void *)((char *)task - offsetof(struct ros1_inbound, resume));
    rclitei_stream *stream = &inbound->stream;
    if (atomic_load(&stream->watch.dead)) {
        return;
    }
    if (inbound->served) {
        if (rclitei_stream_is_drained(stream)) {
            on_drained(stream);
        }
    } else if (stream->paused) {
        rclitei_stream_pause(stream, false);
        on_input(stream);
    }
}

static const rclitei_stream_handler caller_handler = {.on_input = on_input,
    .on_drained = on_drained,
    .on_closed = rclitei_ros1_inbound_on_closed,
    .release = rclitei_ros1_inbound_release};

void rclitei_ros1_service_detach(struct ros1_inbound *inbound) {
    if (inbound->call) {
        inbound->call->inbound = NULL;
        inbound->call = NULL;
    }
    inbound->service = NULL;
}

static bool is_acceptable(const struct ros1_service *service, rclitei_text name,
    rclitei_header header, rclite_error *reason) {
    rclitei_text md5sum = rclitei_header_get(header, "md5sum");
    if (!service) {
        rclitei_fail(reason, RCLITE_ERR_REJECTED, 0, "this node offers no service [%.*s]",
            name.size < 100 ? (int)name.size : 100, name.data);
    } else if (!md5sum.data) {
        rclitei_fail(reason, RCLITE_ERR_REJECTED, 0, "the connection header has no field 'md5sum'");
    } else if (!rclitei_text_equal(md5sum, service->base.type->ros1_md5sum) &&
               !rclitei_text_equal(md5sum, "*")) {
        rclitei_fail(reason, RCLITE_ERR_REJECTED, 0,
            "service %.100s has md5sum [%s] here, not [%.*s]", service->base.name,
            service->base.type->ros1_md5sum, md5sum.size < 32 ? (int)md5sum.size : 32, md5sum.data);
    } else {
        return true;
    }
    return false;
}

static rclitei_packet *build_header(const struct ros1_service *service) {
    const rclite_service_type *type = service->base.type;
    char wire_name[256];
    rclitei_ros1_service_wire_name(type, wire_name, sizeof wire_name);
    const rclitei_header_field fields[] = {
        {"callerid", service->node->base->full_name},
        {"md5sum", type->ros1_md5sum},
        {"request_type", type->request->ros1->wire_name},
        {"response_type", type->response->ros1->wire_name},
        {"service", service->base.name},
        {"type", wire_name},
    };
    return rclitei_header_build(
        service->node->context->pool, fields, sizeof fields / sizeof *fields);
}

bool rclitei_ros1_service_attach(struct ros1_inbound *inbound, rclitei_header header) {
    struct ros1_context *context = inbound->context;
    rclitei_text name = rclitei_header_get(header, "service");
    rclite_error reason = {.text = "out of memory"};
    struct ros1_service *service = NULL;
    rclitei_packet *packet = NULL;
    pthread_mutex_lock(&context->lock);
    if (inbound->node) {
        service = inbound->node->services;
        while (service && !rclitei_text_equal(name, service->base.name)) {
            service = service->next;
        }
    }
    if (is_acceptable(service, name, header, &reason)) {
        packet = build_header(service);
    }
    if (packet) {
        inbound->service = service;
        inbound->persistent = rclitei_text_is_true(rclitei_header_get(header, "persistent"));
        inbound->resume.run = run_resume;
        inbound->stream.handler = &caller_handler;
        if (inbound->persistent) {
            rclitei_stream_carries_data(&inbound->stream);
        }
        rclitei_stream_send(&inbound->stream, packet, 0, NULL);
    }
    pthread_mutex_unlock(&context->lock);
    if (!packet) {
        rclitei_ros1_inbound_refuse(inbound, "%s", reason.text);
        return false;
    }
    rclitei_packet_release(packet);
    return true;
}
