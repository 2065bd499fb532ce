/* The calls to one URI, carried out one after the other over a connection that is kept alive. All
 * on the loop's thread. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "rclite/time.h"
#include "ros1/http.h"
#include "ros1/rpc_internal.h"

#define IDLE_NS INT64_C(2000000000) /* a connection that nobody uses is kept so long */

/* A connection of a channel. It outlives neither its loop nor needs its channel once closed. */
struct rpc_connection {
    rclitei_stream stream;       /* first */
    struct rpc_channel *channel; /* loop thread only; NULL: abandoned */
    bool answered; /* has carried a whole exchange, so the other side may have closed it */
};

void rclitei_rpc_channel_abandon(struct rpc_channel *channel) {
    if (channel->connection) {
        channel->connection->channel = NULL;
        rclitei_stream_close(&channel->connection->stream);
        channel->connection = NULL;
    }
    channel->sent = false;
}

struct rpc_call *rclitei_rpc_channel_peek(struct rpc_channel *channel) {
    pthread_mutex_lock(&channel->rpc->mutex);
    struct rpc_call *first = channel->first;
    pthread_mutex_unlock(&channel->rpc->mutex);
    return first;
}

/* Ends the first call: takes it off and tells its caller. */
void rclitei_rpc_channel_finish(
    struct rpc_channel *channel, rclite_result result, xmlrpc_value *value, const char *problem) {
    rclitei_rpc *rpc = channel->rpc;
    pthread_mutex_lock(&rpc->mutex);
    struct rpc_call *call = channel->first;
    channel->first = call->next;
    if (!channel->first) {
        channel->last = &channel->first;
    }
    pthread_mutex_unlock(&rpc->mutex);
    channel->sent = false;
    channel->retried = false;
    char text[512] = "";
    if (result != RCLITE_OK) {
        snprintf(text, sizeof text, "%s at %s: %s", call->method, channel->uri, problem);
    }
    if (call->done) {
        call->done(call->user, &(rclitei_rpc_answer){result, value, text});
    }
    rclitei_packet_release(call->request);
    rclitei_rpc_allocate(rpc, call, 0);
    pthread_mutex_lock(&rpc->mutex);
    rpc->outstanding--;
    pthread_cond_broadcast(&rpc->changed);
    pthread_mutex_unlock(&rpc->mutex);
}

static void on_input(rclitei_stream *stream) {
    struct rpc_connection *connection = (struct rpc_connection *)stream;
    struct rpc_channel *channel = connection->channel;
    size_t size;
    uint8_t *bytes = (uint8_t *)(uintptr_t)rclitei_stream_input(stream, &size);
    rclitei_http_message message;
    if (!channel->sent) { /* nobody asked */
        rclitei_rpc_channel_abandon(channel);
        return;
    }
    rclitei_http_result read = rclitei_http_read(bytes, size, true, false, &message);
    if (read == RCLITEI_HTTP_MORE) {
        rclitei_stream_want(stream, message.total_size);
        return;
    }
    char text[256] = "";
    xmlrpc_value *value = NULL;
    rclite_result result = RCLITE_ERR_MALFORMED;
    if (read == RCLITEI_HTTP_BAD) {
        snprintf(text, sizeof text, "the answer is no HTTP");
    } else if (message.status != 200) {
        snprintf(text, sizeof text, "HTTP status %d", message.status);
        result = RCLITE_ERR_TRANSPORT;
    } else {
        result =
            rclitei_rpc_parse_answer(message.body, message.body_size, &value, text, sizeof text);
    }
    connection->answered = true;
    if (read == RCLITEI_HTTP_BAD || !message.keep_alive) {
        rclitei_rpc_channel_abandon(channel);
    } else {
        rclitei_stream_consume(stream, message.total_size);
    }
    rclitei_rpc_channel_finish(channel, result, value, text);
    if (value) {
        xmlrpc_DECREF(value);
    }
    rclitei_loop_post(channel->rpc->loop, &channel->step);
}

/* A response without a length ends where the connection ends. */
static bool take_last_answer(struct rpc_channel *channel, rclitei_stream *stream) {
    size_t size;
    uint8_t *bytes = (uint8_t *)(uintptr_t)rclitei_stream_input(stream, &size);
    rclitei_http_message message;
    if (size == 0 || rclitei_http_read(bytes, size, true, true, &message) != RCLITEI_HTTP_WHOLE ||
        message.status != 200) {
        return false;
    }
    char text[256] = "";
    xmlrpc_value *value = NULL;
    rclite_result result =
        rclitei_rpc_parse_answer(message.body, message.body_size, &value, text, sizeof text);
    rclitei_rpc_channel_abandon(channel);
    rclitei_rpc_channel_finish(channel, result, value, text);
    if (value) {
        xmlrpc_DECREF(value);
    }
    return true;
}

