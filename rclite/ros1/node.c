/* A ROS 1 node: its two listeners, and what it tells the master. Each node of a context has servers
 * of its own, so that the master and the tools can tell them apart. */
#include "ros1/ros1.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct ros1_node *rclitei_ros1_node(const rclite_node *node) {
    return node->impl;
}

rclite_result rclitei_ros1_node_init(rclite_node *base, rclite_error *reterr) {
    struct ros1_context *context = rclitei_ros1_context(base);
    const rclite_allocator *allocator = &base->context->allocator;
    struct ros1_node *node = rclitei_allocate(allocator, sizeof *node);
    if (!node) {
        return rclitei_fail(
            reterr, RCLITE_ERR_NO_MEMORY, 0, "no memory for node %.100s", base->full_name);
    }
    node->base = base;
    node->context = context;
    base->impl = node;
    pthread_mutex_lock(&context->lock);
    rclite_result result =
        rclitei_ros1_listen(node, rclitei_ros1_slave_accepted, &node->rpc_listener, reterr);
    if (result == RCLITE_OK) {
        result = rclitei_ros1_listen(
            node, rclitei_ros1_inbound_accepted, &node->tcpros_listener, reterr);
    }
    if (result == RCLITE_OK) {
        node->uri = rclitei_format(
            allocator, "http://%s:%u/", context->host, (unsigned)node->rpc_listener->port);
        if (!node->uri) {
            result = rclitei_fail(reterr, RCLITE_ERR_NO_MEMORY, 0, "out of memory");
        }
    }
    node->next = context->nodes;
    context->nodes = node;
    pthread_mutex_unlock(&context->lock);
    if (result != RCLITE_OK) {
        rclitei_ros1_node_done(base);
        return result;
    }
    rclitei_ros1_parameters_send(node);
    rclitei_ros1_rosout_open(node);
    return RCLITE_OK;
}

void rclitei_ros1_node_done(rclite_node *base) {
    struct ros1_node *node = base->impl;
    struct ros1_context *context = node->context;
    rclitei_ros1_rosout_close(node);
    pthread_mutex_lock(&context->lock);
    struct ros1_node **at = &context->nodes;
    while (*at != node) {
        at = &(*at)->next;
    }
    *at = node->next;
    rclitei_ros1_listener_close(node->rpc_listener);
    rclitei_ros1_listener_close(node->tcpros_listener);
    rclitei_ros1_slave_close_all(node);
    while (node->inbounds) {
        rclitei_ros1_inbound_abandon(node->inbounds);
    }
    pthread_mutex_unlock(&context->lock);
    rclitei_release(&base->context->allocator, node->uri);
    base->impl = rclitei_release(&base->context->allocator, node);
}

static void on_registered(void *user, const rclitei_rpc_answer *answer) {
    struct ros1_context *context = user;
    if (answer->result != RCLITE_OK) {
        rclitei_ros1_log(context, RCLITE_LOG_ERROR, "%s", answer->text);
    }
}

rclite_result rclitei_ros1_register(
    struct ros1_node *node, const char *method, rclite_error *reterr, const char *format, ...) {
    struct ros1_context *context = node->context;
    va_list arguments;
    va_start(arguments, format);
    xmlrpc_value *params = rclitei_xmlrpc_build(format, arguments);
    va_end(arguments);
    if (!params) {
        return rclitei_fail(
            reterr, RCLITE_ERR_INVALID, 0, "%s: an argument is no valid UTF-8", method);
    }
    rclite_result result;
    if (rclitei_loop_is_current(context->loop)) {
        result = rclitei_rpc_start_value(context->rpc, context->master_uri, RCLITEI_RPC_TIMEOUT_NS,
            on_registered, context, method, params);
        if (result != RCLITE_OK) {
            rclitei_fail(reterr, result, 0, "%s could not be started", method);
        }
    } else {
        result =
            rclitei_rpc_call_value(context->rpc, context->master_uri, NULL, reterr, method, params);
    }
    xmlrpc_DECREF(params);
    return result;
}

void rclitei_ros1_tell_master(struct ros1_node *node, const char *method, const char *format, ...) {
    struct ros1_context *context = node->context;
    va_list arguments;
    va_start(arguments, format);
    xmlrpc_value *params = rclitei_xmlrpc_build(format, arguments);
    va_end(arguments);
    if (params) {
        rclitei_rpc_start_value(
            context->rpc, context->master_uri, RCLITEI_RPC_TIMEOUT_NS, NULL, NULL, method, params);
        xmlrpc_DECREF(params);
    }
}
