/* One round; see session.h. Linear: each phase waits for its condition on both sides; what a side
 * says is taken by take_line() wherever it arrives. */
#include "run/session.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "run/clock.h"
#include "run/interrupt.h"
#include "run/resources.h"
#include "run/round.h"
#include "run/side.h"
#include "util/memory.h"

#define NOW_WAIT_NS INT64_C(20000000000)
#define CLOCK_SLACK_NS INT64_C(2000000)
#define WAITING_NS INT64_C(2000000000)
#define SETTLE_NS INT64_C(200000000)
#define LOOK_OUTSIDE_NS INT64_C(200000000)

typedef struct session {
    const run_session_spec *spec;
    run_round *round;
    run_side sides[2];
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

/* Turns what is wrong with the sides into the round's failure: who died first of all, because what
 * the other one says is then only a consequence. */
static bool fail_sides(session *s) {
    const run_side *first = &s->sides[0];
    const run_side *second = &s->sides[1];
    bool second_died = second->child.ended && WIFSIGNALED(second->child.status);
    bool first_died = first->child.ended && WIFSIGNALED(first->child.status);
    if (first->trouble == NULL || (second->trouble != NULL && second_died && !first_died)) {
        first = &s->sides[1];
        second = &s->sides[0];
    }
    char *sentence =
        util_format("%s (%s) %s", first->spec->variant, first->spec->role, first->trouble);
    if (second->trouble != NULL) {
        char *both = util_format(
            "%s; %s (%s) %s", sentence, second->spec->variant, second->spec->role, second->trouble);
        free(sentence);
        sentence = both;
    }
    return fail(s, sentence);
}

static bool in_trouble(session *s) {
    bool first = run_side_in_trouble(&s->sides[0]);
    bool second = run_side_in_trouble(&s->sides[1]);
    return first || second;
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
static void look(session *s, int64_t deadline_ns) {
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
    int got = run_interrupt_poll(fds, 2 * RUN_CHILD_POLL_FDS, deadline_ns);
    for (int i = 0; got > 0 && i < 2; i++) {
        if (s->sides[i].phase != SIDE_ABSENT) {
            run_child_handle(
                &s->sides[i].child, &fds[i * RUN_CHILD_POLL_FDS], run_side_take_line, &s->sides[i]);
        }
    }
}

/* Trouble of one side is often the consequence of the other's, whose end may not be seen yet. */
static bool settle_trouble(session *s) {
    int64_t deadline_ns = run_clock_monotonic_ns() + SETTLE_NS;
    while ((s->sides[0].trouble == NULL || s->sides[1].trouble == NULL) &&
           run_clock_monotonic_ns() < deadline_ns) {
        look(s, deadline_ns);
        in_trouble(s);
    }
    return fail_sides(s);
}

/* Looks once, at the sides and at the world. */
static bool step(session *s, int64_t deadline_ns) {
    look(s, earlier(deadline_ns, run_clock_monotonic_ns() + LOOK_OUTSIDE_NS));
    if (in_trouble(s)) {
        return settle_trouble(s);
    }
    return check_outside(s);
}

/* Waits until a side has reached a phase (an absent one has). */
static bool wait_phase(
    session *s, int i, run_side_phase phase, int64_t deadline_ns, const char *what) {
    run_side *one = &s->sides[i];
    while (!s->failed && one->phase != SIDE_ABSENT && one->phase < phase) {
        int64_t now_ns = run_clock_monotonic_ns();
        if (now_ns >= deadline_ns) {
            return fail(
                s, util_format("%s (%s) did not %s in time%s", one->spec->variant, one->spec->role,
                       what, phase == SIDE_RUNNING ? "" : " (--timeout gives it more)"));
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
    run_side *one = &s->sides[i];
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
    run_side *one = &s->sides[i];
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

static void say(run_side *one, const char *word) {
    /* A peer that is gone shows in step(). */
    bool said = run_child_say(&one->child, word);
    (void)said;
}

/* Readings of the resources come first, so that they do not count as the peer's delay. */
static bool go(session *s, int i) {
    run_side *one = &s->sides[i];
    if (s->failed || one->phase == SIDE_ABSENT) {
        return !s->failed;
    }
    one->begin = run_resources_begin(one->child.pid);
    run_side_reading(one, false);
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
static void close_side(session *s, run_side *one) {
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
        run_side *one = &s->sides[i];
        one->index = i;
        one->session = s->spec;
        one->round = s->round;
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
