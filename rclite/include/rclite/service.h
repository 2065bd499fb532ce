/* Services: servers and clients. */
#ifndef RCLITE_SERVICE_H
#define RCLITE_SERVICE_H

#include "rclite/topic.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- server --------------------------------------------------------------------------------- */

typedef struct rclite_service rclite_service;
typedef struct rclite_service_call rclite_service_call; /* one request being served */

/* response is initialised (defaults), owned by rclite and reused from call to call, so its buffers
 * are warm. Return RCLITE_OK: response is sent at once. RCLITE_EMPTY: the answer comes later
 * through rclite_service_respond(call, ...) (keep `call`, not request and response). An error: ROS
 * 1 sends ok = 0 with error_text, ROS 2 sends nothing. error_text holds 256 bytes. */
typedef rclite_result (*rclite_service_callback)(
    rclite_service_call *call, const void *request, void *response, char *error_text, void *user);

typedef struct rclite_service_options {
    size_t size;
    rclite_qos qos; /* ROS 2 */
} rclite_service_options;
#define RCLITE_SERVICE_OPTIONS_INIT                                                                \
    { sizeof(rclite_service_options), rclite_qos_services() }

RCLITE_API RCLITE_MUST_USE rclite_result rclite_service_create(rclite_node *node, const char *name,
    const rclite_service_type *type, rclite_service_callback callback, void *user,
    const rclite_service_options *options, rclite_service **ret_service, rclite_error *reterr);
/* Unanswered calls are dropped; their handles are invalid afterwards. */
RCLITE_API rclite_service *rclite_service_free(rclite_service *service);
RCLITE_API const char *rclite_service_name(const rclite_service *service);
/* Answers a deferred call, and consumes it also on failure. result other than RCLITE_OK refuses it
 * with error_text (may be NULL). Thread-safe: yes. Blocks: no. */
RCLITE_API RCLITE_MUST_USE rclite_result rclite_service_respond(
    rclite_service_call *call, rclite_result result, const void *response, const char *error_text);

/* ---- client --------------------------------------------------------------------------------- */

typedef struct rclite_client rclite_client;
typedef struct rclite_client_options {
    size_t size;
    rclite_qos qos;  /* ROS 2 */
    bool persistent; /* ROS 1: keep one connection (default); false: a new one for each call */
} rclite_client_options;
#define RCLITE_CLIENT_OPTIONS_INIT                                                                 \
    { sizeof(rclite_client_options), rclite_qos_services(), true }

/* response is NULL unless result is RCLITE_OK, and valid during the call only. error_text is never
 * NULL. */
typedef void (*rclite_client_callback)(
    rclite_result result, const void *response, const char *error_text, void *user);

RCLITE_API RCLITE_MUST_USE rclite_result rclite_client_create(rclite_node *node, const char *name,
    const rclite_service_type *type, const rclite_client_options *options,
    rclite_client **ret_client, rclite_error *reterr);
/* Outstanding calls get RCLITE_ERR_SHUTDOWN. */
RCLITE_API rclite_client *rclite_client_free(rclite_client *client);
RCLITE_API const char *rclite_client_name(const rclite_client *client);
RCLITE_API bool rclite_client_is_ready(rclite_client *client);
RCLITE_API RCLITE_MUST_USE rclite_result rclite_client_wait_for_service(
    rclite_client *client, int64_t timeout_ns);
/* Sends a request; the callback comes exactly once unless this call fails. ret_id (may be NULL)
 * names the call for rclite_client_forget. Allocates: not after warm-up. Blocks: as publish. */
RCLITE_API RCLITE_MUST_USE rclite_result rclite_client_call_async(rclite_client *client,
    const void *request, rclite_client_callback callback, void *user, int64_t *ret_id);
/* Stops waiting for an answer: its callback gets RCLITE_ERR_TIMEOUT now if it was outstanding. */
RCLITE_API void rclite_client_forget(rclite_client *client, int64_t id);
/* Sends and waits; copies into a response that was initialised with the context's allocator,
 * reusing its buffers. With spin delivery it spins the context. Not from a direct callback
 * (RCLITE_ERR_STATE). */
RCLITE_API RCLITE_MUST_USE rclite_result rclite_client_call(rclite_client *client,
    const void *request, void *response, int64_t timeout_ns, rclite_error *reterr);

#ifdef __cplusplus
}
#endif
#endif
