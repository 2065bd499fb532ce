/* Finding messages, resolving what they are made of; see catalog.h. Services and actions are in
 * synthesise.c. */
#include "types/catalog.h"

#include <stdio.h>
#include <string.h>

#include "core/fail.h"
#include "types/describe.h"
#include "types/read_file.h"

/* What is to be loaded. */
typedef struct request {
    const rclitei_interface_name *name;
    const char *text;  /* NULL: from its file */
    const char *place; /* who asks, as "path:line: ", or empty */
    unsigned depth;
} request;

static rclite_result load_message(
    rclitei_catalog *catalog, const request *wanted, rclitei_spec **ret_spec, rclite_error *reterr);

static rclite_result no_memory(rclite_error *reterr) {
    return rclitei_fail(reterr, RCLITE_ERR_NO_MEMORY, 0, "out of memory while loading types");
}

rclite_result rclitei_catalog_init(rclitei_catalog *catalog, rclite_generation generation,
    const char *path, const rclite_allocator *allocator, rclite_error *reterr) {
    *catalog = (rclitei_catalog){.generation = generation};
    rclitei_arena_init(&catalog->arena, allocator);
    size_t count = 1;
    for (const char *p = path; *p; p++) {
        count += *p == ':';
    }
    catalog->folders = rclitei_arena_alloc(&catalog->arena, count * sizeof *catalog->folders);
    if (!catalog->folders) {
        goto fail;
    }
    for (const char *p = path; *p;) {
        size_t size = strcspn(p, ":");
        if (size) {
            const char *folder = rclitei_arena_copy(&catalog->arena, p, size);
            if (!folder) {
                goto fail;
            }
            catalog->folders[catalog->folder_count++] = folder;
        }
        p += size + (p[size] == ':');
    }
    return RCLITE_OK;
fail:
    rclitei_catalog_done(catalog);
    return no_memory(reterr);
}

void rclitei_catalog_done(rclitei_catalog *catalog) {
    rclitei_arena_done(&catalog->arena);
}

rclite_result rclitei_interface_name_parse(
    const char *text, const char *folder, rclitei_interface_name *ret_name, rclite_error *reterr) {
    const char *slash = text ? strchr(text, '/') : NULL;
    const char *name = slash ? slash + 1 : NULL;
    size_t folder_size = strlen(folder);
    if (name && strncmp(name, folder, folder_size) == 0 && name[folder_size] == '/') {
        name += folder_size + 1;
    }
    if (!name || !rclitei_name_valid(text, (size_t)(slash - text)) ||
        !rclitei_name_valid(name, strlen(name))) {
        return rclitei_fail(reterr, RCLITE_ERR_NAME, 0,
            "'%.100s' is no name of a type: expected package/%s/Name", text ? text : "", folder);
    }
    memcpy(ret_name->package, text, (size_t)(slash - text));
    ret_name->package[slash - text] = '\0';
    memcpy(ret_name->name, name, strlen(name) + 1);
    return RCLITE_OK;
}

/* The file of an interface in one folder: <folder>/<pkg>/msg/Name.msg, <folder>/share/<pkg>/..., or
 * <folder>/msg/Name.msg when the folder is the package itself. */
static rclite_result read_in_folder(
    rclitei_catalog *catalog, const char *folder, rclitei_file *file, rclitei_text *ret_text) {
    const rclitei_interface_name *name = file->name;
    const char *kind = file->folder;
    for (size_t i = 0; i < 3; i++) {
        const char *last = strrchr(folder, '/');
        char *path;
        if (i < 2) {
            path = rclitei_arena_format(&catalog->arena, "%s%s/%s/%s/%s.%s", folder,
                i == 0 ? "" : "/share", name->package, kind, name->name, kind);
        } else if (strcmp(last ? last + 1 : folder, name->package) == 0) {
            path = rclitei_arena_format(
                &catalog->arena, "%s/%s/%s.%s", folder, kind, name->name, kind);
        } else {
            break;
        }
        if (!path) {
            return RCLITE_ERR_NO_MEMORY;
        }
        rclite_result result = rclitei_read_file(path, RCLITEI_TEXT_BYTES_MAX, ret_text);
        if (result != RCLITE_EMPTY) {
            file->path = path;
            return result;
        }
    }
    return RCLITE_EMPTY;
}

