/* The ROS 1 context: the loop, the master's URI, and the address that other nodes are told. */
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/names.h"
#include "ros1/http.h"
#include "ros1/ros1.h"

#define MASTER_WAIT_NS INT64_C(5000000000)
#define MASTER_PAUSE_NS INT64_C(100000000)

/* The first that is there: argument, option, environment, the usual place. */
static const char *choose_master(
    const struct ros1_context *context, const rclite_context_options *options) {
    if (context->base.names->master_uri) {
        return context->base.names->master_uri;
    }
    if (options->master_uri) {
        return options->master_uri;
    }
    const char *environment = getenv("ROS_MASTER_URI");
    return environment && *environment ? environment : "http://localhost:11311";
}

/* The local address from which the master is reached: loopback for a master on this host, and
 * otherwise the interface that leads there. */
static rclite_result find_local_address(
    const char *master_uri, char *ret_address, size_t size, rclite_error *reterr) {
    char host[256];
    uint16_t port;
    const char *path;
    if (!rclitei_uri_parse(master_uri, "http", host, sizeof host, &port, &path)) {
        return rclitei_fail(reterr, RCLITE_ERR_INVALID, 0,
            "ROS_MASTER_URI '%s' is no URI as http://host:port", master_uri);
    }
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
    if (!rclitei_resolve_now(host, &to.sin_addr)) {
        struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM};
        struct addrinfo *found = NULL;
        int error = getaddrinfo(host, NULL, &hints, &found);
        if (error != 0) {
            return rclitei_fail(reterr, RCLITE_ERR_TRANSPORT, 0,
                "the host of ROS_MASTER_URI '%s' is not known: %s", master_uri,
                gai_strerror(error));
        }
        to.sin_addr = ((const struct sockaddr_in *)(const void *)found->ai_addr)->sin_addr;
        freeaddrinfo(found);
    }
    struct sockaddr_in local;
    socklen_t local_size = sizeof local;
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0); /* connecting it sends nothing */
    int error = fd < 0 ? errno : 0;
    if (error == 0 && (connect(fd, (struct sockaddr *)&to, sizeof to) != 0 ||
                          getsockname(fd, (struct sockaddr *)&local, &local_size) != 0)) {
        error = errno;
    }
    if (fd >= 0) {
        close(fd);
    }
    if (error != 0) {
        return rclitei_fail(reterr, RCLITE_ERR_TRANSPORT, error,
            "there is no way to ROS_MASTER_URI '%s': %s", master_uri, strerror(error));
    }
    inet_ntop(AF_INET, &local.sin_addr, ret_address, (socklen_t)size);
    return RCLITE_OK;
}

static rclite_result choose_address(struct ros1_context *context, rclite_error *reterr) {
    const rclitei_names *names = context->base.names;
    char local[INET_ADDRSTRLEN];
    const char *host = names->hostname ? names->hostname : names->ip;
    if (!host) {
        host = getenv("ROS_HOSTNAME");
    }
    if (!host || !*host) {
        host = getenv("ROS_IP");
    }
    rclite_result result = find_local_address(context->master_uri, local, sizeof local, reterr);
    if (result != RCLITE_OK) {
        return result;
    }
    if (!host || !*host) {
        host = local;
    }
    struct in_addr address;
    bool is_loopback = rclitei_resolve_now(host, &address) && (ntohl(address.s_addr) >> 24) == 127;
    snprintf(context->listen_address, sizeof context->listen_address, "%s",
        is_loopback ? inet_ntop(AF_INET, &address, local, sizeof local) : "0.0.0.0");
    context->host = rclitei_copy_text(&context->base.allocator, host);
    return context->host ? RCLITE_OK
                         : rclitei_fail(reterr, RCLITE_ERR_NO_MEMORY, 0, "out of memory");
}

