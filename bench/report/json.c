/* The result file: everything that a report holds, docs/result-schema.json. The
 * other formats are extracts of it. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "report/formats.h"
#include "report/resources.h"
#include "report/summary_json.h"
#include "report/tables.h"

#define REAL_DIGITS 15

static void set_text(json_t *object, const char *key, const char *text) {
    const field one = {key, FIELD_TEXT, 0};
    fields_write(object, &one, 1, &text);
}

static json_t *texts(char *const *items, size_t count) {
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *text = json_string(items[i]);
        json_array_append_new(array, text != NULL ? text : json_string("(not UTF-8)"));
    }
    return array;
}

static json_t *table_object(const field_table *table, const void *from) {
    json_t *object = json_object();
    fields_write(object, table->fields, table->count, from);
    return object;
}

static json_t *json_of_text(const char *text) {
    json_t *value = text == NULL ? NULL : json_loads(text, JSON_DECODE_ANY, NULL);
    return value != NULL ? value : json_null();
}

/* The measured part in the process's own object, the lifetime in one of its
 * own. */
static void set_resources(
    json_t *object, const run_resources *measured, const run_resources *lifetime) {
    const field_table *table = &table_resources;
    for (size_t i = 0; i < table->count && !measured->valid; i++) {
        json_object_set_new(object, table->fields[i].key, json_null());
    }
    if (measured->valid) {
        fields_write(object, table->fields, table->count, measured);
    }
    json_object_set_new(
        object, "lifetime", lifetime->valid ? table_object(table, lifetime) : json_null());
}

static json_t *process_to_json(const run_process *process, const char *sha256) {
    json_t *object = table_object(&table_process, process);
    set_resources(object, &process->measured, &process->lifetime);
    json_object_set_new(object, "effective", json_of_text(process->effective_json));
    json_t *samples = json_null();
    if (sha256[0] != '\0') {
        samples = json_object();
        set_text(samples, "path", process->samples_path);
        set_text(samples, "sha256", sha256);
    }
    json_object_set_new(object, "samples", samples);
    return object;
}

static json_t *round_to_json(const report_round *round) {
    json_t *object = table_object(&table_round, round->run);
    summary_to_json(object, round->has_summary ? &round->summary : NULL);
    json_t *processes = json_array();
    for (int side = 0; side < 2; side++) {
        const run_process *process = &round->run->sides[side];
        if (process->role != NULL) {
            json_array_append_new(processes, process_to_json(process, round->samples_sha256[side]));
        }
    }
    json_object_set_new(object, "processes", processes);
    json_t *warnings = texts(round->run->warnings, round->run->warning_count);
    json_t *found = texts(round->warnings.items, round->warnings.count);
    json_array_extend(warnings, found);
    json_decref(found);
    json_object_set_new(object, "warnings", warnings);
    return object;
}

static json_t *pooled_to_json(const report_cell *cell) {
    json_t *object = json_object();
    json_object_set_new(object, "good_rounds", json_integer((int64_t)cell->good_rounds));
    summary_to_json(object, &cell->summary);
    json_t *processes = json_array();
    for (int side = 0; side < 2; side++) {
        report_resources pooled = report_pool_resources(cell, side);
        if (pooled.role == NULL) {
            continue;
        }
        json_t *process = json_object();
        set_text(process, "role", pooled.role);
        set_text(process, "variant", pooled.variant);
        set_resources(process, &pooled.measured, &pooled.lifetime);
        json_array_append_new(processes, process);
    }
    json_object_set_new(object, "processes", processes);
    return object;
}

static void set_sides(json_t *object, const plan_cell *cell) {
    bool calls = cell->pattern == PLAN_SERVICE || cell->pattern == PLAN_ACTION;
    set_text(object, calls ? "client" : "from", cell->from);
    set_text(object, calls ? "server" : "to", cell->to);
}

