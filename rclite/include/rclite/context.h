/* The context: one participant in one generation of ROS, with its settings and its allocator.
 * Everything else is created from it, and freed before it. */
#ifndef RCLITE_CONTEXT_H
#define RCLITE_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rclite/allocator.h"
#include "rclite/result.h"
#include "rclite/time.h"
#include "rclite/type.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where callbacks run. */
typedef enum rclite_delivery {
    RCLITE_DELIVERY_DIRECT, /* on the transport's receive thread: lowest latency. Callbacks of one
                               endpoint never overlap, those of different endpoints may; blocking
                               calls from inside a callback return RCLITE_ERR_STATE. */
    RCLITE_DELIVERY_SPIN,   /* on the thread that calls rclite_spin*, one after the other */
    RCLITE_DELIVERY_COUNT
} rclite_delivery;

typedef enum rclite_log_level {
    RCLITE_LOG_DEBUG = 10,
    RCLITE_LOG_INFO = 20,
    RCLITE_LOG_WARN = 30,
    RCLITE_LOG_ERROR = 40,
    RCLITE_LOG_FATAL = 50
} rclite_log_level;

#define RCLITE_DOMAIN_FROM_ENVIRONMENT (-1)

typedef struct rclite_context_options {
    size_t size; /* sizeof(rclite_context_options), set by RCLITE_CONTEXT_OPTIONS_INIT */
    rclite_generation generation;
    rclite_delivery delivery;
    const rclite_allocator *allocator; /* copied; NULL = rclite_allocator_default() */
    /* ROS arguments are looked for here (ROS 2: --ros-args -r -p --log-level ... --; ROS 1:
     * from:=to, __name:=, __ns:=, __ip:=, __hostname:=, _param:=). Copied. May be NULL. */
    int argc;
    const char *const *argv;
    int domain_id;          /* ROS 2; RCLITE_DOMAIN_FROM_ENVIRONMENT = ROS_DOMAIN_ID, else 0 */
    const char *dds_config; /* ROS 2; Cyclone XML. NULL: CYCLONEDDS_URI, else what
                               ROS_AUTOMATIC_DISCOVERY_RANGE says, else loopback */
    const char *master_uri; /* ROS 1; NULL: ROS_MASTER_URI, else http://localhost:11311 */
    /* Called for problems that no caller can be told of (a reader's bytes do not parse, ...). NULL:
     * dropped. May be called from any thread. */
    void (*log)(rclite_log_level level, const char *text, void *user);
    void *log_user;
} rclite_context_options;

#define RCLITE_CONTEXT_OPTIONS_INIT                                                                \
    {                                                                                              \
        sizeof(rclite_context_options), RCLITE_ROS2, RCLITE_DELIVERY_DIRECT, 0, 0, 0,              \
            RCLITE_DOMAIN_FROM_ENVIRONMENT, 0, 0, 0, 0                                             \
    }

typedef struct rclite_context rclite_context;

/* Allocates: yes. Blocks: for the transport's start (ROS 1: until the master answered or its 5 s
 * are over). Thread-safe: yes. */
RCLITE_API RCLITE_MUST_USE rclite_result rclite_context_create(
    const rclite_context_options *options, rclite_context **ret_context, rclite_error *reterr);
/* All children must have been freed. NULL is allowed. Returns NULL. Blocks: until no callback
 * runs. */
RCLITE_API rclite_context *rclite_context_free(rclite_context *context);

/* Makes every blocking call and every spin of this context return RCLITE_ERR_SHUTDOWN soon.
 * Async-signal-safe, so that a signal handler may call it. */
RCLITE_API void rclite_context_shutdown(rclite_context *context);
RCLITE_API bool rclite_context_is_shutdown(const rclite_context *context);
RCLITE_API rclite_generation rclite_context_generation(const rclite_context *context);
/* The arguments that were no ROS arguments, in order, argv[0] first; owned by the context. */
RCLITE_API int rclite_context_arguments(
    const rclite_context *context, const char *const **ret_argv);
/* Effective transport facts as one line of JSON (domain, interface, XML or master URI, library and
 * version); owned by the context. */
RCLITE_API const char *rclite_context_describe(const rclite_context *context);

/* Counted since creation: samples that arrived and could not be used. */
typedef struct rclite_context_counters {
    uint64_t malformed;     /* bytes that do not parse; the sample or the connection is dropped */
    uint64_t dropped;       /* bounded queue of ours was full */
    uint64_t send_failures; /* an asynchronous send failed after publish returned OK */
} rclite_context_counters;
RCLITE_API rclite_context_counters rclite_context_count(const rclite_context *context);

/* ---- spinning (RCLITE_DELIVERY_SPIN; with direct delivery they only wait) ------------------- */

/* Runs what is ready, or waits up to timeout_ns for the first thing and runs that. RCLITE_EMPTY:
 * nothing came. */
RCLITE_API RCLITE_MUST_USE rclite_result rclite_spin_once(
    rclite_context *context, int64_t timeout_ns);
/* Spins until shutdown (RCLITE_ERR_SHUTDOWN is then the normal end, and RCLITE_OK is returned). */
RCLITE_API RCLITE_MUST_USE rclite_result rclite_spin(rclite_context *context);
/* Spins until done(user) is true, checked after each callback and at most every 100 ms. In direct
 * delivery, call rclite_context_wake after changing what done looks at. */
RCLITE_API RCLITE_MUST_USE rclite_result rclite_spin_until(
    rclite_context *context, bool (*done)(void *user), void *user, int64_t timeout_ns);
/* Makes a spin or spin_until look again. Thread-safe, callable from callbacks. */
RCLITE_API void rclite_context_wake(rclite_context *context);

#ifdef __cplusplus
}
#endif
#endif
