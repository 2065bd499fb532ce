/* Opens and closes what measuring needs; see bench.h. */
#include "cli/bench.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/interrupt.h"
#include "run/orphans.h"
#include "run/probe.h"
#include "util/memory.h"

/* Whether a path lies in one of the installations of AMENT_PREFIX_PATH. */
static bool is_of_ros2(const char *path, const strvec *prefixes) {
    for (size_t i = 0; i < prefixes->count; i++) {
        size_t len = strlen(prefixes->items[i]);
        if (len > 0 && strncmp(path, prefixes->items[i], len) == 0) {
            return true;
        }
    }
    return false;
}

/* A sourced ROS 2 puts its own libraries first; peers that do not need it run with the libraries
 * that they were built with. */
static void without_ros2_libraries(strvec *environment) {
    const char *path = strvec_variable(environment, "LD_LIBRARY_PATH");
    const char *sourced = strvec_variable(environment, "AMENT_PREFIX_PATH");
    if (path == NULL || sourced == NULL) {
        return;
    }
    strvec dirs = {0};
    strvec prefixes = {0};
    strvec kept = {0};
    strvec_split(&dirs, path, ':');
    strvec_split(&prefixes, sourced, ':');
    for (size_t i = 0; i < dirs.count; i++) {
        if (!is_of_ros2(dirs.items[i], &prefixes)) {
            strvec_push(&kept, dirs.items[i]);
        }
    }
    char *joined = strvec_join(&kept, ":");
    strvec_set_variable(environment, "LD_LIBRARY_PATH", joined[0] == '\0' ? NULL : joined);
    free(joined);
    strvec_done(&dirs);
    strvec_done(&prefixes);
    strvec_done(&kept);
}

static void copy_environment(strvec *list) {
    for (char **entry = environ; *entry != NULL; entry++) {
        strvec_push(list, *entry);
    }
}

/* What the set-up of the peers built for ROS 2 lies beside their build folders. Heap, or NULL. */
static char *ros2_overlay(const run_registry *registry) {
    for (size_t i = 0; i < registry->peer_count; i++) {
        const run_peer *peer = &registry->peers[i];
        char *overlay = util_format("%s/../ros2_interfaces/setup.sh", peer->build_dir);
        if (peer->uses_ros2 && access(overlay, R_OK) == 0) {
            return overlay;
        }
        free(overlay);
    }
    return NULL;
}

bool cli_bench_open(
    cli_bench *bench, const cli_settings *settings, bool isolated, char **ret_error) {
    memset(bench, 0, sizeof *bench);
    bench->network.lock_fd = -1;
    run_interrupt_install();
    run_orphans_adopt();
    if (!run_guard_start(&bench->guard)) {
        *ret_error = util_format("the guard process cannot be started: %s", strerror(errno));
        return false;
    }
    copy_environment(&bench->environments[0]);
    if (!run_registry_load(&bench->registry, &settings->peer_path, ret_error)) {
        return false;
    }
    for (size_t i = 0; i < bench->registry.problems.count; i++) {
        fprintf(stderr, "rclbench: %s\n", bench->registry.problems.items[i]);
    }
    strvec_set_variable(&bench->environments[0], "RCLBENCH_KIT_DIR", bench->registry.kit_dir);
    char *overlay = ros2_overlay(&bench->registry);
    run_ros2_find(&bench->ros2, settings->ros2_prefix, "/opt/ros", overlay, &bench->environments[0],
        &bench->guard);
    free(overlay);
    strvec_push_all(&bench->environments[1], &bench->ros2.environment);
    without_ros2_libraries(&bench->environments[0]);
    if (settings->ros2_prefix != NULL && !bench->ros2.found) {
        *ret_error = util_format("--ros2-prefix: %s", bench->ros2.problem);
        return false;
    }
    if (!isolated) {
        run_network_open(&bench->network, settings->domain_id);
        return true;
    }
    return run_network_isolate(&bench->network, settings->domain_id, ret_error);
}

void cli_bench_close(cli_bench *bench) {
    free(bench->plan_peers);
    run_network_done(&bench->network);
    run_ros2_done(&bench->ros2);
    run_registry_done(&bench->registry);
    strvec_done(&bench->environments[0]);
    strvec_done(&bench->environments[1]);
    run_guard_stop(&bench->guard);
    char name[RUN_ORPHAN_NAME_MAX];
    run_orphans_end(NULL, 0, name);
    memset(bench, 0, sizeof *bench);
}

static bool is_wanted(const run_peer *peer, const strvec *names) {
    if (names == NULL || strvec_contains(names, "all")) {
        return true;
    }
    for (size_t i = 0; i < peer->variant_count; i++) {
        if (strvec_contains(names, peer->variants[i].name)) {
            return true;
        }
    }
    return false;
}

/* One row of plan_peers for each variant. */
static void make_plan_peers(cli_bench *bench) {
    size_t capacity = bench->plan_peer_count;
    bench->plan_peer_count = 0;
    for (size_t i = 0; i < bench->registry.peer_count; i++) {
        const run_peer *peer = &bench->registry.peers[i];
        for (size_t j = 0; j < peer->variant_count; j++) {
            util_reserve(&bench->plan_peers, &capacity, bench->plan_peer_count + 1,
                sizeof *bench->plan_peers);
            plan_peer *row = &bench->plan_peers[bench->plan_peer_count++];
            *row = (plan_peer){
                .name = peer->variants[j].name,
                .family = peer->family,
                .available = peer->available,
                .secondary = j > 0,
                .missing = peer->probe_line == NULL ? "it was not probed" : peer->probe_line,
                .rmw = peer->uses_ros2 ? bench->ros2.rmw : NULL,
                .rules = peer->rules,
            };
            memcpy(row->generations, peer->generations, sizeof row->generations);
            memcpy(row->patterns, peer->patterns, sizeof row->patterns);
        }
    }
}

/* Without a ROS 2 that can be used there is nothing to probe. */
static void rule_out_ros2(cli_bench *bench) {
    for (size_t i = 0; i < bench->registry.peer_count; i++) {
        run_peer *peer = &bench->registry.peers[i];
        if (peer->uses_ros2 && !peer->probed) {
            peer->probed = true;
            peer->probe_line = util_strdup(bench->ros2.unusable);
        }
    }
}

void cli_bench_probe(cli_bench *bench, const strvec *names) {
    bool *wanted = util_alloc(bench->registry.peer_count, sizeof *wanted);
    for (size_t i = 0; i < bench->registry.peer_count; i++) {
        wanted[i] = is_wanted(&bench->registry.peers[i], names);
    }
    if (bench->ros2.unusable != NULL) {
        rule_out_ros2(bench);
    }
    run_probe(&bench->registry, wanted, bench->environments, &bench->guard);
    free(wanted);
    make_plan_peers(bench);
}

run_setting cli_bench_setting(const cli_bench *bench) {
    return (run_setting){&bench->registry, &bench->network, bench->environments, &bench->guard};
}
