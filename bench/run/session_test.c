/* The session against scripted peers: small shell programs that follow the protocol, or break it.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "run/clock.h"
#include "run/round.h"
#include "run/session.h"
#include "util/memory.h"

#define MS INT64_C(1000000)

/* A peer that does everything right; the other scripts change one step. */
#define BEGIN "exec 2>&1; "
#define READY                                                                                      \
    "echo created 5 >&4; echo matched 7 >&4; echo 'effective {\"qos\":{}}' >&4; echo ready >&4; "
#define GO "read word <&3; [ \"$word\" = go ] || exit 3; echo now $(date +%s%N) >&4; "
#define MEASURED "echo measured >&4; "
#define WAIT_STOP "read word <&3; [ \"$word\" = stop ] || exit 4; "
#define DONE "echo done 10 >&4; exit 0"
#define SENDER BEGIN READY GO MEASURED WAIT_STOP DONE
/* The serving side measures until the first stop. */
#define SERVER BEGIN READY GO WAIT_STOP MEASURED WAIT_STOP DONE

/* How long a phase may take on a machine that is busy with other things. */
#define LONG (60000 * MS)
#define SHORT (300 * MS)

typedef struct phases {
    int64_t ready_ns, measure_ns, finish_ns;
} phases;

static const phases long_ones = {LONG, LONG, LONG};

static run_round *run_scripts(const char *from, const char *to, phases lengths) {
    strvec argvs[2] = {{0}};
    strvec environment = {0};
    strvec_pushf(&environment, "PATH=%s", getenv("PATH"));
    const char *scripts[2] = {from, to};
    run_side_spec sides[2];
    run_session_spec spec = {
        .ready_ns = lengths.ready_ns,
        .measure_ns = lengths.measure_ns,
        .finish_ns = lengths.finish_ns,
        .grace_ns = 50 * MS,
        .serve_ns = 100 * MS,
    };
    for (int i = 0; i < 2; i++) {
        if (scripts[i] == NULL) {
            continue;
        }
        strvec_push(&argvs[i], "/bin/sh");
        strvec_push(&argvs[i], "-c");
        strvec_push(&argvs[i], scripts[i]);
        sides[i] = (run_side_spec){
            .variant = i == 0 ? "alpha" : "beta",
            .role = i == 0 ? "client" : "server",
            .argv = &argvs[i],
            .dir = "/",
            .environment = &environment,
            .samples_path = "/nowhere",
        };
        spec.sides[i] = &sides[i];
    }
    run_round *round = util_alloc(1, sizeof *round);
    run_session(&spec, round);
    strvec_done(&argvs[0]);
    strvec_done(&argvs[1]);
    strvec_done(&environment);
    return round;
}

static void end_round(run_round *round) {
    run_round_done(round);
    free(round);
}

/* Runs two scripts that fail, and checks the sentence. */
static void expect_failure(const char *from, const char *to, const char *sentence) {
    run_round *round = run_scripts(from, to, long_ones);
    assert_false(round->ok);
    assert_non_null(round->failure);
    if (strstr(round->failure, sentence) == NULL) {
        fail_msg("'%s' does not hold '%s'", round->failure, sentence);
    }
    end_round(round);
}

static void a_good_round(void **state) {
    (void)state;
    run_round *round = run_scripts(SENDER, SERVER, long_ones);
    if (!round->ok) {
        fail_msg("%s", round->failure);
    }
    assert_null(round->failure);
    for (int i = 0; i < 2; i++) {
        const run_process *one = &round->sides[i];
        assert_string_equal(one->role, i == 0 ? "client" : "server");
        assert_int_equal(one->created_ns, 5);
        assert_int_equal(one->matched_ns, 7);
        assert_string_equal(one->effective_json, "{\"qos\":{}}");
        assert_int_equal(one->done_rows, 10);
        assert_int_equal(one->exit_status, 0);
        assert_true(one->spawned_ns > 0 && one->spawned_ns <= one->ready_ns);
        assert_true(one->ready_ns <= one->go_ns && one->go_ns <= one->measured_ns);
        assert_true(one->measured.valid && one->measured.max_rss_bytes > 0);
        assert_true(one->lifetime.valid && one->lifetime.minor_faults > 0);
        assert_null(one->said);
    }
    /* The serving side goes first. */
    assert_true(round->sides[1].go_ns <= round->sides[0].go_ns);
    end_round(round);
}

