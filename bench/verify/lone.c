/* The peer alone: jobs that it must refuse by name, a partner that never comes, and a harness that
 * goes away. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <jansson.h>

#include "plan/plan.h"
#include "run/child.h"
#include "run/clock.h"
#include "run/interrupt.h"
#include "run/job.h"
#include "run/probe.h"
#include "util/memory.h"
#include "verify/internal.h"

#define DEADLINE_NS INT64_C(10000000000)   /* of whatever the peer has to do */
#define NOBODY_NS INT64_C(300000000)       /* the match timeout when nobody comes */
#define LONG_MATCH_NS INT64_C(60000000000) /* when the end comes earlier */
#define GRACE_NS INT64_C(1000000000)

typedef enum lone_end {
    END_BY_ITSELF,
    END_OF_CHANNEL, /* descriptor 3 reaches its end once the peer has made its endpoints */
    END_BY_TERM     /* SIGTERM likewise */
} lone_end;

/* What is done with a job, and what must come of it. */
typedef struct lone_case {
    const char *what;
    const char *section, *field; /* set to value; NULL field: the job is as it should be */
    const char *value;           /* JSON */
    const char *refused;         /* it must say `refuse THIS` and exit 2 */
    lone_end end;
    bool nobody; /* it must say `error` and exit 1 */
} lone_case;

static const lone_case refusals[] = {
    {"a field that does not exist", NULL, "wings", "2", "wings", END_BY_ITSELF, false},
    {"a quality of service that does not exist", "qos", "wings", "2", "qos.wings", END_BY_ITSELF,
        false},
    {"a setting that does not exist", "settings", "wings", "2", "settings.wings", END_BY_ITSELF,
        false},
    {"an endpoint that does not exist", "endpoints", "wings", "2", "endpoints.wings", END_BY_ITSELF,
        false},
    {"another protocol", NULL, "protocol", "2", "protocol", END_BY_ITSELF, false},
    {"a pattern that does not exist", NULL, "pattern", "\"walk\"", "pattern", END_BY_ITSELF, false},
    {"a payload kind that does not exist", NULL, "payload_kind", "\"soup\"", "payload_kind",
        END_BY_ITSELF, false},
    {"a reliability that does not exist", "qos", "reliability", "\"maybe\"", "qos.reliability",
        END_BY_ITSELF, false},
    {"a type that does not exist", NULL, "type", "\"no_msgs/msg/Nothing\"", "type", END_BY_ITSELF,
        false},
};
static const lone_case endings[] = {
    {"nobody at the other end", NULL, NULL, NULL, NULL, END_BY_ITSELF, true},
    {"the end of descriptor 3", NULL, NULL, NULL, NULL, END_OF_CHANNEL, false},
    {"SIGTERM", NULL, NULL, NULL, NULL, END_BY_TERM, false},
};

/* What the peer said that matters here. */
typedef struct lone_words {
    char *refused; /* heap */
    bool error, created, ready;
} lone_words;

static void take_line(void *user, char *line, size_t len) {
    (void)len;
    lone_words *words = user;
    if (strncmp(line, "refuse ", 7) == 0 && words->refused == NULL) {
        words->refused = util_strdup(line + 7);
    }
    words->error |= strncmp(line, "error ", 6) == 0;
    words->created |= strncmp(line, "created ", 8) == 0;
    words->ready |= strcmp(line, "ready") == 0;
}

/* ---- the job ---- */

static char *job_text(const verification *v, const plan_cell *cell, int side, const lone_case *it,
    const char *samples_path, char **ret_error) {
    run_job job = {
        .cell = cell,
        .side = side,
        .names = {"/rclbench_verify", "/rclbench/verify", "/rclbench/verify_echo",
            "/rclbench/verify", "/rclbench/verify"},
        .run_id = 1,
        .match_timeout_ns = it->nobody ? NOBODY_NS : LONG_MATCH_NS,
        .quiet_ns = 1,
        .call_timeout_ns = LONG_MATCH_NS,
        .samples_path = samples_path,
        .variant_settings_json = v->spec->variant->settings_json,
    };
    char *good = run_job_text(&job, ret_error);
    if (good == NULL || it->field == NULL) {
        return good;
    }
    json_t *root = json_loads(good, 0, NULL);
    json_t *object = it->section == NULL ? root : json_object_get(root, it->section);
    json_object_set_new(object, it->field, json_loads(it->value, JSON_DECODE_ANY, NULL));
    free(good);
    good = json_dumps(root, 0);
    json_decref(root);
    return good;
}

static bool write_text(const char *path, const char *text, char **ret_error) {
    FILE *file = fopen(path, "we");
    bool ok = file != NULL && fputs(text, file) >= 0;
    ok = (file == NULL || fclose(file) == 0) && ok;
    if (!ok) {
        *ret_error = util_format("%s: %s", path, strerror(errno));
    }
    return ok;
}

/* ---- one process ---- */

