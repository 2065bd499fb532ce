/* Accepted TCPROS connections until their header is read: it says whether the other side wants a
 * topic or calls a service. A connection that sends no whole header in time is closed. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ros1/ros1.h"

static void on_input(rclitei_stream *stream);

static const rclitei_stream_handler header_handler = {.on_input = on_input,
    .on_closed = rclitei_ros1_inbound_on_closed,
    .release = rclitei_ros1_inbound_release};

/* On the loop's thread. The inbound is cut off already, or is cut off here. */
static void end(struct ros1_inbound *inbound) {
    struct ros1_context *context = inbound->context;
    rclitei_loop_timer_stop(context->loop, &inbound->deadline);
    pthread_mutex_lock(&context->lock);
    if (inbound->node) {
        rclitei_ros1_inbound_abandon(inbound);
    }
    pthread_mutex_unlock(&context->lock);
    rclitei_loop_task_cancel(context->loop, &inbound->closing);
    rclitei_loop_task_cancel(context->loop, &inbound->resume);
    rclitei_stream_close(&inbound->stream);
}

static void run_closing(rclitei_task *task) {
    end((struct ros1_inbound *)(void *)((char *)task - offsetof(struct ros1_inbound, closing)));
}

static void on_deadline(rclitei_loop_timer *timer) {
    end((struct ros1_inbound *)(void *)((char *)timer - offsetof(struct ros1_inbound, deadline)));
}

void rclitei_ros1_inbound_on_closed(rclitei_stream *stream, int error) {
    (void)error;
    end((struct ros1_inbound *)stream);
}

void rclitei_ros1_inbound_release(rclitei_stream *stream) {
    struct ros1_inbound *inbound = (struct ros1_inbound *)stream;
    const rclite_allocator *allocator = &inbound->context->base.allocator;
    rclitei_release(allocator, inbound->caller);
    rclitei_release(allocator, inbound);
}

void rclitei_ros1_inbound_accepted(struct ros1_listener *listener, int fd) {
    struct ros1_node *node = listener->node;
    struct ros1_context *context = node->context;
    struct ros1_inbound *inbound = rclitei_allocate(&context->base.allocator, sizeof *inbound);
    if (!inbound || rclitei_stream_accept(&inbound->stream, context->loop, &context->base.allocator,
                        &header_handler, fd) != RCLITE_OK) {
        rclitei_release(&context->base.allocator, inbound);
        return;
    }
    inbound->deadline.on_due = on_deadline;
    inbound->closing.run = run_closing;
    inbound->context = context;
    inbound->node = node;
    inbound->id = ++context->next_connection_id;
    inbound->next = node->inbounds;
    if (inbound->next) {
        inbound->next->previous = inbound;
    }
    node->inbounds = inbound;
    rclitei_loop_timer_start(context->loop, &inbound->deadline, context->handshake_ns);
}

void rclitei_ros1_inbound_abandon(struct ros1_inbound *inbound) {
    struct ros1_node *node = inbound->node;
    if (!node) {
        return;
    }
    if (inbound->previous) {
        inbound->previous->next = inbound->next;
    } else {
        node->inbounds = inbound->next;
    }
    if (inbound->next) {
        inbound->next->previous = inbound->previous;
    }
    inbound->node = NULL;
    if (inbound->publication) {
        rclitei_ros1_publication_detach(inbound);
    }
    if (inbound->service) {
        rclitei_ros1_service_detach(inbound);
    }
    rclitei_loop_post(inbound->context->loop, &inbound->closing);
}

void rclitei_ros1_inbound_refuse(struct ros1_inbound *inbound, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    rclitei_header_field field = {"error", text};
    rclitei_packet *packet = rclitei_header_build(inbound->context->pool, &field, 1);
    if (packet) {
        rclitei_stream_send(&inbound->stream, packet, 0, NULL);
        rclitei_packet_release(packet);
    }
    rclitei_ros1_log(inbound->context, RCLITE_LOG_WARN, "refused a connection: %s", text);
    end(inbound);
}

/* A whole header is there. True: an endpoint has taken over. */
static bool dispatch(struct ros1_inbound *inbound, rclitei_header header) {
    struct ros1_context *context = inbound->context;
    if (!rclitei_header_is_valid(header)) {
        atomic_fetch_add(&context->base.malformed, 1);
        rclitei_ros1_inbound_refuse(inbound, "the connection header is malformed");
        return false;
    }
    rclitei_text caller = rclitei_header_get(header, "callerid");
    inbound->caller = rclitei_format(
        &context->base.allocator, "%.*s", (int)caller.size, caller.data ? caller.data : "");
    if (!inbound->caller) {
        end(inbound);
        return false;
    }
    if (rclitei_header_get(header, "topic").data) {
        return rclitei_ros1_publication_attach(inbound, header);
    }
    if (rclitei_header_get(header, "service").data) {
        return rclitei_ros1_service_attach(inbound, header);
    }
    rclitei_ros1_inbound_refuse(inbound, "the connection header has neither 'topic' nor 'service'");
    return false;
}

static void on_input(rclitei_stream *stream) {
    struct ros1_inbound *inbound = (struct ros1_inbound *)stream;
    size_t size;
    const uint8_t *bytes = rclitei_stream_input(stream, &size);
    if (size < 4) {
        return;
    }
    size_t header_size = rclitei_u32_read(bytes);
    if (header_size > RCLITEI_HEADER_BYTES_MAX) {
        atomic_fetch_add(&inbound->context->base.malformed, 1);
        rclitei_ros1_inbound_refuse(
            inbound, "the connection header announces %zu bytes", header_size);
        return;
    }
    rclitei_stream_want(stream, 4 + header_size);
    if (size < 4 + header_size) {
        return;
    }
    rclitei_loop_timer_stop(inbound->context->loop, &inbound->deadline);
    if (dispatch(inbound, (rclitei_header){bytes + 4, header_size})) {
        rclitei_stream_consume(stream, 4 + header_size);
        if (size > 4 + header_size) { /* a request may follow at once */
            stream->handler->on_input(stream);
        }
    }
}
