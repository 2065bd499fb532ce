/* One round; see session.h. Linear: each phase waits for its condition on both sides; what a side
 * says is taken by take_line() wherever it arrives. */
#include "run/session.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <jansson.h>

#include "run/child.h"
#include "run/clock.h"
#include "run/interrupt.h"
#include "run/resources.h"
#include "run/round.h"
#include "util/memory.h"

#define NOW_WAIT_NS INT64_C(5000000000)
#define CLOCK_SLACK_NS INT64_C(2000000)
#define WAITING_NS INT64_C(2000000000)
#define CLOSED_WAIT_NS INT64_C(500000000)
#define LOOK_OUTSIDE_NS INT64_C(200000000)

/* How far a side has come; each line of the protocol leads to the next. */
typedef enum side_phase {
    SIDE_ABSENT,
    SIDE_STARTED,
    SIDE_READY,
    SIDE_GONE_OFF, /* told to go */
    SIDE_RUNNING,  /* said now */
    SIDE_MEASURED,
    SIDE_DONE,
    SIDE_PHASE_COUNT
} side_phase;

typedef struct side {
    struct session *session;
    const run_side_spec *spec;
    run_process *process;
    run_child child;
    side_phase phase;
    run_reading begin;
    int64_t go_written_ns; /* CLOCK_REALTIME just before */
    int64_t closed_ns;     /* when its end of the channel was first seen closed; 0: it is open */
    char *trouble;         /* what it said or did wrong; heap */
} side;

typedef struct session {
    const run_session_spec *spec;
    run_round *round;
    side sides[2];
    bool failed;
    int interrupts_allowed;  /* 1 when Ctrl-C is how a serving side alone is told to stop */
    int64_t waiting_told_ns; /* 0: told */
} session;

static bool fail(session *s, char *sentence) {
    if (s->round->failure == NULL) {
        s->round->failure = sentence;
    } else {
        free(sentence);
    }
    s->failed = true;
    return false;
}

/* Keeps the first thing that goes wrong with a side. */
static void blame(side *one, char *what) {
    if (one->trouble == NULL) {
        one->trouble = what;
    } else {
        free(what);
    }
}

/* What the process's end means, heap; NULL when it may end and did so well. */
static char *judge_end(const side *one) {
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
static bool take_number(side *one, const char *name, const char *argument, int64_t *ret_value) {
    if (argument == NULL || !parse_number(argument, ret_value)) {
        blame(one, util_format("said '%s' without a number", name));
        return false;
    }
    return true;
}

static bool expect_phase(side *one, const char *word, side_phase phase) {
    if (one->phase == phase) {
        return true;
    }
    static const char *const when[SIDE_PHASE_COUNT] = {"", "before it was ready", "before 'go'",
        "before 'now'", "while measuring", "after 'measured'", "after 'done'"};
    blame(one, util_format("said '%s' %s", word, when[one->phase]));
    return false;
}

static void take_ready(side *one, const char *argument) {
    (void)argument;
    if (expect_phase(one, "ready", SIDE_STARTED)) {
        one->process->ready_ns = run_clock_real_ns();
        one->phase = SIDE_READY;
    }
}

static void take_now(side *one, const char *argument) {
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
        run_round_warn(one->session->round, "the clock of %s (%s) is off by %" PRId64 " ns",
            one->spec->variant, one->spec->role, off);
    }
}

static void on_reading(side *one, bool measured) {
    const run_session_spec *spec = one->session->spec;
    if (spec->on_reading != NULL) {
        spec->on_reading(spec->user, (int)(one - one->session->sides), &one->child, measured);
    }
}

static void take_measured(side *one, const char *argument) {
    (void)argument;
    if (!expect_phase(one, "measured", SIDE_RUNNING)) {
        return;
    }
    run_reading end = run_resources_read(one->child.pid);
    one->process->measured_ns = run_clock_real_ns();
    one->process->measured = run_resources_between(&one->begin, &end);
    on_reading(one, true);
    one->phase = SIDE_MEASURED;
}

