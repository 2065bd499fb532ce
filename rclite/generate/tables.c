/* The source side: field tables, views and type objects. They are weak, so that two libraries with
 * the same type can meet in one program. */
#include <string.h>

#include "generate/generate.h"

static const char *const kind_names[RCLITE_FIELD_KIND_COUNT] = {
    [RCLITE_FIELD_BOOL] = "BOOL",
    [RCLITE_FIELD_INT8] = "INT8",
    [RCLITE_FIELD_UINT8] = "UINT8",
    [RCLITE_FIELD_INT16] = "INT16",
    [RCLITE_FIELD_UINT16] = "UINT16",
    [RCLITE_FIELD_INT32] = "INT32",
    [RCLITE_FIELD_UINT32] = "UINT32",
    [RCLITE_FIELD_INT64] = "INT64",
    [RCLITE_FIELD_UINT64] = "UINT64",
    [RCLITE_FIELD_FLOAT32] = "FLOAT32",
    [RCLITE_FIELD_FLOAT64] = "FLOAT64",
    [RCLITE_FIELD_TIME] = "TIME",
    [RCLITE_FIELD_DURATION] = "DURATION",
    [RCLITE_FIELD_STRING] = "STRING",
    [RCLITE_FIELD_MESSAGE] = "MESSAGE",
};

static const char *const array_names[RCLITE_ARRAY_KIND_COUNT] = {
    [RCLITE_ARRAY_NONE] = "NONE",
    [RCLITE_ARRAY_FIXED] = "FIXED",
    [RCLITE_ARRAY_SEQUENCE] = "SEQUENCE",
};

static void add_field(
    generate_job *job, const generate_struct *item, const rclitei_member *member) {
    rclitei_text *source = &job->source;
    const char *nested =
        member->kind == RCLITE_FIELD_MESSAGE ? generate_c_name(job, member->spec->full_name) : NULL;
    rclitei_text_format(source,
        "    {\"%s\", RCLITE_FIELD_%s, RCLITE_ARRAY_%s, %u, %u, offsetof(%s, %s), sizeof(%s), ",
        member->name, kind_names[member->kind], array_names[member->array], (unsigned)member->count,
        (unsigned)member->string_bound, item->c_name, generate_member_name(member),
        nested ? nested : generate_element_type(member->kind));
    if (nested) {
        rclitei_text_format(source, "&%s__type, ", nested);
    } else {
        rclitei_text_add(source, "NULL, ");
    }
    if (member->default_text) {
        generate_literal(source, member->default_text);
    } else {
        rclitei_text_add(source, "NULL");
    }
    rclitei_text_add(source, "},\n");
}

static void add_view(generate_job *job, const generate_struct *item, const rclitei_spec *spec,
    const char *generation) {
    rclitei_text *source = &job->source;
    if (!spec) {
        return;
    }
    uint32_t count = spec->section.member_count;
    if (count) {
        rclitei_text_format(
            source, "static const rclite_field %s__%s_fields[] = {\n", item->c_name, generation);
        for (uint32_t i = 0; i < count; i++) {
            add_field(job, item, &spec->section.members[i]);
        }
        rclitei_text_add(source, "};\n");
    }
    rclitei_text_format(source,
        "static const rclite_type_view %s__%s = {\n    .field_count = %u,\n", item->c_name,
        generation, (unsigned)count);
    if (count) {
        rclitei_text_format(source, "    .fields = %s__%s_fields,\n", item->c_name, generation);
    }
    rclitei_text_format(source, "    .wire_name = \"%s\",\n    .fingerprint = \"%s\",\n",
        spec->wire_name, spec->fingerprint);
    rclitei_text_add(source, "    .definition =\n        ");
    generate_literal(source, spec->definition);
    rclitei_text_add(source, ",\n};\n");
}

static void add_pointer(
    rclitei_text *source, const char *member, const char *c_name, const char *suffix) {
    rclitei_text_format(source, "    .%s = &%s%s,\n", member, c_name, suffix);
}

void generate_struct_tables(generate_job *job, const generate_struct *item) {
    rclitei_text *source = &job->source;
    const char *name = item->c_name;
    add_view(job, item, item->ros1, "ros1");
    add_view(job, item, item->ros2, "ros2");
    rclitei_text_format(source, "__attribute__((weak)) const rclite_type %s__type = {\n", name);
    rclitei_text_format(
        source, "    .name = \"%s\",\n", (item->ros2 ? item->ros2 : item->ros1)->full_name);
    rclitei_text_format(
        source, "    .size_bytes = sizeof(%s),\n    .align_bytes = _Alignof(%s),\n", name, name);
    if (item->ros1) {
        add_pointer(source, "ros1", name, "__ros1");
    }
    if (item->ros2) {
        add_pointer(source, "ros2", name, "__ros2");
    }
    rclitei_text_add(source, "};\n\n");
}

void generate_service_tables(
    generate_job *job, const rclitei_service_spec *ros1, const rclitei_service_spec *ros2) {
    rclitei_text *source = &job->source;
    const rclitei_service_spec *any = ros2 ? ros2 : ros1;
    const char *name = generate_c_name(job, any->full_name);
    rclitei_text_format(
        source, "__attribute__((weak)) const rclite_service_type %s__type = {\n", name);
    rclitei_text_format(source, "    .name = \"%s\",\n", any->full_name);
    add_pointer(source, "request", name, "_Request__type");
    add_pointer(source, "response", name, "_Response__type");
    if (ros1) {
        rclitei_text_format(source, "    .ros1_md5sum = \"%s\",\n", ros1->fingerprint);
    }
    if (ros2) {
        rclitei_text_format(source, "    .ros2_hash = \"%s\",\n", ros2->fingerprint);
    }
    rclitei_text_add(source, "};\n\n");
}

void generate_action_tables(
    generate_job *job, const rclitei_action_spec *ros1, const rclitei_action_spec *ros2) {
    rclitei_text *source = &job->source;
    const rclitei_action_spec *any = ros2 ? ros2 : ros1;
    const char *name = generate_c_name(job, any->full_name);
    if (ros2) {
        generate_service_tables(job, NULL, ros2->send_goal);
        generate_service_tables(job, NULL, ros2->get_result);
    }
    rclitei_text_format(
        source, "__attribute__((weak)) const rclite_action_type %s__type = {\n", name);
    rclitei_text_format(source, "    .name = \"%s\",\n", any->full_name);
    add_pointer(source, "goal", name, "_Goal__type");
    add_pointer(source, "result", name, "_Result__type");
    add_pointer(source, "feedback", name, "_Feedback__type");
    if (ros1) {
        add_pointer(source, "ros1_action_goal", name, "_ActionGoal__type");
        add_pointer(source, "ros1_action_result", name, "_ActionResult__type");
        add_pointer(source, "ros1_action_feedback", name, "_ActionFeedback__type");
    }
    if (ros2) {
        add_pointer(source, "ros2_send_goal", name, "_SendGoal__type");
        add_pointer(source, "ros2_get_result", name, "_GetResult__type");
        add_pointer(source, "ros2_feedback_message", name, "_FeedbackMessage__type");
    }
    rclitei_text_add(source, "};\n\n");
}
