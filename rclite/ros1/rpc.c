/* XML-RPC client calls in the loop; see rpc.h. */
#include "ros1/rpc.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "rclite/time.h"
#include "ros1/http.h"
#include "ros1/rpc_internal.h"

#define IDLE_NS INT64_C(2000000000) /* a connection that nobody uses is kept so long */

struct call {
    struct call *next;
    rclitei_packet *request;
    rclitei_rpc_done done;
    void *user;
    int64_t deadline_ns;
    const char *method; /* a literal */
};

struct channel;

/* A connection of a channel. It outlives neither its loop nor needs its channel once closed. */
struct connection {
    rclitei_stream stream;   /* first */
    struct channel *channel; /* loop thread only; NULL: abandoned */
    bool answered; /* has carried a whole exchange, so the other side may have closed it */
};

struct channel {
    rclitei_task step; /* first: a task is its struct channel */
    rclitei_loop_timer timer;
    rclitei_grave grave;
    rclitei_rpc *rpc;
    struct channel *next;
    struct connection *connection; /* loop thread only, as are the next three */
    bool sent;                     /* the first call was handed to the struct connection */
    bool retried;                  /* ... a second time */
    struct call *first, **last;    /* guarded by rpc->mutex */
    uint16_t port;
    const char *path;
    char host[256];
    char uri[];
};

static void run_channel(rclitei_task *task);
static void on_timer(rclitei_loop_timer *timer);

void *rclitei_rpc_allocate(rclitei_rpc *rpc, void *memory, size_t size) {
    return rpc->allocator.reallocate(rpc->allocator.state, memory, size);
}

/* ---- channels: all on the loop's thread --------------------------------------------------------
 */

static void abandon_connection(struct channel *channel) {
    if (channel->connection) {
        channel->connection->channel = NULL;
        rclitei_stream_close(&channel->connection->stream);
        channel->connection = NULL;
    }
    channel->sent = false;
}

static struct call *peek(struct channel *channel) {
    pthread_mutex_lock(&channel->rpc->mutex);
    struct call *first = channel->first;
    pthread_mutex_unlock(&channel->rpc->mutex);
    return first;
}

/* Ends the first call: takes it off and tells its caller. */
static void finish(
    struct channel *channel, rclite_result result, xmlrpc_value *value, const char *problem) {
    rclitei_rpc *rpc = channel->rpc;
    pthread_mutex_lock(&rpc->mutex);
    struct call *call = channel->first;
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
    struct connection *connection = (struct connection *)stream;
    struct channel *channel = connection->channel;
    size_t size;
    uint8_t *bytes = (uint8_t *)(uintptr_t)rclitei_stream_input(stream, &size);
    rclitei_http_message message;
    if (!channel->sent) { /* nobody asked */
        abandon_connection(channel);
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
        abandon_connection(channel);
    } else {
        rclitei_stream_consume(stream, message.total_size);
    }
    finish(channel, result, value, text);
    if (value) {
        xmlrpc_DECREF(value);
    }
    rclitei_loop_post(channel->rpc->loop, &channel->step);
}

/* A response without a length ends where the connection ends. */
static bool take_last_answer(struct channel *channel, rclitei_stream *stream) {
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
    abandon_connection(channel);
    finish(channel, result, value, text);
    if (value) {
        xmlrpc_DECREF(value);
    }
    return true;
}

