/* Calls to the master and to other nodes: XML-RPC over a keep-alive connection per URI, in the
 * loop. The calls of one URI are made one after the other, so their order is kept (a topic that is
 * given up and taken again is unregistered first). Every call ends within its deadline. */
#ifndef RCLITE_ROS1_RPC_H
#define RCLITE_ROS1_RPC_H

#include <stdarg.h>

#include <xmlrpc-c/base.h>

#include "rclite/result.h"
#include "ros1/stream.h"

typedef struct rclitei_rpc rclitei_rpc;

#define RCLITEI_RPC_TIMEOUT_NS INT64_C(5000000000)

typedef struct rclitei_rpc_answer {
    rclite_result result; /* RCLITE_ERR_REJECTED: the other side answered, but not with success */
    xmlrpc_value *value;  /* third element of the answer; borrowed; NULL unless result is OK */
    const char *text;     /* what went wrong, naming method and URI; "" when OK */
} rclitei_rpc_answer;

/* On the loop's thread, exactly once for each call. */
typedef void (*rclitei_rpc_done)(void *user, const rclitei_rpc_answer *answer);

rclitei_rpc *rclitei_rpc_create(
    const rclite_allocator *allocator, rclitei_loop *loop, rclitei_resolver *resolver);
/* Calls that are still under way get RCLITE_ERR_SHUTDOWN, on this thread; the loop must run. */
void rclitei_rpc_stop(rclitei_rpc *rpc);
/* After the loop was freed. */
rclitei_rpc *rclitei_rpc_free(rclitei_rpc *rpc);

/* Any thread. params: as in xmlrpc_build_value, "(...)"; the result is an error only when the call
 * could not be queued, and then done is not called. done may be NULL. */
rclite_result rclitei_rpc_start(rclitei_rpc *rpc, const char *uri, int64_t timeout_ns,
    rclitei_rpc_done done, void *user, const char *method, const char *params, ...);
rclite_result rclitei_rpc_start_value(rclitei_rpc *rpc, const char *uri, int64_t timeout_ns,
    rclitei_rpc_done done, void *user, const char *method, xmlrpc_value *params);

/* Waits for the answer; not on the loop's thread (RCLITE_ERR_STATE). *ret_value (may be NULL) is
 * the caller's: xmlrpc_DECREF. */
rclite_result rclitei_rpc_call(rclitei_rpc *rpc, const char *uri, xmlrpc_value **ret_value,
    rclite_error *reterr, const char *method, const char *params, ...);
rclite_result rclitei_rpc_call_value(rclitei_rpc *rpc, const char *uri, xmlrpc_value **ret_value,
    rclite_error *reterr, const char *method, xmlrpc_value *params);
/* Until no call is under way, or the time is over. */
void rclitei_rpc_drain(rclitei_rpc *rpc, int64_t timeout_ns);

/* What xmlrpc_read_string and xmlrpc_decompose_value gave. NULL is allowed. */
void rclitei_xmlrpc_text_free(const char *text);

/* Once for each process, before anything of xmlrpc-c is used. */
void rclitei_xmlrpc_setup(void);

/* False: the document must not be parsed. */
bool rclitei_xmlrpc_is_plain(const char *body, size_t size);
/* As xmlrpc_build_value; NULL: no memory, or a string is no UTF-8. */
xmlrpc_value *rclitei_xmlrpc_build(const char *format, va_list arguments);

/* The body of an answer. For rclitei_rpc and for the fuzz target. *ret_value is the caller's. */
rclite_result rclitei_rpc_parse_answer(
    const char *body, size_t size, xmlrpc_value **ret_value, char *ret_text, size_t text_bytes);

#endif
