/* Writes a result; see output.h. */
#include "cli/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "util/memory.h"

static unsigned terminal_width(FILE *out) {
    struct winsize size;
    if (isatty(fileno(out)) && ioctl(fileno(out), TIOCGWINSZ, &size) == 0) {
        return size.ws_col;
    }
    return 0;
}

static bool write_to(const report *result, const cli_settings *settings,
    const report_format *format, FILE *out, const char *name, char **ret_error) {
    report_view view = {
        .width = terminal_width(out),
        .detail = settings->detail,
        .baseline = settings->baseline,
    };
    if (!format->write(result, &view, out) || fflush(out) != 0) {
        *ret_error = util_format("%s: %s", name, strerror(errno));
        return false;
    }
    return true;
}

static bool write_file(const report *result, const cli_settings *settings,
    const report_format *format, const char *path, char **ret_error) {
    FILE *file = fopen(path, "we");
    if (file == NULL) {
        *ret_error = util_format("%s: %s", path, strerror(errno));
        return false;
    }
    bool ok = write_to(result, settings, format, file, path, ret_error);
    if (fclose(file) != 0 && ok) {
        *ret_error = util_format("%s: %s", path, strerror(errno));
        ok = false;
    }
    return ok;
}

bool cli_output_file(
    const report *result, const cli_settings *settings, const char *path, char **ret_error) {
    const report_format *format = report_format_of_file(path);
    if (format == NULL) {
        *ret_error = util_format("%s: no format has this suffix", path);
        return false;
    }
    return write_file(result, settings, format, path, ret_error);
}

bool cli_output_write(const report *result, const cli_settings *settings, char **ret_error) {
    const report_format *format = settings->format != NULL ? report_format_find(settings->format)
                                  : settings->output != NULL
                                      ? report_format_of_file(settings->output)
                                      : NULL;
    if (format == NULL) {
        format = report_format_find("text");
    }
    if (settings->output != NULL) {
        return write_file(result, settings, format, settings->output, ret_error);
    }
    return write_to(result, settings, format, stdout, "standard output", ret_error);
}
