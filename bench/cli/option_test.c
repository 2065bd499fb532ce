/* Option tables: parsing, values, suggestions, matrices, settings that concern each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/settings.h"
#include "util/memory.h"
#include "util/strbuf.h"

/* Parses words for a command, and multiplies them; *ret_error is set on failure. */
static cli_settings *expand(
    plan_pattern pattern, const char *words, size_t *ret_count, char **ret_error) {
    option_table table = cli_option_table(1u << pattern);
    strvec argv = {0};
    if (words[0] != '\0') {
        strvec_split(&argv, words, ' ');
    }
    option_line line;
    cli_settings *points = NULL;
    *ret_error = NULL;
    *ret_count = 0;
    if (option_parse(&table, (int)argv.count, argv.items, &line, ret_error)) {
        cli_settings base;
        cli_settings_init(&base, pattern);
        points = cli_settings_expand(&base, &line, ret_count, ret_error);
        cli_settings_done(&base);
        option_line_done(&line);
    }
    strvec_done(&argv);
    return points;
}

static cli_settings *expand_well(plan_pattern pattern, const char *words, size_t count) {
    char *error;
    size_t got;
    cli_settings *points = expand(pattern, words, &got, &error);
    if (points == NULL) {
        fail_msg("'%s': %s", words, error);
    }
    assert_int_equal(got, count);
    return points;
}

static void every_way_to_write_an_option(void **state) {
    (void)state;
    static const char *const ways[] = {"-n 20 -s 2KiB", "-n20 -s2KiB", "--count 20 --payload 2KiB",
        "--count=20 --size=2KiB", "-s 1 -s 2KiB -n 5 -n 20"};
    for (size_t i = 0; i < 4; i++) {
        cli_settings *points = expand_well(PLAN_TOPIC, ways[i], 1);
        assert_int_equal(points[0].spec.cell.count, 20);
        assert_int_equal(points[0].spec.cell.payload_bytes, 2048);
        cli_settings_free(points, 1);
    }
    /* The last one wins, but each is checked. */
    char *error;
    size_t count;
    assert_null(expand(PLAN_TOPIC, ways[4], &count, &error));
    assert_non_null(strstr(error, "--payload: '1' is not possible"));
    free(error);
}

static void each_kind_is_stored(void **state) {
    (void)state;
    cli_settings *points = expand_well(PLAN_TOPIC,
        "--from a,b --from c --to d --echo --rate 100 --qos-reliability best_effort --qos-depth 3 "
        "--transport tuned --timeout 2s --pairs same --set delivery=spin --set n=3 --warmup 0 "
        "--qos-liveliness manual_by_topic --qos-deadline 5ms --domain 7 --type pkg/msg/X",
        1);
    const cli_settings *one = &points[0];
    const plan_cell *cell = &one->spec.cell;
    assert_int_equal(one->spec.from.count, 3);
    assert_string_equal(one->spec.from.items[2], "c");
    assert_true(cell->echo && one->spec.pairs_same);
    assert_int_equal(cell->period_ns, 10000000);
    assert_string_equal(cell->qos.reliability, "best_effort");
    assert_string_equal(cell->qos.liveliness, "manual_by_topic");
    assert_int_equal(cell->qos.depth, 3);
    assert_int_equal(cell->qos.deadline_ns, 5000000);
    assert_int_equal(cell->transport, PLAN_TRANSPORT_TUNED);
    assert_int_equal(one->timeout_ns, 2000000000);
    assert_int_equal(one->domain_id, 7);
    assert_int_equal(cell->warmup, 0);
    assert_string_equal(cell->type, "pkg/msg/X");
    assert_string_equal(cell->settings_json, "{\"delivery\":\"spin\",\"n\":3}");
    cli_settings_free(points, 1);
}

