/* The whole pipeline for one or several points of a matrix: plan, run, report. What topic, service,
 * action, startup, run and rclbench alone share. */
#ifndef BENCH_CLI_MEASURE_H
#define BENCH_CLI_MEASURE_H

#include "cli/command.h"
#include "cli/settings.h"

typedef struct cli_measurement {
    const cli_command *command;
    const cli_settings *points; /* one plan_spec each */
    size_t point_count;
    const cli_settings *whole; /* rounds, limits, output */
    bool is_default;           /* every peer with itself; points[0] gives counts and sizes */
    strvec *keep_files;        /* files to write beside the output, may be NULL */
} cli_measurement;

/* Exit status. */
int cli_measure(const cli_measurement *measurement);

#endif