static void one_side_alone(void **state) {
    (void)state;
    run_round *round = run_scripts(SENDER, NULL, long_ones);
    assert_true(round->ok);
    assert_null(round->sides[1].variant);
    end_round(round);
    /* A server alone is told to stop when its time is over. */
    round = run_scripts(NULL, SERVER, long_ones);
    assert_true(round->ok);
    assert_int_equal(round->sides[1].done_rows, 10);
    end_round(round);
}

static void crashes_are_named(void **state) {
    (void)state;
    expect_failure(BEGIN "kill -SEGV $$", SERVER, "alpha (client) was killed by signal 11");
    expect_failure(SENDER, BEGIN READY GO "exit 9", "beta (server) exited with status 9");
    expect_failure(BEGIN "exit 77", SERVER, "alpha (client) is not available here");
    expect_failure(BEGIN READY GO "exit 0", SERVER, "alpha (client) exited with status 0 before");
    expect_failure(BEGIN READY GO MEASURED WAIT_STOP "echo done 10 >&4; exit 1", SERVER,
        "alpha (client) exited with status 1");
}

static void its_last_words_are_kept(void **state) {
    (void)state;
    run_round *round = run_scripts(BEGIN
        "echo first words; i=0; while [ $i -lt 2000 ]; do echo noise; i=$((i+1)); done; "
        "printf 'last \\033words\\n'; exit 5",
        SERVER, long_ones);
    assert_false(round->ok);
    assert_non_null(round->sides[0].said);
    assert_int_equal(strlen(round->sides[0].said), 4096);
    assert_non_null(strstr(round->sides[0].said, "noise\nlast ?words\n"));
    assert_null(strstr(round->sides[0].said, "first words"));
    end_round(round);
}

static void refusals_and_errors_are_passed_on(void **state) {
    (void)state;
    expect_failure(BEGIN "echo refuse qos.liveliness >&4; exit 2", SERVER,
        "alpha (client) refuses the job: it does not support qos.liveliness");
    expect_failure(BEGIN READY GO "echo error no answer within 2 s >&4; exit 1", SERVER,
        "alpha (client) failed: no answer within 2 s");
}

