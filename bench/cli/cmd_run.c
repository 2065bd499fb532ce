/* rclbench run PLAN.yaml: a matrix that is written down. What the command line says wins over the
 * file. */
#include <stdlib.h>

#include "cli/command.h"
#include "cli/measure.h"
#include "cli/plan_file.h"

/* The file's options, then the command line's. */
static bool settle(
    cli_settings *whole, const cli_plan_file *file, const option_line *line, char **ret_error) {
    cli_settings_init(whole, PLAN_TOPIC);
    whole->rounds = 10;
    return cli_settings_set(whole, &file->whole, ret_error) &&
           cli_settings_set(whole, line, ret_error);
}

int cmd_run(const cli_command *command, const option_line *line) {
    cli_plan_file file;
    char *error = NULL;
    if (!cli_plan_file_read(line->operands.items[0], &file, &error)) {
        int status = cli_trouble(command, error);
        free(error);
        return status;
    }
    cli_settings whole;
    int status = CLI_TROUBLE;
    if (!settle(&whole, &file, line, &error)) {
        cli_usage_trouble(command, error);
    } else {
        cli_measurement measurement = {
            .command = command,
            .points = file.points,
            .point_count = file.point_count,
            .whole = &whole,
        };
        status = cli_measure(&measurement);
    }
    cli_settings_done(&whole);
    cli_plan_file_done(&file);
    return status;
}
