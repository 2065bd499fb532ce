/* Writes a result; see output.h. */
#include "cli/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
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

bool cli_output_possible(const char *path, char **ret_error) {
    struct stat about;
    int problem = 0;
    if (stat(path, &about) == 0) {
        problem = S_ISDIR(about.st_mode) ? EISDIR : access(path, W_OK) != 0 ? errno : 0;
    } else {
        const char *slash = strrchr(path, '/');
        char *folder = slash == NULL   ? util_strdup(".")
                       : slash == path ? util_strdup("/")
                                       : util_strndup(path, (size_t)(slash - path));
        problem = access(folder, W_OK | X_OK) != 0 ? errno : 0;
        free(folder);
    }
    if (problem != 0) {
        *ret_error = util_format("%s: %s", path, strerror(problem));
    }
    return problem == 0;
}

void cli_output_rescue(const report *result, const cli_settings *settings, char **error) {
    const char *folder = getenv("TMPDIR");
    char *path = util_format("%s/rclbench-XXXXXX.json", folder != NULL ? folder : "/tmp");
    int fd = mkstemps(path, 5);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    char *problem = NULL;
    bool ok = file != NULL &&
              write_to(result, settings, report_format_find("json"), file, path, &problem);
    ok = file != NULL && fclose(file) == 0 && ok;
    if (ok) {
        char *longer =
            util_format("%s; the result is in %s (`rclbench report` shows it)", *error, path);
        free(*error);
        *error = longer;
    } else if (fd >= 0) {
        unlink(path);
    }
    free(problem);
    free(path);
}