/* A master that is just being started is waited for. */
static rclite_result wait_for_master(struct ros1_context *context, rclite_error *reterr) {
    int64_t deadline = rclite_monotonic_ns() + MASTER_WAIT_NS;
    for (;;) {
        rclite_error error;
        rclite_result result = rclitei_rpc_call(
            context->rpc, context->master_uri, NULL, &error, "getPid", "(s)", "/rclite");
        if (result != RCLITE_ERR_TRANSPORT || atomic_load(&context->base.shutdown) ||
            rclite_monotonic_ns() >= deadline) {
            return result == RCLITE_OK ? result
                                       : rclitei_fail(reterr, result, 0,
                                             "no ROS 1 master at ROS_MASTER_URI %.80s: %.150s",
                                             context->master_uri, error.text);
        }
        struct timespec pause = {0, MASTER_PAUSE_NS};
        nanosleep(&pause, NULL);
    }
}

static rclite_result create_parts(struct ros1_context *context, rclite_error *reterr) {
    const rclite_allocator *allocator = &context->base.allocator;
    int error = 0;
    rclite_result result = rclitei_loop_create(allocator, &context->loop, &error);
    if (result != RCLITE_OK) {
        return rclitei_fail(reterr, result, error, "the loop cannot be started: %s",
            error ? strerror(error) : "out of memory");
    }
    context->pool = rclitei_pool_create(allocator, 16);
    context->resolver = rclitei_resolver_create(allocator, context->loop);
    if (context->resolver) {
        context->rpc = rclitei_rpc_create(allocator, context->loop, context->resolver);
    }
    if (!context->pool || !context->rpc ||
        rclitei_ros1_slave_registry_create(context, &context->registry) != RCLITE_OK) {
        return rclitei_fail(reterr, RCLITE_ERR_NO_MEMORY, 0, "out of memory");
    }
    context->base.describe = rclitei_format(allocator,
        "{\"generation\": 1, \"transport\": \"TCPROS\", \"master_uri\": \"%s\", \"host\": \"%s\"}",
        context->master_uri, context->host);
    return RCLITE_OK;
}

rclite_result rclitei_ros1_context_init(
    rclite_context *base, const rclite_context_options *options, rclite_error *reterr) {
    struct ros1_context *context = (struct ros1_context *)base;
    rclitei_xmlrpc_setup();
    context->handshake_ns = ROS1_HANDSHAKE_NS;
    pthread_mutex_init(&context->lock, NULL);
    pthread_mutex_init(&context->log_lock, NULL);
    pthread_cond_init(&context->changed, NULL);
    context->master_uri = rclitei_copy_text(&base->allocator, choose_master(context, options));
    rclite_result result = context->master_uri
                               ? choose_address(context, reterr)
                               : rclitei_fail(reterr, RCLITE_ERR_NO_MEMORY, 0, "out of memory");
    if (result == RCLITE_OK) {
        result = create_parts(context, reterr);
    }
    if (result == RCLITE_OK) {
        result = wait_for_master(context, reterr);
    }
    if (result != RCLITE_OK) {
        rclitei_ros1_context_done(base);
    }
    return result;
}

void rclitei_ros1_context_done(rclite_context *base) {
    struct ros1_context *context = (struct ros1_context *)base;
    rclitei_ros1_graph_watch_done(context);
    if (context->rpc) {
        rclitei_rpc_drain(context->rpc, RCLITEI_RPC_TIMEOUT_NS);
        rclitei_rpc_stop(context->rpc);
    }
    rclitei_resolver_free(context->resolver);
    rclitei_loop_free(context->loop);
    rclitei_rpc_free(context->rpc);
    if (context->registry) {
        xmlrpc_registry_free(context->registry);
    }
    rclitei_pool_free(context->pool);
    rclitei_release(&base->allocator, context->host);
    rclitei_release(&base->allocator, context->master_uri);
    pthread_cond_destroy(&context->changed);
    pthread_mutex_destroy(&context->log_lock);
    pthread_mutex_destroy(&context->lock);
}

void rclitei_ros1_context_interrupt(rclite_context *base) {
    struct ros1_context *context = (struct ros1_context *)base;
    if (context->loop) {
        rclitei_loop_wake(context->loop);
    }
}

struct ros1_context *rclitei_ros1_context(const rclite_node *node) {
    return (struct ros1_context *)node->context;
}
