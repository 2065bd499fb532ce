/* Types: what generated code and the run-time loader produce, and what endpoints are made of.
 *
 * A type is one C struct (the union of the fields that both generations have) and, for each
 * generation that knows it, a table of fields in wire order. The structs below are public so that
 * generated code can fill them as constants; programs treat them as opaque. */
#ifndef RCLITE_TYPE_H
#define RCLITE_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rclite/allocator.h"
#include "rclite/result.h"
#include "rclite/time.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum rclite_generation { RCLITE_ROS1 = 1, RCLITE_ROS2 = 2 } rclite_generation;

typedef enum rclite_field_kind {
    RCLITE_FIELD_BOOL,
    RCLITE_FIELD_INT8,  /* ROS 1 byte too */
    RCLITE_FIELD_UINT8, /* ROS 1 and ROS 2 char, ROS 2 byte too */
    RCLITE_FIELD_INT16,
    RCLITE_FIELD_UINT16,
    RCLITE_FIELD_INT32,
    RCLITE_FIELD_UINT32,
    RCLITE_FIELD_INT64,
    RCLITE_FIELD_UINT64,
    RCLITE_FIELD_FLOAT32,
    RCLITE_FIELD_FLOAT64,
    RCLITE_FIELD_TIME,     /* rclite_time */
    RCLITE_FIELD_DURATION, /* rclite_duration */
    RCLITE_FIELD_STRING,   /* rclite_string */
    RCLITE_FIELD_MESSAGE,  /* nested struct of `type` */
    RCLITE_FIELD_KIND_COUNT
} rclite_field_kind;

typedef enum rclite_array_kind {
    RCLITE_ARRAY_NONE,
    RCLITE_ARRAY_FIXED,    /* T name[capacity], in place */
    RCLITE_ARRAY_SEQUENCE, /* {T *data; size_t size; size_t capacity;} */
    RCLITE_ARRAY_KIND_COUNT
} rclite_array_kind;

typedef struct rclite_type rclite_type;

typedef struct rclite_field {
    const char *name;
    rclite_field_kind kind;
    rclite_array_kind array;
    uint32_t count;           /* fixed: elements; sequence: upper bound, 0 = unbounded */
    uint32_t string_bound;    /* string: upper bound in bytes, 0 = unbounded */
    size_t offset_bytes;      /* of the field in the C struct */
    size_t element_bytes;     /* sizeof one element in the C struct */
    const rclite_type *type;  /* RCLITE_FIELD_MESSAGE only */
    const char *default_text; /* the default value as the definition has it, or NULL */
} rclite_field;

/* How one generation sees a type. */
typedef struct rclite_type_view {
    const rclite_field *fields; /* in wire order */
    uint32_t field_count;       /* 0 is legal: std_msgs/Empty */
    const char *wire_name;      /* ROS 1: pkg/Name; ROS 2: pkg::msg::dds_::Name_ */
    const char *fingerprint;    /* ROS 1: md5sum, 32 digits; ROS 2: RIHS01_... */
    const char *definition;     /* ROS 1: whole message_definition text; ROS 2: own text */
} rclite_type_view;

struct rclite_type {
    const char *name;  /* ROS 2's spelling: std_msgs/msg/Header */
    size_t size_bytes; /* sizeof and _Alignof of the C struct */
    size_t align_bytes;
    const rclite_type_view *ros1; /* NULL: not in this generation */
    const rclite_type_view *ros2;
};

typedef struct rclite_service_type {
    const char *name; /* nav_msgs/srv/GetMap */
    const rclite_type *request;
    const rclite_type *response;
    const char *ros1_md5sum; /* of the service as a whole; NULL: not in ROS 1 */
    const char *ros2_hash;   /* RIHS01 of the service as a whole */
} rclite_service_type;

/* The wrapper types are synthesised from the .action text. A pointer is NULL where its generation
 * does not know the action. */
typedef struct rclite_action_type {
    const char *name; /* actionlib_benchmark/action/Roundtrip */
    const rclite_type *goal;
    const rclite_type *result;
    const rclite_type *feedback;
    const rclite_type *ros1_action_goal; /* pkg/XActionGoal: header, goal_id, goal */
    const rclite_type *ros1_action_result;
    const rclite_type *ros1_action_feedback;
    const rclite_service_type *ros2_send_goal;
    const rclite_service_type *ros2_get_result;
    const rclite_type *ros2_feedback_message;
} rclite_action_type;

/* ---- messages: any C struct of a type ------------------------------------------------------- */

/* Text. data is NUL-terminated when not NULL; size excludes the NUL. capacity 0 with data not NULL
 * marks a view that is borrowed: it is read only, and never freed by rclite. */
typedef struct rclite_string {
    char *data;
    size_t size;
    size_t capacity;
} rclite_string;

/* Sequences of primitives; sequences of messages are generated with the same three members, and the
 * same meaning of capacity as in rclite_string. */
#define RCLITE_SEQUENCE(element_type, sequence_name)                                               \
    typedef struct sequence_name {                                                                 \
        element_type *data;                                                                        \
        size_t size;                                                                               \
        size_t capacity;                                                                           \
    } sequence_name
