/* rclite-generate: C headers and type tables from interface definitions, at build time. For each
 * interface it takes what the trees of both generations say and makes one struct of it. This header
 * is between the generator's own files. */
#ifndef RCLITE_GENERATE_GENERATE_H
#define RCLITE_GENERATE_GENERATE_H

#include "types/catalog.h"

#define STRUCTS_MAX 16

/* One message struct; either spec may be NULL, but not both. */
typedef struct generate_struct {
    const rclitei_spec *ros1;
    const rclitei_spec *ros2;
    char *c_name; /* std_msgs__msg__Header */
} generate_struct;

/* What one header holds: a message, a service or an action. */
typedef struct generate_unit {
    generate_struct structs[STRUCTS_MAX];
    size_t struct_count;
    const rclitei_service_spec *service[2]; /* by generation; both NULL: no service */
    const rclitei_action_spec *action[2];
    char *full_name; /* nav_msgs/srv/GetMap */
} generate_unit;

typedef struct generate_job {
    rclitei_catalog catalogs[2]; /* ROS 1, ROS 2 */
    rclitei_arena arena;
    const char *output;  /* folder */
    rclitei_text source; /* the tables of all units */
    char **units;        /* full names found so far; those below done are written */
    size_t unit_count;
    size_t unit_capacity;
    rclite_error error;
} generate_job;

/* Adds an interface by full name unless it is there. */
bool generate_want(generate_job *job, const char *full_name);
/* pkg/msg/Name as pkg__msg__Name, in the arena. */
char *generate_c_name(generate_job *job, const char *full_name);

/* The struct, its constants and declarations. False: job->error says why. */
bool generate_struct_header(generate_job *job, const generate_struct *item, rclitei_text *header);
/* Field tables, views and the type object, into job->source. */
void generate_struct_tables(generate_job *job, const generate_struct *item);
/* Service and action objects. */
void generate_service_tables(
    generate_job *job, const rclitei_service_spec *ros1, const rclitei_service_spec *ros2);
void generate_action_tables(
    generate_job *job, const rclitei_action_spec *ros1, const rclitei_action_spec *ros2);

/* The C name of a member: its own, or with an underscore behind it where C has taken that word. */
const char *generate_member_name(const rclitei_member *member);
/* The C type of one element; NULL for nested structs. */
const char *generate_element_type(rclite_field_kind kind);
/* A C string literal. */
void generate_literal(rclitei_text *text, const char *value);

#endif
