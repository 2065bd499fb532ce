/* XML-RPC calls that a thread waits for; see rpc.h. */
#include <errno.h>
#include <stdio.h>

#include "core/fail.h"
#include "ros1/rpc_internal.h"

/* Shared by the waiting thread and the call; the second one to let go frees it. */
struct waiter {
    rclitei_rpc *rpc;
    bool is_done, is_left;
    rclite_result result;
    xmlrpc_value *value;
    char text[256];
};

static void on_waited(void *user, const rclitei_rpc_answer *answer) {
    struct waiter *waiter = user;
    rclitei_rpc *rpc = waiter->rpc;
    pthread_mutex_lock(&rpc->mutex);
    bool left = waiter->is_left;
    waiter->is_done = true;
    waiter->result = answer->result;
    snprintf(waiter->text, sizeof waiter->text, "%s", answer->text);
    if (answer->value && !left) {
        waiter->value = answer->value;
        xmlrpc_INCREF(waiter->value);
    }
    pthread_cond_broadcast(&rpc->changed);
    pthread_mutex_unlock(&rpc->mutex);
    if (left) {
        rclitei_rpc_allocate(rpc, waiter, 0);
    }
}

static bool wait_done(rclitei_rpc *rpc, struct waiter *waiter, int64_t timeout_ns) {
    struct timespec deadline = rclitei_rpc_deadline(timeout_ns);
    pthread_mutex_lock(&rpc->mutex);
    int error = 0;
    while (!waiter->is_done && error != ETIMEDOUT) {
        error = pthread_cond_timedwait(&rpc->changed, &rpc->mutex, &deadline);
    }
    bool done = waiter->is_done;
    waiter->is_left = true;
    pthread_mutex_unlock(&rpc->mutex);
    return done;
}

rclite_result rclitei_rpc_call_value(rclitei_rpc *rpc, const char *uri, xmlrpc_value **ret_value,
    rclite_error *reterr, const char *method, xmlrpc_value *params) {
    if (rclitei_loop_is_current(rpc->loop)) {
        return rclitei_fail(reterr, RCLITE_ERR_STATE, 0,
            "%s would block the thread that runs the callbacks", method);
    }
    struct waiter *waiter = rclitei_rpc_allocate(rpc, NULL, sizeof *waiter);
    if (!waiter) {
        return rclitei_fail(reterr, RCLITE_ERR_NO_MEMORY, 0, "%s: out of memory", method);
    }
    *waiter = (struct waiter){.rpc = rpc};
    rclite_result result = rclitei_rpc_start_value(
        rpc, uri, RCLITEI_RPC_TIMEOUT_NS, on_waited, waiter, method, params);
    if (result != RCLITE_OK) {
        rclitei_rpc_allocate(rpc, waiter, 0);
        return rclitei_fail(reterr, result, 0, "%s at %s: %s", method, uri,
            result == RCLITE_ERR_INVALID ? "this is no URI as http://host:port"
                                         : rclite_result_string(result));
    }
    /* The call ends by itself, unless a callback of the user keeps the loop's thread. */
    if (!wait_done(rpc, waiter, RCLITEI_RPC_TIMEOUT_NS + RCLITEI_RPC_TIMEOUT_NS / 5)) {
        return rclitei_fail(reterr, RCLITE_ERR_TIMEOUT, 0,
            "%s at %s: a callback has kept the receiving thread busy", method, uri);
    }
    result = waiter->result;
    if (result != RCLITE_OK) {
        rclitei_fail(reterr, result, 0, "%s", waiter->text);
    } else if (ret_value) {
        *ret_value = waiter->value;
    } else {
        xmlrpc_DECREF(waiter->value);
    }
    rclitei_rpc_allocate(rpc, waiter, 0);
    return result;
}

rclite_result rclitei_rpc_call(rclitei_rpc *rpc, const char *uri, xmlrpc_value **ret_value,
    rclite_error *reterr, const char *method, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    xmlrpc_value *params = rclitei_xmlrpc_build(format, arguments);
    va_end(arguments);
    if (!params) {
        return rclitei_fail(
            reterr, RCLITE_ERR_INVALID, 0, "%s: an argument is no valid UTF-8", method);
    }
    rclite_result result = rclitei_rpc_call_value(rpc, uri, ret_value, reterr, method, params);
    xmlrpc_DECREF(params);
    return result;
}
