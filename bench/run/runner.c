/* Runs a plan; see runner.h. */
#include "run/runner.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plan/expand.h"
#include "run/budget.h"
#include "run/check.h"
#include "run/clock.h"
#include "run/interrupt.h"
#include "run/job.h"
#include "run/master.h"
#include "run/orphans.h"
#include "run/probe.h"
#include "run/round.h"
#include "run/session.h"
#include "util/memory.h"

#define QUIET_NS INT64_C(500000000)
#define CALL_TIMEOUT_NS INT64_C(2000000000)
#define MATCH_TIMEOUT_NS INT64_C(20000000000)
#define FOREIGN_MATCH_TIMEOUT_NS INT64_C(10000000000)
#define GRACE_NS INT64_C(1000000000)
#define CHILDREN_MAX 64 /* ours before a round: a guard, a master */
#define FAILURES_MAX 2  /* A cell that fails as often is given up. */

/* One run of a plan. */
typedef struct runner {
    plan *todo;
    const run_setting *setting;
    const run_options *options;
    run_environment *environment;
    run_record *record;
    run_master master;
    char *fastdds_files[PLAN_TRANSPORT_COUNT];
    const char *waiting_sentence;
} runner;

/* What one side of a round is started with. */
typedef struct side_start {
    strvec argv, environment;
    char *job_path, *samples_path;
    run_side_spec spec;
} side_start;

static uint64_t random_run_id(void) {
    uint64_t id;
    if (getrandom(&id, sizeof id, 0) != (ssize_t)sizeof id) {
        id = (uint64_t)run_clock_real_ns() * UINT64_C(0x9e3779b97f4a7c15);
    }
    return id >> 1;
}

static const char *master_uri(const runner *r) {
    if (r->options->master_uri != NULL) {
        return r->options->master_uri;
    }
    return r->master.uri[0] == '\0' ? NULL : r->master.uri;
}

static void make_names(const runner *r, const plan_cell *cell, uint64_t run_id, int side,
    strvec *keep, run_names *names) {
    const char *given = r->options->name;
    strvec_pushf(
        keep, "/rclbench_%s_%" PRIx64, plan_role_name(cell->pattern, side), run_id & 0xffffff);
    names->node = keep->items[keep->count - 1];
    if (given != NULL) {
        strvec_pushf(keep, "%s%s", given[0] == '/' ? "" : "/", given);
    } else {
        strvec_pushf(keep, "/rclbench/%s_%" PRIx64, plan_pattern_name(cell->pattern), run_id);
    }
    names->topic = names->service = names->action = keep->items[keep->count - 1];
    strvec_pushf(keep, "%s_echo", names->topic);
    names->echo_topic = keep->items[keep->count - 1];
}

static void side_start_done(side_start *start) {
    strvec_done(&start->argv);
    strvec_done(&start->environment);
    free(start->job_path);
    free(start->samples_path);
}

static bool write_job(const runner *r, const plan_cell *cell, uint64_t run_id, int side,
    const run_variant *variant, const side_start *start, char **ret_error) {
    bool foreign = r->options->only_side >= 0;
    strvec keep = {0};
    run_job job = {
        .cell = cell,
        .side = side,
        .run_id = run_id,
        .foreign = foreign,
        .match_timeout_ns = foreign ? FOREIGN_MATCH_TIMEOUT_NS : MATCH_TIMEOUT_NS,
        .quiet_ns = QUIET_NS,
        .call_timeout_ns = CALL_TIMEOUT_NS,
        .samples_path = start->samples_path,
        .variant_settings_json = variant->settings_json,
    };
    /* A serving side alone waits as long as the user does. */
    if (foreign && side == 1) {
        job.match_timeout_ns = INT64_C(86400000000000);
    }
    if (job.match_timeout_ns > r->todo->timeout_ns) {
        job.match_timeout_ns = foreign && side == 1 ? job.match_timeout_ns : r->todo->timeout_ns;
    }
    make_names(r, cell, run_id, side, &keep, &job.names);
    bool ok = run_job_write(&job, start->job_path, ret_error);
    strvec_done(&keep);
    return ok;
}

