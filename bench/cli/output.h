/* From a run to what the user gets: computed, written in the format asked for. */
#ifndef BENCH_CLI_OUTPUT_H
#define BENCH_CLI_OUTPUT_H

#include <stdbool.h>

#include "cli/settings.h"
#include "report/report.h"

/* Writes in the format of the settings, to their output or standard output. False with a sentence.
 */
bool cli_output_write(const report *result, const cli_settings *settings, char **ret_error);

/* Writes one file, its format chosen by the suffix. */
bool cli_output_file(
    const report *result, const cli_settings *settings, const char *path, char **ret_error);

/* Before minutes are spent on what cannot be written. */
bool cli_output_possible(const char *path, char **ret_error);

/* Last resort when a result could not be written: keeps it as JSON among the temporary files, and
 * adds to the sentence where (or leaves it as it is). */
void cli_output_rescue(const report *result, const cli_settings *settings, char **error);

#endif
