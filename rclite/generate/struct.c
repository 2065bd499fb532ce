/* The header side: merging the members of both generations into one C struct. Members of ROS 1 come
 * first, in their order; those that only ROS 2 has follow. */
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "generate/generate.h"
#include "types/layout.h"
#include "types/value.h"

static const char *const element_types[RCLITE_FIELD_KIND_COUNT] = {
    [RCLITE_FIELD_BOOL] = "bool",
    [RCLITE_FIELD_INT8] = "int8_t",
    [RCLITE_FIELD_UINT8] = "uint8_t",
    [RCLITE_FIELD_INT16] = "int16_t",
    [RCLITE_FIELD_UINT16] = "uint16_t",
    [RCLITE_FIELD_INT32] = "int32_t",
    [RCLITE_FIELD_UINT32] = "uint32_t",
    [RCLITE_FIELD_INT64] = "int64_t",
    [RCLITE_FIELD_UINT64] = "uint64_t",
    [RCLITE_FIELD_FLOAT32] = "float",
    [RCLITE_FIELD_FLOAT64] = "double",
    [RCLITE_FIELD_TIME] = "rclite_time",
    [RCLITE_FIELD_DURATION] = "rclite_duration",
    [RCLITE_FIELD_STRING] = "rclite_string",
};

static const char *const sequence_types[RCLITE_FIELD_KIND_COUNT] = {
    [RCLITE_FIELD_BOOL] = "rclite_bool_sequence",
    [RCLITE_FIELD_INT8] = "rclite_int8_sequence",
    [RCLITE_FIELD_UINT8] = "rclite_uint8_sequence",
    [RCLITE_FIELD_INT16] = "rclite_int16_sequence",
    [RCLITE_FIELD_UINT16] = "rclite_uint16_sequence",
    [RCLITE_FIELD_INT32] = "rclite_int32_sequence",
    [RCLITE_FIELD_UINT32] = "rclite_uint32_sequence",
    [RCLITE_FIELD_INT64] = "rclite_int64_sequence",
    [RCLITE_FIELD_UINT64] = "rclite_uint64_sequence",
    [RCLITE_FIELD_FLOAT32] = "rclite_float32_sequence",
    [RCLITE_FIELD_FLOAT64] = "rclite_float64_sequence",
    [RCLITE_FIELD_TIME] = "rclite_time_sequence",
    [RCLITE_FIELD_DURATION] = "rclite_duration_sequence",
    [RCLITE_FIELD_STRING] = "rclite_string_sequence",
};

const char *generate_element_type(rclite_field_kind kind) {
    return element_types[kind];
}

#define TAKEN(word)                                                                                \
    { #word, #word "_" }

const char *generate_member_name(const rclitei_member *member) {
    static const char *const taken[][2] = {TAKEN(auto), TAKEN(bool), TAKEN(break), TAKEN(case),
        TAKEN(catch), TAKEN(char), TAKEN(class), TAKEN(const), TAKEN(continue), TAKEN(default),
        TAKEN(delete), TAKEN(do), TAKEN(double), TAKEN(else), TAKEN(enum), TAKEN(errno),
        TAKEN(extern), TAKEN(false), TAKEN(float), TAKEN(for), TAKEN(goto), TAKEN(if),
        TAKEN(inline), TAKEN(int), TAKEN(linux), TAKEN(long), TAKEN(namespace), TAKEN(new),
        TAKEN(operator), TAKEN(private), TAKEN(protected), TAKEN(public), TAKEN(register),
        TAKEN(restrict), TAKEN(return), TAKEN(short), TAKEN(signed), TAKEN(sizeof), TAKEN(static),
        TAKEN(struct), TAKEN(switch), TAKEN(template), TAKEN(this), TAKEN(throw), TAKEN(true),
        TAKEN(try), TAKEN(typedef), TAKEN(typename), TAKEN(union), TAKEN(unix), TAKEN(unsigned),
        TAKEN(using), TAKEN(virtual), TAKEN(void), TAKEN(volatile), TAKEN(while)};
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        if (strcmp(member->name, taken[i][0]) == 0) {
            return taken[i][1];
        }
    }
    return member->name;
}

