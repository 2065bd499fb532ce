/* The XML-RPC server of a node: HTTP over the loop's streams, methods from xmlrpc-c's registry.
 * What the methods do is in slave_methods.c. */
#include <stdio.h>
#include <string.h>

#include "ros1/http.h"
#include "ros1/ros1.h"
#include "ros1/slave.h"

#define REQUEST_NS INT64_C(30000000000) /* a request that was begun must be whole by then */

struct ros1_slave_connection {
    rclitei_stream stream; /* first */
    rclitei_loop_timer deadline;
    rclitei_task closing;
    struct ros1_context *context;
    struct ros1_node *node; /* guarded by context->lock; NULL: closing */
    struct ros1_slave_connection *previous, *next;
    bool continued; /* 100 Continue was sent for this request */
};

static void abandon(struct ros1_slave_connection *connection) {
    struct ros1_node *node = connection->node;
    if (connection->previous) {
        connection->previous->next = connection->next;
    } else {
        node->callers = connection->next;
    }
    if (connection->next) {
        connection->next->previous = connection->previous;
    }
    connection->node = NULL;
    rclitei_loop_post(connection->context->loop, &connection->closing);
}

void rclitei_ros1_slave_close_all(struct ros1_node *node) {
    while (node->callers) {
        abandon(node->callers);
    }
}

static void end(struct ros1_slave_connection *connection) {
    struct ros1_context *context = connection->context;
    rclitei_loop_timer_stop(context->loop, &connection->deadline);
    pthread_mutex_lock(&context->lock);
    if (connection->node) {
        abandon(connection);
    }
    pthread_mutex_unlock(&context->lock);
    rclitei_loop_task_cancel(context->loop, &connection->closing);
    rclitei_stream_close(&connection->stream);
}

static void run_closing(rclitei_task *task) {
    end((struct ros1_slave_connection *)(void *)((char *)task -
                                                 offsetof(struct ros1_slave_connection, closing)));
}

static void on_deadline(rclitei_loop_timer *timer) {
    end((struct ros1_slave_connection *)(void *)((char *)timer -
                                                 offsetof(struct ros1_slave_connection, deadline)));
}

static void on_closed(rclitei_stream *stream, int error) {
    (void)error;
    end((struct ros1_slave_connection *)stream);
}

static void release(rclitei_stream *stream) {
    struct ros1_slave_connection *connection = (struct ros1_slave_connection *)stream;
    rclitei_release(&connection->context->base.allocator, connection);
}

static void send_text(struct ros1_slave_connection *connection, const char *head, size_t head_size,
    const void *body, size_t body_size) {
    rclitei_packet *packet = rclitei_packet_take(connection->context->pool, head_size + body_size);
    if (packet) {
        memcpy(packet->bytes, head, head_size);
        if (body_size > 0) {
            memcpy(packet->bytes + head_size, body, body_size);
        }
        rclitei_stream_send(&connection->stream, packet, 0, NULL);
        rclitei_packet_release(packet);
    }
}

static void send_status(struct ros1_slave_connection *connection, int status) {
    char head[128];
    int size = snprintf(head, sizeof head,
        "HTTP/1.1 %d %s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", status,
        status == 411   ? "Length Required"
        : status == 405 ? "Method Not Allowed"
                        : "Bad Request");
    send_text(connection, head, (size_t)size, NULL, 0);
}

/* Answers one request. False: the connection ends. */
static bool serve(struct ros1_slave_connection *connection, const rclitei_http_message *request) {
    struct ros1_context *context = connection->context;
    struct ros1_slave_call call = {.context = context};
    xmlrpc_env env;
    xmlrpc_mem_block *answer = NULL;
    xmlrpc_env_init(&env);
    pthread_mutex_lock(&context->lock);
    call.node = connection->node;
    if (call.node && rclitei_xmlrpc_is_plain(request->body, request->body_size)) {
        xmlrpc_registry_process_call2(
            &env, context->registry, request->body, request->body_size, &call, &answer);
    }
    pthread_mutex_unlock(&context->lock);
    bool good = answer && !env.fault_occurred;
    if (!good) {
        atomic_fetch_add(&context->base.malformed, 1);
        send_status(connection, 400);
    } else {
        char head[256];
        int size = snprintf(head, sizeof head,
            "HTTP/1.1 200 OK\r\nServer: rclite\r\nContent-Type: text/xml\r\n"
            "Content-Length: %zu\r\n%s\r\n",
            xmlrpc_mem_block_size(answer), request->keep_alive ? "" : "Connection: close\r\n");
        send_text(connection, head, (size_t)size, xmlrpc_mem_block_contents(answer),
            xmlrpc_mem_block_size(answer));
    }
    if (answer) {
        xmlrpc_mem_block_free(answer);
    }
    xmlrpc_env_clean(&env);
    if (call.shutdown) {
        rclitei_ros1_log(context, RCLITE_LOG_WARN, "shut down by %s", call.reason);
        rclite_context_shutdown(&context->base);
    }
    return good && request->keep_alive;
}

static void on_input(rclitei_stream *stream) {
    struct ros1_slave_connection *connection = (struct ros1_slave_connection *)stream;
    struct ros1_context *context = connection->context;
    for (;;) {
        size_t size;
        uint8_t *bytes = (uint8_t *)(uintptr_t)rclitei_stream_input(stream, &size);
        if (size == 0) {
            rclitei_loop_timer_stop(context->loop, &connection->deadline);
            return;
        }
        rclitei_http_message request;
        rclitei_http_result result = rclitei_http_read(bytes, size, false, false, &request);
        if (result == RCLITEI_HTTP_MORE) {
            rclitei_stream_want(stream, request.total_size);
            if (connection->deadline.heap_index == 0) {
                rclitei_loop_timer_start(context->loop, &connection->deadline, REQUEST_NS);
            }
            if (request.wants_continue && request.total_size > 0 && !connection->continued) {
                connection->continued = true;
                send_text(connection, "HTTP/1.1 100 Continue\r\n\r\n", 25, NULL, 0);
            }
            return;
        }
        if (result == RCLITEI_HTTP_BAD || !request.is_post) {
            atomic_fetch_add(&context->base.malformed, 1);
            send_status(connection, result == RCLITEI_HTTP_BAD ? request.status : 405);
            end(connection);
            return;
        }
        connection->continued = false;
        if (!serve(connection, &request)) {
            end(connection);
            return;
        }
        rclitei_stream_consume(stream, request.total_size);
    }
}

static const rclitei_stream_handler handler = {
    .on_input = on_input, .on_closed = on_closed, .release = release};

void rclitei_ros1_slave_accepted(struct ros1_listener *listener, int fd) {
    struct ros1_node *node = listener->node;
    struct ros1_context *context = node->context;
    struct ros1_slave_connection *connection =
        rclitei_allocate(&context->base.allocator, sizeof *connection);
    if (!connection || rclitei_stream_accept(&connection->stream, context->loop,
                           &context->base.allocator, &handler, fd) != RCLITE_OK) {
        rclitei_release(&context->base.allocator, connection);
        return;
    }
    connection->context = context;
    connection->deadline.on_due = on_deadline;
    connection->closing.run = run_closing;
    connection->node = node;
    connection->next = node->callers;
    if (connection->next) {
        connection->next->previous = connection;
    }
    node->callers = connection;
    rclitei_loop_timer_start(context->loop, &connection->deadline, REQUEST_NS);
}
