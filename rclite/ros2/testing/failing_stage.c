/* See failing_stage.h. */
#include "ros2/testing/failing_stage.h"

#define STEPS_MAX 3000

static bool is_expected(rclite_result result) {
    return result == RCLITE_ERR_NO_MEMORY || result == RCLITE_ERR_TIMEOUT || result == RCLITE_EMPTY;
}

void stage_stop_failing(stage *on) {
    const long fail_at = atomic_exchange(&on->allocator.fail_at, 0);
    on->met = on->met || (fail_at > 0 && on->allocator.calls >= fail_at);
}

bool stage_is_patient(stage *on, rclite_result result, int64_t begun_ns) {
    return result == RCLITE_ERR_TIMEOUT && !on->met &&
           on->allocator.calls < on->allocator.fail_at &&
           rclite_monotonic_ns() - begun_ns < TESTING_TIMEOUT_NS;
}

rclite_result stage_context_create(stage *on, rclite_context **ret_context, rclite_error *reterr) {
    static const char *const argv[] = {
        "program", "--ros-args", "-r", "a:=/b", "-p", "word:=text", "-p", "number:=3", "--"};
    rclite_context_options options = RCLITE_CONTEXT_OPTIONS_INIT;
    options.domain_id = TESTING_DOMAIN;
    options.dds_config = testing_dds_config();
    options.allocator = &on->allocator.base;
    options.argc = sizeof argv / sizeof *argv;
    options.argv = argv;
    return rclite_context_create(&options, ret_context, reterr);
}

/* Plays the scenario until it comes through without meeting the allocation that fails. */
static void play(stage *on, scenario run, bool once) {
    for (long fail_at = 1;; fail_at++) {
        assert_true(fail_at < STEPS_MAX);
        rclite_error error = {.code = RCLITE_OK};
        on->met = false;
        on->allocator.once = once;
        on->allocator.calls = 0;
        on->allocator.fail_at = fail_at;
        const rclite_result result = run(on, &error);
        stage_stop_failing(on);
        if (result != RCLITE_OK && !is_expected(result)) {
            fail_msg("allocation %ld: %s: %s", fail_at, rclite_result_string(result), error.text);
        }
        if (!on->met) {
            assert_int_equal(result, RCLITE_OK);
            return;
        }
    }
}

void stage_play_bare(scenario run) {
    for (int once = 0; once < 2; once++) {
        stage on = {.context = NULL};
        failing_allocator_init(&on.allocator, 0);
        play(&on, run, once);
        assert_int_equal(on.allocator.outstanding, 0);
    }
}

void stage_play(scenario run) {
    for (int once = 0; once < 2; once++) {
        stage on = {.context = NULL};
        failing_allocator_init(&on.allocator, 0);
        assert_ok(stage_context_create(&on, &on.context, NULL));
        on.node = testing_node(on.context, "node");
        play(&on, run, once);
        rclite_node_free(on.node);
        rclite_context_free(on.context);
        assert_int_equal(on.allocator.outstanding, 0);
    }
}
