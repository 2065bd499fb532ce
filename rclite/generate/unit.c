/* One interface: what both generations have of it, its header, its tables; see unit.h. */
#include "generate/unit.h"

#include <stdio.h>
#include <string.h>

#include "core/fail.h"
#include "generate/output.h"

static void add_struct(
    generate_job *job, generate_unit *unit, const rclitei_spec *ros1, const rclitei_spec *ros2) {
    if (ros1 || ros2) {
        generate_struct *item = &unit->structs[unit->struct_count++];
        *item = (generate_struct){ros1, ros2, NULL};
        item->c_name = generate_c_name(job, (ros2 ? ros2 : ros1)->full_name);
    }
}

static void add_service(generate_job *job, generate_unit *unit, const rclitei_service_spec *ros1,
    const rclitei_service_spec *ros2) {
    add_struct(job, unit, ros1 ? ros1->request : NULL, ros2 ? ros2->request : NULL);
    add_struct(job, unit, ros1 ? ros1->response : NULL, ros2 ? ros2->response : NULL);
}

static void add_action(generate_job *job, generate_unit *unit) {
    const rclitei_action_spec *ros1 = unit->action[0], *ros2 = unit->action[1];
    add_struct(job, unit, ros1 ? ros1->goal : NULL, ros2 ? ros2->goal : NULL);
    add_struct(job, unit, ros1 ? ros1->result : NULL, ros2 ? ros2->result : NULL);
    add_struct(job, unit, ros1 ? ros1->feedback : NULL, ros2 ? ros2->feedback : NULL);
    for (size_t i = 0; ros1 && i < 3; i++) {
        add_struct(job, unit, ros1->wrappers[i], NULL);
    }
    if (ros2) {
        add_service(job, unit, NULL, ros2->send_goal);
        add_service(job, unit, NULL, ros2->get_result);
        add_struct(job, unit, NULL, ros2->wrappers[2]);
    }
}

/* The error of a missing definition, as opposed to a wrong one: nothing was found at the top. */
static bool is_missing(const rclite_error *error) {
    return error->code == RCLITE_ERR_TYPE &&
           strncmp(error->text, "no definition of ", strlen("no definition of ")) == 0;
}

bool generate_unit_load(generate_job *job, const char *full_name, generate_unit *ret_unit) {
    *ret_unit = (generate_unit){.full_name = rclitei_arena_format(&job->arena, "%s", full_name)};
    rclitei_spec *message[2] = {NULL, NULL};
    bool found = false;
    for (size_t g = 0; g < 2; g++) {
        rclitei_catalog *catalog = &job->catalogs[g];
        rclite_result result;
        if (strstr(full_name, "/srv/")) {
            rclitei_service_spec *service = NULL;
            result = rclitei_catalog_service(catalog, full_name, &service, &job->error);
            ret_unit->service[g] = service;
        } else if (strstr(full_name, "/action/")) {
            rclitei_action_spec *action = NULL;
            result = rclitei_catalog_action(catalog, full_name, &action, &job->error);
            ret_unit->action[g] = action;
        } else {
            result = rclitei_catalog_message(catalog, full_name, &message[g], &job->error);
        }
        if (result != RCLITE_OK && !is_missing(&job->error)) {
            return false;
        }
        found = found || result == RCLITE_OK;
    }
    if (!found) {
        return false;
    }
    if (ret_unit->service[0] || ret_unit->service[1]) {
        add_service(job, ret_unit, ret_unit->service[0], ret_unit->service[1]);
    } else if (ret_unit->action[0] || ret_unit->action[1]) {
        add_action(job, ret_unit);
    } else {
        add_struct(job, ret_unit, message[0], message[1]);
    }
    return true;
}

/* Includes the header of every nested type, and wants it generated. */
static bool add_includes(generate_job *job, const generate_unit *unit, rclitei_text *header) {
    rclitei_text seen;
    rclitei_text_init(&seen, NULL);
    bool good = true;
    for (size_t i = 0; i < 2 * unit->struct_count && good; i++) {
        const generate_struct *item = &unit->structs[i / 2];
        const rclitei_spec *spec = i % 2 ? item->ros2 : item->ros1;
        for (uint32_t m = 0; spec && m < spec->section.member_count && good; m++) {
            const rclitei_spec *nested = spec->section.members[m].spec;
            if (!nested || strcmp(nested->folder, "msg") != 0) {
                continue;
            }
            char line[3 * RCLITEI_NAME_MAX];
            snprintf(line, sizeof line, "#include \"%s.h\"\n", nested->full_name);
            if (!seen.data || !strstr(seen.data, line)) {
                rclitei_text_add(&seen, line);
                good = generate_want(job, nested->full_name);
            }
        }
    }
    if (seen.size) {
        rclitei_text_format(header, "\n%s", seen.data);
    }
    rclitei_text_done(&seen);
    return good;
}

static void declare_objects(generate_job *job, const generate_unit *unit, rclitei_text *header) {
    const char *name = generate_c_name(job, unit->full_name);
    if (unit->service[0] || unit->service[1]) {
        rclitei_text_format(header, "extern const rclite_service_type %s__type;\n", name);
    }
    if (unit->action[1]) {
        rclitei_text_format(header, "extern const rclite_service_type %s_SendGoal__type;\n", name);
        rclitei_text_format(header, "extern const rclite_service_type %s_GetResult__type;\n", name);
    }
    if (unit->action[0] || unit->action[1]) {
        rclitei_text_format(header, "extern const rclite_action_type %s__type;\n", name);
    }
}

static bool add_header(generate_job *job, const generate_unit *unit, rclitei_text *header) {
    const char *guard = generate_c_name(job, unit->full_name);
    rclitei_text_format(header,
        "/* %s, generated by rclite-generate from its definition; do not edit. */\n"
        "#ifndef %s__H\n#define %s__H\n\n#include \"rclite/type.h\"\n",
        unit->full_name, guard, guard);
    if (!add_includes(job, unit, header)) {
        return false;
    }
    rclitei_text_add(header, "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    for (size_t i = 0; i < unit->struct_count; i++) {
        if (!generate_struct_header(job, &unit->structs[i], header)) {
            return false;
        }
    }
    declare_objects(job, unit, header);
    rclitei_text_add(header, "\n#ifdef __cplusplus\n}\n#endif\n#endif\n");
    return true;
}

bool generate_unit_write(generate_job *job, const generate_unit *unit) {
    rclitei_text header;
    rclitei_text_init(&header, NULL);
    bool good = add_header(job, unit, &header);
    if (good) {
        rclitei_text_format(&job->source, "/* ---- %s ---- */\n\n#include \"%s.h\"\n\n",
            unit->full_name, unit->full_name);
        for (size_t i = 0; i < unit->struct_count; i++) {
            generate_struct_tables(job, &unit->structs[i]);
        }
        if (unit->service[0] || unit->service[1]) {
            generate_service_tables(job, unit->service[0], unit->service[1]);
        }
        if (unit->action[0] || unit->action[1]) {
            generate_action_tables(job, unit->action[0], unit->action[1]);
        }
        char *path = rclitei_arena_format(&job->arena, "%s/%s.h", job->output, unit->full_name);
        good = generate_output(path, &header, &job->error);
    }
    rclitei_text_done(&header);
    return good;
}
