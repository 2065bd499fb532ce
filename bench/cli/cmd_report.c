/* rclbench report: a saved result in any format, computed again from its samples where they are
 * there. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/settings.h"
#include "util/memory.h"

/* A result whose samples say something else is not shown. */
static bool recompute(const report *result, const char *path, char **ret_error) {
    char text[512];
    size_t checked = 0;
    if (!report_recompute(result, path, &checked, text, sizeof text)) {
        *ret_error = util_strdup(text);
        return false;
    }
    if (checked > 0) {
        fprintf(stderr,
            "rclbench report: %zu rounds computed again from their samples, all equal\n", checked);
    }
    return true;
}

int cmd_report(const cli_command *command, const option_line *line) {
    cli_settings settings;
    char *error = NULL;
    cli_settings_init(&settings, PLAN_TOPIC);
    if (!cli_settings_set(&settings, line, &error)) {
        cli_settings_done(&settings);
        return cli_usage_trouble(command, error);
    }
    const char *path = line->operands.items[0];
    report result = {0};
    char text[512];
    bool ok = report_read(path, &result, text, sizeof text);
    if (!ok) {
        error = util_strdup(text);
    } else {
        ok = recompute(&result, path, &error) && cli_output_write(&result, &settings, &error);
    }
    if (!ok) {
        cli_trouble(command, error);
        free(error);
    }
    report_done(&result);
    cli_settings_done(&settings);
    return ok ? CLI_GOOD : CLI_TROUBLE;
}
