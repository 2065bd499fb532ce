/* A subscription's way to one publisher: ask its slave API where to connect, connect, exchange
 * headers, receive. One link is one attempt; when it fails while the publisher is still listed, the
 * next one begins after a pause that doubles. All on the loop's thread, but for starting and
 * abandoning. */
#include "ros1/ros1.h"

#include <stdlib.h>
#include <string.h>

static void on_timer(rclitei_loop_timer *timer);
static void run_closing(rclitei_task *task);

/* ---- life --------------------------------------------------------------------------------------
 */

void rclitei_ros1_link_start(
    struct ros1_subscription *subscription, const char *uri, int64_t pause_ns) {
    struct ros1_context *context = subscription->node->context;
    size_t uri_size = strlen(uri) + 1;
    struct ros1_link *link = rclitei_allocate(&context->base.allocator, sizeof *link + uri_size);
    if (!link) {
        rclitei_ros1_log(context, RCLITE_LOG_ERROR, "no memory for a connection to %s", uri);
        return;
    }
    memcpy(link->uri, uri, uri_size);
    link->context = context;
    link->subscription = subscription;
    link->timer.on_due = on_timer;
    link->closing.run = run_closing;
    link->pause_ns = pause_ns;
    link->id = ++context->next_connection_id;
    link->next = subscription->links;
    subscription->links = link;
    if (pause_ns != ROS1_NEVER &&
        rclitei_loop_timer_start(context->loop, &link->timer, pause_ns) != RCLITE_OK) {
        rclitei_ros1_link_abandon(link);
    }
}

void rclitei_ros1_link_abandon(struct ros1_link *link) {
    struct ros1_subscription *subscription = link->subscription;
    struct ros1_link **at = &subscription->links;
    while (*at != link) {
        at = &(*at)->next;
    }
    *at = link->next;
    if (link->open) {
        link->open = false;
        subscription->open_count--;
        rclitei_ros1_match_changed(&subscription->matched);
    }
    link->subscription = NULL;
    rclitei_loop_post(link->context->loop, &link->closing);
}

static void finish(struct ros1_link *link) {
    if (link->streaming) {
        rclitei_stream_close(&link->stream);
    } else {
        rclitei_release(&link->context->base.allocator, link->publisher_name);
        rclitei_release(&link->context->base.allocator, link);
    }
}

static void release(rclitei_stream *stream) {
    struct ros1_link *link = (struct ros1_link *)stream;
    rclitei_release(&link->context->base.allocator, link->publisher_name);
    rclitei_release(&link->context->base.allocator, link);
}

static void run_closing(rclitei_task *task) {
    struct ros1_link *link =
        (struct ros1_link *)(void *)((char *)task - offsetof(struct ros1_link, closing));
    rclitei_loop_timer_stop(link->context->loop, &link->timer);
    if (!link->asking) { /* else the answer comes here, too */
        finish(link);
    }
}

/* This attempt is over; the next one comes after a pause. */
static void retry(struct ros1_link *link, int64_t pause_ns) {
    struct ros1_context *context = link->context;
    pthread_mutex_lock(&context->lock);
    if (link->subscription) {
        rclitei_ros1_link_start(link->subscription, link->uri, pause_ns);
        rclitei_ros1_link_abandon(link);
    }
    pthread_mutex_unlock(&context->lock);
}

static void retry_later(struct ros1_link *link) {
    int64_t pause_ns = link->pause_ns == 0 ? ROS1_RETRY_FIRST_NS : 2 * link->pause_ns;
    retry(link, pause_ns < ROS1_RETRY_MAX_NS ? pause_ns : ROS1_RETRY_MAX_NS);
}

/* ---- receiving ---------------------------------------------------------------------------------
 */