static void on_closed(rclitei_stream *stream, int error) {
    struct connection *connection = (struct connection *)stream;
    struct channel *channel = connection->channel;
    bool was_answered = connection->answered;
    bool was_sent = channel->sent;
    if (was_sent && error == 0 && take_last_answer(channel, stream)) {
        goto next;
    }
    abandon_connection(channel);
    if (was_sent && was_answered && !channel->retried) {
        channel->retried = true; /* it was closed between two calls: once more */
    } else if (was_sent) {
        finish(channel, error == ENOMEM ? RCLITE_ERR_NO_MEMORY : RCLITE_ERR_TRANSPORT, NULL,
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

static rclite_result connect_channel(struct channel *channel) {
    rclitei_rpc *rpc = channel->rpc;
    struct connection *connection = rclitei_rpc_allocate(rpc, NULL, sizeof *connection);
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
    struct channel *dead =
        (struct channel *)(void *)((char *)grave - offsetof(struct channel, grave));
    rclitei_rpc_allocate(dead->rpc, dead, 0);
}

/* Nothing was asked for a while: takes the channel out of the list. */
static void retire(struct channel *old) {
    rclitei_rpc *rpc = old->rpc;
    pthread_mutex_lock(&rpc->mutex);
    bool idle = !old->first;
    struct channel **at = &rpc->channels;
    while (idle && *at != old) {
        at = &(*at)->next;
    }
    if (idle) {
        *at = old->next;
    }
    pthread_mutex_unlock(&rpc->mutex);
    if (idle) {
        abandon_connection(old);
        rclitei_loop_task_cancel(rpc->loop, &old->step);
        rclitei_loop_timer_stop(rpc->loop, &old->timer);
        old->grave.release = release_channel;
        rclitei_loop_bury(rpc->loop, &old->grave);
    }
}

static void on_timer(rclitei_loop_timer *timer) {
    struct channel *channel =
        (struct channel *)(void *)((char *)timer - offsetof(struct channel, timer));
    struct call *first = peek(channel);
    if (!first) {
        retire(channel);
        return;
    }
    if (first->deadline_ns <= rclite_monotonic_ns()) {
        abandon_connection(channel);
        finish(channel, RCLITE_ERR_TIMEOUT, NULL, "no answer in time");
    }
    rclitei_loop_post(channel->rpc->loop, &channel->step);
}

static rclite_result send_first(struct channel *channel, struct call *first) {
    rclite_result result = channel->connection ? RCLITE_OK : connect_channel(channel);
    if (result == RCLITE_OK) {
        channel->sent = true;
        result = rclitei_stream_send(&channel->connection->stream, first->request, 0, NULL);
    }
    return result;
}

/* Sends the next call, if none is under way. */
static void run_channel(rclitei_task *task) {
    struct channel *channel = (struct channel *)task;
    rclitei_rpc *rpc = channel->rpc;
    struct call *first = peek(channel);
    int64_t wait_ns = IDLE_NS;
    if (first && !channel->sent) {
        rclite_result result = send_first(channel, first);
        if (result != RCLITE_OK) {
            abandon_connection(channel);
            finish(channel, result, NULL,
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
        abandon_connection(channel);
        finish(channel, RCLITE_ERR_NO_MEMORY, NULL, "out of memory");
    }
}

/* ---- starting calls: any thread ----------------------------------------------------------------
 */

static struct channel *find_channel(rclitei_rpc *rpc, const char *uri) {
    for (struct channel *at = rpc->channels; at; at = at->next) {
        if (strcmp(at->uri, uri) == 0) {
            return at;
        }
    }
    size_t size = strlen(uri) + 1;
    struct channel *new = rclitei_rpc_allocate(rpc, NULL, sizeof *new + size);
    if (!new) {
        return NULL;
    }
    memset(new, 0, sizeof *new);
    memcpy(new->uri, uri, size);
    rclitei_uri_parse(new->uri, "http", new->host, sizeof new->host, &new->port, &new->path);
    new->step.run = run_channel;
    new->timer.on_due = on_timer;
    new->rpc = rpc;
    new->last = &new->first;
    new->next = rpc->channels;
    rpc->channels = new;
    return new;
}

static rclitei_packet *build_request(rclitei_rpc *rpc, const char *host, uint16_t port,
    const char *path, const char *method, xmlrpc_value *params) {
    xmlrpc_env env;
    rclitei_packet *packet = NULL;
    xmlrpc_env_init(&env);
    xmlrpc_mem_block *xml = xmlrpc_mem_block_new(&env, 0);
    if (!env.fault_occurred) {
        xmlrpc_serialize_call(&env, xml, method, params);
    }
    if (!env.fault_occurred) {
        size_t body = xmlrpc_mem_block_size(xml);
        char head[1024];
        int head_size = snprintf(head, sizeof head,
            "POST %s HTTP/1.1\r\nHost: %s:%u\r\nUser-Agent: rclite\r\n"
            "Content-Type: text/xml\r\nContent-Length: %zu\r\n\r\n",
            path, host, (unsigned)port, body);
        if (head_size > 0 && (size_t)head_size < sizeof head) {
            packet = rclitei_packet_take(rpc->pool, (size_t)head_size + body);
        }
        if (packet) {
            memcpy(packet->bytes, head, (size_t)head_size);
            memcpy(packet->bytes + head_size, xmlrpc_mem_block_contents(xml), body);
        }
    }
    if (xml) {
        xmlrpc_mem_block_free(xml);
    }
    xmlrpc_env_clean(&env);
    return packet;
}

rclite_result rclitei_rpc_start_value(rclitei_rpc *rpc, const char *uri, int64_t timeout_ns,
    rclitei_rpc_done done, void *user, const char *method, xmlrpc_value *params) {
    char host[256];
    uint16_t port;
    const char *path;
    if (!rclitei_uri_parse(uri, "http", host, sizeof host, &port, &path)) {
        return RCLITE_ERR_INVALID;
    }
    struct call *call = rclitei_rpc_allocate(rpc, NULL, sizeof *call);
    rclitei_packet *request = call ? build_request(rpc, host, port, path, method, params) : NULL;
    if (!request) {
        rclitei_rpc_allocate(rpc, call, 0);
        return RCLITE_ERR_NO_MEMORY;
    }
    *call = (struct call){.request = request,
        .done = done,
        .user = user,
        .deadline_ns = rclite_monotonic_ns() + timeout_ns,
        .method = method};
    pthread_mutex_lock(&rpc->mutex);
    struct channel *channel = rpc->stopped ? NULL : find_channel(rpc, uri);
    rclite_result result = RCLITE_OK;
    if (channel) {
        *channel->last = call;
        channel->last = &call->next;
        rpc->outstanding++;
        rclitei_loop_post(rpc->loop, &channel->step);
    } else {
        result = rpc->stopped ? RCLITE_ERR_SHUTDOWN : RCLITE_ERR_NO_MEMORY;
    }
    pthread_mutex_unlock(&rpc->mutex);
    if (result != RCLITE_OK) {
        rclitei_packet_release(request);
        rclitei_rpc_allocate(rpc, call, 0);
    }
    return result;
}

rclite_result rclitei_rpc_start(rclitei_rpc *rpc, const char *uri, int64_t timeout_ns,
    rclitei_rpc_done done, void *user, const char *method, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    xmlrpc_value *params = rclitei_xmlrpc_build(format, arguments);
    va_end(arguments);
    if (!params) {
        return RCLITE_ERR_INVALID; /* a string that is no UTF-8 */
    }
    rclite_result result =
        rclitei_rpc_start_value(rpc, uri, timeout_ns, done, user, method, params);
    xmlrpc_DECREF(params);
    return result;
}

struct timespec rclitei_rpc_deadline(int64_t ns) {
    int64_t at = rclite_monotonic_ns() + ns;
    return (struct timespec){at / 1000000000, at % 1000000000};
}

void rclitei_rpc_drain(rclitei_rpc *rpc, int64_t timeout_ns) {
    struct timespec deadline = rclitei_rpc_deadline(timeout_ns);
    pthread_mutex_lock(&rpc->mutex);
    int error = 0;
    while (rpc->outstanding > 0 && error != ETIMEDOUT) {
        error = pthread_cond_timedwait(&rpc->changed, &rpc->mutex, &deadline);
    }
    pthread_mutex_unlock(&rpc->mutex);
}

/* ---- begin and end -----------------------------------------------------------------------------
 */

rclitei_rpc *rclitei_rpc_create(
    const rclite_allocator *allocator, rclitei_loop *loop, rclitei_resolver *resolver) {
    rclitei_rpc *rpc = allocator->reallocate(allocator->state, NULL, sizeof *rpc);
    if (!rpc) {
        return NULL;
    }
    memset(rpc, 0, sizeof *rpc);
    rpc->allocator = *allocator;
    rpc->loop = loop;
    rpc->resolver = resolver;
    rpc->pool = rclitei_pool_create(allocator, 4);
    if (!rpc->pool) {
        rclitei_rpc_allocate(rpc, rpc, 0);
        return NULL;
    }
    pthread_mutex_init(&rpc->mutex, NULL);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&rpc->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    return rpc;
}

struct stopper {
    rclitei_task task; /* first */
    rclitei_rpc *rpc;
    bool done;
};

static void run_stop(rclitei_task *task) {
    struct stopper *stopper = (struct stopper *)task;
    rclitei_rpc *rpc = stopper->rpc;
    for (struct channel *at = rpc->channels; at; at = at->next) {
        abandon_connection(at);
        while (peek(at)) {
            finish(at, RCLITE_ERR_SHUTDOWN, NULL, "the context was freed");
        }
        rclitei_loop_timer_stop(rpc->loop, &at->timer);
        rclitei_loop_task_cancel(rpc->loop, &at->step);
    }
    pthread_mutex_lock(&rpc->mutex);
    stopper->done = true;
    pthread_cond_broadcast(&rpc->changed);
    pthread_mutex_unlock(&rpc->mutex);
}

void rclitei_rpc_stop(rclitei_rpc *rpc) {
    struct stopper stopper = {.task.run = run_stop, .rpc = rpc};
    pthread_mutex_lock(&rpc->mutex);
    rpc->stopped = true;
    pthread_mutex_unlock(&rpc->mutex);
    rclitei_loop_post(rpc->loop, &stopper.task);
    pthread_mutex_lock(&rpc->mutex);
    while (!stopper.done) {
        pthread_cond_wait(&rpc->changed, &rpc->mutex);
    }
    pthread_mutex_unlock(&rpc->mutex);
    rclitei_loop_task_cancel(rpc->loop, &stopper.task); /* until its handler has returned */
}

rclitei_rpc *rclitei_rpc_free(rclitei_rpc *rpc) {
    if (!rpc) {
        return NULL;
    }
    while (rpc->channels) {
        struct channel *next = rpc->channels->next;
        rclitei_rpc_allocate(rpc, rpc->channels, 0);
        rpc->channels = next;
    }
    rclitei_pool_free(rpc->pool);
    pthread_cond_destroy(&rpc->changed);
    pthread_mutex_destroy(&rpc->mutex);
    rclitei_rpc_allocate(rpc, rpc, 0);
    return NULL;
}
