/* Types as written in definitions: "float64[36]", "string<=10[<=4]", "geometry_msgs/Pose[]". */
#include <string.h>

#include "types/definition.h"
#include "types/value.h"

typedef struct base_row {
    const char *name;
    rclitei_base base;
    rclite_field_kind ros1; /* RCLITE_FIELD_KIND_COUNT: not in this generation */
    rclite_field_kind ros2;
} base_row;

static const base_row base_rows[] = {
    {"bool", RCLITEI_BASE_BOOL, RCLITE_FIELD_BOOL, RCLITE_FIELD_BOOL},
    {"byte", RCLITEI_BASE_BYTE, RCLITE_FIELD_INT8, RCLITE_FIELD_UINT8},
    {"char", RCLITEI_BASE_CHAR, RCLITE_FIELD_UINT8, RCLITE_FIELD_UINT8},
    {"int8", RCLITEI_BASE_INT8, RCLITE_FIELD_INT8, RCLITE_FIELD_INT8},
    {"uint8", RCLITEI_BASE_UINT8, RCLITE_FIELD_UINT8, RCLITE_FIELD_UINT8},
    {"int16", RCLITEI_BASE_INT16, RCLITE_FIELD_INT16, RCLITE_FIELD_INT16},
    {"uint16", RCLITEI_BASE_UINT16, RCLITE_FIELD_UINT16, RCLITE_FIELD_UINT16},
    {"int32", RCLITEI_BASE_INT32, RCLITE_FIELD_INT32, RCLITE_FIELD_INT32},
    {"uint32", RCLITEI_BASE_UINT32, RCLITE_FIELD_UINT32, RCLITE_FIELD_UINT32},
    {"int64", RCLITEI_BASE_INT64, RCLITE_FIELD_INT64, RCLITE_FIELD_INT64},
    {"uint64", RCLITEI_BASE_UINT64, RCLITE_FIELD_UINT64, RCLITE_FIELD_UINT64},
    {"float32", RCLITEI_BASE_FLOAT32, RCLITE_FIELD_FLOAT32, RCLITE_FIELD_FLOAT32},
    {"float64", RCLITEI_BASE_FLOAT64, RCLITE_FIELD_FLOAT64, RCLITE_FIELD_FLOAT64},
    {"string", RCLITEI_BASE_STRING, RCLITE_FIELD_STRING, RCLITE_FIELD_STRING},
    {"time", RCLITEI_BASE_TIME, RCLITE_FIELD_TIME, RCLITE_FIELD_KIND_COUNT},
    {"duration", RCLITEI_BASE_DURATION, RCLITE_FIELD_DURATION, RCLITE_FIELD_KIND_COUNT},
};

bool rclitei_name_valid(const char *name, size_t size) {
    if (size == 0 || size > RCLITEI_NAME_MAX) {
        return false;
    }
    for (size_t i = 0; i < size; i++) {
        char c = name[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!letter && (i == 0 || ((c < '0' || c > '9') && c != '_'))) {
            return false;
        }
    }
    return true;
}

/* "Name", "pkg/Name" and, on ROS 2, "pkg/msg/Name". */
static bool nested_name_valid(rclite_generation generation, rclitei_slice name) {
    size_t parts = 0;
    size_t begin = 0;
    for (size_t i = 0; i <= name.size; i++) {
        if (i == name.size || name.data[i] == '/') {
            if (!rclitei_name_valid(name.data + begin, i - begin)) {
                return false;
            }
            if (parts == 1 && i < name.size &&
                (i - begin != 3 || memcmp(name.data + begin, "msg", 3) != 0)) {
                return false;
            }
            parts++;
            begin = i + 1;
        }
    }
    return parts <= (generation == RCLITE_ROS2 ? 3 : 2);
}

/* A positive number of at most 9 digits. */
static bool parse_count(rclitei_slice text, uint32_t *ret_count) {
    uint32_t count = 0;
    if (text.size == 0 || text.size > 9) {
        return false;
    }
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] < '0' || text.data[i] > '9') {
            return false;
        }
        count = count * 10 + (uint32_t)(text.data[i] - '0');
    }
    *ret_count = count;
    return count > 0;
}

/* Takes "[...]" off the end of type. */
static const char *parse_array(
    rclite_generation generation, rclitei_slice *type, rclitei_member *member) {
    const char *open = memchr(type->data, '[', type->size);
    if (!open) {
        member->array = RCLITE_ARRAY_NONE;
        return NULL;
    }
    size_t before = (size_t)(open - type->data);
    rclitei_slice inner = {open + 1, type->size - before - 1};
    if (inner.size == 0 || inner.data[inner.size - 1] != ']') {
        return "the array type does not end with ']'";
    }
    inner.size--;
    type->size = before;
    if (inner.size == 0) {
        member->array = RCLITE_ARRAY_SEQUENCE;
        return NULL;
    }
    member->array = RCLITE_ARRAY_FIXED;
    if (generation == RCLITE_ROS2 && inner.size > 2 && memcmp(inner.data, "<=", 2) == 0) {
        member->array = RCLITE_ARRAY_SEQUENCE;
        inner = (rclitei_slice){inner.data + 2, inner.size - 2};
    }
    return parse_count(inner, &member->count) ? NULL : "the array size is not a positive number";
}

static const char *parse_string_bound(
    rclite_generation generation, rclitei_slice *type, rclitei_member *member) {
    if (type->size > 7 && memcmp(type->data, "wstring", 7) == 0) {
        return "wstring is not supported";
    }
    if (generation != RCLITE_ROS2 || type->size < 8 || memcmp(type->data, "string<=", 8) != 0) {
        return NULL;
    }
    rclitei_slice bound = {type->data + 8, type->size - 8};
    type->size = 6;
    return parse_count(bound, &member->string_bound) ? NULL
                                                     : "the string bound is not a positive number";
}

bool rclitei_parse_type(rclite_generation generation, const char *text, rclitei_arena *arena,
    rclitei_member *member, const char **ret_reason) {
    rclitei_slice type = {text, strlen(text)};
    member->type_text = text;
    const char *reason = parse_array(generation, &type, member);
    reason = reason ? reason : parse_string_bound(generation, &type, member);
    if (reason) {
        *ret_reason = reason;
        return false;
    }
    for (size_t i = 0; i < sizeof base_rows / sizeof *base_rows; i++) {
        const base_row *row = &base_rows[i];
        if (strlen(row->name) == type.size && memcmp(row->name, type.data, type.size) == 0) {
            member->base = row->base;
            member->kind = generation == RCLITE_ROS1 ? row->ros1 : row->ros2;
            *ret_reason = "time and duration are builtin_interfaces/Time and Duration in ROS 2";
            return member->kind != RCLITE_FIELD_KIND_COUNT;
        }
    }
    if (type.size == 7 && memcmp(type.data, "wstring", 7) == 0) {
        *ret_reason = "wstring is not supported";
        return false;
    }
    if (!nested_name_valid(generation, type)) {
        *ret_reason = "this is no type name";
        return false;
    }
    member->base = RCLITEI_BASE_NESTED;
    member->kind = RCLITE_FIELD_MESSAGE;
    member->nested = rclitei_arena_copy(arena, type.data, type.size);
    *ret_reason = NULL; /* out of memory */
    return member->nested != NULL;
}
