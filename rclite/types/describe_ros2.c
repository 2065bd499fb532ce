/* ROS 2's type hash, version 1 (REP-2016): SHA-256 over the type description (REP-2011) of the type
 * and of all it refers to, as JSON with fixed spelling, without defaults and comments. */
#include <stdlib.h>
#include <string.h>

#include "types/describe.h"
#include "types/digest.h"

#define REFERENCED_MAX 1024

/* type_description_interfaces/msg/FieldType */
enum {
    TYPE_ID_NESTED = 1,
    TYPE_ID_STRING = 17,
    TYPE_ID_BOUNDED_STRING = 21,
    TYPE_ID_ARRAY = 48,
    TYPE_ID_BOUNDED_SEQUENCE = 96,
    TYPE_ID_UNBOUNDED_SEQUENCE = 144
};

static const unsigned type_ids[RCLITEI_BASE_COUNT] = {
    [RCLITEI_BASE_BOOL] = 15,
    [RCLITEI_BASE_BYTE] = 16,
    [RCLITEI_BASE_CHAR] = 3, /* the .msg text's char is uint8 there */
    [RCLITEI_BASE_INT8] = 2,
    [RCLITEI_BASE_UINT8] = 3,
    [RCLITEI_BASE_INT16] = 4,
    [RCLITEI_BASE_UINT16] = 5,
    [RCLITEI_BASE_INT32] = 6,
    [RCLITEI_BASE_UINT32] = 7,
    [RCLITEI_BASE_INT64] = 8,
    [RCLITEI_BASE_UINT64] = 9,
    [RCLITEI_BASE_FLOAT32] = 10,
    [RCLITEI_BASE_FLOAT64] = 11,
    [RCLITEI_BASE_STRING] = TYPE_ID_STRING,
    [RCLITEI_BASE_NESTED] = TYPE_ID_NESTED,
};

static unsigned type_id(const rclitei_member *member) {
    unsigned id = type_ids[member->base];
    if (member->base == RCLITEI_BASE_STRING && member->string_bound) {
        id = TYPE_ID_BOUNDED_STRING;
    }
    switch (member->array) {
    case RCLITE_ARRAY_FIXED:
        return id + TYPE_ID_ARRAY;
    case RCLITE_ARRAY_SEQUENCE:
        return id + (member->count ? TYPE_ID_BOUNDED_SEQUENCE : TYPE_ID_UNBOUNDED_SEQUENCE);
    default:
        return id;
    }
}

static void add_field(rclitei_text *json, const rclitei_member *member) {
    rclitei_text_format(json,
        "{\"name\": \"%s\", \"type\": {\"type_id\": %u, \"capacity\": %u, "
        "\"string_capacity\": %u, \"nested_type_name\": \"%s\"}}",
        member->name, type_id(member), (unsigned)member->count, (unsigned)member->string_bound,
        member->spec ? member->spec->full_name : "");
}

static void add_description(rclitei_text *json, const rclitei_spec *spec) {
    rclitei_text_format(json, "{\"type_name\": \"%s\", \"fields\": [", spec->full_name);
    for (uint32_t i = 0; i < spec->section.member_count; i++) {
        rclitei_text_add(json, i ? ", " : "");
        add_field(json, &spec->section.members[i]);
    }
    if (spec->section.member_count == 0) {
        add_field(json, &(rclitei_member){.name = "structure_needs_at_least_one_member",
                            .base = RCLITEI_BASE_UINT8});
    }
    rclitei_text_add(json, "]}");
}

static bool collect(const rclitei_spec *spec, const rclitei_spec **list, size_t *count) {
    for (uint32_t i = 0; i < spec->section.member_count; i++) {
        const rclitei_spec *nested = spec->section.members[i].spec;
        size_t known = 0;
        while (nested && known < *count && list[known] != nested) {
            known++;
        }
        if (nested && known == *count) {
            if (*count == REFERENCED_MAX) {
                return false;
            }
            list[(*count)++] = nested;
            if (!collect(nested, list, count)) {
                return false;
            }
        }
    }
    return true;
}

static int compare_names(const void *a, const void *b) {
    const rclitei_spec *const *left = a;
    const rclitei_spec *const *right = b;
    return strcmp((*left)->full_name, (*right)->full_name);
}

rclite_result rclitei_describe_ros2(rclitei_spec *spec, rclitei_arena *arena) {
    const rclitei_spec **list = arena->memory.reallocate(
        arena->memory.state, NULL, REFERENCED_MAX * sizeof(const rclitei_spec *));
    if (!list) {
        return RCLITE_ERR_NO_MEMORY;
    }
    size_t count = 0;
    rclite_result result = collect(spec, list, &count) ? RCLITE_OK : RCLITE_ERR_OVERFLOW;
    qsort(list, count, sizeof *list, compare_names);
    rclitei_text json;
    rclitei_text_init(&json, &arena->memory);
    rclitei_text_add(&json, "{\"type_description\": ");
    add_description(&json, spec);
    rclitei_text_add(&json, ", \"referenced_type_descriptions\": [");
    for (size_t i = 0; i < count; i++) {
        rclitei_text_add(&json, i ? ", " : "");
        add_description(&json, list[i]);
    }
    rclitei_text_add(&json, "]}");
    if (!json.failed) {
        char hex[65];
        rclitei_sha256_hex(json.data, json.size, hex);
        spec->fingerprint = rclitei_arena_format(arena, "RIHS01_%s", hex);
    }
    rclitei_text_done(&json);
    arena->memory.reallocate(arena->memory.state, list, 0);
    spec->definition = spec->section.text;
    return result ? result : spec->fingerprint ? RCLITE_OK : RCLITE_ERR_NO_MEMORY;
}