static void take_done(side *one, const char *argument) {
    int64_t rows;
    if (expect_phase(one, "done", SIDE_MEASURED) && take_number(one, "done", argument, &rows)) {
        one->process->done_rows = (uint64_t)rows;
        one->phase = SIDE_DONE;
    }
}

static void take_refuse(side *one, const char *argument) {
    blame(one, util_format("refuses the job: it does not support %s",
                   argument == NULL ? "something in it" : argument));
}

static void take_error(side *one, const char *argument) {
    blame(one, util_format("failed: %s", argument == NULL ? "(no reason given)" : argument));
}

static void take_created(side *one, const char *argument) {
    take_number(one, "created", argument, &one->process->created_ns);
}

static void take_matched(side *one, const char *argument) {
    take_number(one, "matched", argument, &one->process->matched_ns);
}

static void take_effective(side *one, const char *argument) {
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
    void (*take)(side *one, const char *argument);
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

static void take_line(void *user, char *line, size_t len) {
    side *one = user;
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
static bool closed_for_good(side *one) {
    if (one->child.ended || one->child.from_fd >= 0 || one->phase == SIDE_DONE) {
        return false;
    }
    int64_t now_ns = run_clock_monotonic_ns();
    if (one->closed_ns == 0) {
        one->closed_ns = now_ns;
    }
    return now_ns - one->closed_ns > CLOSED_WAIT_NS;
}

/* Turns what is wrong with a side into the round's failure. */
static bool check_side(session *s, side *one) {
    if (one->phase == SIDE_ABSENT) {
        return true;
    }
    if (one->trouble == NULL && one->child.line_too_long) {
        blame(one, util_format("said a line of more than %d bytes", RUN_CHILD_LINE_MAX));
    }
    if (one->trouble == NULL && one->child.ended) {
        one->trouble = judge_end(one);
    }
    if (one->trouble == NULL && closed_for_good(one)) {
        blame(one, util_strdup("closed its side of the channel before it was done"));
    }
    if (one->trouble == NULL) {
        return true;
    }
    return fail(s, util_format("%s (%s) %s", one->spec->variant, one->spec->role, one->trouble));
}

static bool check_outside(session *s) {
    if (run_interrupt_count() > s->interrupts_allowed) {
        return fail(s, util_strdup("interrupted"));
    }
    char *sentence = s->spec->check_outside == NULL ? NULL : s->spec->check_outside(s->spec->user);
    return sentence == NULL ? true : fail(s, sentence);
}

static int64_t earlier(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* One poll over both sides. */
static bool step(session *s, int64_t deadline_ns) {
    struct pollfd fds[2 * RUN_CHILD_POLL_FDS];
    for (int i = 0; i < 2; i++) {
        if (s->sides[i].phase == SIDE_ABSENT) {
            for (int j = 0; j < RUN_CHILD_POLL_FDS; j++) {
                fds[i * RUN_CHILD_POLL_FDS + j] = (struct pollfd){.fd = -1};
            }
        } else {
            run_child_poll_fds(&s->sides[i].child, &fds[i * RUN_CHILD_POLL_FDS]);
        }
    }
    int64_t look_ns = run_clock_monotonic_ns() + LOOK_OUTSIDE_NS;
    int got = run_interrupt_poll(fds, 2 * RUN_CHILD_POLL_FDS, earlier(deadline_ns, look_ns));
    for (int i = 0; got > 0 && i < 2; i++) {
        if (s->sides[i].phase != SIDE_ABSENT) {
            run_child_handle(
                &s->sides[i].child, &fds[i * RUN_CHILD_POLL_FDS], take_line, &s->sides[i]);
        }
    }
    /* A peer's own words say more than that its counterpart is gone: both are looked at. */
    return check_side(s, &s->sides[0]) && check_side(s, &s->sides[1]) && check_outside(s);
}

/* Waits until a side has reached a phase (an absent one has). */
static bool wait_phase(session *s, int i, side_phase phase, int64_t deadline_ns, const char *what) {
    side *one = &s->sides[i];
    while (!s->failed && one->phase != SIDE_ABSENT && one->phase < phase) {
        int64_t now_ns = run_clock_monotonic_ns();
        if (now_ns >= deadline_ns) {
            return fail(s, util_format("%s (%s) did not %s in time", one->spec->variant,
                               one->spec->role, what));
        }
        bool alone = s->sides[0].phase == SIDE_ABSENT || s->sides[1].phase == SIDE_ABSENT;
        if (alone && phase == SIDE_READY && s->waiting_told_ns != 0 &&
            now_ns >= s->waiting_told_ns && s->spec->on_waiting != NULL) {
            s->spec->on_waiting(s->spec->user);
            s->waiting_told_ns = 0;
        }
        step(s, deadline_ns);
    }
    return !s->failed;
}

static bool wait_ended(session *s, int i, int64_t deadline_ns) {
    side *one = &s->sides[i];
    while (!s->failed && one->phase != SIDE_ABSENT && !one->child.ended) {
        if (run_clock_monotonic_ns() >= deadline_ns) {
            return fail(s, util_format("%s (%s) did not exit in time after 'done'",
                               one->spec->variant, one->spec->role));
        }
        step(s, deadline_ns);
    }
    return !s->failed;
}

static bool start(session *s, int i) {
    side *one = &s->sides[i];
    if (one->spec == NULL) {
        return true;
    }
    run_child_command command = {
        .argv = one->spec->argv,
        .dir = one->spec->dir,
        .environment = one->spec->environment,
        .protocol = true,
        .guard = s->spec->guard,
    };
    char *error = NULL;
    if (!run_child_start(&one->child, &command, &error)) {
        return fail(s, error);
    }
    one->phase = SIDE_STARTED;
    one->process->spawned_ns = one->child.spawned_ns;
    return true;
}

static void say(side *one, const char *word) {
    /* A peer that is gone shows in check_side(). */
    bool said = run_child_say(&one->child, word);
    (void)said;
}

/* Readings of the resources come first, so that they do not count as the peer's delay. */
static bool go(session *s, int i) {
    side *one = &s->sides[i];
    if (s->failed || one->phase == SIDE_ABSENT) {
        return !s->failed;
    }
    one->begin = run_resources_begin(one->child.pid);
    on_reading(one, false);
    one->go_written_ns = run_clock_real_ns();
    one->process->go_ns = one->go_written_ns;
    one->phase = SIDE_GONE_OFF;
    say(one, "go");
    return wait_phase(
        s, i, SIDE_RUNNING, run_clock_monotonic_ns() + NOW_WAIT_NS, "say 'now' after 'go'");
}

static void stop(session *s, int i) {
    if (!s->failed && s->sides[i].phase != SIDE_ABSENT) {
        say(&s->sides[i], "stop");
    }
}

static bool begin_both(session *s) {
    int64_t deadline_ns = run_clock_monotonic_ns() + s->spec->ready_ns;
    if (s->spec->startup && s->spec->sides[1] != NULL) {
        return start(s, 1) && wait_phase(s, 1, SIDE_READY, deadline_ns, "get ready") && go(s, 1) &&
               start(s, 0) && wait_phase(s, 0, SIDE_READY, deadline_ns, "get ready") && go(s, 0);
    }
    return start(s, 1) && start(s, 0) && wait_phase(s, 1, SIDE_READY, deadline_ns, "get ready") &&
           wait_phase(s, 0, SIDE_READY, deadline_ns, "get ready") && go(s, 1) && go(s, 0);
}

/* A serving side alone measures until the user or the duration ends it. */
static bool serve(session *s) {
    int64_t deadline_ns = run_clock_monotonic_ns() + s->spec->serve_ns;
    s->interrupts_allowed = 1;
    while (!s->failed && s->sides[1].phase < SIDE_MEASURED && run_interrupt_count() == 0 &&
           run_clock_monotonic_ns() < deadline_ns) {
        step(s, deadline_ns);
    }
    return !s->failed;
}

/* The sending side decides the length; then the serving side is told that nothing more is coming.
 * The sender is kept until the receiver has measured: it may have to send again what was lost. */
static bool measure_both(session *s) {
    int64_t deadline_ns = run_clock_monotonic_ns() + s->spec->measure_ns;
    bool ok = s->sides[0].phase == SIDE_ABSENT
                  ? serve(s)
                  : wait_phase(s, 0, SIDE_MEASURED, deadline_ns, "finish measuring");
    if (!ok) {
        return false;
    }
    if (s->sides[1].phase < SIDE_MEASURED) {
        stop(s, 1);
    }
    deadline_ns = run_clock_monotonic_ns() + s->spec->finish_ns;
    return wait_phase(s, 1, SIDE_MEASURED, deadline_ns, "finish measuring after 'stop'");
}

static bool end_both(session *s) {
    int64_t deadline_ns = run_clock_monotonic_ns() + s->spec->finish_ns;
    stop(s, 1);
    stop(s, 0);
    return wait_phase(s, 0, SIDE_DONE, deadline_ns, "say 'done' after 'stop'") &&
           wait_phase(s, 1, SIDE_DONE, deadline_ns, "say 'done' after 'stop'") &&
           wait_ended(s, 0, deadline_ns) && wait_ended(s, 1, deadline_ns);
}

/* After everything: the ends, the words, the resources of the life. */
static void close_side(session *s, side *one) {
    if (one->phase == SIDE_ABSENT) {
        free(one->trouble);
        return;
    }
    bool by_itself = one->child.ended;
    run_child_end(&one->child, run_interrupt_count() > 1 ? 0 : s->spec->grace_ns);
    int status = one->child.status;
    one->process->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    one->process->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    one->process->lifetime = run_resources_of_usage(&one->child.usage);
    if (s->failed && (one->trouble != NULL || !by_itself)) {
        one->process->said = run_child_output(&one->child);
    }
    run_child_done(&one->child, 0);
    free(one->trouble);
}

static void begin_round(session *s, int64_t *real_ns, int64_t *monotonic_ns) {
    for (int i = 0; i < 2; i++) {
        side *one = &s->sides[i];
        one->session = s;
        one->spec = s->spec->sides[i];
        one->process = &s->round->sides[i];
        if (one->spec != NULL) {
            one->process->variant = util_strdup(one->spec->variant);
            one->process->role = util_strdup(one->spec->role);
            one->process->command = strvec_join(one->spec->argv, " ");
            one->process->samples_path = util_strdup(one->spec->samples_path);
        }
    }
    s->round->load_1min = run_load_1min();
    *real_ns = run_clock_real_ns();
    *monotonic_ns = run_clock_monotonic_ns();
}

bool run_session(const run_session_spec *spec, run_round *round) {
    session *s = util_alloc(1, sizeof *s);
    s->spec = spec;
    s->round = round;
    s->waiting_told_ns = run_clock_monotonic_ns() + WAITING_NS;
    int64_t real_ns, monotonic_ns;
    begin_round(s, &real_ns, &monotonic_ns);
    int64_t udp_before = run_udp_receive_errors();

    round->ok = begin_both(s) && measure_both(s) && end_both(s);

    int64_t udp_after = run_udp_receive_errors();
    round->udp_receive_errors = udp_before < 0 || udp_after < 0 ? -1 : udp_after - udp_before;
    int64_t step_ns = (run_clock_real_ns() - real_ns) - (run_clock_monotonic_ns() - monotonic_ns);
    round->clock_step_ns = step_ns;
    close_side(s, &s->sides[0]);
    close_side(s, &s->sides[1]);
    if (step_ns > CLOCK_SLACK_NS || step_ns < -CLOCK_SLACK_NS) {
        run_round_warn(round, "the clock was stepped by %" PRId64 " ns during the round", step_ns);
    }
    free(s);
    return round->ok;
}
