/* Which peers there are: the manifests found, checked, with where their commands are. Finding a
 * manifest says nothing about whether the peer can run; probe.h does. */
#ifndef BENCH_RUN_REGISTRY_H
#define BENCH_RUN_REGISTRY_H

#include <stdbool.h>
#include <stddef.h>

#include "plan/plan.h"
#include "plan/rule.h"
#include "util/strvec.h"

typedef struct run_variant {
    char *name;  /* what --from and --to take */
    char *label; /* what tables show */
    char *settings_json;
} run_variant;

typedef struct run_peer {
    char *name, *language, *library, *family, *install;
    bool generations[3]; /* [1], [2] */
    bool patterns[PLAN_PATTERN_COUNT];
    bool uses_ros2;        /* needs a ROS 2 installation, and goes over its RMW */
    plan_rules rules;      /* what it cannot do though it plays the pattern */
    char *dir, *build_dir; /* absolute */
    strvec probe, run;
    run_variant *variants;
    size_t variant_count;

    bool probed, available; /* by run_probe() */
    char *probe_line;       /* library and version, or what is missing */
} run_peer;

typedef struct run_registry {
    run_peer *peers; /* in the order found */
    size_t peer_count, peer_capacity;
    strvec problems; /* broken manifests, one sentence each: file:line:column: what */
    char *kit_dir;   /* this program's own kits, a folder per language */
} run_registry;

/* Where to look: folders that are a peer (hold peer.json) or hold such folders. */
typedef struct run_registry_place {
    const char *dir;
    const char *build_dir; /* the peers' build folders are in here; NULL: the peer's own folder */
} run_registry_place;

/* Adds every manifest below a place. A peer of a name that is there already is passed over with a
 * problem. False, with a sentence (heap), when the place itself cannot be read. */
bool run_registry_add_place(run_registry *registry, run_registry_place place, char **ret_error);

/* Checks one manifest's text; file_name is for the message. On success fills the peer but for the
 * folders. False with one sentence (heap). Any text whatever is fine. */
bool run_manifest_parse(
    const char *text, size_t len, const char *file_name, run_peer *ret_peer, char **ret_error);

/* --peer-path's folders first (may be NULL), then RCLBENCH_PEER_PATH, then this project's own: of
 * the source tree if the program runs from its build folder, else of the installation. */
bool run_registry_load(run_registry *registry, const strvec *peer_path, char **ret_error);

/* The peer and variant of a variant's name, or NULL. */
run_peer *run_registry_find(
    const run_registry *registry, const char *variant_name, const run_variant **ret_variant);

void run_peer_done(run_peer *peer);
void run_registry_done(run_registry *registry);

#endif
