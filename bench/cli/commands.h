/* The table of commands, for main and for what is generated from it. */
#ifndef BENCH_CLI_COMMANDS_H
#define BENCH_CLI_COMMANDS_H

#include <stddef.h>

#include "cli/command.h"

extern const cli_command cli_commands[];
extern const size_t cli_command_count;
/* rclbench without a command. */
extern const cli_command cli_default_command;

#endif
