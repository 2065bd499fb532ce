/* Both ends of each pattern, by the same machinery that measures: the session checks the order of
 * the lines, the clock, and the ends of the processes; here rows, settings and silence are checked.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "pattern.h"
#include "plan/plan.h"
#include "run/round.h"
#include "sample/sample.h"
#include "util/memory.h"
#include "util/strbuf.h"
#include "verify/internal.h"
#include "verify/quiet.h"

/* One way to run a pattern. Different counts, because a peer that is off by one with a constant
 * would be right for one of them. */
typedef struct trial {
    uint64_t count, warmup, payload_bytes;
    int64_t period_ns;
    uint32_t depth; /* of the history; so deep where nothing may be lost at full speed */
    bool with_reference;
} trial;

static const trial trials[] = {
    {100, 10, 1024, 0, 200, true},
    {7, 3, 4099, 3000000, 10, false},
    {1, 0, 40, 0, 10, false},
};
#define TRIAL_COUNT (sizeof trials / sizeof trials[0])

/* A pair of variants in one pattern. */
typedef struct pairing {
    plan_pattern pattern;
    int generation;
    bool echo;
    const char *from, *to;
} pairing;

/* ---- checking a round ---- */

static char *check_rows(
    const pairing *pair, const plan_cell *cell, const run_process *process, int side) {
    char text[256];
    sample_file file;
    if (!sample_file_read(process->samples_path, &file, text, sizeof text)) {
        return util_strdup(text);
    }
    pattern_asked asked = {
        .side = side,
        .echo = pair->echo,
        .run_id = file.run_id,
        .count = cell->count,
        .warmup = cell->warmup,
        .period_ns = cell->period_ns,
        .go_ns = process->go_ns,
        .measured_ns = process->measured_ns,
    };
    const pattern *of = pattern_find(plan_pattern_name(pair->pattern));
    char *problem = NULL;
    if (!pattern_check_rows(of, &asked, &file, text, sizeof text)) {
        problem = util_format("the sample file of the %s: %s", process->role, text);
    } else if (process->done_rows != cell->count) {
        problem = util_format("the %s said 'done %" PRIu64 "' after %" PRIu64 " messages",
            process->role, process->done_rows, cell->count);
    }
    sample_file_done(&file);
    return problem;
}

/* Both files must carry the number that the job had, so they carry the same. */
static char *check_run_ids(const run_round *round) {
    char text[256];
    sample_file files[2] = {0};
    char *problem = NULL;
    for (int i = 0; i < 2; i++) {
        if (!sample_file_read(round->sides[i].samples_path, &files[i], text, sizeof text)) {
            problem = problem == NULL ? util_strdup(text) : problem;
        }
    }
    if (problem == NULL && files[0].run_id != files[1].run_id) {
        problem = util_strdup("the two sample files carry different run ids");
    }
    sample_file_done(&files[0]);
    sample_file_done(&files[1]);
    return problem;
}

/* Null: the library cannot tell. */
static bool differs(const json_t *effective, const char *key, const json_t *asked) {
    const json_t *value = json_object_get(effective, key);
    return !json_is_null(value) && !json_equal(value, asked);
}

static json_t *asked_qos(const plan_qos *qos) {
    return json_pack("{s:s,s:s,s:s,s:s,s:I,s:I,s:I,s:I}", "reliability", qos->reliability,
        "durability", qos->durability, "history", qos->history, "liveliness", qos->liveliness,
        "depth", (json_int_t)qos->depth, "deadline_ns", (json_int_t)qos->deadline_ns, "lifespan_ns",
        (json_int_t)qos->lifespan_ns, "liveliness_lease_ns", (json_int_t)qos->liveliness_lease_ns);
}

static char *check_effective(const plan_cell *cell, const run_process *process) {
    if (process->effective_json == NULL) {
        return util_format("the %s did not say 'effective'", process->role);
    }
    json_t *effective = json_loads(process->effective_json, 0, NULL);
    const json_t *qos = json_object_get(effective, "qos");
    json_t *asked = asked_qos(&cell->qos);
    char *problem = NULL;
    const char *key;
    json_t *value;
    json_object_foreach(asked, key, value) {
        if (problem == NULL && differs(qos, key, value)) {
            problem =
                util_format("in the %s, qos.%s in force is not what was asked", process->role, key);
        }
    }
    static const char *const texts[] = {"transport", "library", "version"};
    for (size_t i = 0; problem == NULL && i < sizeof texts / sizeof texts[0]; i++) {
        if (!json_is_string(json_object_get(effective, texts[i]))) {
            problem = util_format("'effective' of the %s lacks %s", process->role, texts[i]);
        }
    }
    json_decref(asked);
    json_decref(effective);
    return problem;
}

/* How many messages go over the wire for one row: an action's are goal, result, the answers to
 * both, and the states between. */
static uint64_t messages_per_row(const plan_cell *cell) {
    switch (cell->pattern) {
    case PLAN_SERVICE:
        return 2;
    case PLAN_ACTION:
        return 6;
    default:
        return cell->echo ? 2 : 1;
    }
}

