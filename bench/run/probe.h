/* Whether peers can run here: their probe commands, all at once, with a deadline. */
#ifndef BENCH_RUN_PROBE_H
#define BENCH_RUN_PROBE_H

#include "run/guard.h"
#include "run/registry.h"
#include "util/strvec.h"

/* The argv of one of a peer's commands: a relative first word with a slash is looked for in the
 * build folder, then in the peer's own. */
void run_peer_argv(const run_peer *peer, const strvec *command, strvec *ret_argv);

/* The environment of a peer's commands: `base` and RCLBENCH_PEER_DIR, RCLBENCH_BUILD_DIR. */
void run_peer_environment(const run_peer *peer, const strvec *base, strvec *ret_environment);

/* Probes every peer for which wanted[i] is true (NULL: all) and that was not probed yet;
 * environments [0] for peers that need no ROS 2, [1] for those that do. */
void run_probe(run_registry *registry, const bool *wanted, const strvec environments[2],
    const run_guard *guard);

#endif