static void each_pattern_has_its_standards(void **state) {
    (void)state;
    cli_settings *points = expand_well(PLAN_ACTION, "", 1);
    assert_int_equal(points[0].spec.cell.period_ns, 50000000);
    assert_string_equal(points[0].spec.cell.type, "actionlib_benchmark/action/Roundtrip");
    assert_int_equal(points[0].spec.cell.generation, 2);
    cli_settings_free(points, 1);
    points = expand_well(PLAN_ACTION, "--growth", 1);
    assert_int_equal(points[0].spec.cell.count, 1000);
    assert_int_equal(points[0].spec.cell.period_ns, 5000000);
    cli_settings_free(points, 1);
    points = expand_well(PLAN_TOPIC, "--duration 2s", 1);
    assert_int_equal(points[0].spec.cell.count, 0);
    assert_int_equal(points[0].spec.cell.duration_ns, 2000000000);
    cli_settings_free(points, 1);
    points = expand_well(PLAN_TOPIC, "--qos-profile sensor_data --qos-depth 7", 1);
    assert_string_equal(points[0].spec.cell.qos.reliability, "best_effort");
    assert_int_equal(points[0].spec.cell.qos.depth, 7);
    cli_settings_free(points, 1);
}

static void what_perf_test_users_type(void **state) {
    (void)state;
    cli_settings *points = expand_well(PLAN_TOPIC,
        "--msg pkg/msg/X --reliability best_effort --durability transient_local --history keep_all "
        "--history-depth 4 --max-runtime 3s --ignore 5",
        1);
    const plan_cell *cell = &points[0].spec.cell;
    assert_string_equal(cell->type, "pkg/msg/X");
    assert_string_equal(cell->qos.durability, "transient_local");
    assert_string_equal(cell->qos.history, "keep_all");
    assert_int_equal(cell->qos.depth, 4);
    assert_int_equal(cell->duration_ns, 3000000000);
    assert_int_equal(cell->warmup, 5);
    cli_settings_free(points, 1);
}

static void lists_make_a_matrix(void **state) {
    (void)state;
    cli_settings *points = expand_well(PLAN_TOPIC, "-s 64,1KiB,1MiB --rate 10,100 --ros 2", 6);
    assert_int_equal(points[0].spec.cell.payload_bytes, 64);
    assert_int_equal(points[1].spec.cell.payload_bytes, 64);
    assert_int_equal(points[1].spec.cell.period_ns, 10000000);
    assert_int_equal(points[5].spec.cell.payload_bytes, 1048576);
    cli_settings_free(points, 6);
    char *error;
    size_t count;
    strbuf words = {0};
    strbuf_append(&words, "-s 64");
    for (int i = 0; i < 200; i++) {
        strbuf_append(&words, ",64");
    }
    strbuf_append(&words, " -n 1");
    for (int i = 0; i < 200; i++) {
        strbuf_append(&words, ",1");
    }
    assert_null(expand(PLAN_TOPIC, strbuf_text(&words), &count, &error));
    assert_non_null(strstr(error, "more than 10000 combinations"));
    free(error);
    strbuf_done(&words);
}

