/* rclbench topic | service | action | startup: one pattern from the command line. */

#include "cli/command.h"
#include "cli/measure.h"
#include "util/memory.h"

int cmd_run_pattern(const cli_command *command, const option_line *line) {
    plan_pattern pattern = PLAN_TOPIC;
    plan_pattern_parse(command->name, &pattern);
    cli_settings base;
    cli_settings_init(&base, pattern);
    base.rounds = 1;
    char *error = NULL;
    size_t count = 0;
    cli_settings *points = cli_settings_expand(&base, line, &count, &error);
    int status = CLI_TROUBLE;
    if (points == NULL) {
        cli_usage_trouble(command, error);
    } else if (points[0].spec.from.count == 0 && points[0].spec.to.count == 0) {
        cli_usage_trouble(
            command, util_strdup(pattern == PLAN_SERVICE || pattern == PLAN_ACTION
                                     ? "who with whom? give --client and --server, or 'all'"
                                     : "who with whom? give --from and --to, or 'all'"));
    } else {
        cli_measurement measurement = {
            .command = command, .points = points, .point_count = count, .whole = &points[0]};
        status = cli_measure(&measurement);
    }
    cli_settings_free(points, count);
    cli_settings_done(&base);
    return status;
}
