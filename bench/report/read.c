/* Reads a result file back into a report. Nothing in the file is believed:
 * every member has its kind and range checked, and what is wrong is named with
 * its place. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/owned.h"
#include "report/summary_json.h"
#include "report/tables.h"
#include "util/memory.h"

typedef struct reader {
    report_owned *owned;
    field_error error;
} reader;

static bool read_texts(reader *r, const json_t *parent, const char *key, char ***ret_texts,
    size_t *ret_count, const field_place *place) {
    const json_t *array = field_array(parent, key, place, &r->error);
    if (array == NULL) {
        return false;
    }
    size_t count = json_array_size(array);
    *ret_texts = report_owned_alloc(r->owned, count, sizeof(char *));
    for (size_t i = 0; i < count; i++) {
        const char *text = json_string_value(json_array_get(array, i));
        if (text == NULL) {
            const field_place here = {place, key, 0};
            return field_fail(&r->error, &here, "not an array of strings");
        }
        (*ret_texts)[i] = (char *)(uintptr_t)text;
    }
    *ret_count = count;
    return true;
}

/* A text that must be there. */
static const char *read_word(
    reader *r, const json_t *object, const char *key, const field_place *place) {
    const char *text = json_string_value(json_object_get(object, key));
    if (text == NULL) {
        const field_place here = {place, key, 0};
        field_fail(&r->error, &here, "not a string");
    }
    return text;
}

static bool read_resources(
    reader *r, const json_t *object, run_resources *ret, const field_place *place) {
    ret->valid = !json_is_null(json_object_get(object, table_resources.fields[0].key));
    return !ret->valid || fields_read(object, table_resources.fields, table_resources.count, ret,
                              place, &r->error);
}

static bool read_samples(reader *r, const json_t *object, run_process *process, char sha256[65],
    const field_place *place) {
    const json_t *samples = json_object_get(object, "samples");
    if (json_is_null(samples)) {
        return true;
    }
    const field_place here = {place, "samples", 0};
    const char *path = read_word(r, samples, "path", &here);
    const char *hash = read_word(r, samples, "sha256", &here);
    if (path == NULL || hash == NULL) {
        return false;
    }
    if (strlen(hash) != 64 || strspn(hash, "0123456789abcdef") != 64) {
        return field_fail(&r->error, &here, "sha256 is not 64 hexadecimal digits");
    }
    process->samples_path = (char *)(uintptr_t)path;
    memcpy(sha256, hash, 65);
    return true;
}

static bool read_process(reader *r, const json_t *object, run_process *process, char sha256[65],
    const field_place *place) {
    if (!fields_read(
            object, table_process.fields, table_process.count, process, place, &r->error) ||
        !read_resources(r, object, &process->measured, place)) {
        return false;
    }
    const json_t *lifetime = json_object_get(object, "lifetime");
    const field_place here = {place, "lifetime", 0};
    if (lifetime == NULL || (!json_is_null(lifetime) && !json_is_object(lifetime))) {
        return field_fail(&r->error, &here, "not an object or null");
    }
    if (json_is_object(lifetime) && !read_resources(r, lifetime, &process->lifetime, &here)) {
        return false;
    }
    const json_t *effective = json_object_get(object, "effective");
    if (json_is_object(effective)) {
        process->effective_json = json_dumps(effective, JSON_COMPACT);
        report_owned_take(r->owned, process->effective_json);
    }
    return read_samples(r, object, process, sha256, place);
}

static bool read_processes(reader *r, const json_t *object, const plan_cell *cell, run_round *run,
    report_round *round, const field_place *place) {
    const json_t *processes = field_array(object, "processes", place, &r->error);
    const field_place array = {place, "processes", 0};
    for (size_t i = 0; i < json_array_size(processes); i++) {
        const field_place here = {&array, NULL, i};
        const json_t *process = json_array_get(processes, i);
        const char *role = read_word(r, process, "role", &here);
        if (role == NULL) {
            return false;
        }
        int side = strcmp(role, plan_role_name(cell->pattern, 0)) == 0 ? 0 : 1;
        if (side == 1 && strcmp(role, plan_role_name(cell->pattern, 1)) != 0) {
            return field_fail(&r->error, &here, "no role of this pattern");
        }
        if (run->sides[side].role != NULL) {
            return field_fail(&r->error, &here, "a second process of this role");
        }
        if (!read_process(r, process, &run->sides[side], round->samples_sha256[side], &here)) {
            return false;
        }
    }
    return processes != NULL;
}

