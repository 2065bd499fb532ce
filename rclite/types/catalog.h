/* The definitions of one generation, found on a search path and resolved: nested types by name,
 * what services and actions consist of (synthesised wrapper types included), and what identifies
 * each on the wire. The loader makes types of them at run time, the generator C text at build time.
 */
#ifndef RCLITE_TYPES_CATALOG_H
#define RCLITE_TYPES_CATALOG_H

#include "types/definition.h"

typedef struct rclitei_catalog {
    rclite_generation generation;
    rclitei_arena arena;
    const char **folders;
    size_t folder_count;
    rclitei_spec *specs; /* the newest first */
    rclitei_service_spec *services;
    rclitei_action_spec *actions;
} rclitei_catalog;

/* path: folders separated by ':'; not NULL. On failure nothing is left to be done. */
rclite_result rclitei_catalog_init(rclitei_catalog *catalog, rclite_generation generation,
    const char *path, const rclite_allocator *allocator, rclite_error *reterr);
void rclitei_catalog_done(rclitei_catalog *catalog);

/* name: pkg/msg/Name or pkg/Name (srv, action likewise). */
rclite_result rclitei_catalog_message(
    rclitei_catalog *catalog, const char *name, rclitei_spec **ret_spec, rclite_error *reterr);
rclite_result rclitei_catalog_service(rclitei_catalog *catalog, const char *name,
    rclitei_service_spec **ret_service, rclite_error *reterr);
rclite_result rclitei_catalog_action(rclitei_catalog *catalog, const char *name,
    rclitei_action_spec **ret_action, rclite_error *reterr);
/* The message's own text is given. */
rclite_result rclitei_catalog_message_text(rclitei_catalog *catalog, const char *name,
    const char *text, rclitei_spec **ret_spec, rclite_error *reterr);

/* ---- for synthesise.c ----------------------------------------------------------------------- */

typedef struct rclitei_interface_name {
    char package[RCLITEI_NAME_MAX + 1];
    char name[RCLITEI_NAME_MAX + 1];
} rclitei_interface_name;

rclite_result rclitei_interface_name_parse(
    const char *text, const char *folder, rclitei_interface_name *ret_name, rclite_error *reterr);
/* The file of an interface. */
typedef struct rclitei_file {
    const rclitei_interface_name *name;
    const char *folder; /* msg, srv, action */
    const char *place;  /* who asks for it, "path:line: ", for the error that there is none */
    const char *path;   /* out: where it was found; the arena's */
} rclitei_file;
rclite_result rclitei_catalog_read(rclitei_catalog *catalog, rclitei_file *file,
    rclitei_section *ret_sections, size_t section_count, rclite_error *reterr);
/* Adds a spec with a section whose members may still be unresolved, and resolves and describes it.
 * name is package/folder/base_suffix; suffix may be NULL. */
typedef struct rclitei_spec_parts {
    const char *package;
    const char *folder;
    const char *base;
    const char *suffix;
    const char *path;
    rclitei_section section;
} rclitei_spec_parts;
rclite_result rclitei_catalog_add(rclitei_catalog *catalog, const rclitei_spec_parts *parts,
    unsigned depth, rclitei_spec **ret_spec, rclite_error *reterr);

#endif
