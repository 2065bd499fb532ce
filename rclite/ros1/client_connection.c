/* A client's connection to a server: look the service up at the master, connect, exchange headers,
 * send requests and read responses in order. All on the loop's thread, but for starting, adding
 * calls and abandoning. */
#include <stdio.h>
#include <string.h>

#include "ros1/http.h"
#include "ros1/services.h"

#define FOUND_NS INT64_C(1000000000) /* an answered probe counts so long */

static void run_closing(rclitei_task *task);
static void on_deadline(rclitei_loop_timer *timer);
static void on_found(void *user, const rclitei_rpc_answer *answer);

/* ---- life ----------------------------------------------------------------------------------- */

struct ros1_client_connection *rclitei_ros1_client_connect(
    struct ros1_client *client, bool is_persistent, bool is_probe) {
    struct ros1_context *context = client->node->context;
    struct ros1_client_connection *connection =
        rclitei_allocate(&context->base.allocator, sizeof *connection);
    if (!connection) {
        return NULL;
    }
    connection->context = context;
    connection->client = client;
    connection->calls_end = &connection->calls;
    connection->is_persistent = is_persistent;
    connection->is_probe = is_probe;
    connection->asking = true;
    connection->deadline.on_due = on_deadline;
    connection->closing.run = run_closing;
    if (rclitei_rpc_start(context->rpc, context->master_uri, RCLITEI_RPC_TIMEOUT_NS, on_found,
            connection, "lookupService", "(ss)", client->node->base->full_name,
            client->base.name) != RCLITE_OK) {
        return rclitei_release(&context->base.allocator, connection);
    }
    connection->next = client->connections;
    client->connections = connection;
    return connection;
}

struct ros1_client_call *rclitei_ros1_client_connection_abandon(
    struct ros1_client_connection *connection) {
    struct ros1_client_call *calls = connection->calls;
    struct ros1_client_connection **at = &connection->client->connections;
    while (*at != connection) {
        at = &(*at)->next;
    }
    *at = connection->next;
    connection->calls = NULL;
    connection->calls_end = &connection->calls;
    connection->client = NULL;
    connection->open = false;
    rclitei_loop_post(connection->context->loop, &connection->closing);
    return calls;
}

static void release(rclitei_stream *stream) {
    struct ros1_client_connection *connection = (struct ros1_client_connection *)stream;
    rclitei_release(&connection->context->base.allocator, connection);
}

static void finish(struct ros1_client_connection *connection) {
    if (connection->streaming) {
        rclitei_stream_close(&connection->stream);
    } else {
        rclitei_release(&connection->context->base.allocator, connection);
    }
}

static void run_closing(rclitei_task *task) {
    struct ros1_client_connection *connection =
        (struct ros1_client_connection *)(void *)((char *)task -
                                                  offsetof(struct ros1_client_connection, closing));
    rclitei_loop_timer_stop(connection->context->loop, &connection->deadline);
    if (!connection->asking) { /* else the master's answer ends it */
        finish(connection);
    }
}

static void on_deadline(rclitei_loop_timer *timer) {
    rclitei_ros1_client_lost(
        (struct ros1_client_connection *)(void *)((char *)timer -
                                                  offsetof(
                                                      struct ros1_client_connection, deadline)),
        RCLITE_ERR_TIMEOUT, "the server does not answer the connection header");
}

/* ---- requests and responses ----------------------------------------------------------------- */

static void send_request(struct ros1_client_connection *connection, struct ros1_client_call *call) {
    rclitei_stream_send(&connection->stream, call->request, 0, NULL);
    call->request = rclitei_packet_release(call->request);
}

void rclitei_ros1_client_connection_add(
    struct ros1_client_connection *connection, struct ros1_client_call *call) {
    call->next = NULL;
    *connection->calls_end = call;
    connection->calls_end = &call->next;
    if (connection->open) {
        send_request(connection, call);
    }
}

/* The header was good: sends what waits. */
static void open_connection(struct ros1_client_connection *connection) {
    struct ros1_context *context = connection->context;
    bool is_probe = connection->is_probe;
    pthread_mutex_lock(&context->lock);
    struct ros1_client *client = connection->client;
    if (client) {
        connection->open = true;
        client->found_until_ns = rclite_monotonic_ns() + FOUND_NS;
        for (struct ros1_client_call *at = connection->calls; at; at = at->next) {
            send_request(connection, at);
        }
        if (is_probe) {
            rclitei_ros1_client_connection_abandon(connection);
        }
    }
    pthread_mutex_unlock(&context->lock);
    rclitei_signal(&context->base);
}

static bool take_header(struct ros1_client_connection *connection) {
    size_t size;
    const uint8_t *bytes = rclitei_stream_input(&connection->stream, &size);
    if (size < 4) {
        return false;
    }
    size_t header_size = rclitei_u32_read(bytes);
    rclitei_header header = {bytes + 4, header_size};
    if (header_size <= RCLITEI_HEADER_BYTES_MAX) {
        rclitei_stream_want(&connection->stream, 4 + header_size);
        if (size < 4 + header_size) {
            return false;
        }
    }
    if (header_size > RCLITEI_HEADER_BYTES_MAX || !rclitei_header_is_valid(header)) {
        atomic_fetch_add(&connection->context->base.malformed, 1);
        rclitei_ros1_client_lost(
            connection, RCLITE_ERR_MALFORMED, "the server's connection header is malformed");
        return false;
    }
    rclitei_text error = rclitei_header_get(header, "error");
    if (error.data) {
        char text[256];
        snprintf(text, sizeof text, "the server refused the connection: %.*s",
            error.size < 200 ? (int)error.size : 200, error.data);
        rclitei_ros1_client_lost(connection, RCLITE_ERR_REJECTED, text);
        return false;
    }
    rclitei_loop_timer_stop(connection->context->loop, &connection->deadline);
    rclitei_stream_consume(&connection->stream, 4 + header_size);
    if (connection->is_persistent) {
        rclitei_stream_carries_data(&connection->stream);
    }
    open_connection(connection);
    return true;
}

