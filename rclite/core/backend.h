/* The seam between rclite's public API (core/) and the two transports (ros1/, ros2/).
 *
 * Core checks arguments, resolves and remaps names, owns the base structs, timers and the spin
 * queue, and calls the backend through one constant table per generation. A backend's object begins
 * with the base struct as its first member, so a pointer to one is a pointer to the other; the
 * backend allocates it with the context's allocator and returns it; core fills the base before the
 * call through `base` arguments given below. Backends never call each other and never print.
 *
 * Locking contract: core calls no backend function with a core lock held. Backend calls into core
 * (rclitei_ready_push, rclitei_context_log, rclitei_signal) may come from any thread, with backend
 * locks held; core never calls back from inside them. */
#ifndef RCLITE_CORE_BACKEND_H
#define RCLITE_CORE_BACKEND_H

#include <pthread.h>
#include <stdatomic.h>

#include "core/fail.h"
#include "rclite/rclite.h"

typedef struct rclitei_backend rclitei_backend;
typedef struct rclitei_names rclitei_names;       /* core/names.h: remap rules, resolving */
typedef struct rclitei_executor rclitei_executor; /* core/executor.h: ready queue, timers */

struct rclite_context {
    const rclitei_backend *backend;
    rclite_allocator allocator;
    rclite_generation generation;
    rclite_delivery delivery;
    rclitei_names *names;
    rclitei_executor *executor;
    void (*log)(rclite_log_level level, const char *text, void *user);
    void *log_user;
    _Atomic uint64_t malformed, dropped, send_failures;
    _Atomic bool shutdown;
    _Atomic unsigned children; /* nodes and timers that have not been freed */
    int argc;                  /* arguments that were no ROS arguments */
    const char **argv;
    char *describe;
};

struct rclite_node {
    rclite_context *context;
    char *name, *name_space, *full_name;
    _Atomic unsigned children; /* endpoints that have not been freed */
    void *impl;                /* for the backend */
};

struct rclite_publisher {
    rclite_result (*publish)(rclite_publisher *publisher, const void *message); /* the backend's */
    rclite_node *node;
    char *topic; /* full name, after remapping */
    const rclite_type *type;
    rclite_publisher_options options;
};

struct rclite_subscription {
    rclite_node *node;
    char *topic;
    const rclite_type *type;
    rclite_subscription_callback callback; /* NULL: taken */
    void *user;
    rclite_subscription_options options;
};

struct rclite_service {
    rclite_node *node;
    char *name;
    const rclite_service_type *type;
    rclite_service_callback callback;
    void *user;
    rclite_service_options options;
};

struct rclite_client {
    rclite_node *node;
    char *name;
    const rclite_service_type *type;
    rclite_client_options options;
};

struct rclite_action_server {
    rclite_node *node;
    char *name;
    const rclite_action_type *type;
    rclite_action_server_callbacks callbacks;
    void *user;
    rclite_action_server_options options;
};

struct rclite_action_client {
    rclite_node *node;
    char *name;
    const rclite_action_type *type;
};

/* An object that may have work for a spinning thread. Embedded by backends in whatever has a
 * callback. run is called by the spinning thread, handles one unit of work, and returns true while
 * there is more. */
typedef struct rclitei_ready {
    bool (*run)(struct rclitei_ready *ready);
    struct rclitei_ready *next;
    bool queued;
} rclitei_ready;

/* Puts it into the queue unless it is there, and wakes a spinning thread. Any thread. */
void rclitei_ready_push(rclite_context *context, rclitei_ready *ready);
/* Takes it out and waits until run does not run; not from inside that run. */
void rclitei_ready_remove(rclite_context *context, rclitei_ready *ready);
/* Something changed that a blocking call of this context may wait for (a match, an answer). */
void rclitei_signal(rclite_context *context);
/* Waits until done(user), re-checking after every rclitei_signal; spins the context when delivery
 * is spin and the caller is no callback; RCLITE_ERR_STATE from a direct callback thread (the
 * backend marks those with rclitei_callback_enter/leave); RCLITE_ERR_TIMEOUT; RCLITE_ERR_SHUTDOWN.
 */
rclite_result rclitei_wait(
    rclite_context *context, bool (*done)(void *user), void *user, int64_t timeout_ns);
/* Bracket every user callback. Returns false when the context is shut down (then do not call). */
bool rclitei_callback_enter(rclite_context *context);
void rclitei_callback_leave(rclite_context *context);
bool rclitei_in_callback(
    const rclite_context *context); /* is this thread in one of its callbacks */