static char *check_round(
    const pairing *pair, const plan_cell *cell, const run_round *round, const quiet_watch *watch) {
    if (!round->ok) {
        const char *said =
            round->sides[0].said != NULL ? round->sides[0].said : round->sides[1].said;
        return util_format("%s%s%.300s", round->failure,
            said == NULL ? "" : "; it printed: ", said == NULL ? "" : said);
    }
    char *problem = check_run_ids(round);
    for (int side = 0; side < 2 && problem == NULL; side++) {
        const run_process *process = &round->sides[side];
        problem = check_rows(pair, cell, process, side);
        if (problem == NULL) {
            problem = check_effective(cell, process);
        }
        if (problem == NULL) {
            problem = quiet_judge(&watch->sides[side], process->role,
                messages_per_row(cell) * (cell->count + cell->warmup));
        }
    }
    return problem;
}

/* ---- running ---- */

static plan_cell make_cell(const verification *v, const pairing *pair, const trial *how) {
    plan_cell cell = plan_cell_default(pair->pattern);
    cell.generation = pair->generation;
    cell.echo = pair->echo;
    cell.from = pair->from;
    cell.to = pair->to;
    cell.verify = "full";
    cell.count = how->count;
    cell.warmup = how->warmup;
    cell.period_ns = how->period_ns;
    cell.payload_bytes = pair->pattern == PLAN_ACTION ? 0 : how->payload_bytes;
    cell.settings_json = v->settings[pair->pattern];
    if (pair->pattern == PLAN_TOPIC) {
        cell.qos.depth = how->depth;
    }
    if (pair->pattern == PLAN_STARTUP) {
        cell.count = 1;
        cell.warmup = 0;
        cell.period_ns = 0;
    }
    return cell;
}

static char *subject_of(const pairing *pair, const plan_cell *cell) {
    strbuf text = {0};
    strbuf_appendf(&text, "ROS %d %s%s, %" PRIu64 " of %" PRIu64 " bytes%s, %s to %s",
        pair->generation, plan_pattern_name(pair->pattern), pair->echo ? " with echo" : "",
        cell->count, cell->payload_bytes, cell->period_ns > 0 ? " at a rate" : "", pair->from,
        pair->to);
    return strbuf_take(&text);
}

static bool run_trial(verification *v, const pairing *pair, const trial *how, char **ret_error) {
    plan todo;
    plan_init(&todo);
    todo.timeout_ns = v->spec->timeout_ns;
    const plan_cell *cell = NULL;
    plan_cell wanted = make_cell(v, pair, how);
    cell = plan_add_cell(&todo, &wanted);
    quiet_watch watch = {0};
    run_options options = {
        .only_side = -1,
        .master_uri = verify_master_uri(v, pair->generation),
        .observer = {.user = &watch, .reading = quiet_read},
    };
    run_environment environment = {0};
    run_record record;
    bool ok = run_plan(&todo, v->spec->setting, &options, &environment, &record, ret_error);
    if (ok && record.interrupted) {
        *ret_error = util_strdup("interrupted");
        ok = false;
    }
    if (ok) {
        const run_cell *run = &record.cells[0];
        char *problem = run->refused != NULL ? util_strdup(run->refused)
                                             : check_round(pair, cell, &run->rounds[0], &watch);
        verify_add(v, subject_of(pair, cell), problem);
    }
    run_record_done(&record);
    run_environment_done(&environment);
    plan_done(&todo);
    return ok;
}

static bool run_pairing(verification *v, const pairing *pair, bool reference, char **ret_error) {
    size_t last = pair->pattern == PLAN_STARTUP ? 1 : TRIAL_COUNT;
    for (size_t i = 0; i < last; i++) {
        if (reference && !trials[i].with_reference) {
            continue;
        }
        if (!run_trial(v, pair, &trials[i], ret_error)) {
            return false;
        }
    }
    return true;
}

static const char *reference_for(const verification *v, plan_pattern which, int generation) {
    const char *name = v->spec->reference;
    const run_peer *peer =
        name == NULL ? NULL : run_registry_find(v->spec->setting->registry, name, NULL);
    bool plays = peer != NULL && peer->generations[generation] && peer->patterns[which];
    return plays ? name : NULL;
}

/* The peer with itself, and both ways with the reference. */
static bool run_pattern(
    verification *v, plan_pattern which, int generation, bool echo, char **ret_error) {
    const char *own = v->spec->variant->name;
    const char *other = reference_for(v, which, generation);
    pairing pair = {which, generation, echo, own, own};
    if (!run_pairing(v, &pair, false, ret_error)) {
        return false;
    }
    if (other == NULL) {
        return true;
    }
    pair.to = other;
    if (!run_pairing(v, &pair, true, ret_error)) {
        return false;
    }
    pair.from = other;
    pair.to = own;
    return run_pairing(v, &pair, true, ret_error);
}

bool verify_exchanges(verification *v, int generation, char **ret_error) {
    for (int i = 0; i < PLAN_PATTERN_COUNT; i++) {
        plan_pattern which = (plan_pattern)i;
        if (!v->spec->peer->patterns[which]) {
            continue;
        }
        if (!run_pattern(v, which, generation, false, ret_error) ||
            (which == PLAN_TOPIC && !run_pattern(v, which, generation, true, ret_error))) {
            return false;
        }
    }
    return true;
}