static const rclitei_member *find_member(const rclitei_spec *spec, const char *name) {
    for (uint32_t i = 0; spec && i < spec->section.member_count; i++) {
        if (strcmp(spec->section.members[i].name, name) == 0) {
            return &spec->section.members[i];
        }
    }
    return NULL;
}

/* One C member can serve both: byte is signed in one generation only, bounds do not matter. */
static bool compatible(const rclitei_member *a, const rclitei_member *b) {
    bool bytes = (a->kind == RCLITE_FIELD_INT8 || a->kind == RCLITE_FIELD_UINT8) &&
                 (b->kind == RCLITE_FIELD_INT8 || b->kind == RCLITE_FIELD_UINT8);
    return (a->kind == b->kind || bytes) && a->array == b->array &&
           (a->array != RCLITE_ARRAY_FIXED || a->count == b->count) &&
           (a->kind != RCLITE_FIELD_MESSAGE || strcmp(a->spec->full_name, b->spec->full_name) == 0);
}

static void add_member(
    generate_job *job, rclitei_text *header, const rclitei_member *member, const char *note) {
    const char *nested =
        member->kind == RCLITE_FIELD_MESSAGE ? generate_c_name(job, member->spec->full_name) : NULL;
    const char *element = nested ? nested : element_types[member->kind];
    if (member->array == RCLITE_ARRAY_SEQUENCE && nested) {
        rclitei_text_format(header, "    %s__sequence", nested);
    } else {
        rclitei_text_format(header, "    %s",
            member->array == RCLITE_ARRAY_SEQUENCE ? sequence_types[member->kind] : element);
    }
    rclitei_text_format(header, " %s", generate_member_name(member));
    if (member->array == RCLITE_ARRAY_FIXED) {
        rclitei_text_format(header, "[%u]", (unsigned)member->count);
    }
    rclitei_text_format(header, ";%s\n", note);
}

static bool add_members(generate_job *job, const generate_struct *item, rclitei_text *header) {
    uint32_t total = 0;
    for (uint32_t i = 0; item->ros1 && i < item->ros1->section.member_count; i++, total++) {
        const rclitei_member *member = &item->ros1->section.members[i];
        const rclitei_member *other = find_member(item->ros2, member->name);
        if (other && !compatible(member, other)) {
            rclitei_fail(&job->error, RCLITE_ERR_TYPE, 0,
                "%s:%u: '%s' is %s here and %s in %s: one C struct cannot hold both",
                item->ros1->path, member->line, member->name, member->type_text, other->type_text,
                item->ros2->path);
            return false;
        }
        add_member(
            job, header, other ? other : member, item->ros2 && !other ? " /* ROS 1 only */" : "");
    }
    for (uint32_t i = 0; item->ros2 && i < item->ros2->section.member_count; i++) {
        const rclitei_member *member = &item->ros2->section.members[i];
        if (!find_member(item->ros1, member->name)) {
            add_member(job, header, member, item->ros1 ? " /* ROS 2 only */" : "");
            total++;
        }
    }
    if (total == 0) {
        rclitei_text_add(header, "    uint8_t structure_needs_at_least_one_member;\n");
    }
    return true;
}

void generate_literal(rclitei_text *text, const char *value) {
    rclitei_text_add(text, "\"");
    for (const char *p = value; *p; p++) {
        unsigned char c = (unsigned char)*p;
        if (c == '\n') {
            rclitei_text_add(text, p[1] ? "\\n\"\n        \"" : "\\n");
        } else if (c == '"' || c == '\\') {
            rclitei_text_format(text, "\\%c", c);
        } else if (c < 0x20 || c >= 0x7f || c == '?') {
            rclitei_text_format(text, "\\%03o", c);
        } else {
            rclitei_text_append(text, p, 1);
        }
    }
    rclitei_text_add(text, "\"");
}