/* A connection that is not persistent has done its work. */
static void end_connection(struct ros1_client_connection *connection) {
    pthread_mutex_lock(&connection->context->lock);
    if (connection->client) {
        rclitei_ros1_client_connection_abandon(connection);
    }
    pthread_mutex_unlock(&connection->context->lock);
}

/* One response. False: it is not whole, or the connection has ended. */
static bool take_response(struct ros1_client_connection *connection) {
    rclitei_stream *stream = &connection->stream;
    size_t size;
    const uint8_t *bytes = rclitei_stream_input(stream, &size);
    if (size < 5) {
        return false;
    }
    size_t body = rclitei_u32_read(bytes + 1);
    if (body > ROS1_MESSAGE_BYTES_MAX) {
        atomic_fetch_add(&connection->context->base.malformed, 1);
        rclitei_ros1_client_lost(
            connection, RCLITE_ERR_MALFORMED, "the server announces an impossible length");
        return false;
    }
    rclitei_stream_want(stream, 5 + body);
    if (size < 5 + body) {
        return false;
    }
    if (bytes[0]) {
        rclitei_ros1_client_finish(connection, RCLITE_OK, bytes + 5, body, "");
    } else {
        char text[256];
        snprintf(text, sizeof text, "%.*s", body < 255 ? (int)body : 255, (const char *)bytes + 5);
        rclitei_ros1_client_finish(connection, RCLITE_ERR_REJECTED, NULL, 0, text);
    }
    rclitei_stream_consume(stream, 5 + body);
    if (!connection->is_persistent) {
        end_connection(connection);
        return false;
    }
    return true;
}

static void on_input(rclitei_stream *stream) {
    struct ros1_client_connection *connection = (struct ros1_client_connection *)stream;
    pthread_mutex_lock(&connection->context->lock);
    bool open = connection->open;
    bool wanted = connection->client != NULL;
    pthread_mutex_unlock(&connection->context->lock);
    if (wanted && !open && !take_header(connection)) {
        return;
    }
    while (wanted && !connection->is_probe && take_response(connection)) {
    }
}

static void on_closed(rclitei_stream *stream, int error) {
    char text[128];
    snprintf(text, sizeof text, "the connection to the server ended: %s",
        error ? strerror(error) : "closed by the server");
    rclitei_ros1_client_lost((struct ros1_client_connection *)stream, RCLITE_ERR_TRANSPORT, text);
}

/* ---- looking up and connecting -------------------------------------------------------------- */

static void on_connected(rclitei_stream *stream) {
    struct ros1_client_connection *connection = (struct ros1_client_connection *)stream;
    struct ros1_context *context = connection->context;
    rclitei_packet *packet = NULL;
    pthread_mutex_lock(&context->lock);
    const struct ros1_client *client = connection->client;
    if (client) {
        const rclitei_header_field fields[] = {
            {"callerid", client->node->base->full_name},
            {"md5sum", client->base.type->ros1_md5sum},
            {"persistent", connection->is_persistent ? "1" : "0"},
            {"probe", connection->is_probe ? "1" : NULL},
            {"service", client->base.name},
        };
        packet = rclitei_header_build(context->pool, fields, sizeof fields / sizeof *fields);
    }
    pthread_mutex_unlock(&context->lock);
    if (packet) {
        rclitei_stream_send(stream, packet, 0, NULL);
        rclitei_packet_release(packet);
    }
}

static const rclitei_stream_handler handler = {
    .on_connected = on_connected, .on_input = on_input, .on_closed = on_closed, .release = release};

/* The service's URI, with or without a slash at the end. */
static bool connect_to(struct ros1_client_connection *connection, xmlrpc_value *value) {
    struct ros1_context *context = connection->context;
    xmlrpc_env env;
    const char *uri = NULL;
    char host[256];
    uint16_t port;
    const char *path;
    xmlrpc_env_init(&env);
    xmlrpc_read_string(&env, value, &uri);
    bool good =
        !env.fault_occurred && rclitei_uri_parse(uri, "rosrpc", host, sizeof host, &port, &path);
    rclitei_xmlrpc_text_free(uri);
    xmlrpc_env_clean(&env);
    return good &&
           rclitei_stream_connect(&connection->stream, context->loop, &context->base.allocator,
               &handler, context->resolver, host, port) == RCLITE_OK;
}

static void on_found(void *user, const rclitei_rpc_answer *answer) {
    struct ros1_client_connection *connection = user;
    struct ros1_context *context = connection->context;
    connection->asking = false;
    pthread_mutex_lock(&context->lock);
    bool wanted = connection->client != NULL;
    pthread_mutex_unlock(&context->lock);
    if (!wanted) {
        rclitei_loop_task_cancel(context->loop, &connection->closing);
        finish(connection);
    } else if (answer->result != RCLITE_OK) {
        rclitei_ros1_client_lost(connection, RCLITE_ERR_TRANSPORT, answer->text);
    } else if (connect_to(connection, answer->value)) {
        connection->streaming = true;
        rclitei_loop_timer_start(context->loop, &connection->deadline, context->handshake_ns);
    } else {
        rclitei_ros1_client_lost(
            connection, RCLITE_ERR_TRANSPORT, "the server's address cannot be connected to");
    }
}
