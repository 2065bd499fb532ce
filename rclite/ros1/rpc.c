/* XML-RPC client calls: starting them, and the life of it all; see rpc.h. */
#include "ros1/rpc.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "rclite/time.h"
#include "ros1/http.h"
#include "ros1/rpc_internal.h"

void *rclitei_rpc_allocate(rclitei_rpc *rpc, void *memory, size_t size) {
    return rpc->allocator.reallocate(rpc->allocator.state, memory, size);
}

/* ---- starting calls: any thread ------------------------------------------------------------- */

static struct rpc_channel *find_channel(rclitei_rpc *rpc, const char *uri) {
    for (struct rpc_channel *at = rpc->channels; at; at = at->next) {
        if (strcmp(at->uri, uri) == 0) {
            return at;
        }
    }
    size_t size = strlen(uri) + 1;
    struct rpc_channel *new = rclitei_rpc_allocate(rpc, NULL, sizeof *new + size);
    if (!new) {
        return NULL;
    }
    memset(new, 0, sizeof *new);
    memcpy(new->uri, uri, size);
    rclitei_uri_parse(new->uri, "http", new->host, sizeof new->host, &new->port, &new->path);
    new->step.run = rclitei_rpc_channel_run;
    new->timer.on_due = rclitei_rpc_channel_on_timer;
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
    struct rpc_call *call = rclitei_rpc_allocate(rpc, NULL, sizeof *call);
    rclitei_packet *request = call ? build_request(rpc, host, port, path, method, params) : NULL;
    if (!request) {
        rclitei_rpc_allocate(rpc, call, 0);
        return RCLITE_ERR_NO_MEMORY;
    }
    *call = (struct rpc_call){.request = request,
        .done = done,
        .user = user,
        .deadline_ns = rclite_monotonic_ns() + timeout_ns,
        .method = method};
    pthread_mutex_lock(&rpc->mutex);
    struct rpc_channel *channel = rpc->stopped ? NULL : find_channel(rpc, uri);
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

/* ---- begin and end -------------------------------------------------------------------------- */

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
    for (struct rpc_channel *at = rpc->channels; at; at = at->next) {
        rclitei_rpc_channel_abandon(at);
        while (rclitei_rpc_channel_peek(at)) {
            rclitei_rpc_channel_finish(at, RCLITE_ERR_SHUTDOWN, NULL, "the context was freed");
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
        struct rpc_channel *next = rpc->channels->next;
        rclitei_rpc_allocate(rpc, rpc->channels, 0);
        rpc->channels = next;
    }
    rclitei_pool_free(rpc->pool);
    pthread_cond_destroy(&rpc->changed);
    pthread_mutex_destroy(&rpc->mutex);
    rclitei_rpc_allocate(rpc, rpc, 0);
    return NULL;
}