static bool take_messages(struct ros1_link *link) {
    rclitei_stream *stream = &link->stream;
    while (!atomic_load(&stream->watch.dead)) {
        size_t size;
        const uint8_t *bytes = rclitei_stream_input(stream, &size);
        if (size < 4) {
            break;
        }
        uint32_t body = rclitei_u32_read(bytes);
        if (body > ROS1_MESSAGE_BYTES_MAX) {
            atomic_fetch_add(&link->context->base.malformed, 1);
            rclitei_ros1_log(link->context, RCLITE_LOG_ERROR,
                "%s announces a message of %u bytes: disconnected", link->uri, (unsigned)body);
            return false;
        }
        rclitei_stream_want(stream, 4 + (size_t)body);
        if (size < 4 + (size_t)body) {
            break;
        }
        link->received_messages++;
        link->received_bytes += 4 + (uint64_t)body;
        if (!rclitei_ros1_subscription_deliver(link, body)) {
            rclitei_ros1_log(link->context, RCLITE_LOG_ERROR,
                "%s sends bytes that are no message of its type: disconnected", link->uri);
            return false;
        }
    }
    return true;
}

/* The publisher's header: is it what was asked for. */
static bool is_acceptable(struct ros1_link *link, rclitei_header header) {
    struct ros1_context *context = link->context;
    if (!rclitei_header_is_valid(header)) {
        atomic_fetch_add(&context->base.malformed, 1);
        rclitei_ros1_log(
            context, RCLITE_LOG_ERROR, "%s: the connection header is malformed", link->uri);
        return false;
    }
    rclitei_text error = rclitei_header_get(header, "error");
    if (error.data) {
        rclitei_ros1_log(context, RCLITE_LOG_ERROR, "%s refused the connection: %.*s", link->uri,
            error.size < 300 ? (int)error.size : 300, error.data);
        return false;
    }
    rclitei_text md5sum = rclitei_header_get(header, "md5sum");
    pthread_mutex_lock(&context->lock);
    const struct ros1_subscription *subscription = link->subscription;
    bool fits = subscription && md5sum.data &&
                (rclitei_text_equal(md5sum, subscription->base.type->ros1->fingerprint) ||
                    rclitei_text_equal(md5sum, "*"));
    pthread_mutex_unlock(&context->lock);
    if (subscription && !fits) {
        rclitei_ros1_log(context, RCLITE_LOG_ERROR, "%s publishes another type: its md5sum is %.*s",
            link->uri, md5sum.size < 32 ? (int)md5sum.size : 32, md5sum.data ? md5sum.data : "");
    }
    return fits;
}

static bool take_header(struct ros1_link *link) {
    struct ros1_context *context = link->context;
    size_t size;
    const uint8_t *bytes = rclitei_stream_input(&link->stream, &size);
    if (size < 4) {
        return true;
    }
    size_t header_size = rclitei_u32_read(bytes);
    if (header_size > RCLITEI_HEADER_BYTES_MAX) {
        atomic_fetch_add(&context->base.malformed, 1);
        return false;
    }
    rclitei_stream_want(&link->stream, 4 + header_size);
    if (size < 4 + header_size) {
        return true;
    }
    rclitei_header header = {bytes + 4, header_size};
    rclitei_loop_timer_stop(context->loop, &link->timer);
    if (!is_acceptable(link, header)) {
        return false;
    }
    rclitei_text name = rclitei_header_get(header, "callerid");
    link->publisher_name = rclitei_format(
        &context->base.allocator, "%.*s", (int)name.size, name.data ? name.data : "");
    if (!link->publisher_name) {
        return false;
    }
    rclitei_stream_consume(&link->stream, 4 + header_size);
    link->header_read = true;
    rclitei_stream_carries_data(&link->stream);
    link->pause_ns = 0;
    pthread_mutex_lock(&context->lock);
    if (link->subscription) {
        link->open = true;
        link->subscription->open_count++;
        rclitei_ros1_match_changed(&link->subscription->matched);
    }
    pthread_mutex_unlock(&context->lock);
    return true;
}

static void on_input(rclitei_stream *stream) {
    struct ros1_link *link = (struct ros1_link *)stream;
    if (!link->header_read && !take_header(link)) {
        retry(link, ROS1_NEVER); /* asking again would give the same answer */
        return;
    }
    if (link->header_read && !take_messages(link)) {
        retry(link, ROS1_RETRY_MAX_NS);
    }
}

static void on_closed(rclitei_stream *stream, int error) {
    (void)error;
    retry_later((struct ros1_link *)stream);
}

/* ---- asking and connecting ---------------------------------------------------------------------
 */

