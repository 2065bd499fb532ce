/* The job of a peer, as JSON; see job.h. */
#include "run/job.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "util/memory.h"

static json_t *qos_object(const plan_qos *qos) {
    return json_pack("{s:s, s:s, s:s, s:I, s:I, s:I, s:s, s:I}", "reliability", qos->reliability,
        "durability", qos->durability, "history", qos->history, "depth", (json_int_t)qos->depth,
        "deadline_ns", (json_int_t)qos->deadline_ns, "lifespan_ns", (json_int_t)qos->lifespan_ns,
        "liveliness", qos->liveliness, "liveliness_lease_ns", (json_int_t)qos->liveliness_lease_ns);
}

static json_t *names_object(const run_job *job) {
    plan_pattern pattern = job->cell->pattern;
    bool topic = pattern == PLAN_TOPIC || pattern == PLAN_STARTUP;
    return json_pack("{s:s, s:s?, s:s?, s:s?, s:s?}", "node", job->names.node, "topic",
        topic ? job->names.topic : NULL, "echo_topic",
        topic && job->cell->echo ? job->names.echo_topic : NULL, "service",
        pattern == PLAN_SERVICE ? job->names.service : NULL, "action",
        pattern == PLAN_ACTION ? job->names.action : NULL);
}

static json_t *merged_settings(const run_job *job, char **ret_error) {
    json_error_t error;
    json_t *settings = json_loads(job->variant_settings_json, 0, &error);
    json_t *given = json_loads(job->cell->settings_json, 0, &error);
    if (!json_is_object(settings) || !json_is_object(given)) {
        *ret_error = util_format("settings have to be a JSON object, not %s",
            json_is_object(settings) ? job->cell->settings_json : job->variant_settings_json);
        json_decref(settings);
        settings = NULL;
    } else {
        json_object_update(settings, given);
    }
    json_decref(given);
    return settings;
}

static json_t *job_object(const run_job *job, json_t *settings) {
    const plan_cell *cell = job->cell;
    json_t *object = json_pack("{s:i, s:i, s:s, s:s, s:b, s:o, s:s, s:o}", "protocol", 1,
        "generation", cell->generation, "pattern", plan_pattern_name(cell->pattern), "role",
        plan_role_name(cell->pattern, job->side), "echo", cell->echo, "names", names_object(job),
        "type", cell->type, "qos", qos_object(&cell->qos));
    json_t *rest = json_pack("{s:I, s:s, s:I, s:I, s:I, s:I, s:I}", "payload_bytes",
        (json_int_t)cell->payload_bytes, "payload_kind", cell->payload_kind, "count",
        (json_int_t)cell->count, "duration_ns", (json_int_t)cell->duration_ns, "period_ns",
        (json_int_t)cell->period_ns, "warmup", (json_int_t)cell->warmup, "in_flight",
        (json_int_t)cell->in_flight);
    json_object_update(object, rest);
    json_decref(rest);
    rest = json_pack("{s:{s:i, s:i, s:i, s:i, s:i}, s:s, s:I, s:b, s:I, s:I, s:I, s:s, s:o}",
        "endpoints", "publishers", 1, "subscribers", 1, "clients", 1, "servers", 1, "nodes", 1,
        "verify", cell->verify, "run_id", (json_int_t)job->run_id, "foreign", job->foreign,
        "match_timeout_ns", (json_int_t)job->match_timeout_ns, "quiet_ns",
        (json_int_t)job->quiet_ns, "call_timeout_ns", (json_int_t)job->call_timeout_ns, "samples",
        job->samples_path, "settings", settings);
    json_object_update(object, rest);
    json_decref(rest);
    return object;
}

char *run_job_text(const run_job *job, char **ret_error) {
    json_t *settings = merged_settings(job, ret_error);
    if (settings == NULL) {
        return NULL;
    }
    json_t *object = job_object(job, settings);
    char *text = json_dumps(object, JSON_INDENT(2));
    json_decref(object);
    if (text == NULL) {
        *ret_error = util_strdup("the job holds a text that is not UTF-8");
    }
    return text;
}

bool run_job_write(const run_job *job, const char *path, char **ret_error) {
    char *text = run_job_text(job, ret_error);
    if (text == NULL) {
        return false;
    }
    FILE *file = fopen(path, "wxe");
    bool ok = file != NULL && fputs(text, file) >= 0 && fputc('\n', file) != EOF;
    ok = (file == NULL || fclose(file) == 0) && ok;
    if (!ok) {
        *ret_error = util_format("%s: %s", path, strerror(errno));
    }
    free(text);
    return ok;
}
