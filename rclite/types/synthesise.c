/* Services and actions: the messages they consist of, and those that no text spells out. ROS 1
 * wraps an action's goal, result and feedback in messages; ROS 2 in two services and a message, and
 * gives each service an event message, which counts in its hash. */
#include <string.h>

#include "core/fail.h"
#include "types/catalog.h"
#include "types/describe.h"

#define PARTS_MAX 6

/* The spec of one struct that is being put together member by member. */
typedef struct builder {
    rclitei_catalog *catalog;
    rclite_error *reterr;
    rclitei_spec_parts parts;
    rclite_result result; /* the first failure */
} builder;

static void builder_check(builder *b, const void *memory) {
    if (!memory && b->result == RCLITE_OK) {
        b->result =
            rclitei_fail(b->reterr, RCLITE_ERR_NO_MEMORY, 0, "out of memory while loading types");
    }
}

static void begin(builder *b, const char *suffix) {
    b->parts.suffix = suffix;
    b->parts.section = (rclitei_section){.text = ""};
    b->parts.section.members =
        rclitei_arena_alloc(&b->catalog->arena, PARTS_MAX * sizeof(rclitei_member));
    builder_check(b, b->parts.section.members);
}

/* type: a primitive type or "pkg/Name"; NULL when spec is given. */
static void add(builder *b, const char *type, rclitei_spec *spec, const char *name) {
    if (b->result != RCLITE_OK) {
        return;
    }
    rclitei_section *section = &b->parts.section;
    rclitei_member *member = &section->members[section->member_count++];
    *member = (rclitei_member){.name = name};
    const char *reason;
    if (type &&
        !rclitei_parse_type(b->catalog->generation, type, &b->catalog->arena, member, &reason)) {
        builder_check(b, NULL); /* our own types parse; memory is all that can fail */
    }
    if (spec) {
        member->base = RCLITEI_BASE_NESTED;
        member->kind = RCLITE_FIELD_MESSAGE;
        member->spec = spec;
        type = spec->name;
        if (b->catalog->generation == RCLITE_ROS1) {
            type = strchr(spec->wire_name, '/') + 1;
        }
    }
    section->text =
        rclitei_arena_format(&b->catalog->arena, "%s%s %s\n", section->text, type, name);
    builder_check(b, section->text);
}

/* The member added last is a sequence of at most one. */
static void make_optional(builder *b) {
    if (b->result == RCLITE_OK) {
        rclitei_section *section = &b->parts.section;
        section->members[section->member_count - 1].array = RCLITE_ARRAY_SEQUENCE;
        section->members[section->member_count - 1].count = 1;
    }
}

static rclitei_spec *finish(builder *b) {
    rclitei_spec *spec = NULL;
    if (b->result == RCLITE_OK) {
        b->result = rclitei_catalog_add(b->catalog, &b->parts, 0, &spec, b->reterr);
    }
    return spec;
}

static rclitei_spec *add_section(builder *b, const char *suffix, const rclitei_section *section) {
    b->parts.suffix = suffix;
    b->parts.section = *section;
    return finish(b);
}

/* What a service is beyond its request and response. b's base is the service's name. */
static void complete_service(builder *b, rclitei_service_spec *service) {
    if (b->result != RCLITE_OK) {
        return;
    }
    rclitei_arena *arena = &b->catalog->arena;
    service->full_name =
        rclitei_arena_format(arena, "%s/%s/%s", b->parts.package, b->parts.folder, b->parts.base);
    builder_check(b, service->full_name);
    if (b->catalog->generation == RCLITE_ROS1) {
        builder_check(
            b, rclitei_describe_ros1_service(service, arena) == RCLITE_OK ? service : NULL);
        return;
    }
    begin(b, "Event");
    add(b, "service_msgs/ServiceEventInfo", NULL, "info");
    add(b, NULL, service->request, "request");
    make_optional(b);
    add(b, NULL, service->response, "response");
    make_optional(b);
    rclitei_spec *event = finish(b);
    begin(b, NULL);
    add(b, NULL, service->request, "request_message");
    add(b, NULL, service->response, "response_message");
    add(b, NULL, event, "event_message");
    service->description = finish(b);
    if (b->result == RCLITE_OK) {
        service->fingerprint = service->description->fingerprint;
    }
}

rclite_result rclitei_catalog_service(rclitei_catalog *catalog, const char *name,
    rclitei_service_spec **ret_service, rclite_error *reterr) {
    rclitei_interface_name parsed;
    rclite_result result = rclitei_interface_name_parse(name, "srv", &parsed, reterr);
    if (result != RCLITE_OK) {
        return result;
    }
    for (rclitei_service_spec *known = catalog->services; known; known = known->next) {
        const char *rest = known->full_name + strlen(parsed.package);
        if (strncmp(known->full_name, parsed.package, strlen(parsed.package)) == 0 &&
            strncmp(rest, "/srv/", 5) == 0 && strcmp(rest + 5, parsed.name) == 0) {
            *ret_service = known;
            return RCLITE_OK;
        }
    }
    rclitei_section sections[2];
    builder b = {.catalog = catalog, .reterr = reterr};
    b.parts = (rclitei_spec_parts){.package = parsed.package, .folder = "srv", .base = parsed.name};
    rclitei_file file = {&parsed, "srv", "", NULL};
    result = rclitei_catalog_read(catalog, &file, sections, 2, reterr);
    b.parts.path = file.path;
    if (result != RCLITE_OK) {
        return result;
    }
    rclitei_service_spec *service = rclitei_arena_alloc(&catalog->arena, sizeof *service);
    builder_check(&b, service);
    if (b.result == RCLITE_OK) {
        service->request = add_section(&b, "Request", &sections[0]);
        service->response = add_section(&b, "Response", &sections[1]);
        complete_service(&b, service);
    }
    if (b.result == RCLITE_OK) {
        service->next = catalog->services;
        catalog->services = service;
        *ret_service = service;
    }
    return b.result;
}