static bool start(const verification *v, int generation, const char *job_path, run_child *child,
    char **ret_error) {
    const run_peer *peer = v->spec->peer;
    const run_setting *setting = v->spec->setting;
    strvec argv = {0}, environment = {0};
    run_peer_argv(peer, &peer->run, &argv);
    strvec_push(&argv, job_path);
    run_peer_environment(peer, &setting->environments[peer->uses_ros2 ? 1 : 0], &environment);
    run_network_apply(setting->network, PLAN_TRANSPORT_STOCK, NULL,
        verify_master_uri(v, generation), &environment);
    strvec_set_variable(&environment, "ROS_LOG_DIR", v->folder);
    run_child_command command = {
        .argv = &argv,
        .dir = peer->dir,
        .environment = &environment,
        .protocol = true,
        .guard = setting->guard,
    };
    bool ok = run_child_start(child, &command, ret_error);
    strvec_done(&argv);
    strvec_done(&environment);
    return ok;
}

static void bring_end(run_child *child, lone_end end) {
    if (end == END_OF_CHANNEL) {
        close(child->to_fd);
        child->to_fd = -1;
    } else if (end == END_BY_TERM) {
        kill(child->pid, SIGTERM);
    }
}

/* Until it has ended, or the deadline. */
static void follow(run_child *child, lone_end end, lone_words *words) {
    int64_t deadline_ns = run_clock_monotonic_ns() + DEADLINE_NS;
    bool brought = end == END_BY_ITSELF;
    while (!child->ended && run_interrupt_count() == 0 && run_clock_monotonic_ns() < deadline_ns) {
        struct pollfd fds[RUN_CHILD_POLL_FDS];
        run_child_poll_fds(child, fds);
        if (run_interrupt_poll(fds, RUN_CHILD_POLL_FDS, deadline_ns) > 0) {
            run_child_handle(child, fds, take_line, words);
        }
        if (!brought && (words->created || words->ready)) {
            bring_end(child, end);
            brought = true;
        }
    }
}

static char *judge_exit(const run_child *child, int wanted) {
    if (WIFSIGNALED(child->status)) {
        return util_format("it was killed by signal %d", WTERMSIG(child->status));
    }
    if (WEXITSTATUS(child->status) != wanted) {
        return util_format(
            "its exit status is %d instead of %d", WEXITSTATUS(child->status), wanted);
    }
    return NULL;
}

static char *judge(const lone_case *it, const run_child *child, const lone_words *words) {
    if (!child->ended) {
        return util_format("it is still there after %d s", (int)(DEADLINE_NS / 1000000000));
    }
    if (it->refused != NULL) {
        if (words->refused == NULL || strcmp(words->refused, it->refused) != 0) {
            return util_format("it said '%s%s' instead of 'refuse %s'",
                words->refused == NULL ? "" : "refuse ",
                words->refused == NULL ? "nothing" : words->refused, it->refused);
        }
        return judge_exit(child, 2);
    }
    if (it->nobody) {
        char *problem = judge_exit(child, 1);
        if (problem == NULL && !words->error) {
            problem = util_strdup("it did not say 'error'");
        }
        return problem;
    }
    if (!words->created && !words->ready) {
        return util_strdup("it ended before it had made its endpoints");
    }
    return NULL;
}

static bool run_case(
    verification *v, const plan_cell *cell, int side, const lone_case *it, char **ret_error) {
    char *samples_path = util_format("%s/lone.samples", v->folder);
    char *job_path = util_format("%s/lone.job.json", v->folder);
    char *text = job_text(v, cell, side, it, samples_path, ret_error);
    run_child child = {0};
    bool ok = text != NULL && write_text(job_path, text, ret_error) &&
              start(v, cell->generation, job_path, &child, ret_error);
    if (ok) {
        lone_words words = {0};
        follow(&child, it->end, &words);
        verify_add(v,
            util_format("ROS %d %s, %s alone, %s", cell->generation,
                plan_pattern_name(cell->pattern), plan_role_name(cell->pattern, side), it->what),
            judge(it, &child, &words));
        run_child_done(&child, GRACE_NS);
        free(words.refused);
    }
    free(text);
    free(job_path);
    free(samples_path);
    return ok;
}

static bool run_cases(verification *v, const plan_cell *cell, int side, const lone_case *cases,
    size_t count, char **ret_error) {
    for (size_t i = 0; i < count; i++) {
        if (run_interrupt_count() > 0) {
            *ret_error = util_strdup("interrupted");
            return false;
        }
        /* A server waits for nobody. */
        bool pointless = cases[i].nobody && side == 1 && cell->pattern != PLAN_TOPIC;
        if (!pointless && !run_case(v, cell, side, &cases[i], ret_error)) {
            return false;
        }
    }
    return true;
}

bool verify_lone(verification *v, int generation, char **ret_error) {
    bool refused = false; /* refusing does not depend on the pattern: the first one shows it */
    for (int i = 0; i < PLAN_STARTUP; i++) {
        plan_pattern which = (plan_pattern)i;
        if (!v->spec->peer->patterns[which]) {
            continue;
        }
        plan_cell cell = plan_cell_default(which);
        cell.generation = generation;
        cell.settings_json = v->settings[which];
        for (int side = 0; side < 2; side++) {
            if (!refused && !run_cases(v, &cell, side, refusals,
                                sizeof refusals / sizeof refusals[0], ret_error)) {
                return false;
            }
            if (!run_cases(
                    v, &cell, side, endings, sizeof endings / sizeof endings[0], ret_error)) {
                return false;
            }
        }
        refused = true;
    }
    return true;
}
