/* rclbench compare: whether a new result is better or worse than an old one. Exit status 1:
 * something is worse. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/settings.h"
#include "report/compare.h"
#include "util/memory.h"

static unsigned terminal_width(FILE *out) {
    struct winsize size;
    bool known = isatty(fileno(out)) && ioctl(fileno(out), TIOCGWINSZ, &size) == 0;
    return known ? size.ws_col : 0;
}

static bool write_comparison(
    const comparison *compared, const cli_settings *settings, char **ret_error) {
    const char *format = settings->format;
    if (format == NULL && settings->output != NULL) {
        const report_format *by_suffix = report_format_of_file(settings->output);
        format = by_suffix != NULL ? by_suffix->name : NULL;
    }
    format = format != NULL ? format : "text";
    if (strcmp(format, "text") != 0 && strcmp(format, "json") != 0 &&
        strcmp(format, "markdown") != 0) {
        *ret_error = util_format("a comparison is text, json or markdown, not %s", format);
        return false;
    }
    const char *name = settings->output != NULL ? settings->output : "standard output";
    FILE *out = settings->output != NULL ? fopen(settings->output, "we") : stdout;
    bool ok = out != NULL && comparison_write(compared, format, terminal_width(out), out);
    ok = ok && fflush(out) == 0;
    if (!ok) {
        *ret_error = util_format("%s: %s", name, strerror(errno));
    }
    if (out != NULL && out != stdout && fclose(out) != 0 && ok) {
        *ret_error = util_format("%s: %s", name, strerror(errno));
        ok = false;
    }
    return ok;
}

/* CLI_TROUBLE with an error (heap). */
static int compare_files(
    const char *old_path, const char *new_path, const cli_settings *settings, char **ret_error) {
    char text[512];
    report before = {0}, after = {0};
    int status = CLI_TROUBLE;
    if (!report_read(old_path, &before, text, sizeof text) ||
        !report_read(new_path, &after, text, sizeof text)) {
        *ret_error = util_strdup(text);
        report_done(&before);
        return status;
    }
    comparison compared;
    compare_results(&before, &after, settings->baseline, &compared);
    if (compared.row_count == 0) {
        *ret_error = util_format("%s and %s measured nothing in common%s%s", old_path, new_path,
            settings->baseline != NULL ? " beside " : "",
            settings->baseline != NULL ? settings->baseline : "");
    } else if (write_comparison(&compared, settings, ret_error)) {
        status = compared.verdicts[COMPARE_WORSE] > 0 ? CLI_FAILED : CLI_GOOD;
    }
    comparison_done(&compared);
    report_done(&before);
    report_done(&after);
    return status;
}

int cmd_compare(const cli_command *command, const option_line *line) {
    cli_settings settings;
    char *error = NULL;
    cli_settings_init(&settings, PLAN_TOPIC);
    if (!cli_settings_set(&settings, line, &error)) {
        cli_settings_done(&settings);
        return cli_usage_trouble(command, error);
    }
    int status = compare_files(line->operands.items[0], line->operands.items[1], &settings, &error);
    if (status == CLI_TROUBLE) {
        cli_trouble(command, error);
        free(error);
    }
    cli_settings_done(&settings);
    return status;
}
