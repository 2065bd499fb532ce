/* Settings: made, copied, settled, and multiplied into a matrix; see settings.h. */
#include "cli/settings.h"

#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

void cli_settings_init(cli_settings *settings, plan_pattern pattern) {
    memset(settings, 0, sizeof *settings);
    settings->spec.cell = plan_cell_default(pattern);
    settings->count = CLI_COUNT_STANDARD;
    settings->timeout_ns = INT64_C(60000000000);
    settings->domain_id = -1;
    settings->seed = 1;
}

void cli_settings_done(cli_settings *settings) {
    strvec_done(&settings->spec.from);
    strvec_done(&settings->spec.to);
    strvec_done(&settings->peer_path);
    free(settings->type);
    free(settings->set_json);
    free(settings->name);
    free(settings->master_uri);
    free(settings->ros2_prefix);
    free(settings->output);
    free(settings->samples_dir);
    free(settings->baseline);
    memset(settings, 0, sizeof *settings);
}

static void copy_list(strvec *list) {
    strvec copy = {0};
    strvec_push_all(&copy, list);
    *list = copy;
}

/* A deep copy. */
static void copy_settings(cli_settings *to, const cli_settings *from) {
    *to = *from;
    copy_list(&to->spec.from);
    copy_list(&to->spec.to);
    copy_list(&to->peer_path);
    to->type = util_strdup(from->type);
    to->set_json = util_strdup(from->set_json);
    to->name = util_strdup(from->name);
    to->master_uri = util_strdup(from->master_uri);
    to->ros2_prefix = util_strdup(from->ros2_prefix);
    to->output = util_strdup(from->output);
    to->samples_dir = util_strdup(from->samples_dir);
    to->baseline = util_strdup(from->baseline);
}

/* Checks what concerns several options and settles the standards. False with a sentence (heap). */
static bool finish(cli_settings *settings, char **ret_error) {
    plan_cell *cell = &settings->spec.cell;
    if (cell->growth) {
        cell->period_ns = 5000000;
        if (settings->count == CLI_COUNT_STANDARD) {
            settings->count = 1000;
        }
    }
    if (settings->count != CLI_COUNT_STANDARD) {
        if (cell->duration_ns > 0) {
            *ret_error = util_strdup("--count and --duration exclude each other");
            return false;
        }
        cell->count = settings->count;
    } else if (cell->duration_ns > 0) {
        cell->count = 0;
    }
    if (settings->type != NULL) {
        cell->type = settings->type;
    }
    if (settings->set_json != NULL) {
        cell->settings_json = settings->set_json;
    }
    if (settings->only == NULL && settings->name != NULL) {
        *ret_error = util_strdup("--name goes with --only; otherwise each round has its own name");
        return false;
    }
    return true;
}

bool cli_settings_set(cli_settings *settings, const option_line *line, char **ret_error) {
    for (size_t i = 0; i < line->count; i++) {
        const option_given *given = &line->items[i];
        if (given->values.count > 1) {
            *ret_error = util_format(
                "--%s takes one value here, not %zu", given->option->name, given->values.count);
            return false;
        }
        if (!option_set(given->option, settings, given->values.items[0], ret_error)) {
            return false;
        }
    }
    return true;
}

/* Sets combination number `index` of the values given. */
static bool set_combination(
    cli_settings *settings, const option_line *line, size_t index, char **ret_error) {
    size_t remaining = 1;
    for (size_t i = 0; i < line->count; i++) {
        remaining *= line->items[i].values.count;
    }
    for (size_t i = 0; i < line->count; i++) {
        const option_given *given = &line->items[i];
        remaining /= given->values.count;
        size_t which = index / remaining % given->values.count;
        if (!option_set(given->option, settings, given->values.items[which], ret_error)) {
            return false;
        }
    }
    return finish(settings, ret_error);
}

#define COMBINATIONS_MAX 10000

cli_settings *cli_settings_expand(
    const cli_settings *base, const option_line *line, size_t *ret_count, char **ret_error) {
    size_t count = 1;
    for (size_t i = 0; i < line->count; i++) {
        count *= line->items[i].values.count;
        if (count > COMBINATIONS_MAX) {
            *ret_error =
                util_format("the lists of values give more than %d combinations", COMBINATIONS_MAX);
            return NULL;
        }
    }
    cli_settings *points = util_alloc(count, sizeof *points);
    for (size_t i = 0; i < count; i++) {
        copy_settings(&points[i], base);
        if (!set_combination(&points[i], line, i, ret_error)) {
            cli_settings_free(points, i + 1);
            return NULL;
        }
    }
    *ret_count = count;
    return points;
}

void cli_settings_free(cli_settings *points, size_t count) {
    for (size_t i = 0; points != NULL && i < count; i++) {
        cli_settings_done(&points[i]);
    }
    free(points);
}
