/* Types at run time: a catalog of definitions, laid out as C structs on demand. */
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "rclite/loader.h"
#include "types/catalog.h"
#include "types/layout.h"
#include "types/own_definitions.h"

struct rclite_loader {
    rclite_allocator memory;
    rclitei_catalog catalog;
};

static rclite_result no_memory(rclite_error *reterr) {
    return rclitei_fail(reterr, RCLITE_ERR_NO_MEMORY, 0, "out of memory while loading types");
}

/* Where an installed ROS keeps its definitions, then Debian's ROS 1, then our own. */
static void add_default_path(rclitei_text *path, rclite_generation generation) {
    const char *found =
        getenv(generation == RCLITE_ROS1 ? "ROS_PACKAGE_PATH" : "AMENT_PREFIX_PATH");
    rclitei_text_format(path, "%s:", found ? found : "");
    if (generation == RCLITE_ROS1) {
        rclitei_text_add(path, "/usr/share:");
    }
    rclitei_own_definitions(path, generation);
}

rclite_result rclite_loader_create(rclite_generation generation, const char *path,
    const rclite_allocator *allocator, rclite_loader **ret_loader, rclite_error *reterr) {
    if (!ret_loader || (generation != RCLITE_ROS1 && generation != RCLITE_ROS2)) {
        return rclitei_fail(
            reterr, RCLITE_ERR_INVALID, 0, "a loader needs a generation and a place to go");
    }
    rclite_allocator memory = rclitei_allocator_or_default(allocator);
    rclite_loader *loader = memory.reallocate(memory.state, NULL, sizeof *loader);
    if (!loader) {
        return no_memory(reterr);
    }
    loader->memory = memory;
    rclitei_text text;
    rclitei_text_init(&text, &memory);
    if (path) {
        rclitei_text_add(&text, path);
    } else {
        add_default_path(&text, generation);
    }
    rclite_result result = text.failed ? no_memory(reterr)
                                       : rclitei_catalog_init(&loader->catalog, generation,
                                             text.data ? text.data : "", &memory, reterr);
    rclitei_text_done(&text);
    if (result != RCLITE_OK) {
        memory.reallocate(memory.state, loader, 0);
        return result;
    }
    *ret_loader = loader;
    return RCLITE_OK;
}

rclite_loader *rclite_loader_free(rclite_loader *loader) {
    if (loader) {
        rclite_allocator memory = loader->memory;
        rclitei_catalog_done(&loader->catalog);
        memory.reallocate(memory.state, loader, 0);
    }
    return NULL;
}

/* Lays out a spec; NULL specs (of the other generation) stay NULL types. */
static rclite_result lay_out(
    rclite_loader *loader, rclitei_spec *spec, const rclite_type **ret_type, rclite_error *reterr) {
    if (!spec) {
        *ret_type = NULL;
        return RCLITE_OK;
    }
    rclite_result result =
        rclitei_layout(spec, loader->catalog.generation, &loader->catalog.arena, reterr);
    if (result == RCLITE_OK) {
        *ret_type = spec->type;
    }
    return result;
}

rclite_result rclite_loader_message_text(rclite_loader *loader, const char *name, const char *text,
    const rclite_type **ret_type, rclite_error *reterr) {
    if (!loader || !name || !ret_type) {
        return rclitei_fail(reterr, RCLITE_ERR_INVALID, 0, "an argument is NULL");
    }
    rclitei_spec *spec;
    rclite_result result =
        rclitei_catalog_message_text(&loader->catalog, name, text, &spec, reterr);
    return result ? result : lay_out(loader, spec, ret_type, reterr);
}

rclite_result rclite_loader_message(
    rclite_loader *loader, const char *name, const rclite_type **ret_type, rclite_error *reterr) {
    return rclite_loader_message_text(loader, name, NULL, ret_type, reterr);
}

static rclite_result lay_out_service(rclite_loader *loader, rclitei_service_spec *spec,
    const rclite_service_type **ret_type, rclite_error *reterr) {
    if (!spec) {
        *ret_type = NULL;
        return RCLITE_OK;
    }
    if (!spec->type) {
        rclite_service_type *type = rclitei_arena_alloc(&loader->catalog.arena, sizeof *type);
        if (!type) {
            return no_memory(reterr);
        }
        rclite_result result = lay_out(loader, spec->request, &type->request, reterr);
        result = result ? result : lay_out(loader, spec->response, &type->response, reterr);
        if (result != RCLITE_OK) {
            return result;
        }
        type->name = spec->full_name;
        if (loader->catalog.generation == RCLITE_ROS1) {
            type->ros1_md5sum = spec->fingerprint;
        } else {
            type->ros2_hash = spec->fingerprint;
        }
        spec->type = type;
    }
    *ret_type = spec->type;
    return RCLITE_OK;
}

rclite_result rclite_loader_service(rclite_loader *loader, const char *name,
    const rclite_service_type **ret_type, rclite_error *reterr) {
    if (!loader || !name || !ret_type) {
        return rclitei_fail(reterr, RCLITE_ERR_INVALID, 0, "an argument is NULL");
    }
    rclitei_service_spec *spec;
    rclite_result result = rclitei_catalog_service(&loader->catalog, name, &spec, reterr);
    return result ? result : lay_out_service(loader, spec, ret_type, reterr);
}

static rclite_result lay_out_action(rclite_loader *loader, const rclitei_action_spec *spec,
    rclite_action_type *type, rclite_error *reterr) {
    bool ros1 = loader->catalog.generation == RCLITE_ROS1;
    const struct {
        rclitei_spec *spec;
        const rclite_type **type;
    } messages[] = {
        {spec->goal, &type->goal},
        {spec->result, &type->result},
        {spec->feedback, &type->feedback},
        {ros1 ? spec->wrappers[0] : NULL, &type->ros1_action_goal},
        {ros1 ? spec->wrappers[1] : NULL, &type->ros1_action_result},
        {ros1 ? spec->wrappers[2] : NULL, &type->ros1_action_feedback},
        {ros1 ? NULL : spec->wrappers[2], &type->ros2_feedback_message},
    };
    rclite_result result = RCLITE_OK;
    for (size_t i = 0; i < sizeof messages / sizeof *messages && result == RCLITE_OK; i++) {
        result = lay_out(loader, messages[i].spec, messages[i].type, reterr);
    }
    result =
        result ? result : lay_out_service(loader, spec->send_goal, &type->ros2_send_goal, reterr);
    result =
        result ? result : lay_out_service(loader, spec->get_result, &type->ros2_get_result, reterr);
    type->name = spec->full_name;
    return result;
}

rclite_result rclite_loader_action(rclite_loader *loader, const char *name,
    const rclite_action_type **ret_type, rclite_error *reterr) {
    if (!loader || !name || !ret_type) {
        return rclitei_fail(reterr, RCLITE_ERR_INVALID, 0, "an argument is NULL");
    }
    rclitei_action_spec *spec;
    rclite_result result = rclitei_catalog_action(&loader->catalog, name, &spec, reterr);
    if (result != RCLITE_OK) {
        return result;
    }
    if (!spec->type) {
        rclite_action_type *type = rclitei_arena_alloc(&loader->catalog.arena, sizeof *type);
        if (!type) {
            return no_memory(reterr);
        }
        result = lay_out_action(loader, spec, type, reterr);
        if (result != RCLITE_OK) {
            return result;
        }
        spec->type = type;
    }
    *ret_type = spec->type;
    return RCLITE_OK;
}