static bool prepare_side(runner *r, size_t cell_index, uint32_t round, uint64_t run_id, int side,
    side_start *start, char **ret_error) {
    const plan_cell *cell = &r->todo->cells[cell_index];
    const run_variant *variant = NULL;
    const run_peer *peer =
        run_registry_find(r->setting->registry, side == 0 ? cell->from : cell->to, &variant);
    const char *role = plan_role_name(cell->pattern, side);
    const char *samples_dir =
        r->options->samples_dir != NULL ? r->options->samples_dir : r->record->work_dir.path;
    start->job_path =
        util_format("%s/%03zu-%03u-%s.job.json", r->record->work_dir.path, cell_index, round, role);
    char *absolute = realpath(samples_dir, NULL); /* peers run in folders of their own */
    start->samples_path = util_format("%s/%03zu-%03u-%s.samples",
        absolute != NULL ? absolute : samples_dir, cell_index, round, role);
    free(absolute);
    unlink(start->job_path);
    unlink(start->samples_path);
    run_peer_argv(peer, &peer->run, &start->argv);
    strvec_push(&start->argv, start->job_path);
    run_peer_environment(
        peer, &r->setting->environments[peer->uses_ros2 ? 1 : 0], &start->environment);
    run_network_apply(r->setting->network, cell->transport, r->fastdds_files[cell->transport],
        cell->generation == 1 ? master_uri(r) : NULL, &start->environment);
    strvec_set_variable(&start->environment, "ROS_LOG_DIR", r->record->work_dir.path);
    start->spec = (run_side_spec){
        .variant = variant->name,
        .role = role,
        .argv = &start->argv,
        .dir = peer->dir,
        .environment = &start->environment,
        .samples_path = start->samples_path,
    };
    return write_job(r, cell, run_id, side, variant, start, ret_error);
}

/* How long the measured part takes at most when all goes well. */
static int64_t own_length_ns(const plan_cell *cell) {
    return 3 * plan_estimate_round_ns(cell);
}

static char *check_outside(void *user) {
    runner *r = user;
    return r->master.uri[0] == '\0' ? NULL : run_master_check(&r->master);
}

static void on_waiting(void *user) {
    runner *r = user;
    const run_observer *observer = &r->options->observer;
    if (observer->waiting != NULL && r->waiting_sentence != NULL) {
        observer->waiting(observer->user, r->waiting_sentence);
    }
}

static void on_reading(void *user, int side, const run_child *child, bool measured) {
    runner *r = user;
    const run_observer *observer = &r->options->observer;
    if (observer->reading != NULL) {
        observer->reading(observer->user, side, child, measured);
    }
}

static void run_sides(runner *r, const plan_cell *cell, side_start starts[2], run_round *round) {
    int only = r->options->only_side;
    char *sentence = run_network_describe(r->setting->network, cell->generation, master_uri(r));
    r->waiting_sentence = sentence;
    run_session_spec spec = {
        .sides = {only == 1 ? NULL : &starts[0].spec, only == 0 ? NULL : &starts[1].spec},
        .startup = cell->pattern == PLAN_STARTUP,
        .ready_ns = only == 1 ? INT64_MAX / 4 : r->todo->timeout_ns,
        .measure_ns = own_length_ns(cell) + r->todo->timeout_ns,
        .finish_ns = r->todo->timeout_ns,
        .grace_ns = GRACE_NS,
        .serve_ns = cell->duration_ns > 0 ? cell->duration_ns : INT64_MAX / 4,
        .guard = r->setting->guard,
        .on_waiting = on_waiting,
        .on_reading = on_reading,
        .check_outside = check_outside,
        .user = r,
    };
    run_session(&spec, round);
    r->waiting_sentence = NULL;
    free(sentence);
}

/* Both sides, and the end of whatever runs afterwards that did not run before: nothing of one
 * round shall run during the next. */
