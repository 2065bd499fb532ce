/* What arguments.c reads "[node:]left:=right" arguments into: remapping rules and parameters of
 * rclitei_names. */
#ifndef RCLITE_CORE_RULES_H
#define RCLITE_CORE_RULES_H

#include "core/names.h"

/* The state of one pass over argv. */
typedef struct rclitei_argument_reader {
    rclitei_names *names;
    const char *argument; /* as given, for error texts */
    rclite_error *reterr;
} rclitei_argument_reader;

/* A text "[node:]left:=right" in its parts. */
typedef struct rclitei_assignment {
    const char *node; /* NULL: none */
    size_t node_length;
    const char *left;
    size_t left_length;
    const char *right;
} rclitei_assignment;

/* RCLITE_ERR_INVALID with a text that names the argument. */
rclite_result rclitei_rules_bad(const rclitei_argument_reader *in, const char *reason);
rclite_result rclitei_rules_no_memory(const rclitei_argument_reader *in);

rclite_result rclitei_rules_split(
    const rclitei_argument_reader *in, const char *text, rclitei_assignment *ret_parts);
bool rclitei_rules_left_is(const rclitei_assignment *parts, const char *word);
rclite_result rclitei_rules_check_name_space(const rclitei_argument_reader *in, const char *text);
/* left names a topic, a service, __node, __name or __ns. */
rclite_result rclitei_rules_add_remap(
    const rclitei_argument_reader *in, const rclitei_assignment *parts);
/* left names a parameter. */
rclite_result rclitei_rules_add_setting(
    const rclitei_argument_reader *in, const rclitei_assignment *parts);

void rclitei_rules_free(rclitei_names *names);

#endif