rclite_result rclitei_catalog_read(rclitei_catalog *catalog, rclitei_file *file,
    rclitei_section *ret_sections, size_t section_count, rclite_error *reterr) {
    const rclitei_interface_name *name = file->name;
    rclitei_text text;
    rclitei_text_init(&text, &catalog->arena.memory);
    rclite_result result = RCLITE_EMPTY;
    for (size_t i = 0; i < catalog->folder_count && result == RCLITE_EMPTY; i++) {
        result = read_in_folder(catalog, catalog->folders[i], file, &text);
    }
    if (result == RCLITE_EMPTY) {
        result = rclitei_fail(reterr, RCLITE_ERR_TYPE, 0,
            "%sno definition of %s/%s/%s on the search path '%.80s'%s", file->place, name->package,
            file->folder, name->name, catalog->folder_count ? catalog->folders[0] : "",
            catalog->folder_count > 1 ? " and others" : "");
    } else if (result == RCLITE_ERR_NO_MEMORY) {
        no_memory(reterr);
    } else if (result != RCLITE_OK) {
        rclitei_fail(reterr, result, 0, "%s:1: not a file that can be read, or larger than 1 MiB",
            file->path);
    } else {
        rclitei_source source = {
            catalog->generation, file->path, text.data ? text.data : "", text.size};
        result = rclitei_parse(&source, &catalog->arena, ret_sections, section_count, reterr);
    }
    rclitei_text_done(&text);
    return result;
}

static rclitei_spec *find_spec(
    rclitei_catalog *catalog, const char *package, const char *folder, const char *name) {
    for (rclitei_spec *spec = catalog->specs; spec; spec = spec->next) {
        if (strcmp(spec->name, name) == 0 && strcmp(spec->package, package) == 0 &&
            strcmp(spec->folder, folder) == 0) {
            return spec;
        }
    }
    return NULL;
}

/* The package and name that a nested type's text means inside a package. */
static bool resolve_name(const rclitei_catalog *catalog, const char *package, const char *text,
    rclitei_interface_name *ret_name) {
    if (strchr(text, '/')) {
        return rclitei_interface_name_parse(text, "msg", ret_name, NULL) == RCLITE_OK;
    }
    if (catalog->generation == RCLITE_ROS1 && strcmp(text, "Header") == 0) {
        package = "std_msgs";
    }
    memcpy(ret_name->package, package, strlen(package) + 1);
    memcpy(ret_name->name, text, strlen(text) + 1);
    return true;
}

static rclite_result resolve_member(rclitei_catalog *catalog, const rclitei_spec *spec,
    rclitei_member *member, unsigned depth, rclite_error *reterr) {
    char place[160];
    rclitei_interface_name name;
    snprintf(place, sizeof place, "%.140s:%u: ", spec->path, member->line);
    if (!resolve_name(catalog, spec->package, member->nested, &name)) {
        return rclitei_fail(
            reterr, RCLITE_ERR_NAME, 0, "%s'%.80s' is no type name", place, member->nested);
    }
    if (depth >= RCLITEI_DEPTH_MAX) {
        return rclitei_fail(reterr, RCLITE_ERR_OVERFLOW, 0, "%stypes are nested too deeply", place);
    }
    request nested = {&name, NULL, place, depth + 1};
    return load_message(catalog, &nested, &member->spec, reterr);
}

static rclite_result resolve(
    rclitei_catalog *catalog, rclitei_spec *spec, unsigned depth, rclite_error *reterr) {
    for (uint32_t i = 0; i < spec->section.member_count; i++) {
        rclitei_member *member = &spec->section.members[i];
        if (member->base != RCLITEI_BASE_NESTED) {
            continue;
        }
        if (!member->spec) {
            rclite_result result = resolve_member(catalog, spec, member, depth, reterr);
            if (result != RCLITE_OK) {
                return result;
            }
        }
        if (member->spec->depth + 1 > spec->depth) {
            spec->depth = member->spec->depth + 1;
        }
        if (catalog->generation == RCLITE_ROS2 &&
            strcmp(member->spec->package, "builtin_interfaces") == 0) {
            member->kind = strcmp(member->spec->name, "Time") == 0       ? RCLITE_FIELD_TIME
                           : strcmp(member->spec->name, "Duration") == 0 ? RCLITE_FIELD_DURATION
                                                                         : member->kind;
        }
    }
    if (spec->depth > RCLITEI_DEPTH_MAX) {
        return rclitei_fail(
            reterr, RCLITE_ERR_OVERFLOW, 0, "%s:1: types are nested too deeply", spec->path);
    }
    return RCLITE_OK;
}

