/* Tests of the job that a peer is given. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "run/job.h"

static run_job example_job(plan_cell *cell) {
    return (run_job){
        .cell = cell,
        .side = 1,
        .names = {"/node", "/topic", "/echo", "/service", "/action"},
        .run_id = UINT64_C(0x7fffffffffffffff),
        .match_timeout_ns = 1,
        .quiet_ns = 2,
        .call_timeout_ns = 3,
        .samples_path = "/tmp/x",
        .variant_settings_json = "{\"delivery\":\"spin\",\"depth\":1}",
    };
}

static const char *text_at(const json_t *object, const char *section, const char *key) {
    return json_string_value(json_object_get(json_object_get(object, section), key));
}

static void a_job_holds_every_field(void **state) {
    (void)state;
    static const char *const fields[] = {"protocol", "generation", "pattern", "role", "echo",
        "names", "type", "qos", "payload_bytes", "payload_kind", "count", "duration_ns",
        "period_ns", "warmup", "in_flight", "endpoints", "verify", "run_id", "foreign",
        "match_timeout_ns", "quiet_ns", "call_timeout_ns", "samples", "settings"};
    plan_cell cell = plan_cell_default(PLAN_TOPIC);
    cell.echo = true;
    cell.settings_json = "{\"depth\":2}";
    run_job job = example_job(&cell);
    char *error = NULL;
    char *text = run_job_text(&job, &error);
    assert_non_null(text);
    json_t *object = json_loads(text, 0, NULL);
    assert_non_null(object);
    assert_int_equal(json_object_size(object), sizeof fields / sizeof fields[0]);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        assert_non_null(json_object_get(object, fields[i]));
    }
    assert_string_equal(json_string_value(json_object_get(object, "role")), "subscriber");
    assert_string_equal(text_at(object, "names", "echo_topic"), "/echo");
    assert_null(text_at(object, "names", "service"));
    assert_int_equal(json_object_size(json_object_get(object, "names")), 5);
    assert_string_equal(text_at(object, "settings", "delivery"), "spin");
    assert_int_equal(
        json_integer_value(json_object_get(json_object_get(object, "settings"), "depth")), 2);
    assert_true(json_integer_value(json_object_get(object, "run_id")) == INT64_MAX);
    json_decref(object);
    free(text);
}

static void settings_that_are_no_object_are_refused(void **state) {
    (void)state;
    plan_cell cell = plan_cell_default(PLAN_SERVICE);
    cell.settings_json = "[1]";
    run_job job = example_job(&cell);
    char *error = NULL;
    assert_null(run_job_text(&job, &error));
    assert_string_equal(error, "settings have to be a JSON object, not [1]");
    free(error);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_holds_every_field),
        cmocka_unit_test(settings_that_are_no_object_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