static void on_connected(rclitei_stream *stream) {
    struct ros1_link *link = (struct ros1_link *)stream;
    struct ros1_context *context = link->context;
    rclitei_packet *packet = NULL;
    pthread_mutex_lock(&context->lock);
    const struct ros1_subscription *subscription = link->subscription;
    if (subscription) {
        const rclite_type_view *view = subscription->base.type->ros1;
        const rclitei_header_field fields[] = {
            {"callerid", subscription->node->base->full_name},
            {"md5sum", view->fingerprint},
            {"message_definition", view->definition},
            {"tcp_nodelay", "1"},
            {"topic", subscription->base.topic},
            {"type", view->wire_name},
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

/* ["TCPROS", host, port]; a port that comes as text is taken, too. */
static bool read_answer(xmlrpc_value *value, char *ret_host, size_t host_bytes, int *ret_port) {
    xmlrpc_env env;
    const char *protocol = NULL;
    const char *host = NULL;
    xmlrpc_value *port = NULL;
    bool good = false;
    xmlrpc_env_init(&env);
    xmlrpc_decompose_value(&env, value, "(ssV*)", &protocol, &host, &port);
    if (!env.fault_occurred) {
        const char *text = NULL;
        if (xmlrpc_value_type(port) == XMLRPC_TYPE_STRING) {
            xmlrpc_read_string(&env, port, &text);
            *ret_port = text ? atoi(text) : 0;
            rclitei_xmlrpc_text_free(text);
        } else {
            xmlrpc_read_int(&env, port, ret_port);
        }
        good = !env.fault_occurred && strcmp(protocol, "TCPROS") == 0 &&
               strlen(host)<host_bytes && * ret_port> 0 && *ret_port <= UINT16_MAX;
        if (good) {
            strcpy(ret_host, host);
        }
        rclitei_xmlrpc_text_free(protocol);
        rclitei_xmlrpc_text_free(host);
        xmlrpc_DECREF(port);
    }
    xmlrpc_env_clean(&env);
    return good;
}

static void on_answer(void *user, const rclitei_rpc_answer *answer) {
    struct ros1_link *link = user;
    struct ros1_context *context = link->context;
    char host[256];
    int port = 0;
    link->asking = false;
    pthread_mutex_lock(&context->lock);
    bool wanted = link->subscription != NULL;
    pthread_mutex_unlock(&context->lock);
    if (!wanted) {
        rclitei_loop_task_cancel(context->loop, &link->closing);
        finish(link);
        return;
    }
    if (answer->result == RCLITE_OK && !read_answer(answer->value, host, sizeof host, &port)) {
        rclitei_ros1_log(context, RCLITE_LOG_ERROR,
            "requestTopic at %s: the answer is not [\"TCPROS\", host, port]", link->uri);
    }
    if (port > 0 && rclitei_stream_connect(&link->stream, context->loop, &context->base.allocator,
                        &handler, context->resolver, host, (uint16_t)port) == RCLITE_OK) {
        link->streaming = true;
        rclitei_loop_timer_start(context->loop, &link->timer, context->handshake_ns);
    } else {
        retry_later(link);
    }
}

/* The pause is over: ask; or the time for connecting and the header is over: again. */
static void on_timer(rclitei_loop_timer *timer) {
    struct ros1_link *link =
        (struct ros1_link *)(void *)((char *)timer - offsetof(struct ros1_link, timer));
    struct ros1_context *context = link->context;
    if (link->streaming) {
        retry_later(link);
        return;
    }
    rclite_result result = RCLITE_ERR_SHUTDOWN;
    pthread_mutex_lock(&context->lock);
    if (link->subscription) {
        result = rclitei_rpc_start(context->rpc, link->uri, RCLITEI_RPC_TIMEOUT_NS, on_answer, link,
            "requestTopic", "(ss((s)))", link->subscription->node->base->full_name,
            link->subscription->base.topic, "TCPROS");
        link->asking = result == RCLITE_OK;
    }
    pthread_mutex_unlock(&context->lock);
    if (result == RCLITE_ERR_INVALID) {
        rclitei_ros1_log(context, RCLITE_LOG_ERROR,
            "the master names a publisher at '%s', which is no URI", link->uri);
        retry(link, ROS1_NEVER);
    } else if (result != RCLITE_OK) {
        retry_later(link);
    }
}