static bool read_round(reader *r, const json_t *object, const plan_cell *cell, run_round *run,
    report_round *round, const field_place *place) {
    round->run = run;
    if (!json_is_object(object)) {
        return field_fail(&r->error, place, "not an object");
    }
    if (!fields_read(object, table_round.fields, table_round.count, run, place, &r->error) ||
        !read_processes(r, object, cell, run, round, place) ||
        !read_texts(r, object, "warnings", &run->warnings, &run->warning_count, place)) {
        return false;
    }
    const json_t *missing = json_object_get(object, "missing_rows");
    round->has_summary = run->ok && !json_is_null(missing);
    return !round->has_summary || summary_from_json(object, &round->summary, place, &r->error);
}

static bool read_rounds(
    reader *r, const json_t *object, run_cell *run, report_cell *cell, const field_place *place) {
    const json_t *rounds = field_array(object, "rounds", place, &r->error);
    if (rounds == NULL) {
        return false;
    }
    const field_place array = {place, "rounds", 0};
    size_t count = json_array_size(rounds);
    run->rounds = report_owned_alloc(r->owned, count, sizeof(run_round));
    run->round_count = count;
    cell->rounds = util_alloc(count + 1, sizeof(*cell->rounds));
    cell->round_count = count;
    for (size_t i = 0; i < count; i++) {
        const field_place here = {&array, NULL, i};
        if (!read_round(r, json_array_get(rounds, i), run->cell, &run->rounds[i], &cell->rounds[i],
                &here)) {
            return false;
        }
        cell->good_rounds += cell->rounds[i].has_summary;
    }
    return true;
}

static bool read_transport(
    reader *r, const json_t *object, plan_cell *what, const field_place *place) {
    const char *transport = read_word(r, object, "transport", place);
    for (int t = 0; transport != NULL && t < PLAN_TRANSPORT_COUNT; t++) {
        if (strcmp(transport, plan_transport_name((plan_transport)t)) == 0) {
            what->transport = (plan_transport)t;
            return true;
        }
    }
    const field_place here = {place, "transport", 0};
    return field_fail(&r->error, &here, "unknown");
}

static bool read_what(reader *r, const json_t *object, plan_cell *what, const field_place *place) {
    const char *pattern = read_word(r, object, "pattern", place);
    const field_place here = {place, "pattern", 0};
    if (pattern == NULL) {
        return false;
    }
    if (!plan_pattern_parse(pattern, &what->pattern)) {
        return field_fail(&r->error, &here, "unknown pattern %.40s", pattern);
    }
    bool calls = what->pattern == PLAN_SERVICE || what->pattern == PLAN_ACTION;
    what->from = read_word(r, object, calls ? "client" : "from", place);
    what->to = read_word(r, object, calls ? "server" : "to", place);
    const json_t *qos = field_object(object, "qos", place, &r->error);
    const field_place qos_place = {place, "qos", 0};
    if (what->from == NULL || what->to == NULL || qos == NULL ||
        !fields_read(object, table_cell.fields, table_cell.count, what, place, &r->error) ||
        !fields_read(qos, table_qos.fields, table_qos.count, &what->qos, &qos_place, &r->error) ||
        !read_transport(r, object, what, place)) {
        return false;
    }
    const json_t *settings = json_object_get(object, "settings");
    char *dumped = json_dumps(settings, JSON_COMPACT | JSON_ENCODE_ANY);
    report_owned_take(r->owned, dumped);
    what->settings_json = dumped;
    if (what->type == NULL || what->payload_kind == NULL || what->period_ns < 0) {
        return field_fail(&r->error, place, "type, payload_kind or period_ns is not usable");
    }
    return true;
}

static bool read_cell(reader *r, const json_t *object, plan_cell *what, run_cell *run,
    report_cell *cell, const field_place *place) {
    static const field refused[] = {FIELD(run_cell, refused, FIELD_TEXT)};
    run->cell = what;
    cell->run = run;
    if (!json_is_object(object)) {
        return field_fail(&r->error, place, "not an object");
    }
    if (!read_what(r, object, what, place) ||
        !fields_read(object, refused, 1, run, place, &r->error) ||
        !read_rounds(r, object, run, cell, place)) {
        return false;
    }
    const json_t *summary = json_object_get(object, "summary");
    const field_place here = {place, "summary", 0};
    if (summary == NULL || json_is_null(summary)) {
        return cell->good_rounds == 0 || field_fail(&r->error, &here, "missing");
    }
    cell->has_summary = summary_from_json(summary, &cell->summary, &here, &r->error);
    return cell->has_summary;
}

