/* rclbench peers: what can be measured here, and what to install for the rest. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bench.h"
#include "cli/command.h"
#include "util/strbuf.h"

static void print_ros2(const run_ros2 *ros2) {
    if (!ros2->found) {
        printf("ROS 2: %s.\n", ros2->problem);
    } else {
        char *rmws = strvec_join(&ros2->rmws, ", ");
        printf("ROS 2: %s in %s, RMW %s (installed: %s).\n", ros2->distribution, ros2->prefix,
            ros2->rmw, rmws[0] == '\0' ? "none" : rmws);
        free(rmws);
    }
}

static char *patterns_of(const run_peer *peer) {
    strbuf text = {0};
    for (int i = 0; i < PLAN_PATTERN_COUNT; i++) {
        if (peer->patterns[i]) {
            strbuf_appendf(
                &text, "%s%s", text.len == 0 ? "" : ", ", plan_pattern_name((plan_pattern)i));
        }
    }
    return strbuf_take(&text);
}

static const char *generations_of(const run_peer *peer) {
    return peer->generations[1] && peer->generations[2] ? "1+2" : peer->generations[1] ? "1" : "2";
}

static void print_peer(const run_peer *peer) {
    char *patterns = patterns_of(peer);
    for (size_t i = 0; i < peer->variant_count; i++) {
        printf("%-18s %-3s  %-11s %-3s  %s\n", peer->variants[i].name,
            peer->available ? "yes" : "no", peer->language, generations_of(peer),
            i == 0 ? patterns : "\"");
    }
    printf("%-23s %s\n", "", peer->probe_line);
    if (!peer->available) {
        printf("%-23s to install: %s\n", "", peer->install);
    }
    free(patterns);
}

int cmd_peers(const cli_command *command, const option_line *line) {
    cli_settings settings;
    char *error = NULL;
    cli_settings_init(&settings, PLAN_TOPIC);
    if (!cli_settings_set(&settings, line, &error)) {
        cli_settings_done(&settings);
        return cli_usage_trouble(command, error);
    }
    cli_bench bench;
    int status = CLI_GOOD;
    if (!cli_bench_open(&bench, &settings, true, &error)) {
        status = cli_trouble(command, error);
        free(error);
    } else {
        cli_bench_probe(&bench, NULL);
        print_ros2(&bench.ros2);
        printf("\n%-18s %-3s  %-11s %-3s  %s\n", "peer", "", "language", "ROS", "patterns");
        for (size_t i = 0; i < bench.registry.peer_count; i++) {
            print_peer(&bench.registry.peers[i]);
        }
        if (bench.registry.problems.count > 0) {
            status = CLI_TROUBLE;
        }
    }
    cli_bench_close(&bench);
    cli_settings_done(&settings);
    return status;
}