static void run_sides_alone(
    runner *r, const plan_cell *cell, side_start starts[2], run_round *round) {
    pid_t ours[CHILDREN_MAX];
    size_t count = run_orphans_children(ours, CHILDREN_MAX);
    run_sides(r, cell, starts, round);
    char name[RUN_ORPHAN_NAME_MAX];
    size_t ended = count < CHILDREN_MAX ? run_orphans_end(ours, count, name) : 0;
    if (ended > 0) {
        run_round_warn(round, "%zu process%s that the peers left behind had to be killed (%s)",
            ended, ended == 1 ? "" : "es", name);
    }
}

/* One round of one cell, recorded whatever comes of it. */
static void run_one(runner *r, size_t cell_index, uint32_t index) {
    run_cell *target = &r->record->cells[cell_index];
    run_round *round = &target->rounds[target->round_count++];
    round->index = index;
    round->udp_receive_errors = -1;
    const plan_cell *cell = target->cell;
    const run_observer *observer = &r->options->observer;
    if (observer->round_begins != NULL) {
        observer->round_begins(observer->user, cell, index);
    }
    side_start starts[2] = {0};
    uint64_t run_id = random_run_id();
    bool ok = true;
    for (int side = 1; ok && side >= 0; side--) {
        if (r->options->only_side < 0 || r->options->only_side == side) {
            ok = prepare_side(r, cell_index, index, run_id, side, &starts[side], &round->failure);
        }
    }
    if (ok) {
        run_sides_alone(r, cell, starts, round);
        run_check_samples(round, run_id, cell);
    }
    side_start_done(&starts[0]);
    side_start_done(&starts[1]);
    if (observer->round_ended != NULL) {
        observer->round_ended(observer->user, cell, round);
    }
}

static size_t failures_of(const run_cell *cell) {
    size_t failures = 0;
    for (size_t i = 0; i < cell->round_count; i++) {
        failures += !cell->rounds[i].ok;
    }
    return failures;
}

static bool needs_master(const runner *r, const plan_cell *cell) {
    const char *name = r->options->only_side == 1 ? cell->to : cell->from;
    const run_peer *peer = run_registry_find(r->setting->registry, name, NULL);
    return cell->generation == 1 && strcmp(peer->family, "ros") == 0;
}

/* A private master for cells of ROS 1; a cell for which there is none is refused. */
static bool have_master(runner *r, run_cell *cell) {
    if (!needs_master(r, cell->cell) || master_uri(r) != NULL) {
        return true;
    }
    char *error = NULL;
    if (!run_master_start(&r->master, &r->setting->environments[0], r->record->work_dir.path,
            r->setting->guard, &error)) {
        cell->refused =
            util_format("no ROS 1 master (Debian: python3-rosmaster; or --master URI): %s", error);
        free(error);
        return false;
    }
    free(r->environment->ros1_master);
    r->environment->ros1_master = util_strdup(r->master.uri);
    return true;
}

/* One round of all cells that get it; false when the user wants no more. */
static bool run_round_of_all(runner *r, uint32_t round, run_budget *budget) {
    for (size_t i = 0; i < budget->kept; i++) {
        run_cell *cell = &r->record->cells[i];
        if (cell->refused != NULL || failures_of(cell) >= FAILURES_MAX || !have_master(r, cell)) {
            continue;
        }
        int64_t begin_ns = run_clock_monotonic_ns();
        run_one(r, i, round);
        budget->cost_ns[i] = run_clock_monotonic_ns() - begin_ns;
        if (r->options->only_side != 1 && run_interrupt_count() > 0) {
            r->record->interrupted = true;
            return false;
        }
    }
    return true;
}

static void run_rounds(runner *r) {
    run_budget budget;
    run_budget_begin(&budget, r->options->budget_ns, r->record->cell_count);
    for (uint32_t round = 0; round < r->todo->rounds; round++) {
        if (round > 0 && run_budget_is_spent(&budget, run_clock_monotonic_ns())) {
            plan_note(r->todo, "the budget ran out after %u of %u rounds", round, r->todo->rounds);
            break;
        }
        if (!run_round_of_all(r, round, &budget)) {
            break;
        }
        if (round == 0) {
            run_budget_thin(&budget, r->todo, run_clock_monotonic_ns());
        }
    }
    run_budget_done(&budget);
}