RCLITE_SEQUENCE(bool, rclite_bool_sequence);
RCLITE_SEQUENCE(int8_t, rclite_int8_sequence);
RCLITE_SEQUENCE(uint8_t, rclite_uint8_sequence);
RCLITE_SEQUENCE(int16_t, rclite_int16_sequence);
RCLITE_SEQUENCE(uint16_t, rclite_uint16_sequence);
RCLITE_SEQUENCE(int32_t, rclite_int32_sequence);
RCLITE_SEQUENCE(uint32_t, rclite_uint32_sequence);
RCLITE_SEQUENCE(int64_t, rclite_int64_sequence);
RCLITE_SEQUENCE(uint64_t, rclite_uint64_sequence);
RCLITE_SEQUENCE(float, rclite_float32_sequence);
RCLITE_SEQUENCE(double, rclite_float64_sequence);
RCLITE_SEQUENCE(rclite_time, rclite_time_sequence);
RCLITE_SEQUENCE(rclite_duration, rclite_duration_sequence);
RCLITE_SEQUENCE(rclite_string, rclite_string_sequence);

/* Sets every field to its default (zero, empty, or what the definition gives).
 * allocator: NULL is the default one; the same must be given to done.
 * Allocates: yes, for non-empty defaults. Blocks: no. Thread-safe: on different messages. */
RCLITE_API RCLITE_MUST_USE rclite_result rclite_message_init(
    const rclite_type *type, void *message, const rclite_allocator *allocator);
/* Frees what the message owns (views are left alone) and zeroes it. NULL is allowed. */
RCLITE_API void rclite_message_done(
    const rclite_type *type, void *message, const rclite_allocator *allocator);
/* Deep copy into an initialised message, reusing its buffers; views in the source become copies. */
RCLITE_API RCLITE_MUST_USE rclite_result rclite_message_copy(
    const rclite_type *type, void *to, const void *from, const rclite_allocator *allocator);
/* Compares field by field in the view of one generation. NaN equals itself bit by bit. */
RCLITE_API bool rclite_message_equal(
    const rclite_type *type, rclite_generation generation, const void *a, const void *b);

/* Copies text into an owned string, growing it if needed. */
RCLITE_API RCLITE_MUST_USE rclite_result rclite_string_assign(
    rclite_string *string, const char *text, const rclite_allocator *allocator);
/* Makes room for `size` elements and sets size; the elements beyond the old size are zero. For
 * sequences of fixed-size elements (primitive, time). Elements that own memory have the functions
 * below; there, elements beyond size and up to capacity keep their buffers for the next use, so a
 * capacity promises that many valid (initialised or zeroed) elements. */
RCLITE_API RCLITE_MUST_USE rclite_result rclite_sequence_resize(
    void *sequence, size_t element_bytes, size_t size, const rclite_allocator *allocator);

RCLITE_API RCLITE_MUST_USE rclite_result rclite_string_sequence_resize(
    rclite_string_sequence *sequence, size_t size, const rclite_allocator *allocator);
/* type is that of the elements; new ones have their defaults. Not on a view. */
RCLITE_API RCLITE_MUST_USE rclite_result rclite_message_sequence_resize(
    const rclite_type *type, void *sequence, size_t size, const rclite_allocator *allocator);

/* A field of a type by its path ("info.origin.position.x", "status_list[2].goal_info"), in the view
 * of one generation. ret_address points into the message:
 * at the element where the path ends with an index, and ret_field is then the array's. Allocates:
 * no. */
RCLITE_API RCLITE_MUST_USE rclite_result rclite_message_field(const rclite_type *type,
    rclite_generation generation, void *message, const char *path, const rclite_field **ret_field,
    void **ret_address, rclite_error *reterr);

/* ---- wire ----------------------------------------------------------------------------------- */

/* Bytes of a message on the wire: ROS 2: CDR with its 4-byte encapsulation header, little-endian;
 * ROS 1: the body without its length prefix. */
RCLITE_API RCLITE_MUST_USE rclite_result rclite_message_serialized_size(const rclite_type *type,
    rclite_generation generation, const void *message, size_t *ret_size_bytes);
RCLITE_API RCLITE_MUST_USE rclite_result rclite_message_serialize(const rclite_type *type,
    rclite_generation generation, const void *message, uint8_t *buffer, size_t capacity_bytes,
    size_t *ret_size_bytes);
/* Reads both endiannesses on ROS 2. The message must be initialised; its buffers are reused.
 * Hostile bytes give RCLITE_ERR_MALFORMED or RCLITE_ERR_OVERFLOW, never an allocation larger than
 * the bytes justify. The message stays valid (done may be called) after a failure. */
RCLITE_API RCLITE_MUST_USE rclite_result rclite_message_deserialize(const rclite_type *type,
    rclite_generation generation, const uint8_t *buffer, size_t size_bytes, void *message,
    const rclite_allocator *allocator);

/* ---- run-time loading ----------------------------------------------------------------------- */

/* A set of types loaded by name from text on a search path; see loader functions in loader.h. */

#ifdef __cplusplus
}
#endif
#endif
