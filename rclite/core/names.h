/* Names: what is a valid name in each generation, how relative and private names become full ones,
 * and the remapping rules and other settings that a program's ROS arguments give. No transport. */
#ifndef RCLITE_CORE_NAMES_H
#define RCLITE_CORE_NAMES_H

#include "core/backend.h"
#include "rclite/parameter.h"

typedef enum rclitei_name_kind {
    RCLITEI_NAME_TOPIC,
    RCLITEI_NAME_SERVICE,
    RCLITEI_NAME_ACTION,
    RCLITEI_NAME_PARAMETER, /* ROS 1 */
    RCLITEI_NAME_KIND_COUNT
} rclitei_name_kind;

/* One remapping: names of `kinds` (a bit for each kind) in the node called `node` (NULL: in every
 * node) that equal `from` become `to`. Both sides are expanded in the node before they are used. */
typedef struct rclitei_remap {
    unsigned kinds;
    char *node, *from, *to;
} rclitei_remap;

/* A parameter given by an argument, as text. */
typedef struct rclitei_setting {
    char *node; /* NULL: every node */
    char *name, *value;
} rclitei_setting;

struct rclitei_names {
    rclite_allocator allocator;
    rclite_generation generation;
    rclitei_remap *remaps;
    size_t remap_count, remap_capacity;
    rclitei_setting *settings;
    size_t setting_count, setting_capacity;
    rclitei_remap *node_names; /* rules for __node (ROS 1: __name); only node and to are set */
    size_t node_name_count, node_name_capacity;
    rclitei_remap *name_spaces; /* rules for __ns */
    size_t name_space_count, name_space_capacity;
    char *base_name_space;            /* ROS 1: ROS_NAMESPACE; or NULL */
    char *ip, *hostname, *master_uri; /* ROS 1: __ip, __hostname, __master; or NULL */
    char *enclave;                    /* ROS 2: "/" unless given */
    rclite_log_level log_level;       /* RCLITE_LOG_INFO unless given */
};

/* Reads the ROS arguments of options, and the environment's ROS_NAMESPACE on ROS 1. Gives the
 * remaining arguments in an array (with a NULL behind) whose strings it owns, too:
 * rclitei_names_free takes both. */
rclite_result rclitei_names_create(const rclite_context_options *options,
    const rclite_allocator *allocator, rclitei_names **ret_names, int *ret_argc,
    const char ***ret_argv, rclite_error *reterr);
rclitei_names *rclitei_names_free(rclitei_names *names, int argc, const char **argv);

/* Fills name, name_space and full_name of the node, after remapping. The node frees them. */
rclite_result rclitei_names_node(const rclitei_names *names, const char *name,
    const char *name_space, rclite_node *node, rclite_error *reterr);
/* The full name of `input` in a node, after remapping; the caller frees it. */
rclite_result rclitei_names_resolve(const rclite_node *node, rclitei_name_kind kind,
    const char *input, char **ret_full_name, rclite_error *reterr);
/* The text of the parameter that an argument gave, or NULL. The last one wins. */
const char *rclitei_names_setting(const rclite_node *node, const char *name);

/* The parts of the above, also for tests. Each check gives NULL when text is valid, else the reason
 * in words that follow "...: ". */
const char *rclitei_check_node_name(rclite_generation generation, const char *text);
const char *rclitei_check_full_name(rclite_generation generation, const char *text);
/* Expands {node}, {ns} (ROS 2), ~ and relative names, and checks the outcome. *ret_reason is NULL
 * when only memory was missing. The caller frees *ret_full_name. */
rclite_result rclitei_expand_name(rclite_generation generation, const rclite_allocator *allocator,
    const char *node_name, const char *name_space, const char *input, char **ret_full_name,
    const char **ret_reason);

#endif
