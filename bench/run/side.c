/* What one side says and does; see side.h. */
#include "run/side.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <jansson.h>

#include "run/clock.h"
#include "run/round.h"
#include "util/memory.h"

#define CLOCK_SLACK_NS INT64_C(2000000)
#define CLOSED_WAIT_NS INT64_C(500000000)

/* Keeps the first thing that goes wrong with a side. */
static void blame(run_side *one, char *what) {
    if (one->trouble == NULL) {
        one->trouble = what;
    } else {
        free(what);
    }
}

/* What the process's end means, heap; NULL when it may end and did so well. */
static char *judge_end(const run_side *one) {
    int status = one->child.status;
    if (WIFSIGNALED(status)) {
        return util_format(
            "was killed by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    }
    int code = WEXITSTATUS(status);
    if (code == 77) {
        return util_strdup("is not available here (exit status 77)");
    }
    if (code == 127 && one->phase == SIDE_STARTED) {
        return util_strdup("could not be started");
    }
    if (code != 0) {
        return util_format("exited with status %d", code);
    }
    return one->phase == SIDE_DONE ? NULL : util_strdup("exited with status 0 before it was done");
}

static bool parse_number(const char *text, int64_t *ret_value) {
    if (*text < '0' || *text > '9') {
        return false;
    }
    char *end;
    errno = 0;
    *ret_value = strtoll(text, &end, 10);
    return errno == 0 && *end == '\0';
}

/* A line `NAME NUMBER`. */
static bool take_number(run_side *one, const char *name, const char *argument, int64_t *ret_value) {
    if (argument == NULL || !parse_number(argument, ret_value)) {
        blame(one, util_format("said '%s' without a number", name));
        return false;
    }
    return true;
}

static bool expect_phase(run_side *one, const char *word, run_side_phase phase) {
    if (one->phase == phase) {
        return true;
    }
    static const char *const when[SIDE_PHASE_COUNT] = {"", "before it was ready", "before 'go'",
        "before 'now'", "while measuring", "after 'measured'", "after 'done'"};
    blame(one, util_format("said '%s' %s", word, when[one->phase]));
    return false;
}

static void take_ready(run_side *one, const char *argument) {
    (void)argument;
    if (expect_phase(one, "ready", SIDE_STARTED)) {
        one->process->ready_ns = run_clock_real_ns();
        one->phase = SIDE_READY;
    }
}

static void take_now(run_side *one, const char *argument) {
    int64_t heard_ns = run_clock_real_ns();
    int64_t now_ns;
    if (!expect_phase(one, "now", SIDE_GONE_OFF) || !take_number(one, "now", argument, &now_ns)) {
        return;
    }
    one->phase = SIDE_RUNNING;
    int64_t off = now_ns < one->go_written_ns ? now_ns - one->go_written_ns
                  : now_ns > heard_ns         ? now_ns - heard_ns
                                              : 0;
    if (off < -CLOCK_SLACK_NS || off > CLOCK_SLACK_NS) {
        blame(one, util_format("has another clock: its 'now' is off by %" PRId64 " ns", off));
    } else if (off != 0) {
        run_round_warn(one->round, "the clock of %s (%s) is off by %" PRId64 " ns",
            one->spec->variant, one->spec->role, off);
    }
}

void run_side_reading(run_side *one, bool measured) {
    const run_session_spec *spec = one->session;
    if (spec->on_reading != NULL) {
        spec->on_reading(spec->user, one->index, &one->child, measured);
    }
}

static void take_measured(run_side *one, const char *argument) {
    (void)argument;
    if (!expect_phase(one, "measured", SIDE_RUNNING)) {
        return;
    }
    run_reading end = run_resources_read(one->child.pid);
    one->process->measured_ns = run_clock_real_ns();
    one->process->measured = run_resources_between(&one->begin, &end);
    run_side_reading(one, true);
    one->phase = SIDE_MEASURED;
}

static void take_done(run_side *one, const char *argument) {
    int64_t rows;
    if (expect_phase(one, "done", SIDE_MEASURED) && take_number(one, "done", argument, &rows)) {
        one->process->done_rows = (uint64_t)rows;
        one->phase = SIDE_DONE;
    }
}

static void take_refuse(run_side *one, const char *argument) {
    blame(one, util_format("refuses the job: it does not support %s",
                   argument == NULL ? "something in it" : argument));
}

static void take_error(run_side *one, const char *argument) {
    blame(one, util_format("failed: %s", argument == NULL ? "(no reason given)" : argument));
}

static void take_created(run_side *one, const char *argument) {
    take_number(one, "created", argument, &one->process->created_ns);
}

static void take_matched(run_side *one, const char *argument) {
    take_number(one, "matched", argument, &one->process->matched_ns);
}

static void take_effective(run_side *one, const char *argument) {
    json_t *object = argument == NULL ? NULL : json_loads(argument, 0, NULL);
    if (!json_is_object(object)) {
        blame(one, util_strdup("said 'effective' without a JSON object"));
    } else if (one->process->effective_json != NULL) {
        blame(one, util_strdup("said 'effective' twice"));
    } else if (expect_phase(one, "effective", SIDE_STARTED)) {
        one->process->effective_json = json_dumps(object, JSON_COMPACT);
    }
    json_decref(object);
}

static const struct {
    const char *word;
    void (*take)(run_side *one, const char *argument);
} words[] = {
    {"ready", take_ready},
    {"now", take_now},
    {"measured", take_measured},
    {"done", take_done},
    {"refuse", take_refuse},
    {"error", take_error},
    {"created", take_created},
    {"matched", take_matched},
    {"effective", take_effective},
};

void run_side_take_line(void *user, char *line, size_t len) {
    run_side *one = user;
    char *argument = strchr(line, ' ');
    if (argument != NULL) {
        *argument++ = '\0';
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strlen(line) <= len && strcmp(line, words[i].word) == 0) {
            words[i].take(one, argument);
            return;
        }
    }
    for (char *c = line; *c != '\0'; c++) {
        *c = *c < ' ' || *c > '~' ? '?' : *c;
    }
    blame(one, util_format("said '%.60s', which is not a word of the protocol", line));
}

/* A process that dies closes the channel a moment before it has ended; only one that lives on has
 * closed it by itself. */
static bool closed_for_good(run_side *one) {
    if (one->child.ended || one->child.from_fd >= 0 || one->phase == SIDE_DONE) {
        return false;
    }
    int64_t now_ns = run_clock_monotonic_ns();
    if (one->closed_ns == 0) {
        one->closed_ns = now_ns;
    }
    return now_ns - one->closed_ns > CLOSED_WAIT_NS;
}

bool run_side_in_trouble(run_side *one) {
    if (one->phase == SIDE_ABSENT) {
        return false;
    }
    if (one->child.line_too_long) {
        blame(one, util_format("said a line of more than %d bytes", RUN_CHILD_LINE_MAX));
    }
    if (one->trouble == NULL && one->child.ended) {
        one->trouble = judge_end(one);
    }
    if (one->trouble == NULL && closed_for_good(one)) {
        blame(one, util_strdup("closed its side of the channel before it was done"));
    }
    return one->trouble != NULL;
}