static void add_ros1_wrappers(builder *b, rclitei_action_spec *action) {
    begin(b, "ActionGoal");
    add(b, "std_msgs/Header", NULL, "header");
    add(b, "actionlib_msgs/GoalID", NULL, "goal_id");
    add(b, NULL, action->goal, "goal");
    action->wrappers[0] = finish(b);
    begin(b, "ActionResult");
    add(b, "std_msgs/Header", NULL, "header");
    add(b, "actionlib_msgs/GoalStatus", NULL, "status");
    add(b, NULL, action->result, "result");
    action->wrappers[1] = finish(b);
    begin(b, "ActionFeedback");
    add(b, "std_msgs/Header", NULL, "header");
    add(b, "actionlib_msgs/GoalStatus", NULL, "status");
    add(b, NULL, action->feedback, "feedback");
    action->wrappers[2] = finish(b);
}

/* One of the two services; their messages are named after it. */
static rclitei_service_spec *add_ros2_service(
    builder *b, const char *suffix, const rclitei_action_spec *action) {
    const char *base = b->parts.base;
    bool goal = strcmp(suffix, "SendGoal") == 0;
    rclitei_service_spec *service = rclitei_arena_alloc(&b->catalog->arena, sizeof *service);
    const char *name = rclitei_arena_format(&b->catalog->arena, "%s_%s", base, suffix);
    builder_check(b, service);
    builder_check(b, name);
    if (b->result != RCLITE_OK) {
        return NULL;
    }
    b->parts.base = name;
    begin(b, "Request");
    add(b, "unique_identifier_msgs/UUID", NULL, "goal_id");
    if (goal) {
        add(b, NULL, action->goal, "goal");
    }
    service->request = finish(b);
    begin(b, "Response");
    if (goal) {
        add(b, "bool", NULL, "accepted");
        add(b, "builtin_interfaces/Time", NULL, "stamp");
    } else {
        add(b, "int8", NULL, "status");
        add(b, NULL, action->result, "result");
    }
    service->response = finish(b);
    complete_service(b, service);
    b->parts.base = base;
    return service;
}

static void add_ros2_wrappers(builder *b, rclitei_action_spec *action) {
    action->send_goal = add_ros2_service(b, "SendGoal", action);
    action->get_result = add_ros2_service(b, "GetResult", action);
    begin(b, "FeedbackMessage");
    add(b, "unique_identifier_msgs/UUID", NULL, "goal_id");
    add(b, NULL, action->feedback, "feedback");
    action->wrappers[2] = finish(b);
    begin(b, NULL);
    add(b, NULL, action->goal, "goal");
    add(b, NULL, action->result, "result");
    add(b, NULL, action->feedback, "feedback");
    add(b, NULL, action->send_goal ? action->send_goal->description : NULL, "send_goal_service");
    add(b, NULL, action->get_result ? action->get_result->description : NULL, "get_result_service");
    add(b, NULL, action->wrappers[2], "feedback_message");
    const rclitei_spec *description = finish(b);
    action->fingerprint = description ? description->fingerprint : NULL;
}

rclite_result rclitei_catalog_action(rclitei_catalog *catalog, const char *name,
    rclitei_action_spec **ret_action, rclite_error *reterr) {
    rclitei_interface_name parsed;
    rclite_result result = rclitei_interface_name_parse(name, "action", &parsed, reterr);
    if (result != RCLITE_OK) {
        return result;
    }
    for (rclitei_action_spec *known = catalog->actions; known; known = known->next) {
        if (strcmp(known->goal->package, parsed.package) == 0 &&
            strcmp(strrchr(known->full_name, '/') + 1, parsed.name) == 0) {
            *ret_action = known;
            return RCLITE_OK;
        }
    }
    rclitei_section sections[3];
    builder b = {.catalog = catalog, .reterr = reterr};
    b.parts =
        (rclitei_spec_parts){.package = parsed.package, .folder = "action", .base = parsed.name};
    rclitei_file file = {&parsed, "action", "", NULL};
    result = rclitei_catalog_read(catalog, &file, sections, 3, reterr);
    b.parts.path = file.path;
    if (result != RCLITE_OK) {
        return result;
    }
    rclitei_action_spec *action = rclitei_arena_alloc(&catalog->arena, sizeof *action);
    builder_check(&b, action);
    if (b.result == RCLITE_OK) {
        action->full_name =
            rclitei_arena_format(&catalog->arena, "%s/action/%s", parsed.package, parsed.name);
        builder_check(&b, action->full_name);
        action->goal = add_section(&b, "Goal", &sections[0]);
        action->result = add_section(&b, "Result", &sections[1]);
        action->feedback = add_section(&b, "Feedback", &sections[2]);
    }
    if (b.result == RCLITE_OK) {
        if (catalog->generation == RCLITE_ROS1) {
            add_ros1_wrappers(&b, action);
        } else {
            add_ros2_wrappers(&b, action);
        }
    }
    if (b.result == RCLITE_OK) {
        action->next = catalog->actions;
        catalog->actions = action;
        *ret_action = action;
    }
    return b.result;
}
