/* What every command that starts peers needs, opened and closed in one place: the guard, the
 * registry, the environments, the network. */
#ifndef BENCH_CLI_BENCH_H
#define BENCH_CLI_BENCH_H

#include <stdbool.h>

#include "cli/settings.h"
#include "run/guard.h"
#include "run/network.h"
#include "run/registry.h"
#include "run/ros2_env.h"
#include "run/runner.h"

typedef struct cli_bench {
    run_guard guard;
    run_registry registry;
    run_ros2 ros2;
    run_network network;
    strvec environments[2]; /* [0] without, [1] with ROS 2 */
    plan_peer *plan_peers;  /* of all variants, after cli_bench_probe() */
    size_t plan_peer_count;
} cli_bench;

/* Installs the signal handlers, starts the guard, loads the manifests (problems go to standard
 * error), finds ROS 2. isolated: a domain of our own. False with a sentence (heap); close it in
 * either case. */
bool cli_bench_open(
    cli_bench *bench, const cli_settings *settings, bool isolated, char **ret_error);
void cli_bench_close(cli_bench *bench);

/* Probes the peers that have a variant in `names`, or all when names is NULL or holds "all"; then
 * fills plan_peers. */
void cli_bench_probe(cli_bench *bench, const strvec *names);

run_setting cli_bench_setting(const cli_bench *bench);

#endif
