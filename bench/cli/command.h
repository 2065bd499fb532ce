/* The commands of rclbench: a table in main.c, a function each. */
#ifndef BENCH_CLI_COMMAND_H
#define BENCH_CLI_COMMAND_H

#include "cli/option.h"

/* As diff and grep have it. */
enum { CLI_GOOD = 0, CLI_FAILED = 1, CLI_TROUBLE = 2 };

typedef struct cli_command {
    const char *name;     /* "" for rclbench without a command */
    const char *operands; /* for the usage line */
    const char *summary;  /* one line */
    unsigned options;     /* its bit in the table of options */
    int operands_min, operands_max;
    /* line holds checked values; the result is the exit status. */
    int (*run)(const struct cli_command *command, const option_line *line);
    const char *more; /* what --help says below the usage, or NULL */
} cli_command;

int cmd_default(const cli_command *command, const option_line *line);
int cmd_run_pattern(const cli_command *command, const option_line *line);
int cmd_run(const cli_command *command, const option_line *line);
int cmd_peers(const cli_command *command, const option_line *line);
int cmd_doctor(const cli_command *command, const option_line *line);
int cmd_report(const cli_command *command, const option_line *line);
int cmd_compare(const cli_command *command, const option_line *line);
int cmd_verify(const cli_command *command, const option_line *line);

/* "rclbench topic: SENTENCE" on standard error, and where help is. Returns CLI_TROUBLE. */
int cli_trouble(const cli_command *command, const char *sentence);
/* The same for a heap sentence, which it frees, with a hint at --help. */
int cli_usage_trouble(const cli_command *command, char *sentence);

/* Parses, answers --help and --version, checks the operands, runs. argv: the words after the
 * command's name. */
int cli_dispatch(const cli_command *command, int argc, char *const *argv);

/* The command line of this process, for the report; heap. */
char *cli_command_line(void);

#endif
