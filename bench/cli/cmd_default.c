/* rclbench without a command: the default plan, as a table on standard output, and beside it a
 * result file and a report to look at. */
#include <stdio.h>
#include <time.h>

#include "cli/command.h"
#include "cli/measure.h"
#include "report/report.h"
#include "util/memory.h"

/* The second ancestor's table: 1000 messages of 1024 KiB, here in ten rounds of 100. */
static void set_standards(cli_settings *base) {
    base->rounds = 10;
    base->budget_ns = INT64_C(300000000000);
    base->count = 100;
    base->spec.cell.payload_bytes = 1024 * 1024;
    base->spec.cell.generation = 0;
}

static void name_files(strvec *files) {
    time_t now = time(NULL);
    struct tm parts;
    char stamp[32];
    localtime_r(&now, &parts);
    strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &parts);
    strvec_pushf(files, "rclbench-%s.json", stamp);
    if (report_format_find("html") != NULL) {
        strvec_pushf(files, "rclbench-%s.html", stamp);
    }
}

int cmd_default(const cli_command *command, const option_line *line) {
    cli_settings base;
    cli_settings_init(&base, PLAN_TOPIC);
    set_standards(&base);
    char *error = NULL;
    size_t count = 0;
    cli_settings *points = cli_settings_expand(&base, line, &count, &error);
    cli_settings_done(&base);
    if (points == NULL) {
        return cli_usage_trouble(command, error);
    }
    strvec files = {0};
    name_files(&files);
    cli_measurement measurement = {
        .command = command,
        .points = points,
        .point_count = count,
        .whole = &points[0],
        .is_default = true,
        .keep_files = points[0].output == NULL ? &files : NULL,
    };
    int status = cli_measure(&measurement);
    strvec_done(&files);
    cli_settings_free(points, count);
    return status;
}