static bool name_spec(
    rclitei_catalog *catalog, rclitei_spec *spec, const rclitei_spec_parts *parts) {
    rclitei_arena *arena = &catalog->arena;
    const char *suffix = parts->suffix ? parts->suffix : "";
    const char *joint = parts->suffix ? "_" : "";
    spec->package = rclitei_arena_format(arena, "%s", parts->package);
    spec->folder = parts->folder;
    spec->name = rclitei_arena_format(arena, "%s%s%s", parts->base, joint, suffix);
    spec->full_name = rclitei_arena_format(
        arena, "%s/%s/%s%s%s", parts->package, parts->folder, parts->base, joint, suffix);
    spec->wire_name =
        catalog->generation == RCLITE_ROS1
            ? rclitei_arena_format(arena, "%s/%s%s", parts->package, parts->base, suffix)
            : rclitei_arena_format(arena, "%s::%s::dds_::%s%s%s_", parts->package, parts->folder,
                  parts->base, joint, suffix);
    return spec->package && spec->name && spec->full_name && spec->wire_name;
}

static void forget(rclitei_catalog *catalog, const rclitei_spec *spec) {
    rclitei_spec **link = &catalog->specs;
    while (*link != spec) {
        link = &(*link)->next;
    }
    *link = spec->next;
}

rclite_result rclitei_catalog_add(rclitei_catalog *catalog, const rclitei_spec_parts *parts,
    unsigned depth, rclitei_spec **ret_spec, rclite_error *reterr) {
    rclitei_spec *spec = rclitei_arena_alloc(&catalog->arena, sizeof *spec);
    if (!spec || !name_spec(catalog, spec, parts)) {
        return no_memory(reterr);
    }
    spec->path = parts->path;
    spec->section = parts->section;
    spec->next = catalog->specs;
    catalog->specs = spec;
    rclite_result result = resolve(catalog, spec, depth, reterr);
    if (result == RCLITE_OK) {
        result = catalog->generation == RCLITE_ROS1 ? rclitei_describe_ros1(spec, &catalog->arena)
                                                    : rclitei_describe_ros2(spec, &catalog->arena);
        if (result != RCLITE_OK) {
            rclitei_fail(reterr, result, 0, "%s: %s", spec->path, rclite_result_string(result));
        }
    }
    if (result != RCLITE_OK) {
        forget(catalog, spec);
        return result;
    }
    spec->resolved = true;
    *ret_spec = spec;
    return RCLITE_OK;
}

static rclite_result load_message(rclitei_catalog *catalog, const request *wanted,
    rclitei_spec **ret_spec, rclite_error *reterr) {
    const rclitei_interface_name *name = wanted->name;
    rclitei_spec *known = find_spec(catalog, name->package, "msg", name->name);
    if (known && !known->resolved) {
        return rclitei_fail(reterr, RCLITE_ERR_MALFORMED, 0, "%s%s contains itself", wanted->place,
            known->full_name);
    }
    if (known && wanted->text) {
        return rclitei_fail(reterr, RCLITE_ERR_STATE, 0, "%s is loaded already", known->full_name);
    }
    if (known) {
        *ret_spec = known;
        return RCLITE_OK;
    }
    rclitei_spec_parts parts = {.package = name->package, .folder = "msg", .base = name->name};
    rclite_result result;
    if (wanted->text) {
        parts.path = rclitei_arena_format(&catalog->arena, "%s", name->name);
        rclitei_source source = {
            catalog->generation, name->name, wanted->text, strlen(wanted->text)};
        result = rclitei_parse(&source, &catalog->arena, &parts.section, 1, reterr);
    } else {
        rclitei_file file = {name, "msg", wanted->place, NULL};
        result = rclitei_catalog_read(catalog, &file, &parts.section, 1, reterr);
        parts.path = file.path;
    }
    if (result != RCLITE_OK) {
        return result;
    }
    return parts.path ? rclitei_catalog_add(catalog, &parts, wanted->depth, ret_spec, reterr)
                      : no_memory(reterr);
}

rclite_result rclitei_catalog_message_text(rclitei_catalog *catalog, const char *name,
    const char *text, rclitei_spec **ret_spec, rclite_error *reterr) {
    rclitei_interface_name parsed;
    rclite_result result = rclitei_interface_name_parse(name, "msg", &parsed, reterr);
    request wanted = {&parsed, text, "", 0};
    return result ? result : load_message(catalog, &wanted, ret_spec, reterr);
}

rclite_result rclitei_catalog_message(
    rclitei_catalog *catalog, const char *name, rclitei_spec **ret_spec, rclite_error *reterr) {
    return rclitei_catalog_message_text(catalog, name, NULL, ret_spec, reterr);
}
