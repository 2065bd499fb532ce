/* The pipeline; see measure.h. */
#include "cli/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/bench.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "report/report.h"
#include "run/environment.h"
#include "run/round.h"
#include "run/runner.h"
#include "util/memory.h"

/* Everything of one measurement, so that one place ends it. */
typedef struct measuring {
    const cli_measurement *asked;
    cli_bench bench;
    plan todo;
    run_environment environment;
    run_record record;
    report result;
} measuring;

static bool is_only(const cli_measurement *asked) {
    return asked->points[0].only != NULL;
}

static int only_side(const cli_measurement *asked) {
    const cli_settings *point = &asked->points[0];
    if (point->only == NULL) {
        return -1;
    }
    return strcmp(point->only, plan_role_name(point->spec.cell.pattern, 0)) == 0 ? 0 : 1;
}

static void collect_names(const cli_measurement *asked, strvec *names) {
    for (size_t i = 0; i < asked->point_count; i++) {
        strvec_push_all(names, &asked->points[i].spec.from);
        strvec_push_all(names, &asked->points[i].spec.to);
    }
}

static void probe(measuring *m) {
    strvec names = {0};
    collect_names(m->asked, &names);
    cli_bench_probe(&m->bench, m->asked->is_default && names.count == 0 ? NULL : &names);
    strvec_done(&names);
}

/* One side is somebody else's: it has no name, and a serving side cannot know a warm-up. */
static void mark_foreign(measuring *m) {
    plan_cell *cell = &m->todo.cells[0];
    if (only_side(m->asked) == 0) {
        cell->to = plan_keep(&m->todo, "foreign");
    } else {
        cell->from = plan_keep(&m->todo, "foreign");
        cell->warmup = 0;
    }
}

static bool make_plan(measuring *m, char **ret_error) {
    const cli_measurement *asked = m->asked;
    plan_peers peers = {m->bench.plan_peers, m->bench.plan_peer_count};
    m->todo.rounds = (uint32_t)asked->whole->rounds;
    m->todo.timeout_ns = asked->whole->timeout_ns;
    for (size_t i = 0; i < asked->point_count; i++) {
        const plan_spec *spec = &asked->points[i].spec;
        if (!(asked->is_default ? plan_expand_default(&m->todo, spec, peers, ret_error)
                                : plan_expand(&m->todo, spec, peers, ret_error))) {
            return false;
        }
    }
    if (m->todo.cell_count == 0) {
        bool named = asked->points[0].spec.from.count > 0;
        *ret_error = util_format("no client library %s; see `rclbench peers`",
            named ? "of those named plays this" : "can be measured here");
        return false;
    }
    if (is_only(asked) && (m->todo.cell_count != 1 || m->todo.rounds != 1)) {
        *ret_error = util_strdup("--only runs one side of one measurement, once");
        return false;
    }
    if (is_only(asked)) {
        mark_foreign(m);
    }
    if (asked->whole->budget_ns > 0) {
        plan_fit_budget(&m->todo, asked->whole->budget_ns);
    }
    return true;
}

static void note_ros2(measuring *m) {
    m->environment.command_line = cli_command_line();
    m->environment.rmw = util_strdup(m->bench.ros2.rmw);
    m->environment.ros2_distribution = util_strdup(m->bench.ros2.distribution);
    m->environment.ros2_prefix = util_strdup(m->bench.ros2.prefix);
}

/* The names that the ancestors' programs use, so that they can be the other side. */
static const char *only_name(const cli_settings *point) {
    static const char *const names[PLAN_PATTERN_COUNT] = {
        [PLAN_TOPIC] = "stress_topic",
        [PLAN_SERVICE] = "get_map",
        [PLAN_ACTION] = "roundtrip",
        [PLAN_STARTUP] = "stress_topic",
    };
    return point->name != NULL ? point->name : names[point->spec.cell.pattern];
}

static bool run(measuring *m, char **ret_error) {
    const cli_measurement *asked = m->asked;
    cli_progress progress;
    cli_progress_begin(&progress, &m->todo, asked->whole->budget_ns, stderr);
    const char *master = asked->whole->master_uri;
    if (master == NULL && is_only(asked)) {
        const char *variable = getenv("ROS_MASTER_URI");
        master = variable != NULL ? variable : "http://localhost:11311";
    }
    run_options options = {
        .only_side = only_side(asked),
        .name = is_only(asked) ? only_name(&asked->points[0]) : NULL,
        .samples_dir = asked->whole->samples_dir,
        .master_uri = master,
        .budget_ns = asked->whole->budget_ns,
        .observer = cli_progress_observer(&progress),
    };
    run_setting setting = cli_bench_setting(&m->bench);
    bool ok = run_plan(&m->todo, &setting, &options, &m->environment, &m->record, ret_error);
    cli_progress_end(&progress);
    return ok;
}

/* Trouble when something asked for was not measured. */
static int judge(const run_record *record) {
    if (record->interrupted) {
        return CLI_TROUBLE;
    }
    for (size_t i = 0; i < record->cell_count; i++) {
        const run_cell *cell = &record->cells[i];
        if (cell->refused != NULL) {
            return CLI_TROUBLE;
        }
        for (size_t j = 0; j < cell->round_count; j++) {
            if (!cell->rounds[j].ok) {
                return CLI_TROUBLE;
            }
        }
    }
    return CLI_GOOD;
}

static bool show(measuring *m, char **ret_error) {
    const cli_measurement *asked = m->asked;
    report_options options = {
        .samples_kept = asked->whole->samples_dir != NULL, .seed = asked->whole->seed};
    report_build(&m->todo, &m->record, &m->environment, &options, &m->result);
    /* The files first: whoever reads standard output may leave. */
    bool ok = true;
    for (size_t i = 0; ok && asked->keep_files != NULL && i < asked->keep_files->count; i++) {
        ok = cli_output_file(&m->result, asked->whole, asked->keep_files->items[i], ret_error);
    }
    ok = ok && cli_output_write(&m->result, asked->whole, ret_error);
    if (!ok) {
        cli_output_rescue(&m->result, asked->whole, ret_error);
    }
    return ok;
}

static bool check_outputs(const cli_measurement *asked, char **ret_error) {
    bool ok = asked->whole->output == NULL || cli_output_possible(asked->whole->output, ret_error);
    for (size_t i = 0; ok && asked->keep_files != NULL && i < asked->keep_files->count; i++) {
        ok = cli_output_possible(asked->keep_files->items[i], ret_error);
    }
    return ok;
}

int cli_measure(const cli_measurement *measurement) {
    measuring *m = util_alloc(1, sizeof *m);
    m->asked = measurement;
    plan_init(&m->todo);
    char *error = NULL;
    bool ok = check_outputs(measurement, &error) &&
              cli_bench_open(&m->bench, measurement->whole, !is_only(measurement), &error);
    if (ok) {
        probe(m);
        ok = make_plan(m, &error);
    }
    if (ok) {
        run_environment_capture(&m->environment);
        note_ros2(m);
        ok = run(m, &error);
    }
    int status = CLI_TROUBLE;
    if (ok && show(m, &error)) {
        status = judge(&m->record);
    }
    if (error != NULL) {
        cli_trouble(measurement->command, error);
        free(error);
    }
    report_done(&m->result);
    run_record_done(&m->record);
    run_environment_done(&m->environment);
    plan_done(&m->todo);
    cli_bench_close(&m->bench);
    free(m);
    return status;
}