static void breaches_of_the_protocol_are_named(void **state) {
    (void)state;
    static const struct {
        const char *script, *sentence;
    } cases[] = {
        {BEGIN "echo hello >&4; sleep 9", "said 'hello', which is not a word of the protocol"},
        {BEGIN "echo measured >&4; sleep 9", "said 'measured' before it was ready"},
        {BEGIN READY "echo now 5 >&4; sleep 9", "said 'now' before 'go'"},
        {BEGIN READY "read word <&3; echo measured >&4; sleep 9", "said 'measured' before 'now'"},
        {BEGIN READY "read word <&3; echo now >&4; sleep 9", "said 'now' without a number"},
        {BEGIN READY "read word <&3; echo now 12x >&4; sleep 9", "said 'now' without a number"},
        {BEGIN READY "read word <&3; echo now 5 >&4; sleep 9", "has another clock"},
        {BEGIN READY GO MEASURED "echo done many >&4; sleep 9", "said 'done' without a number"},
        {BEGIN "echo ready >&4; echo ready >&4; sleep 9", "said 'ready' before 'go'"},
        {BEGIN "echo effective [] >&4; sleep 9", "said 'effective' without a JSON object"},
        {BEGIN "exec 4>&-; sleep 9", "closed its side of the channel before it was done"},
        {BEGIN "head -c 70000 /dev/zero | tr '\\0' x >&4; sleep 9", "said a line of more than"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        expect_failure(cases[i].script, SERVER, cases[i].sentence);
    }
}

static void silence_ends_at_the_deadline(void **state) {
    (void)state;
    static const phases ready = {SHORT, LONG, LONG};
    static const phases measure = {LONG, SHORT, LONG};
    static const phases finish = {LONG, LONG, SHORT};
    const struct {
        const char *from, *to;
        phases lengths;
        const char *sentence;
    } cases[] = {
        {BEGIN "echo ready >&4; sleep 99", BEGIN "sleep 99", ready,
            "beta (server) did not get ready in time"},
        {BEGIN READY GO "sleep 99", SERVER, measure,
            "alpha (client) did not finish measuring in time"},
        {SENDER, BEGIN READY GO "sleep 99", finish,
            "beta (server) did not finish measuring after 'stop' in time"},
        {BEGIN READY GO MEASURED WAIT_STOP "sleep 99", BEGIN READY GO MEASURED "sleep 99", finish,
            "alpha (client) did not say 'done' after 'stop' in time"},
        {NULL, BEGIN READY GO MEASURED WAIT_STOP "echo done 10 >&4; sleep 99", finish,
            "beta (server) did not exit in time after 'done'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        run_round *round = run_scripts(cases[i].from, cases[i].to, cases[i].lengths);
        assert_false(round->ok);
        if (strstr(round->failure, cases[i].sentence) == NULL) {
            fail_msg("case %zu: '%s'", i, round->failure);
        }
        end_round(round);
    }
}

static void a_flood_neither_blocks_nor_grows(void **state) {
    (void)state;
    run_round *round = run_scripts(BEGIN
        "head -c 20000000 /dev/zero | tr '\\0' y; " READY GO MEASURED WAIT_STOP DONE,
        SERVER, long_ones);
    if (!round->ok) {
        fail_msg("%s", round->failure);
    }
    end_round(round);
    expect_failure(BEGIN "yes ready >&4", SERVER, "alpha (client) said 'ready' before 'go'");
}

/* A peer that ignores TERM and has a child of its own: nothing of it is left. */
static void the_whole_group_is_gone(void **state) {
    (void)state;
    char path[] = "/tmp/session_test_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    char *script =
        util_format("trap '' TERM; sleep 98 & echo $! $$ > %s; echo nonsense >&4; sleep 99", path);
    expect_failure(script, SERVER, "nonsense");
    free(script);
    FILE *file = fopen(path, "r");
    int pids[2] = {0, 0};
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%d %d", &pids[0], &pids[1]), 2);
    fclose(file);
    unlink(path);
    for (int i = 0; i < 2; i++) {
        /* A killed grandchild is a zombie until init has reaped it, which is not ours to do. */
        char state_path[64];
        snprintf(state_path, sizeof state_path, "/proc/%d/stat", pids[i]);
        file = fopen(state_path, "r");
        char process_state = 'X';
        if (file != NULL) {
            assert_int_equal(fscanf(file, "%*d (%*[^)]) %c", &process_state), 1);
            fclose(file);
        }
        assert_true(process_state == 'X' || process_state == 'Z');
    }
}

static void a_command_that_is_not_there(void **state) {
    (void)state;
    strvec argv = {0};
    strvec environment = {0};
    strvec_push(&argv, "/nonexistent/peer");
    strvec_push(&environment, "PATH=/bin");
    run_side_spec side = {"alpha", "client", &argv, "/", &environment, NULL};
    run_session_spec spec = {.sides = {&side, NULL}, .ready_ns = 5000 * MS, .grace_ns = MS};
    run_round round = {0};
    assert_false(run_session(&spec, &round));
    assert_string_equal(round.failure, "alpha (client) could not be started");
    assert_non_null(strstr(round.sides[0].said, "/nonexistent/peer: No such file"));
    run_round_done(&round);
    strvec_done(&argv);
    strvec_done(&environment);
}

int main(void) {
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_round),
        cmocka_unit_test(one_side_alone),
        cmocka_unit_test(crashes_are_named),
        cmocka_unit_test(its_last_words_are_kept),
        cmocka_unit_test(refusals_and_errors_are_passed_on),
        cmocka_unit_test(breaches_of_the_protocol_are_named),
        cmocka_unit_test(silence_ends_at_the_deadline),
        cmocka_unit_test(a_flood_neither_blocks_nor_grows),
        cmocka_unit_test(the_whole_group_is_gone),
        cmocka_unit_test(a_command_that_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
