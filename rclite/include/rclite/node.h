/* Nodes and timers. */
#ifndef RCLITE_NODE_H
#define RCLITE_NODE_H

#include "rclite/context.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rclite_node rclite_node;

/* name: without slashes; name_space: "/" or "" for the root, else "/a/b". Remapping arguments of
 * the context apply to both. Copies both strings. Allocates: yes. Blocks: ROS 1: for the master.
 * Thread-safe: yes. */
RCLITE_API RCLITE_MUST_USE rclite_result rclite_node_create(rclite_context *context,
    const char *name, const char *name_space, rclite_node **ret_node, rclite_error *reterr);
/* Its endpoints must have been freed. NULL is allowed. Returns NULL. */
RCLITE_API rclite_node *rclite_node_free(rclite_node *node);
RCLITE_API const char *rclite_node_name(const rclite_node *node);
RCLITE_API const char *rclite_node_namespace(const rclite_node *node);
RCLITE_API const char *rclite_node_full_name(const rclite_node *node); /* /a/b/name */

typedef struct rclite_timer rclite_timer;
/* Fires every period_ns on an absolute schedule (t0 + i * period); missed periods are skipped.
 * Direct delivery: on a thread of the context's own; spin: on the spinning thread. */
RCLITE_API RCLITE_MUST_USE rclite_result rclite_timer_create(rclite_context *context,
    int64_t period_ns, void (*callback)(void *user), void *user, rclite_timer **ret_timer,
    rclite_error *reterr);
/* After it returns the callback does not run any more; not to be called from that callback. */
RCLITE_API rclite_timer *rclite_timer_free(rclite_timer *timer);

#ifdef __cplusplus
}
#endif
#endif
