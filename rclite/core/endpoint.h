/* What creating the six kinds of endpoints has in common, and the checks of the public functions.
 */
#ifndef RCLITE_CORE_ENDPOINT_H
#define RCLITE_CORE_ENDPOINT_H

#include "core/backend.h"
#include "core/names.h"

/* rclite_context_create with a backend of the caller's choice. options must have been checked. */
rclite_result rclitei_context_create_with(const rclitei_backend *backend,
    const rclite_context_options *options, rclite_context **ret_context, rclite_error *reterr);

/* True when a parent may be freed; otherwise says so in the log, and asserts. */
bool rclitei_has_no_children(
    rclite_context *context, const char *what, const _Atomic unsigned *children);

/* What an endpoint needs before its backend is asked. */
typedef struct rclitei_endpoint_plan {
    rclite_node *node;
    const char *what; /* "publisher" */
    rclitei_name_kind kind;
    const char *name;
    size_t options_size; /* as the caller has it */
    size_t options_expected;
    const char *options_macro;   /* "PUBLISHER" of RCLITE_PUBLISHER_OPTIONS_INIT */
    const rclite_qos *qos;       /* NULL: none to check */
    const rclite_type *types[2]; /* those that must exist in the node's generation; may be NULL */
    size_t bytes;
    bool supported; /* the backend has the operation */
} rclitei_endpoint_plan;

/* Checks options, QoS and types, resolves the name and allocates; counts the endpoint as the node's
 * child. */
rclite_result rclitei_endpoint_create(const rclitei_endpoint_plan *plan, void **ret_object,
    char **ret_full_name, rclite_error *reterr);
/* The opposite; the backend's part is gone already. Returns NULL. */
void *rclitei_endpoint_release(rclite_node *node, void *object, char *full_name);

#endif
