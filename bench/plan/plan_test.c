/* Plans: pairs, `all`, refusals, the default, the budget. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plan/expand.h"

#define EVERY                                                                                      \
    { true, true, true, true }

#define NO_RULES                                                                                   \
    { NULL, 0 }

static char connection_word[] = "connection", per_call_word[] = "per_call";
static char one_request[] = "it answers one request on a connection", too_long[] = "it is too long";
static plan_rule rules_of_single[] = {
    {{false, true, false, false}, 1, 0, connection_word, per_call_word, one_request},
    {{true, true, false, false}, -1, 7900, NULL, NULL, too_long},
};

static const plan_peer peers_here[] = {
    {"rclite", "ros", {false, true, true}, EVERY, true, NULL, false, NULL, NO_RULES},
    {"rclite-spin", "ros", {false, true, true}, EVERY, true, NULL, true, NULL, NO_RULES},
    {"rclcpp", "ros", {false, false, true}, EVERY, true, NULL, false, "rmw_fastrtps_cpp", NO_RULES},
    {"rclpy", "ros", {false, false, true}, EVERY, false, "no module rclpy", false,
        "rmw_fastrtps_cpp", NO_RULES},
    {"rclpy-multi", "ros", {false, false, true}, EVERY, false, "no module rclpy", false, NULL,
        NO_RULES},
    {"rclnodejs", "ros", {false, false, true}, EVERY, false, "no Node.js", false, NULL, NO_RULES},
    {"roscpp", "ros", {false, true, false}, EVERY, true, NULL, false, NULL, NO_RULES},
    {"null", "null", {false, true, true}, EVERY, true, NULL, false, NULL, NO_RULES},
    {"floor", "ros", {false, false, true}, {true, false, false, false}, true, NULL, false, NULL,
        NO_RULES},
    {"single", "ros", {false, true, false}, EVERY, true, NULL, false, NULL,
        {rules_of_single, sizeof rules_of_single / sizeof rules_of_single[0]}},
};
static const plan_peers here = {peers_here, sizeof peers_here / sizeof peers_here[0]};

static plan_spec spec_of(plan_pattern pattern, const char *from, const char *to) {
    plan_spec spec = {.cell = plan_cell_default(pattern)};
    if (from != NULL) {
        strvec_split(&spec.from, from, ',');
    }
    if (to != NULL) {
        strvec_split(&spec.to, to, ',');
    }
    return spec;
}

static void expand(plan *todo, plan_spec *spec) {
    char *error = NULL;
    plan_init(todo);
    assert_true(plan_expand(todo, spec, here, &error));
    assert_null(error);
    strvec_done(&spec->from);
    strvec_done(&spec->to);
}

static void every_pair_is_a_cell(void **state) {
    (void)state;
    plan todo;
    plan_spec spec = spec_of(PLAN_TOPIC, "rclite,rclcpp", "rclite,rclcpp,floor");
    expand(&todo, &spec);
    assert_int_equal(todo.cell_count, 6);
    assert_string_equal(todo.cells[0].from, "rclite");
    assert_string_equal(todo.cells[0].to, "rclite");
    assert_string_equal(todo.cells[5].from, "rclcpp");
    assert_string_equal(todo.cells[5].to, "floor");
    for (size_t i = 0; i < todo.cell_count; i++) {
        assert_null(todo.cells[i].refused);
        assert_string_equal(todo.cells[i].type, "std_msgs/msg/UInt8MultiArray");
    }
    plan_done(&todo);
}

static void pairs_same_keeps_the_equal_ones(void **state) {
    (void)state;
    plan todo;
    plan_spec spec = spec_of(PLAN_SERVICE, "rclite,rclcpp", "rclcpp,rclite");
    spec.pairs_same = true;
    expand(&todo, &spec);
    assert_int_equal(todo.cell_count, 2);
    assert_ptr_equal(todo.cells[0].from, todo.cells[0].to);
    plan_done(&todo);
}

static void all_leaves_out_what_cannot_run_and_says_so(void **state) {
    (void)state;
    plan todo;
    plan_spec spec = spec_of(PLAN_SERVICE, "all", NULL);
    spec.pairs_same = true;
    expand(&todo, &spec);
    /* rclite, rclite-spin, rclcpp; neither null, nor roscpp, nor the floor, nor what is missing. */
    assert_int_equal(todo.cell_count, 3);
    assert_int_equal(todo.note_count, 2);
    assert_string_equal(todo.notes[0], "rclpy, rclpy-multi are left out of 'all': no module rclpy");
    assert_string_equal(todo.notes[1], "rclnodejs is left out of 'all': no Node.js");
    plan_done(&todo);
}