/* Formats and hands to the user's log function; drops it if there is none. */
void rclitei_context_log(rclite_context *context, rclite_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

struct rclitei_backend {
    const char *name;

    /* context: allocate the backend's struct with rclite_context first; core has checked options */
    size_t context_bytes;
    rclite_result (*context_init)(
        rclite_context *context, const rclite_context_options *options, rclite_error *reterr);
    void (*context_done)(rclite_context *context);
    void (*context_interrupt)(
        rclite_context *context); /* shutdown; async-signal-safe; may be NULL */

    rclite_result (*node_init)(rclite_node *node, rclite_error *reterr);
    void (*node_done)(rclite_node *node);

    /* Endpoints: core allocates *_bytes zeroed, fills the base, calls init; on failure core frees.
     */
    size_t publisher_bytes, subscription_bytes, service_bytes, client_bytes;
    size_t action_server_bytes, action_client_bytes;

    rclite_result (*publisher_init)(rclite_publisher *publisher, rclite_error *reterr);
    void (*publisher_done)(rclite_publisher *publisher);
    rclite_result (*publisher_publish)(rclite_publisher *publisher, const void *message);
    rclite_result (*publisher_publish_serialized)(
        rclite_publisher *publisher, const uint8_t *bytes, size_t size_bytes);
    uint32_t (*publisher_matched)(const rclite_publisher *publisher);
    rclite_result (*publisher_wait_sent)(rclite_publisher *publisher, int64_t timeout_ns);

    rclite_result (*subscription_init)(rclite_subscription *subscription, rclite_error *reterr);
    void (*subscription_done)(rclite_subscription *subscription);
    rclite_result (*subscription_take)(
        rclite_subscription *subscription, void *message, rclite_message_info *info);
    bool (*subscription_has_data)(
        rclite_subscription *subscription); /* rclitei_signal on arrival */
    uint32_t (*subscription_matched)(const rclite_subscription *subscription);

    rclite_result (*service_init)(rclite_service *service, rclite_error *reterr);
    void (*service_done)(rclite_service *service);
    rclite_result (*service_respond)(rclite_service_call *call, rclite_result result,
        const void *response, const char *error_text);

    rclite_result (*client_init)(rclite_client *client, rclite_error *reterr);
    void (*client_done)(rclite_client *client);
    bool (*client_ready)(rclite_client *client);
    rclite_result (*client_call_async)(rclite_client *client, const void *request,
        rclite_client_callback callback, void *user, int64_t *ret_id);
    /* Calls the callback with RCLITE_ERR_TIMEOUT if the call is outstanding, also after shutdown;
     * when it returns, the callback does not run and will not come. */
    void (*client_forget)(rclite_client *client, int64_t id);

    rclite_result (*action_server_init)(rclite_action_server *server, rclite_error *reterr);
    void (*action_server_done)(rclite_action_server *server);
    rclite_result (*server_goal_step)(rclite_server_goal *goal, rclite_goal_status to,
        const void *result); /* EXECUTING, SUCCEEDED, ABORTED, CANCELED */
    rclite_result (*server_goal_feedback)(rclite_server_goal *goal, const void *feedback);

    rclite_result (*action_client_init)(rclite_action_client *client, rclite_error *reterr);
    void (*action_client_done)(rclite_action_client *client);
    bool (*action_client_ready)(rclite_action_client *client);
    rclite_result (*action_client_send)(rclite_action_client *client, const void *goal,
        const rclite_goal_callbacks *callbacks, void *user, rclite_client_goal **ret_goal);
    /* goal: one; NULL and zero stamp: all; NULL and a stamp: all up to it */
    rclite_result (*action_client_cancel)(
        rclite_action_client *client, rclite_client_goal *goal, rclite_time stamp);
    void (*client_goal_free)(rclite_client_goal *goal);

    rclite_result (*graph_list)(rclite_context *context, rclite_graph_query query, const char *name,
        rclite_graph_list *ret_list, rclite_error *reterr);
    rclite_result (*graph_on_change)(
        rclite_context *context, void (*callback)(void *user), void *user);

    rclite_result (*parameter_get)(
        rclite_node *node, const char *name, rclite_parameter *ret_value, rclite_error *reterr);
    rclite_result (*parameter_set)(
        rclite_node *node, const char *name, const rclite_parameter *value, rclite_error *reterr);
    rclite_result (*parameter_search)(
        rclite_node *node, const char *name, rclite_string *ret_full_name, rclite_error *reterr);
};

/* Legal steps of a goal on the server side: action.h's state machine. */
bool rclitei_goal_step_is_legal(rclite_goal_status from, rclite_goal_status to);
bool rclitei_goal_is_terminal(rclite_goal_status status);

/* The base of the handles that backends create; both begin with it. */
struct rclite_service_call {
    rclite_service *service;
};
struct rclite_server_goal {
    rclite_action_server *server;
    rclite_goal_id id;
    _Atomic int status; /* rclite_goal_status */
};
struct rclite_client_goal {
    rclite_action_client *client;
    rclite_goal_id id;
    _Atomic int status; /* terminal only when result is there to be read; rclitei_signal then */
    rclite_goal_callbacks callbacks;
    void *user;
    void *result; /* initialised message of type->result once status is terminal; NULL: none came */
};

extern const rclitei_backend rclitei_ros1_backend;
extern const rclitei_backend rclitei_ros2_backend;

#endif