static void on_closed(rclitei_stream *stream, int error) {
    struct rpc_connection *connection = (struct rpc_connection *)stream;
    struct rpc_channel *channel = connection->channel;
    bool was_answered = connection->answered;
    bool was_sent = channel->sent;
    if (was_sent && error == 0 && take_last_answer(channel, stream)) {
        goto next;
    }
    rclitei_rpc_channel_abandon(channel);
    if (was_sent && was_answered && !channel->retried) {
        channel->retried = true; /* it was closed between two calls: once more */
    } else if (was_sent) {
        rclitei_rpc_channel_finish(channel,
            error == ENOMEM ? RCLITE_ERR_NO_MEMORY : RCLITE_ERR_TRANSPORT, NULL,
            error ? strerror(error) : "the connection was closed without an answer");
    }
next:
    rclitei_loop_post(channel->rpc->loop, &channel->step);
}

static void release_connection(rclitei_stream *stream) {
    rclite_allocator allocator = stream->allocator;
    allocator.reallocate(allocator.state, stream, 0);
}

static const rclitei_stream_handler connection_handler = {
    .on_input = on_input, .on_closed = on_closed, .release = release_connection};

static rclite_result connect_channel(struct rpc_channel *channel) {
    rclitei_rpc *rpc = channel->rpc;
    struct rpc_connection *connection = rclitei_rpc_allocate(rpc, NULL, sizeof *connection);
    if (!connection) {
        return RCLITE_ERR_NO_MEMORY;
    }
    connection->channel = channel;
    connection->answered = false;
    rclite_result result = rclitei_stream_connect(&connection->stream, rpc->loop, &rpc->allocator,
        &connection_handler, rpc->resolver, channel->host, channel->port);
    if (result != RCLITE_OK) {
        rclitei_rpc_allocate(rpc, connection, 0);
        return result;
    }
    channel->connection = connection;
    return RCLITE_OK;
}

static void release_channel(rclitei_grave *grave) {
    struct rpc_channel *dead =
        (struct rpc_channel *)(void *)((char *)grave - offsetof(struct rpc_channel, grave));
    rclitei_rpc_allocate(dead->rpc, dead, 0);
}

/* Nothing was asked for a while: takes the channel out of the list. */
static void retire(struct rpc_channel *old) {
    rclitei_rpc *rpc = old->rpc;
    pthread_mutex_lock(&rpc->mutex);
    bool idle = !old->first;
    struct rpc_channel **at = &rpc->channels;
    while (idle && *at != old) {
        at = &(*at)->next;
    }
    if (idle) {
        *at = old->next;
    }
    pthread_mutex_unlock(&rpc->mutex);
    if (idle) {
        rclitei_rpc_channel_abandon(old);
        rclitei_loop_task_cancel(rpc->loop, &old->step);
        rclitei_loop_timer_stop(rpc->loop, &old->timer);
        old->grave.release = release_channel;
        rclitei_loop_bury(rpc->loop, &old->grave);
    }
}

void rclitei_rpc_channel_on_timer(rclitei_loop_timer *timer) {
    struct rpc_channel *channel =
        (struct rpc_channel *)(void *)((char *)timer - offsetof(struct rpc_channel, timer));
    struct rpc_call *first = rclitei_rpc_channel_peek(channel);
    if (!first) {
        retire(channel);
        return;
    }
    if (first->deadline_ns <= rclite_monotonic_ns()) {
        rclitei_rpc_channel_abandon(channel);
        rclitei_rpc_channel_finish(channel, RCLITE_ERR_TIMEOUT, NULL, "no answer in time");
    }
    rclitei_loop_post(channel->rpc->loop, &channel->step);
}

static rclite_result send_first(struct rpc_channel *channel, struct rpc_call *first) {
    rclite_result result = channel->connection ? RCLITE_OK : connect_channel(channel);
    if (result == RCLITE_OK) {
        channel->sent = true;
        result = rclitei_stream_send(&channel->connection->stream, first->request, 0, NULL);
    }
    return result;
}

/* Sends the next call, if none is under way. */
void rclitei_rpc_channel_run(rclitei_task *task) {
    struct rpc_channel *channel = (struct rpc_channel *)task;
    rclitei_rpc *rpc = channel->rpc;
    struct rpc_call *first = rclitei_rpc_channel_peek(channel);
    int64_t wait_ns = IDLE_NS;
    if (first && !channel->sent) {
        rclite_result result = send_first(channel, first);
        if (result != RCLITE_OK) {
            rclitei_rpc_channel_abandon(channel);
            rclitei_rpc_channel_finish(channel, result, NULL,
                result == RCLITE_ERR_NO_MEMORY ? "out of memory" : "it cannot be connected to");
            rclitei_loop_post(rpc->loop, &channel->step);
            return;
        }
    }
    if (first) {
        wait_ns = first->deadline_ns - rclite_monotonic_ns();
    }
    if (rclitei_loop_timer_start(rpc->loop, &channel->timer, wait_ns < 0 ? 0 : wait_ns) !=
            RCLITE_OK &&
        first) {
        rclitei_rpc_channel_abandon(channel);
        rclitei_rpc_channel_finish(channel, RCLITE_ERR_NO_MEMORY, NULL, "out of memory");
    }
}
