/* Actions: servers and clients. The same state machine for both generations:
 *
 *   (sent) -> ACCEPTED -> EXECUTING -> SUCCEEDED | ABORTED
 *                 \            \----> CANCELING -> CANCELED | SUCCEEDED | ABORTED
 *                  \----------------> CANCELING
 *   (sent) -> REJECTED                any, client side only -> LOST (the server has gone, or it
 * does not know the goal any more, or there was no memory for the result)
 *
 * ROS 1's words map onto it: PENDING = ACCEPTED, ACTIVE = EXECUTING, PREEMPTING and RECALLING =
 * CANCELING, PREEMPTED and RECALLED = CANCELED. */
#ifndef RCLITE_ACTION_H
#define RCLITE_ACTION_H

#include "rclite/service.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum rclite_goal_status {
    RCLITE_GOAL_UNKNOWN = 0, /* sent, not answered */
    RCLITE_GOAL_ACCEPTED = 1,
    RCLITE_GOAL_EXECUTING = 2,
    RCLITE_GOAL_CANCELING = 3,
    RCLITE_GOAL_SUCCEEDED = 4,
    RCLITE_GOAL_CANCELED = 5,
    RCLITE_GOAL_ABORTED = 6,
    RCLITE_GOAL_REJECTED = 7,
    RCLITE_GOAL_LOST = 8,
    RCLITE_GOAL_STATUS_COUNT
} rclite_goal_status;
RCLITE_API const char *rclite_goal_status_string(rclite_goal_status status); /* "SUCCEEDED" */

/* ROS 2: the 16 bytes in hexadecimal with dashes; ROS 1: the id as it is. */
typedef struct rclite_goal_id {
    char text[128];
    rclite_time stamp;
} rclite_goal_id;

/* ---- server --------------------------------------------------------------------------------- */

typedef struct rclite_action_server rclite_action_server;
/* Owned by the server. Valid from `accepted` until a terminal call (succeed, abort, canceled) on it
 * returned. */
typedef struct rclite_server_goal rclite_server_goal;

typedef struct rclite_action_server_callbacks {
    /* May be NULL: every goal is accepted. Return false to reject. */
    bool (*goal)(const rclite_goal_id *id, const void *goal, void *user);
    /* A goal was accepted and is EXECUTING, or ACCEPTED when options.defer_execution is set.
     * Terminal calls are allowed inside. goal stays valid as long as the handle. */
    void (*accepted)(rclite_server_goal *handle, const void *goal, void *user);
    /* May be NULL: every cancel request is accepted. Return false to refuse. */
    bool (*cancel)(rclite_server_goal *handle, void *user);
    /* May be NULL. The handle is now CANCELING; end it soon. */
    void (*canceling)(rclite_server_goal *handle, void *user);
} rclite_action_server_callbacks;

typedef struct rclite_action_server_options {
    size_t size;
    int64_t result_timeout_ns; /* how long a finished goal is remembered; default: ROS 2 10 s (as
                                  rcl), ROS 1 5 s (status_list_timeout); -1 = that default */
    bool defer_execution;
} rclite_action_server_options;
#define RCLITE_ACTION_SERVER_OPTIONS_INIT                                                          \
    { sizeof(rclite_action_server_options), -1, false }

RCLITE_API RCLITE_MUST_USE rclite_result rclite_action_server_create(rclite_node *node,
    const char *name, const rclite_action_type *type,
    const rclite_action_server_callbacks *callbacks, void *user,
    const rclite_action_server_options *options, rclite_action_server **ret_server,
    rclite_error *reterr);
/* Goals still running are aborted first. */
RCLITE_API rclite_action_server *rclite_action_server_free(rclite_action_server *server);
RCLITE_API const rclite_goal_id *rclite_server_goal_get_id(const rclite_server_goal *handle);
RCLITE_API rclite_goal_status rclite_server_goal_get_status(const rclite_server_goal *handle);
/* Each returns RCLITE_ERR_STATE where the state machine has no such step. Thread-safe: yes. */
RCLITE_API RCLITE_MUST_USE rclite_result rclite_server_goal_execute(rclite_server_goal *handle);
RCLITE_API RCLITE_MUST_USE rclite_result rclite_server_goal_feedback(
    rclite_server_goal *handle, const void *feedback);
RCLITE_API RCLITE_MUST_USE rclite_result rclite_server_goal_succeed(
    rclite_server_goal *handle, const void *result);
RCLITE_API RCLITE_MUST_USE rclite_result rclite_server_goal_abort(
    rclite_server_goal *handle, const void *result);
RCLITE_API RCLITE_MUST_USE rclite_result rclite_server_goal_canceled(
    rclite_server_goal *handle, const void *result);

/* ---- client --------------------------------------------------------------------------------- */

typedef struct rclite_action_client rclite_action_client;
/* Owned by the caller from send_goal until rclite_client_goal_free. */
typedef struct rclite_client_goal rclite_client_goal;

typedef struct rclite_goal_callbacks {
    /* Each may be NULL. ROS 1 has no answer to a goal: `response` comes with the first status that
     * shows acceptance or rejection. */
    void (*response)(rclite_client_goal *handle, bool accepted, void *user);
    void (*feedback)(rclite_client_goal *handle, const void *feedback, void *user);
    /* Exactly once: terminal status, REJECTED or LOST included; message is NULL without a result.
     */
    void (*result)(
        rclite_client_goal *handle, rclite_goal_status status, const void *message, void *user);
} rclite_goal_callbacks;

RCLITE_API RCLITE_MUST_USE rclite_result rclite_action_client_create(rclite_node *node,
    const char *name, const rclite_action_type *type, rclite_action_client **ret_client,
    rclite_error *reterr);
RCLITE_API rclite_action_client *rclite_action_client_free(rclite_action_client *client);
RCLITE_API RCLITE_MUST_USE rclite_result rclite_action_client_wait_for_server(
    rclite_action_client *client, int64_t timeout_ns);
/* Copies goal and callbacks. *ret_handle is set before the first callback can come. Handles are to
 * be freed before the client. Allocates: not after warm-up when handles are freed. */
RCLITE_API RCLITE_MUST_USE rclite_result rclite_action_client_send_goal(
    rclite_action_client *client, const void *goal, const rclite_goal_callbacks *callbacks,
    void *user, rclite_client_goal **ret_handle);
/* No callback of it comes after this returned. Does not cancel the goal. Callable from `result`. */
RCLITE_API rclite_client_goal *rclite_client_goal_free(rclite_client_goal *handle);
RCLITE_API const rclite_goal_id *rclite_client_goal_get_id(const rclite_client_goal *handle);
RCLITE_API rclite_goal_status rclite_client_goal_get_status(const rclite_client_goal *handle);
/* Asks for cancelling; the outcome shows in the status and in `result`. */
RCLITE_API RCLITE_MUST_USE rclite_result rclite_client_goal_cancel(rclite_client_goal *handle);
RCLITE_API RCLITE_MUST_USE rclite_result rclite_action_client_cancel_all(
    rclite_action_client *client);
/* All goals that were accepted at or before the stamp. */
RCLITE_API RCLITE_MUST_USE rclite_result rclite_action_client_cancel_before(
    rclite_action_client *client, rclite_time stamp);
/* Waits for the terminal status; copies the result (may be NULL) into a message that
 * was initialised with the context's allocator. */
RCLITE_API RCLITE_MUST_USE rclite_result rclite_client_goal_wait(
    rclite_client_goal *handle, void *result, int64_t timeout_ns, rclite_goal_status *ret_status);

#ifdef __cplusplus
}
#endif
#endif