static void impossible_pairs_are_refused_with_the_reason(void **state) {
    (void)state;
    static const struct {
        plan_pattern pattern;
        const char *from, *to, *reason;
    } cases[] = {
        {PLAN_TOPIC, "rclpy", "rclite", "rclpy is not available here: no module rclpy"},
        {PLAN_TOPIC, "rclite", "roscpp", "roscpp does not speak ROS 2"},
        {PLAN_SERVICE, "floor", "floor", "floor does not play the pattern service"},
        {PLAN_TOPIC, "rclite", "null", "rclite and null do not speak the same protocol"},
        {PLAN_SERVICE, "rclite", "rclcpp",
            "rclite goes over rmw_cyclonedds_cpp and rclcpp over rmw_fastrtps_cpp, which carry the "
            "identity of a request differently: services cannot work between them (topics can)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        plan todo;
        plan_spec spec = spec_of(cases[i].pattern, cases[i].from, cases[i].to);
        expand(&todo, &spec);
        assert_int_equal(todo.cell_count, 1);
        assert_string_equal(todo.cells[0].refused, cases[i].reason);
        plan_done(&todo);
    }
}

static const char *refusal_of(plan *todo, plan_pattern pattern, const char *from, const char *to,
    uint64_t payload_bytes, const char *settings_json) {
    plan_spec spec = spec_of(pattern, from, to);
    spec.cell.generation = 1;
    spec.cell.payload_bytes = payload_bytes;
    spec.cell.settings_json = settings_json;
    expand(todo, &spec);
    assert_int_equal(todo->cell_count, 1);
    return todo->cells[0].refused;
}

static void rules_of_a_manifest_refuse_with_their_reason(void **state) {
    (void)state;
    static const struct {
        plan_pattern pattern;
        uint64_t payload_bytes;
        const char *settings_json, *reason;
    } cases[] = {
        {PLAN_SERVICE, 7900, "{}",
            "single is refused as server: it answers one request on a connection (--set "
            "connection=per_call)"},
        {PLAN_SERVICE, 7900, "{\"connection\":\"persistent\"}",
            "single is refused as server: it answers one request on a connection (--set "
            "connection=per_call)"},
        {PLAN_SERVICE, 7900, "{\"connection\":\"per_call\"}", NULL},
        {PLAN_SERVICE, 7901, "{\"connection\":\"per_call\"}",
            "single is refused as client: it is too long"},
        {PLAN_TOPIC, 7901, "{}", "single is refused as publisher: it is too long"},
        {PLAN_TOPIC, 7900, "{}", NULL},
        {PLAN_ACTION, 9999, "{}", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        plan todo;
        const char *reason = refusal_of(&todo, cases[i].pattern, "single", "single",
            cases[i].payload_bytes, cases[i].settings_json);
        if (cases[i].reason == NULL) {
            assert_null(reason);
        } else {
            assert_string_equal(reason, cases[i].reason);
        }
        plan_done(&todo);
    }
}

static void all_leaves_out_the_side_that_a_rule_refuses(void **state) {
    (void)state;
    plan todo;
    plan_spec spec = spec_of(PLAN_SERVICE, "all", "all");
    spec.cell.generation = 1;
    spec.cell.payload_bytes = 100;
    expand(&todo, &spec);
    /* rclite, rclite-spin, roscpp and single call; single does not serve. */
    assert_int_equal(todo.cell_count, 4 * 3);
    for (size_t i = 0; i < todo.cell_count; i++) {
        assert_null(todo.cells[i].refused);
        assert_string_not_equal(todo.cells[i].to, "single");
    }
    assert_int_equal(todo.note_count, 1);
    assert_string_equal(todo.notes[0],
        "single is left out of 'all' for service: single is refused as server: it answers one "
        "request on a connection (--set connection=per_call)");
    plan_done(&todo);
    plan_init(&todo);
    char *error = NULL;
    plan_spec all = {.cell = plan_cell_default(PLAN_TOPIC)};
    all.cell.generation = 1;
    all.cell.payload_bytes = 100;
    assert_true(plan_expand_default(&todo, &all, here, &error));
    assert_int_equal(todo.cell_count, 4 + 3); /* topics of all four, services without single */
    for (size_t i = 0; i < todo.cell_count; i++) {
        assert_null(todo.cells[i].refused);
    }
    plan_done(&todo);
}

static void rules_say_which_settings_they_ask_for(void **state) {
    (void)state;
    const plan_rules rules = {rules_of_single, 2};
    char *service = plan_rules_settings(&rules, PLAN_SERVICE, "{\"a\":1}");
    assert_string_equal(service, "{\"a\":1,\"connection\":\"per_call\"}");
    char *topic = plan_rules_settings(&rules, PLAN_TOPIC, "{\"a\":1}");
    assert_string_equal(topic, "{\"a\":1}");
    free(service);
    free(topic);
}

static void ros1_has_less_quality_of_service(void **state) {
    (void)state;
    plan_spec spec = spec_of(PLAN_TOPIC, "rclite", NULL);
    spec.cell.generation = 1;
    spec.cell.qos.durability = "transient_local";
    spec.cell.qos.history = "keep_all";
    plan todo;
    expand(&todo, &spec);
    assert_null(todo.cells[0].refused);
    plan_done(&todo);
    spec = spec_of(PLAN_TOPIC, "rclite", NULL);
    spec.cell.generation = 1;
    spec.cell.qos.reliability = "best_effort";
    expand(&todo, &spec);
    assert_string_equal(todo.cells[0].refused, "ROS 1 has no best effort");
    plan_done(&todo);
    spec = spec_of(PLAN_TOPIC, "rclite", NULL);
    spec.cell.generation = 1;
    spec.cell.qos.liveliness_lease_ns = 1;
    expand(&todo, &spec);
    assert_string_equal(todo.cells[0].refused, "ROS 1 has no liveliness");
    plan_done(&todo);
}

static void unknown_names_get_a_suggestion(void **state) {
    (void)state;
    plan todo;
    plan_init(&todo);
    plan_spec spec = spec_of(PLAN_TOPIC, "rclit", NULL);
    char *error = NULL;
    assert_false(plan_expand(&todo, &spec, here, &error));
    assert_non_null(strstr(error, "no peer 'rclit' (did you mean 'rclite'?)"));
    free(error);
    strvec_done(&spec.from);
    spec = spec_of(PLAN_TOPIC, "all", "same");
    assert_false(plan_expand(&todo, &spec, here, &error));
    assert_non_null(strstr(error, "no peer 'same' (each with itself is --pairs same)"));
    free(error);
    strvec_done(&spec.from);
    strvec_done(&spec.to);
    plan_done(&todo);
}

static void the_default_pairs_each_with_itself(void **state) {
    (void)state;
    plan todo;
    plan_init(&todo);
    char *error = NULL;
    plan_spec spec = {.cell = plan_cell_default(PLAN_TOPIC)};
    spec.cell.generation = 0;
    spec.cell.payload_bytes = 1048576;
    assert_true(plan_expand_default(&todo, &spec, here, &error));
    /* ROS 2: topic x 4 (with the floor), service x 3; ROS 1: rclite, rclite-spin, roscpp twice. */
    assert_int_equal(todo.cell_count, 13);
    for (size_t i = 0; i < todo.cell_count; i++) {
        assert_string_equal(todo.cells[i].from, todo.cells[i].to);
        assert_int_equal(todo.cells[i].payload_bytes, 1048576);
        assert_null(todo.cells[i].refused);
    }
    assert_string_equal(todo.cells[3].type, "nav_msgs/srv/GetMap");
    assert_int_equal(todo.cells[8].generation, 1);
    /* Further variants come last: they are the first to go. */
    for (size_t i = 0; i < todo.cell_count; i++) {
        assert_int_equal(strcmp(todo.cells[i].from, "rclite-spin") == 0, i >= 9);
    }
    plan_done(&todo);
}

static void the_default_can_be_of_some_peers_only(void **state) {
    (void)state;
    plan todo;
    plan_init(&todo);
    char *error = NULL;
    plan_spec spec = spec_of(PLAN_TOPIC, "rclite,rclite-spin,rclcpp,rclpy,roscpp", NULL);
    spec.cell.generation = 0;
    assert_true(plan_expand_default(&todo, &spec, here, &error));
    /* Two patterns: on ROS 2 of four (rclpy, which was named, is refused), on ROS 1 of three. */
    assert_int_equal(todo.cell_count, 2 * (4 + 3));
    for (size_t i = 0; i < todo.cell_count; i++) {
        assert_string_equal(todo.cells[i].from, todo.cells[i].to);
        assert_int_equal(todo.cells[i].refused != NULL, strcmp(todo.cells[i].from, "rclpy") == 0);
    }
    assert_int_equal(todo.note_count, 0);
    plan_done(&todo);
    strvec_done(&spec.from);

    plan_init(&todo);
    spec = spec_of(PLAN_TOPIC, "rclcpp", NULL);
    spec.cell.generation = 1;
    assert_true(plan_expand_default(&todo, &spec, here, &error));
    assert_int_equal(todo.cell_count, 0);
    strvec_push(&spec.from, "rclcp");
    assert_false(plan_expand_default(&todo, &spec, here, &error));
    assert_non_null(strstr(error, "there is no peer 'rclcp' (did you mean 'rclcpp'?)"));
    free(error);
    plan_done(&todo);
    strvec_done(&spec.from);
}

static void a_budget_lowers_counts_before_it_drops_cells(void **state) {
    (void)state;
    plan todo;
    plan_spec spec = spec_of(PLAN_TOPIC, "rclite,rclcpp", NULL);
    spec.cell.period_ns = 10000000; /* 1000 messages: 10 s */
    expand(&todo, &spec);
    todo.rounds = 2;
    int64_t whole = plan_estimate_ns(&todo);
    assert_true(whole > INT64_C(80000000000) && whole < INT64_C(100000000000));

    plan_fit_budget(&todo, whole);
    assert_int_equal(todo.note_count, 0);
    assert_int_equal(todo.cells[0].count, 1000);

    plan_fit_budget(&todo, whole / 2);
    assert_int_equal(todo.note_count, 1);
    assert_int_equal(todo.cell_count, 4);
    assert_true(todo.cells[0].count < 600);
    assert_true(plan_estimate_ns(&todo) <= whole / 2);
    plan_done(&todo);

    spec = spec_of(PLAN_TOPIC, "rclite,rclcpp", NULL);
    expand(&todo, &spec);
    plan_fit_budget(&todo, 1);
    assert_int_equal(todo.cell_count, 1);
    assert_int_equal(todo.note_count, 4);
    assert_int_equal(todo.cells[0].count, 200);
    assert_non_null(strstr(todo.notes[1], "dropped to fit the budget: topic, ROS 2, rclcpp"));
    plan_done(&todo);
}

static void hostile_sizes_do_not_overflow_the_estimate(void **state) {
    (void)state;
    plan_cell cell = plan_cell_default(PLAN_TOPIC);
    cell.count = UINT64_MAX;
    cell.warmup = UINT64_MAX;
    cell.payload_bytes = UINT64_MAX;
    assert_true(plan_estimate_round_ns(&cell) > 0);
}

/* The enum indexes the registry of patterns. */
static void test_patterns_are_those_of_the_registry(void **state) {
    (void)state;
    static const char *const names[PLAN_PATTERN_COUNT] = {[PLAN_TOPIC] = "topic",
        [PLAN_SERVICE] = "service",
        [PLAN_ACTION] = "action",
        [PLAN_STARTUP] = "startup"};
    for (int i = 0; i < PLAN_PATTERN_COUNT; i++) {
        plan_pattern found = PLAN_PATTERN_COUNT;
        assert_string_equal(plan_pattern_name((plan_pattern)i), names[i]);
        assert_true(plan_pattern_parse(names[i], &found));
        assert_int_equal(found, i);
    }
    assert_string_equal(plan_role_name(PLAN_ACTION, 1), "server");
    assert_string_equal(plan_role_name(PLAN_STARTUP, 0), "publisher");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patterns_are_those_of_the_registry),
        cmocka_unit_test(every_pair_is_a_cell),
        cmocka_unit_test(pairs_same_keeps_the_equal_ones),
        cmocka_unit_test(all_leaves_out_what_cannot_run_and_says_so),
        cmocka_unit_test(impossible_pairs_are_refused_with_the_reason),
        cmocka_unit_test(rules_of_a_manifest_refuse_with_their_reason),
        cmocka_unit_test(all_leaves_out_the_side_that_a_rule_refuses),
        cmocka_unit_test(rules_say_which_settings_they_ask_for),
        cmocka_unit_test(ros1_has_less_quality_of_service),
        cmocka_unit_test(unknown_names_get_a_suggestion),
        cmocka_unit_test(the_default_pairs_each_with_itself),
        cmocka_unit_test(the_default_can_be_of_some_peers_only),
        cmocka_unit_test(a_budget_lowers_counts_before_it_drops_cells),
        cmocka_unit_test(hostile_sizes_do_not_overflow_the_estimate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
