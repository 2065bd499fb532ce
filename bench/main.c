/* rclbench: finds the command. Each lives in bench/cli. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "util/nearest.h"

#define NAMES_MAX 32

static void print_commands(FILE *out) {
    fputs("\nCommands:\n", out);
    for (size_t i = 0; i < cli_command_count; i++) {
        fprintf(out, "  %-9s %s\n", cli_commands[i].name, cli_commands[i].summary);
    }
    fputs("\n'rclbench COMMAND --help' tells more.\n", out);
}

static int unknown_command(const char *word) {
    const char *names[NAMES_MAX];
    for (size_t i = 0; i < cli_command_count && i < NAMES_MAX; i++) {
        names[i] = cli_commands[i].name;
    }
    const char *near = nearest_word(word, names, cli_command_count);
    if (near != NULL) {
        fprintf(stderr, "rclbench: there is no command '%s' (did you mean '%s'?)\n", word, near);
    } else {
        fprintf(stderr, "rclbench: there is no command '%s'\n", word);
    }
    print_commands(stderr);
    return CLI_TROUBLE;
}

static int run(int argc, char **argv) {
    if (argc >= 2 && argv[1][0] != '-') {
        for (size_t i = 0; i < cli_command_count; i++) {
            if (strcmp(argv[1], cli_commands[i].name) == 0) {
                return cli_dispatch(&cli_commands[i], argc - 2, argv + 2);
            }
        }
        return unknown_command(argv[1]);
    }
    int status = cli_dispatch(&cli_default_command, argc - 1, argv + 1);
    if (argc >= 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        print_commands(stdout);
    }
    return status;
}

int main(int argc, char **argv) {
    int status = run(argc, argv);
    if (status != CLI_TROUBLE && (fflush(stdout) != 0 || ferror(stdout))) {
        fprintf(stderr, "rclbench: standard output: %s\n", strerror(errno));
        return CLI_TROUBLE;
    }
    return status;
}
