/* Interface definitions as data: what the parser makes of a .msg, .srv or .action text of one
 * generation, and what the catalog adds when it has resolved nested types. It knows nothing of C
 * structs (layout.h) nor of the wire. Everything lives in the arena of its catalog. */
#ifndef RCLITE_TYPES_DEFINITION_H
#define RCLITE_TYPES_DEFINITION_H

#include "rclite/type.h"
#include "types/arena.h"

/* Limits that keep hostile text from costing more than it is worth. */
#define RCLITEI_TEXT_BYTES_MAX (1u << 20)
#define RCLITEI_MEMBERS_MAX 4096u
#define RCLITEI_NAME_MAX 128u
#define RCLITEI_DEPTH_MAX 32u
#define RCLITEI_STRUCT_BYTES_MAX (1u << 26)

/* The base types as written. */
typedef enum rclitei_base {
    RCLITEI_BASE_BOOL,
    RCLITEI_BASE_BYTE,
    RCLITEI_BASE_CHAR,
    RCLITEI_BASE_INT8,
    RCLITEI_BASE_UINT8,
    RCLITEI_BASE_INT16,
    RCLITEI_BASE_UINT16,
    RCLITEI_BASE_INT32,
    RCLITEI_BASE_UINT32,
    RCLITEI_BASE_INT64,
    RCLITEI_BASE_UINT64,
    RCLITEI_BASE_FLOAT32,
    RCLITEI_BASE_FLOAT64,
    RCLITEI_BASE_STRING,
    RCLITEI_BASE_TIME,     /* ROS 1 */
    RCLITEI_BASE_DURATION, /* ROS 1 */
    RCLITEI_BASE_NESTED,
    RCLITEI_BASE_COUNT
} rclitei_base;

typedef struct rclitei_spec rclitei_spec;

typedef struct rclitei_member {
    const char *name;
    rclitei_base base;
    rclite_field_kind kind; /* how it stands in a C struct */
    rclite_array_kind array;
    uint32_t count; /* as in rclite_field */
    uint32_t string_bound;
    const char *type_text;    /* as written, with brackets */
    const char *nested;       /* RCLITEI_BASE_NESTED: as written, without brackets */
    const char *default_text; /* checked; NULL: none */
    unsigned line;
    rclitei_spec *spec; /* RCLITEI_BASE_NESTED, once resolved */
} rclitei_member;

typedef struct rclitei_constant {
    const char *name;
    rclite_field_kind kind;
    const char *type_text;
    const char *value; /* as written; of strings without quotes on ROS 2 */
} rclitei_constant;

/* One struct's worth of text: a message, or the part of a service or action between two "---". */
typedef struct rclitei_section {
    rclitei_member *members;
    rclitei_constant *constants;
    uint32_t member_count;
    uint32_t constant_count;
    const char *text;
} rclitei_section;

/* A resolved message of one generation. */
struct rclitei_spec {
    const char *package;
    const char *folder;    /* msg, srv, action */
    const char *name;      /* GetMap_Request */
    const char *full_name; /* nav_msgs/srv/GetMap_Request */
    const char *path;      /* where it was read, for errors */
    rclitei_section section;
    const char *wire_name;
    const char *fingerprint;
    const char *definition;
    unsigned depth; /* of nesting below it */
    bool resolved;
    const rclite_type *type; /* built by layout.c for the loader */
    rclitei_spec *next;      /* in the catalog's list */
};

typedef struct rclitei_service_spec {
    const char *full_name;
    rclitei_spec *request;
    rclitei_spec *response;
    const char *fingerprint;   /* md5sum or hash of the service as a whole */
    rclitei_spec *description; /* ROS 2: the service as one struct, for hashes */
    const rclite_service_type *type;
    struct rclitei_service_spec *next;
} rclitei_service_spec;

typedef struct rclitei_action_spec {
    const char *full_name;
    rclitei_spec *goal;
    rclitei_spec *result;
    rclitei_spec *feedback;
    rclitei_spec *wrappers[3]; /* ROS 1: action goal, result, feedback; ROS 2: feedback message
                                        in the third */
    rclitei_service_spec *send_goal; /* ROS 2 */
    rclitei_service_spec *get_result;
    const char *fingerprint; /* ROS 2 */
    const rclite_action_type *type;
    struct rclitei_action_spec *next;
} rclitei_action_spec;

/* Text to be parsed. */
typedef struct rclitei_source {
    rclite_generation generation;
    const char *path; /* for errors: path:line: sentence */
    const char *text;
    size_t size;
} rclitei_source;

/* Parses section_count sections (1 message, 2 service, 3 action). */
rclite_result rclitei_parse(const rclitei_source *source, rclitei_arena *arena,
    rclitei_section *ret_sections, size_t section_count, rclite_error *reterr);

/* A type as written ("uint8[<=4]", "pkg/Name[]"); fills everything but name and default. On failure
 * ret_reason is a sentence about it. */
bool rclitei_parse_type(rclite_generation generation, const char *text, rclitei_arena *arena,
    rclitei_member *member, const char **ret_reason);
/* Package and type names are identifiers; members too. */
bool rclitei_name_valid(const char *name, size_t size);

#endif