static json_t *cell_to_json(const report_cell *cell) {
    const plan_cell *what = cell->run->cell;
    json_t *object = json_object();
    set_text(object, "pattern", plan_pattern_name(what->pattern));
    set_sides(object, what);
    fields_write(object, table_cell.fields, table_cell.count, what);
    json_object_set_new(object, "rate_hz",
        what->period_ns > 0 ? json_real(1e9 / (double)what->period_ns) : json_null());
    json_object_set_new(object, "qos", table_object(&table_qos, &what->qos));
    set_text(object, "transport", plan_transport_name(what->transport));
    json_object_set_new(object, "settings", json_of_text(what->settings_json));
    set_text(object, "refused", cell->run->refused);
    json_t *rounds = json_array();
    for (size_t i = 0; i < cell->round_count; i++) {
        json_array_append_new(rounds, round_to_json(&cell->rounds[i]));
    }
    json_object_set_new(object, "rounds", rounds);
    json_object_set_new(object, "summary", cell->has_summary ? pooled_to_json(cell) : json_null());
    return object;
}

static json_t *report_to_json(const report *result) {
    json_t *root = json_object();
    json_object_set_new(root, "schema_version", json_integer(REPORT_SCHEMA_VERSION));
    json_t *tool = json_object();
    set_text(tool, "name", "rclbench");
    set_text(tool, "version", result->environment->tool_version);
    set_text(tool, "revision", result->environment->revision);
    json_object_set_new(root, "tool", tool);
    json_object_set_new(root, "environment", table_object(&table_environment, result->environment));
    json_object_set_new(root, "planned_rounds", json_integer(result->plan->rounds));
    json_object_set_new(root, "timeout_ns", json_integer(result->plan->timeout_ns));
    json_object_set_new(root, "notes", texts(result->plan->notes, result->plan->note_count));
    json_object_set_new(root, "seed", json_integer((int64_t)result->seed));
    json_object_set_new(root, "interrupted", json_boolean(result->record->interrupted));
    json_object_set_new(root, "warnings", texts(result->warnings.items, result->warnings.count));
    json_t *cells = json_array();
    for (size_t i = 0; i < result->cell_count; i++) {
        json_array_append_new(cells, cell_to_json(&result->cells[i]));
    }
    json_object_set_new(root, "cells", cells);
    return root;
}

/* Indents objects and arrays of objects; all other arrays (histograms) stay on
 * one line. */
static void write_pretty(const json_t *value, int depth, FILE *out) {
    const size_t flags = JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(REAL_DIGITS);
    bool objects = json_is_array(value) && json_is_object(json_array_get(value, 0));
    if (!objects && (!json_is_object(value) || json_object_size(value) == 0)) {
        json_dumpf(value, out, flags);
        return;
    }
    const char *separator = "";
    fputs(objects ? "[" : "{", out);
    for (size_t i = 0; objects && i < json_array_size(value); i++) {
        fprintf(out, "%s\n%*s", separator, 2 * depth + 2, "");
        write_pretty(json_array_get(value, i), depth + 1, out);
        separator = ",";
    }
    const char *key;
    json_t *member;
    /* Iterating wants a pointer that is not const, and changes nothing. */
    json_object_foreach((json_t *)(uintptr_t)value, key, member) {
        json_t *quoted = json_string(key); /* settings' keys are the user's */
        fprintf(out, "%s\n%*s", separator, 2 * depth + 2, "");
        json_dumpf(quoted, out, flags);
        fputs(": ", out);
        json_decref(quoted);
        write_pretty(member, depth + 1, out);
        separator = ",";
    }
    fprintf(out, "\n%*s%s", 2 * depth, "", objects ? "]" : "}");
}

bool report_write_json(const report *result, const report_view *view, FILE *out) {
    (void)view;
    json_t *root = report_to_json(result);
    write_pretty(root, 0, out);
    fputc('\n', out);
    json_decref(root);
    return ferror(out) == 0;
}
