/* ROS 1 parameters on the master's parameter server, and the values given by arguments on both
 * generations (ROS 2 parameter services are not offered). */
#ifndef RCLITE_PARAMETER_H
#define RCLITE_PARAMETER_H

#include "rclite/node.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum rclite_parameter_kind {
    RCLITE_PARAMETER_BOOL,
    RCLITE_PARAMETER_INTEGER,
    RCLITE_PARAMETER_DOUBLE,
    RCLITE_PARAMETER_STRING,
    RCLITE_PARAMETER_KIND_COUNT
} rclite_parameter_kind;

typedef struct rclite_parameter {
    rclite_parameter_kind kind;
    bool boolean;
    int64_t integer;
    double real;
    rclite_string string; /* owned by the caller: rclite_parameter_done */
} rclite_parameter;

/* ROS 1: from the master; ROS 2: from the context's -p arguments. RCLITE_EMPTY: not set. */
RCLITE_API RCLITE_MUST_USE rclite_result rclite_parameter_get(
    rclite_node *node, const char *name, rclite_parameter *ret_value, rclite_error *reterr);
/* ROS 1 only, the next two. */
RCLITE_API RCLITE_MUST_USE rclite_result rclite_parameter_set(
    rclite_node *node, const char *name, const rclite_parameter *value, rclite_error *reterr);
RCLITE_API RCLITE_MUST_USE rclite_result rclite_parameter_search(
    rclite_node *node, const char *name, rclite_string *ret_full_name, rclite_error *reterr);
RCLITE_API void rclite_parameter_done(rclite_node *node, rclite_parameter *value);

#ifdef __cplusplus
}
#endif
#endif
