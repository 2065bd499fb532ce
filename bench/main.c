/* rclbench: the table of commands. Each lives in bench/cli. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/settings.h"
#include "util/nearest.h"

static const cli_command commands[] = {
    {"topic", "", "Measures a topic: messages from a publisher to a subscriber.", CLI_TOPIC, 0, 0,
        cmd_run_pattern, NULL},
    {"service", "", "Measures a service: calls from a client to a server.", CLI_SERVICE, 0, 0,
        cmd_run_pattern, NULL},
    {"action", "", "Measures an action: goals from a client to a server.", CLI_ACTION, 0, 0,
        cmd_run_pattern, NULL},
    {"startup", "", "Measures how long a node takes from its start to its first message.",
        CLI_STARTUP, 0, 0, cmd_run_pattern, NULL},
    {"run", "PLAN.yaml", "Measures a matrix that is written down.", CLI_RUN, 1, 1, cmd_run, NULL},
    {"peers", "", "Lists the client libraries that can be measured here, and what to install.",
        CLI_PEERS, 0, 0, cmd_peers, NULL},
    {"verify", "PEER", "Checks that a peer keeps the peer protocol, before it is measured.",
        CLI_VERIFY, 1, 1, cmd_verify, NULL},
    {"report", "RESULT.json", "Shows a saved result again, in any format.", CLI_REPORT, 1, 1,
        cmd_report, NULL},
    {"compare", "OLD.json NEW.json",
        "Judges whether a new result is better or worse; exit status 1 when something is worse.",
        CLI_COMPARE, 2, 2, cmd_compare, NULL},
    {"doctor", "",
        "Tells what on this machine would spoil the numbers; exit status 1 when something.",
        CLI_DOCTOR, 0, 0, cmd_doctor, NULL},
};
#define COMMAND_COUNT (sizeof commands / sizeof commands[0])

static void print_commands(FILE *out) {
    fputs("\nCommands:\n", out);
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        fprintf(out, "  %-9s %s\n", commands[i].name, commands[i].summary);
    }
    fputs("\n'rclbench COMMAND --help' tells more.\n", out);
}

static const cli_command default_command = {"", "[COMMAND]",
    "Measures topics and services of every client library found here.", CLI_DEFAULT, 0, 0,
    cmd_default, NULL};

static int unknown_command(const char *word) {
    const char *names[COMMAND_COUNT];
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        names[i] = commands[i].name;
    }
    const char *near = nearest_word(word, names, COMMAND_COUNT);
    if (near != NULL) {
        fprintf(stderr, "rclbench: there is no command '%s' (did you mean '%s'?)\n", word, near);
    } else {
        fprintf(stderr, "rclbench: there is no command '%s'\n", word);
    }
    print_commands(stderr);
    return CLI_TROUBLE;
}

int main(int argc, char **argv) {
    if (argc >= 2 && argv[1][0] != '-') {
        for (size_t i = 0; i < COMMAND_COUNT; i++) {
            if (strcmp(argv[1], commands[i].name) == 0) {
                return cli_dispatch(&commands[i], argc - 2, argv + 2);
            }
        }
        return unknown_command(argv[1]);
    }
    int status = cli_dispatch(&default_command, argc - 1, argv + 1);
    if (argc >= 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        print_commands(stdout);
    }
    return status;
}
