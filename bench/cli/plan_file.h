/* Plan files: YAML whose keys are the long options. Every message names file, line and column.
 *
 *     rounds: 10                 # options of `rclbench run`
 *     defaults:                  # for every experiment whose pattern has the option
 *       payload: 1KiB
 *     experiments:
 *       - pattern: topic         # or a list
 *         from: all
 *         pairs: same
 *         payload: [64, 1KiB, 1MiB]     # a list: one measurement each
 */
#ifndef BENCH_CLI_PLAN_FILE_H
#define BENCH_CLI_PLAN_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/settings.h"

typedef struct cli_plan_file {
    option_line whole; /* options of `rclbench run` given at the top level */
    cli_settings *points;
    size_t point_count;
} cli_plan_file;

/* Any text whatever gives a plan or one sentence (heap). */
bool cli_plan_file_parse(
    const char *text, size_t len, const char *file_name, cli_plan_file *ret_file, char **ret_error);
bool cli_plan_file_read(const char *path, cli_plan_file *ret_file, char **ret_error);
void cli_plan_file_done(cli_plan_file *file);

#endif
