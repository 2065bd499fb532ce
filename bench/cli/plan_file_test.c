/* Plan files: what they may say, and where their faults are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/plan_file.h"

static void a_plan_is_a_matrix(void **state) {
    (void)state;
    static const char text[] = "rounds: 3\n"
                               "budget: 2m\n"
                               "defaults:\n"
                               "  payload: 1KiB\n"
                               "  qos_depth: 5\n"
                               "  rate: 10\n"
                               "experiments:\n"
                               "  - pattern: topic\n"
                               "    from: [rclite, 'null']\n"
                               "    to: all\n"
                               "    payload: [64, 1KiB, 1MiB]\n"
                               "    echo: [false, true]\n"
                               "  - pattern: [service, action]\n"
                               "    client: rclite\n"
                               "    count: 7\n";
    cli_plan_file file;
    char *error = NULL;
    if (!cli_plan_file_parse(text, strlen(text), "p", &file, &error)) {
        fail_msg("%s", error);
    }
    assert_int_equal(file.whole.count, 2);
    assert_string_equal(file.whole.items[0].option->name, "rounds");
    assert_int_equal(file.point_count, 8);
    assert_int_equal(file.points[0].spec.from.count, 2);
    assert_int_equal(file.points[0].spec.cell.payload_bytes, 64);
    assert_int_equal(file.points[0].spec.cell.qos.depth, 5);
    assert_int_equal(file.points[0].spec.cell.period_ns, 100000000);
    assert_false(file.points[0].spec.cell.echo);
    assert_true(file.points[1].spec.cell.echo);
    assert_int_equal(file.points[5].spec.cell.payload_bytes, 1048576);
    assert_int_equal(file.points[6].spec.cell.pattern, PLAN_SERVICE);
    assert_int_equal(file.points[6].spec.cell.payload_bytes, 1024);
    /* An action has neither payload nor depth: the defaults pass it by. */
    assert_int_equal(file.points[7].spec.cell.pattern, PLAN_ACTION);
    assert_int_equal(file.points[7].spec.cell.count, 7);
    cli_plan_file_done(&file);
}

static void each_fault_has_its_place(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } faults[] = {
        {"", "p: is empty"},
        {"- a\n", "p:1:1: a plan has to be a mapping"},
        {"rounds: 3\n", "p:1:1: 'experiments' has to be a list"},
        {"experiments: []\n", "p:1:14: 'experiments' has to be a list of at least one"},
        {"rounds: [1, 2]\nexperiments: [{pattern: topic, from: x}]\n",
            "p:1:9: 'rounds' has to be a single value"},
        {"rouds: 3\nexperiments: [{pattern: topic, from: x}]\n",
            "p:1:1: there is no option --rouds (did you mean --rounds?)"},
        {"experiments:\n  - topic\n", "p:2:5: an experiment has to be a mapping"},
        {"experiments:\n  - from: x\n", "p:2:5: 'pattern' is missing"},
        {"experiments:\n  - pattern: topics\n", "p:2:14: 'pattern' has to be one of"},
        {"experiments:\n  - pattern: topic\n    client: x\n",
            "p:3:5: --client is not an option of this command"},
        {"experiments:\n  - pattern: topic\n    from: x\n    payload: [64, big]\n",
            "p:4:19: --payload: 'big' is not possible"},
        {"experiments:\n  - pattern: topic\n    from: x\n    payload: []\n",
            "p:4:14: 'payload' is an empty list"},
        {"experiments:\n  - pattern: topic\n    from: x\n    payload: {a: 1}\n",
            "p:4:14: 'payload' has to be a single value or a list of them"},
        {"experiments:\n  - pattern: topic\n    payload: 64\n", "p:2:5: says not who with whom"},
        {"experiments:\n  - pattern: topic\n    from: x\n    count: 5\n    duration: 1s\n",
            "p:2:5: --count and --duration exclude each other"},
        {"experiments:\n\t- x\n", "p:2:1: "},
        {"a: [1\n", "p:2:1: "},
        {"defaults: 3\nexperiments: [{pattern: topic, from: x}]\n",
            "p:1:11: 'defaults' has to be a mapping"},
        {"defaults: {nonsense: 3}\nexperiments: [{pattern: topic, from: x}]\n",
            "p:1:12: there is no option --nonsense"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        cli_plan_file file;
        char *error = NULL;
        bool ok = cli_plan_file_parse(faults[i].text, strlen(faults[i].text), "p", &file, &error);
        if (ok || strstr(error, faults[i].message) != error) {
            fail_msg("fault %zu: %s", i, ok ? "accepted" : error);
        }
        free(error);
    }
}

/* Aliases are shared nodes: this is a list of 10^8 by reference in a few lines. */
static void a_billion_laughs_are_refused(void **state) {
    (void)state;
    static const char text[] =
        "experiments:\n"
        "  - pattern: topic\n"
        "    from: x\n"
        "    payload: &a [64,64,64,64,64,64,64,64,64,64,64,64,64,64,64,64,64,64,64,64,64,64]\n"
        "    count: &b [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]\n"
        "    rate: *b\n";
    cli_plan_file file;
    char *error = NULL;
    assert_false(cli_plan_file_parse(text, strlen(text), "p", &file, &error));
    assert_non_null(strstr(error, "more than 10000 combinations"));
    free(error);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan_is_a_matrix),
        cmocka_unit_test(each_fault_has_its_place),
        cmocka_unit_test(a_billion_laughs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