static bool write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "we");
    bool ok = file != NULL && fputs(text, file) >= 0;
    return (file == NULL || fclose(file) == 0) && ok;
}

static bool make_folders(runner *r, char **ret_error) {
    if (!run_work_dir_create(&r->record->work_dir, ret_error)) {
        return false;
    }
    const char *samples_dir = r->options->samples_dir;
    struct stat about;
    if (samples_dir != NULL && mkdir(samples_dir, 0777) != 0 &&
        (errno != EEXIST || stat(samples_dir, &about) != 0 || !S_ISDIR(about.st_mode))) {
        *ret_error = util_format("%s: %s", samples_dir, strerror(errno));
        return false;
    }
    for (int i = 0; i < PLAN_TRANSPORT_COUNT; i++) {
        const char *profiles = r->setting->network->fastdds_profiles[i];
        if (profiles != NULL) {
            r->fastdds_files[i] = util_format("%s/fastdds-%d.xml", r->record->work_dir.path, i);
            if (!write_text(r->fastdds_files[i], profiles)) {
                *ret_error = util_format("%s: %s", r->fastdds_files[i], strerror(errno));
                return false;
            }
        }
    }
    return true;
}

static void make_cells(runner *r) {
    run_record *record = r->record;
    record->cell_count = r->todo->cell_count;
    record->cells = util_alloc(record->cell_count, sizeof *record->cells);
    for (size_t i = 0; i < record->cell_count; i++) {
        const plan_cell *cell = &r->todo->cells[i];
        record->cells[i].cell = cell;
        record->cells[i].refused = util_strdup(cell->refused);
        record->cells[i].rounds = util_alloc(r->todo->rounds, sizeof(run_round));
    }
}

/* Where the RMW is that of Fast DDS. Heap, or NULL. */
static char *fastdds_profiles(const runner *r) {
    const strvec *variables = &r->setting->environments[1];
    const char *rmw = strvec_variable(variables, "RMW_IMPLEMENTATION");
    if (rmw == NULL || strncmp(rmw, "rmw_fastrtps", 12) != 0) {
        return NULL;
    }
    const char *own = run_network_own_profiles(variables);
    if (own == NULL && r->todo->cell_count > 0) {
        own = r->setting->network->fastdds_profiles[r->todo->cells[0].transport];
    }
    return util_strdup(own);
}

static void note_environment(runner *r) {
    const run_network *network = r->setting->network;
    run_environment *environment = r->environment;
    environment->isolated = network->isolated;
    environment->domain_id = network->domain_id;
    const char *configuration = network->loopback && r->todo->cell_count > 0
                                    ? network->configuration[r->todo->cells[0].transport]
                                    : getenv("CYCLONEDDS_URI");
    free(environment->dds_configuration);
    environment->dds_configuration = util_strdup(configuration);
    free(environment->fastdds_profiles);
    environment->fastdds_profiles = fastdds_profiles(r);
    if (r->options->master_uri != NULL) {
        free(environment->ros1_master);
        environment->ros1_master = util_strdup(r->options->master_uri);
    }
}

bool run_plan(plan *todo, const run_setting *setting, const run_options *options,
    run_environment *environment, run_record *ret_record, char **ret_error) {
    memset(ret_record, 0, sizeof *ret_record);
    runner r = {
        .todo = todo,
        .setting = setting,
        .options = options,
        .environment = environment,
        .record = ret_record,
    };
    bool ok = make_folders(&r, ret_error);
    if (ok) {
        note_environment(&r);
        make_cells(&r);
        run_rounds(&r);
        run_master_stop(&r.master);
    } else {
        run_record_done(ret_record);
    }
    for (int i = 0; i < PLAN_TRANSPORT_COUNT; i++) {
        free(r.fastdds_files[i]);
    }
    return ok;
}