static bool read_cells(reader *r, const json_t *root, report *result) {
    const json_t *cells = field_array(root, "cells", NULL, &r->error);
    if (cells == NULL) {
        return false;
    }
    size_t count = json_array_size(cells);
    report_owned *owned = r->owned;
    owned->plan.cells = report_owned_alloc(owned, count, sizeof(plan_cell));
    owned->plan.cell_count = count;
    owned->record.cells = report_owned_alloc(owned, count, sizeof(run_cell));
    owned->record.cell_count = count;
    result->cells = util_alloc(count + 1, sizeof(*result->cells));
    result->cell_count = count;
    const field_place array = {NULL, "cells", 0};
    for (size_t i = 0; i < count; i++) {
        const field_place here = {&array, NULL, i};
        if (!read_cell(r, json_array_get(cells, i), &owned->plan.cells[i], &owned->record.cells[i],
                &result->cells[i], &here)) {
            return false;
        }
    }
    return true;
}

static bool read_head(reader *r, const json_t *root, report *result) {
    static const field head[] = {FIELD(struct report, seed, FIELD_COUNT)};
    static const field plan_head[] = {
        FIELD_AS("planned_rounds", plan, rounds, FIELD_U32),
        FIELD(plan, timeout_ns, FIELD_I64),
    };
    static const field record_head[] = {FIELD(run_record, interrupted, FIELD_BOOL)};
    report_owned *owned = r->owned;
    const json_t *version = json_object_get(root, "schema_version");
    if (!json_is_integer(version)) {
        return field_fail(&r->error, NULL, "not a result of rclbench (no schema_version)");
    }
    if (json_integer_value(version) != REPORT_SCHEMA_VERSION) {
        return field_fail(&r->error, NULL, "result of schema version %lld; this program reads %d",
            (long long)json_integer_value(version), REPORT_SCHEMA_VERSION);
    }
    const json_t *environment = field_object(root, "environment", NULL, &r->error);
    const field_place here = {NULL, "environment", 0};
    char **warnings = NULL;
    size_t warning_count = 0;
    if (environment == NULL ||
        !fields_read(environment, table_environment.fields, table_environment.count,
            &owned->environment, &here, &r->error) ||
        !fields_read(root, head, 1, result, NULL, &r->error) ||
        !fields_read(root, plan_head, 2, &owned->plan, NULL, &r->error) ||
        !fields_read(root, record_head, 1, &owned->record, NULL, &r->error) ||
        !read_texts(r, root, "notes", &owned->plan.notes, &owned->plan.note_count, NULL) ||
        !read_texts(r, root, "warnings", &warnings, &warning_count, NULL)) {
        return false;
    }
    for (size_t i = 0; i < warning_count; i++) {
        strvec_push(&result->warnings, warnings[i]);
    }
    return true;
}

/* Takes root; NULL with an error is a text that is not JSON. */
static bool read_root(json_t *root, const json_error_t *error, const char *name, report *ret_report,
    char *error_text, size_t error_size) {
    if (root == NULL) {
        snprintf(
            error_text, error_size, "%s: not JSON: %s (line %d)", name, error->text, error->line);
        return false;
    }
    report_owned *owned = util_alloc(1, sizeof(*owned));
    owned->root = root;
    reader r = {.owned = owned};
    report read = {
        .plan = &owned->plan,
        .record = &owned->record,
        .environment = &owned->environment,
        .owned = owned,
    };
    if (!read_head(&r, root, &read) || !read_cells(&r, root, &read)) {
        snprintf(error_text, error_size, "%s: %s", name, r.error.text);
        report_done(&read);
        return false;
    }
    *ret_report = read;
    return true;
}

bool report_parse(const char *text, size_t len, const char *name, report *ret_report,
    char *error_text, size_t error_size) {
    json_error_t error;
    json_t *root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &error);
    return read_root(root, &error, name, ret_report, error_text, error_size);
}

/* Only regular files: reading /dev/zero would never end. Through a FILE, since
 * jansson reads a descriptor byte by byte. */
bool report_read(const char *path, report *ret_report, char *error_text, size_t error_size) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;
    FILE *in = NULL;
    bool good = false;
    if (fd < 0 || fstat(fd, &status) != 0) {
        snprintf(error_text, error_size, "%s: %s", path, strerror(errno));
    } else if (!S_ISREG(status.st_mode)) {
        snprintf(error_text, error_size, "%s: not a regular file", path);
    } else if ((in = fdopen(fd, "rb")) == NULL) {
        snprintf(error_text, error_size, "%s: %s", path, strerror(errno));
    } else {
        json_error_t error;
        json_t *root = json_loadf(in, JSON_REJECT_DUPLICATES, &error);
        good = read_root(root, &error, path, ret_report, error_text, error_size);
    }
    if (in != NULL) {
        fclose(in);
    } else if (fd >= 0) {
        close(fd);
    }
    return good;
}