static void a_fault_names_option_value_and_what_is_allowed(void **state) {
    (void)state;
    static const struct {
        const char *words, *message;
    } faults[] = {
        {"--form x", "there is no option --form (did you mean --from?)"},
        {"--xyzzyxyzzy", "there is no option --xyzzyxyzzy"},
        {"--client x", "--client is not an option of this command"},
        {"-q", "there is no option -q"},
        {"-n", "--count needs a value: N"},
        {"--payload", "--payload needs a value: SIZE"},
        {"-n 0", "--count: '0' is not possible; it takes a count such as 1000 or 10k, from 1 to"},
        {"-n ten", "--count: 'ten' is not possible"},
        {"-n -5", "--count: '-5' is not possible"},
        {"-s 1XB", "--payload: '1XB' is not possible; it takes a size such as 64, 1KiB, 1MB"},
        {"-s 64,", "--payload: '' is not possible"},
        {"--rate 0", "--rate: '0' is not possible; it takes a rate in Hz above 0"},
        {"--rate nan", "--rate: 'nan' is not possible"},
        {"--period 5", "--period: '5' is not possible; it takes a duration with its unit"},
        {"--duration 0", "--duration: '0' is not possible"},
        {"--ros 3", "--ros: '3' is not possible; it takes a whole number, from 1 to 2"},
        {"--qos-reliability maybe",
            "'maybe' is not possible; it takes one of reliable, best_effort"},
        {"--qos-depth 0", "--qos-depth: '0' is not possible"},
        {"--transport fast", "it takes one of stock, tuned"},
        {"--domain 233", "--domain: '233' is not possible; it takes a whole number, from 0 to 232"},
        {"--set x", "--set: 'x' is not possible; it takes KEY=VALUE"},
        {"--echo=perhaps", "--echo: 'perhaps' is not possible; it takes true or false"},
        {"--only server",
            "--only: 'server' is not possible; it takes one of publisher, subscriber"},
        {"-n 5 --duration 1s", "--count and --duration exclude each other"},
        {"--name x", "--name goes with --only"},
        {"--output=", "--output: '' is not possible; it takes a text that is not empty"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        char *error;
        size_t count;
        cli_settings *points = expand(PLAN_TOPIC, faults[i].words, &count, &error);
        if (points != NULL || strstr(error, faults[i].message) == NULL) {
            fail_msg("'%s': %s", faults[i].words, points != NULL ? "accepted" : error);
        }
        free(error);
    }
}

static void help_version_and_operands(void **state) {
    (void)state;
    option_table table = cli_option_table(CLI_RUN);
    strvec argv = {0};
    strvec_split(&argv, "plan.yaml --rounds 3 -- --odd-name -", ' ');
    option_line line;
    char *error = NULL;
    assert_true(option_parse(&table, 6, argv.items, &line, &error));
    assert_int_equal(line.operands.count, 3);
    assert_string_equal(line.operands.items[1], "--odd-name");
    assert_false(line.help || line.version);
    option_line_done(&line);
    strvec_clear(&argv);
    strvec_split(&argv, "-h --version", ' ');
    assert_true(option_parse(&table, 2, argv.items, &line, &error));
    assert_true(line.help && line.version);
    strvec_done(&argv);
    option_line_done(&line);
}

/* Every row is complete, and no command has two of a name. */
static void the_table_is_sound(void **state) {
    (void)state;
    for (size_t i = 0; i < cli_option_count; i++) {
        const cli_option *one = &cli_options[i];
        assert_true(one->commands != 0);
        assert_true(one->kind == OPTION_FLAG || one->argument != NULL);
        assert_true((one->kind == OPTION_CUSTOM) == (one->set != NULL));
        assert_true(one->help == NULL || one->help[0] != '\0' || one->choices != NULL);
        for (size_t j = i + 1; j < cli_option_count; j++) {
            const cli_option *other = &cli_options[j];
            if ((one->commands & other->commands) != 0) {
                assert_string_not_equal(one->name, other->name);
                assert_true(one->short_name == 0 || one->short_name != other->short_name);
            }
        }
    }
}

static void help_shows_every_option_of_the_command(void **state) {
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    option_table table = cli_option_table(CLI_SERVICE);
    option_print_help(&table, out);
    fclose(out);
    for (size_t i = 0; i < cli_option_count; i++) {
        char *name = util_format("--%s", cli_options[i].name);
        bool has = (cli_options[i].commands & CLI_SERVICE) != 0;
        if (has) {
            assert_non_null(strstr(text, name));
        }
        free(name);
    }
    assert_null(strstr(text, "--from"));
    assert_null(strstr(text, "--growth"));
    for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1) {
        assert_true(strcspn(line, "\n") <= 100);
    }
    free(text);
}

static void one_value_where_one_thing_is_done(void **state) {
    (void)state;
    option_table table = cli_option_table(CLI_VERIFY);
    char name[] = "--ros", value[] = "2", list[] = "1,2";
    char *const words[] = {name, value}, *const lists[] = {name, list};
    option_line line;
    cli_settings settings;
    char *error = NULL;
    cli_settings_init(&settings, PLAN_TOPIC);
    assert_true(option_parse(&table, 2, words, &line, &error));
    assert_true(cli_settings_set(&settings, &line, &error));
    assert_int_equal(settings.spec.cell.generation, 2);
    option_line_done(&line);
    assert_true(option_parse(&table, 2, lists, &line, &error));
    assert_false(cli_settings_set(&settings, &line, &error));
    assert_string_equal(error, "--ros takes one value here, not 2");
    free(error);
    option_line_done(&line);
    cli_settings_done(&settings);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_value_where_one_thing_is_done),
        cmocka_unit_test(every_way_to_write_an_option),
        cmocka_unit_test(each_kind_is_stored),
        cmocka_unit_test(each_pattern_has_its_standards),
        cmocka_unit_test(what_perf_test_users_type),
        cmocka_unit_test(lists_make_a_matrix),
        cmocka_unit_test(a_fault_names_option_value_and_what_is_allowed),
        cmocka_unit_test(help_version_and_operands),
        cmocka_unit_test(the_table_is_sound),
        cmocka_unit_test(help_shows_every_option_of_the_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