static void add_float(rclitei_text *header, const char *type, double number) {
    if (isnan(number)) {
        rclitei_text_format(header, "((%s)(0.0 / 0.0))", type);
    } else if (isinf(number)) {
        rclitei_text_format(header, "((%s)(%s1.0 / 0.0))", type, number < 0 ? "-" : "");
    } else {
        rclitei_text_format(header, "((%s)%.17g)", type, number);
    }
}

static void add_integer(rclitei_text *header, rclite_field_kind kind, uint64_t bits) {
    bool is_signed = kind == RCLITE_FIELD_INT8 || kind == RCLITE_FIELD_INT16 ||
                     kind == RCLITE_FIELD_INT32 || kind == RCLITE_FIELD_INT64;
    unsigned unused = 64 - 8 * (unsigned)rclitei_kind_bytes(kind);
    int64_t value = (int64_t)(bits << unused) >> unused;
    if (!is_signed) {
        rclitei_text_format(
            header, "((%s)UINT64_C(%llu))", element_types[kind], (unsigned long long)bits);
    } else if (value == INT64_MIN) {
        rclitei_text_add(header, "INT64_MIN");
    } else {
        rclitei_text_format(header, "((%s)INT64_C(%lld))", element_types[kind], (long long)value);
    }
}

/* The value as a C expression of the constant's type. */
static void add_constant_value(
    rclitei_text *header, const rclitei_constant *constant, rclite_field_kind kind) {
    union {
        uint64_t bits;
        float float32;
        double float64;
    } value = {0};
    rclitei_slice text = {constant->value, strlen(constant->value)};
    if (kind != RCLITE_FIELD_STRING) {
        (void)rclitei_value_parse(kind, text, &value); /* the parser has accepted it */
    }
    switch (kind) {
    case RCLITE_FIELD_STRING:
        generate_literal(header, constant->value);
        break;
    case RCLITE_FIELD_BOOL:
        rclitei_text_add(header, value.bits & 1 ? "true" : "false");
        break;
    case RCLITE_FIELD_FLOAT32:
        add_float(header, "float", (double)value.float32);
        break;
    case RCLITE_FIELD_FLOAT64:
        add_float(header, "double", value.float64);
        break;
    default:
        add_integer(header, kind, value.bits);
        break;
    }
}

static const rclitei_constant *find_constant(const rclitei_spec *spec, const char *name) {
    for (uint32_t i = 0; spec && i < spec->section.constant_count; i++) {
        if (strcmp(spec->section.constants[i].name, name) == 0) {
            return &spec->section.constants[i];
        }
    }
    return NULL;
}

static void add_constants(const generate_struct *item, size_t generation, rclitei_text *header) {
    const rclitei_spec *spec = generation == 0 ? item->ros1 : item->ros2;
    for (uint32_t i = 0; spec && i < spec->section.constant_count; i++) {
        const rclitei_constant *constant = &spec->section.constants[i];
        if (generation == 0 && find_constant(item->ros2, constant->name)) {
            continue; /* ROS 2's value stands */
        }
        rclitei_text_format(header, "#define %s__%s ", item->c_name, constant->name);
        add_constant_value(header, constant, constant->kind);
        rclitei_text_add(header, "\n");
    }
}

bool generate_struct_header(generate_job *job, const generate_struct *item, rclitei_text *header) {
    const char *name = item->c_name;
    add_constants(item, 1, header);
    add_constants(item, 0, header);
    rclitei_text_format(header, "typedef struct %s {\n", name);
    if (!add_members(job, item, header)) {
        return false;
    }
    rclitei_text_format(header, "} %s;\nRCLITE_SEQUENCE(%s, %s__sequence);\n", name, name, name);
    rclitei_text_format(header, "extern const rclite_type %s__type;\n\n", name);
    return true;
}
