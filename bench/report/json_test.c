/* Result files: what is written is read back the same; samples confirm it; no
 * hostile file gets further than an error that names the place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/fixture.h"

#define RESULT_FILE "report_json_test.json"

static fixture f;
static char error[512];

static int create(void **state) {
    (void)state;
    fixture_create(&f, true);
    return 0;
}

static int done(void **state) {
    (void)state;
    fixture_done(&f);
    unlink(RESULT_FILE);
    return 0;
}

static void save_text(const char *text) {
    FILE *out = fopen(RESULT_FILE, "w");
    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
}

static void save_json(const json_t *root) {
    assert_int_equal(json_dump_file(root, RESULT_FILE, JSON_INDENT(1)), 0);
}

static json_t *fixture_json(void) {
    char *text = fixture_write(&f.result, "json", NULL);
    json_t *root = json_loads(text, 0, NULL);
    assert_non_null(root);
    free(text);
    return root;
}

static const json_t *at(const json_t *value, const char *path) {
    char *copy = strdup(path), *rest = copy, *step;
    while ((step = strsep(&rest, "/")) != NULL) {
        value = step[0] >= '0' && step[0] <= '9' ? json_array_get(value, strtoul(step, NULL, 10))
                                                 : json_object_get(value, step);
    }
    free(copy);
    if (value == NULL) {
        fail_msg("no %s", path);
    }
    return value;
}

static void test_values(void **state) {
    (void)state;
    json_t *root = fixture_json();
    assert_int_equal(json_integer_value(at(root, "schema_version")), 1);
    assert_string_equal(json_string_value(at(root, "environment/cpu_model")), "A \"quoted\" CPU");
    assert_true(json_is_null(at(root, "environment/wmem_max")));
    assert_int_equal(json_integer_value(at(root, "environment/rmem_max")), 212992);
    const json_t *round = at(root, "cells/0/rounds/2");
    assert_int_equal(json_integer_value(at(round, "sent")), 100);
    assert_int_equal(json_integer_value(at(round, "received")), 99);
    assert_int_equal(json_integer_value(at(round, "lost")), 1);
    assert_int_equal(json_integer_value(at(round, "discovery_ns")), 50000000);
    assert_int_equal(json_integer_value(at(root, "cells/0/rounds/0/latency_ns/min")), 20000);
    assert_int_equal(json_integer_value(at(root, "cells/0/rounds/0/latency_ns/max")), 20990);
    assert_float_equal(json_real_value(at(root, "cells/0/rounds/0/latency_ns/p50")), 20495, 0);
    assert_true(json_is_null(at(root, "cells/0/rounds/0/latency_ns/p99")));
    assert_true(json_is_null(at(root, "cells/0/rounds/0/roundtrip_ns")));
    assert_true(json_is_null(at(root, "cells/0/rounds/0/latency_planned_ns")));
    assert_int_equal(json_integer_value(at(root, "cells/0/summary/sent")), 600);
    assert_int_equal(json_integer_value(at(root, "cells/0/summary/lost")), 1);
    assert_true(json_is_null(at(root, "cells/0/rate_hz")));
    assert_string_equal(json_string_value(at(root, "cells/2/client")), "rclite");
    assert_int_equal(json_integer_value(at(root, "cells/2/summary/send_ns/n")), 600);
    assert_float_equal(json_real_value(at(root, "cells/4/rate_hz")), 20, 0);
    assert_int_equal(json_integer_value(at(root, "cells/4/summary/total_ns/n")), 600);
    assert_int_equal(
        json_integer_value(at(root, "cells/0/rounds/0/processes/0/cpu_user_ns")), 30000000);
    assert_int_equal(
        json_integer_value(at(root, "cells/0/rounds/0/processes/1/lifetime/minor_faults")), 900);
    assert_string_equal(
        json_string_value(at(root, "cells/0/rounds/0/processes/0/effective/version")), "1.0");
    json_decref(root);
}

static void test_failed_and_refused(void **state) {
    (void)state;
    json_t *root = fixture_json();
    const json_t *failed = at(root, "cells/1/rounds/5");
    assert_true(json_is_false(at(failed, "ok")));
    assert_true(json_is_null(at(failed, "sent")));
    assert_true(json_is_null(at(failed, "latency_ns")));
    assert_non_null(strstr(json_string_value(at(failed, "processes/1/said")), "\\xff"));
    assert_int_equal(json_integer_value(at(root, "cells/1/summary/good_rounds")), 5);
    assert_int_equal(json_integer_value(at(root, "cells/1/summary/sent")), 500);
    assert_string_equal(
        json_string_value(at(root, "cells/5/refused")), "roscpp does not speak ROS 2");
    assert_true(json_is_null(at(root, "cells/5/summary")));
    json_decref(root);
}

static void test_read_back(void **state) {
    (void)state;
    char *written = fixture_write(&f.result, "json", NULL);
    save_text(written);
    report again;
    if (!report_read(RESULT_FILE, &again, error, sizeof(error))) {
        fail_msg("%s", error);
    }
    assert_int_equal(again.cell_count, f.result.cell_count);
    assert_int_equal(again.cells[1].good_rounds, 5);
    assert_true(again.cells[0].summary.quantities[STATS_LATENCY].p50 ==
                f.result.cells[0].summary.quantities[STATS_LATENCY].p50);
    char *rewritten = fixture_write(&again, "json", NULL);
    assert_string_equal(rewritten, written);
    size_t checked = 0;
    if (!report_recompute(&again, RESULT_FILE, &checked, error, sizeof(error))) {
        fail_msg("%s", error);
    }
    assert_int_equal(checked, 5 * FIXTURE_ROUNDS - 1);
    report_done(&again);
    free(rewritten);
    free(written);
}

/* Reads the file and expects an error that mentions `because`. */
static void assert_refused(const char *because) {
    report again;
    memset(error, 0, sizeof(error));
    if (report_read(RESULT_FILE, &again, error, sizeof(error))) {
        report_done(&again);
        fail_msg("read although: %s", because);
    }
    if (strstr(error, because) == NULL || strstr(error, RESULT_FILE) == NULL) {
        fail_msg("expected \"%s\" in: %s", because, error);
    }
}

static void test_wrong_files(void **state) {
    (void)state;
    report again;
    assert_false(report_read("no/such.json", &again, error, sizeof(error)));
    assert_non_null(strstr(error, "no/such.json"));
    assert_false(report_read("/dev/zero", &again, error, sizeof(error)));
    assert_non_null(strstr(error, "not a regular file"));
    save_text("");
    assert_refused("not JSON");
    save_text("{\"cells\": [}");
    assert_refused("not JSON");
    save_text("[]");
    assert_refused("no schema_version");
    save_text("{\"schema_version\": 2}");
    assert_refused("schema version 2");
    save_text("{\"schema_version\": 1, \"schema_version\": 1}");
    assert_refused("not JSON");
}

/* Long arrays (histograms) keep two elements. */
static void shorten(json_t *value) {
    while (json_array_size(value) > 2) {
        json_array_remove(value, json_array_size(value) - 1);
    }
    for (void *key = json_object_iter(value); key != NULL;
         key = json_object_iter_next(value, key)) {
        shorten(json_object_iter_value(key));
    }
    for (size_t i = 0; i < json_array_size(value); i++) {
        shorten(json_array_get(value, i));
    }
}

static json_t *shared; /* of the test that runs */

static void set_and_expect(
    const char *parent, const char *key, json_t *value, const char *because) {
    json_t *object = (json_t *)(uintptr_t)at(shared, parent);
    json_t *kept = json_incref(json_object_get(object, key));
    json_object_set_new(object, key, value);
    char *text = json_dumps(shared, JSON_COMPACT);
    report again;
    if (report_parse(text, strlen(text), "x", &again, error, sizeof(error))) {
        report_done(&again);
        fail_msg("read although: %s", because);
    }
    assert_int_equal(strncmp(error, "x: ", 3), 0);
    if (strstr(error, because) == NULL) {
        fail_msg("expected \"%s\" in: %s", because, error);
    }
    free(text);
    json_object_set_new(object, key, kept);
}

static void test_errors_name_the_place(void **state) {
    (void)state;
    shared = fixture_json();
    shorten(shared);
    set_and_expect(
        "cells/0/rounds/1", "sent", json_string("x"), "cells[0].rounds[1].sent: not an integer");
    set_and_expect("cells/0/rounds/1", "sent", json_integer(-1), "cells[0].rounds[1].sent: -1");
    set_and_expect("cells/0/rounds/1", "lost", json_integer(3), "sent is not received + lost");
    set_and_expect("cells/0", "pattern", json_string("topics"), "cells[0].pattern: unknown");
    set_and_expect("cells/0", "transport", json_string("magic"), "cells[0].transport: unknown");
    set_and_expect("cells/0", "rounds", json_object(), "cells[0].rounds: not an array");
    set_and_expect("cells/0", "summary", json_null(), "cells[0].summary: missing");
    set_and_expect("cells/0/qos", "depth", json_integer(INT64_MAX), "cells[0].qos.depth");
    set_and_expect("cells/0/rounds/0/processes/0", "role", json_string("king"), "no role");
    set_and_expect(
        "cells/0/rounds/0/processes/0", "role", json_string("subscriber"), "a second process");
    set_and_expect(
        "cells/0/rounds/0/processes/0/samples", "sha256", json_string("12"), "64 hexadecimal");
    set_and_expect("cells/0/summary/latency_ns", "n", json_integer(0), "is null");
    set_and_expect("cells/0/summary/latency_ns/histogram", "buckets",
        json_pack("[[i,i],[i,i]]", 30, 1, 20, 1), "latency_ns.histogram.buckets[1]");
    set_and_expect("cells/0/summary/latency_ns/histogram", "buckets", json_pack("[[i,i]]", 30, -1),
        "buckets[0]");
    set_and_expect("environment", "cpu_count", json_real(1.5), "environment.cpu_count");
    json_decref(shared);
}

/* Every member of the whole file in turn is taken away, and replaced by values
 * of other kinds: the reader may accept or refuse, but must neither crash nor
 * leak nor invent a report. */
static void mutate(json_t *root, json_t *value) {
    static const char *const others[] = {"null", "[[1]]"};
    if (json_is_array(value) && json_array_size(value) > 0) {
        mutate(root, json_array_get(value, 0));
    }
    void *next = NULL;
    for (void *at_key = json_object_iter(value); at_key != NULL; at_key = next) {
        const char *key = json_object_iter_key(at_key);
        json_t *member = json_incref(json_object_iter_value(at_key));
        for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
            json_object_set_new(value, key, json_loads(others[i], JSON_DECODE_ANY, NULL));
            char *text = json_dumps(root, JSON_COMPACT);
            report again;
            if (report_parse(text, strlen(text), "x", &again, error, sizeof(error))) {
                free(fixture_write(&again, "json", NULL));
                report_done(&again);
            }
            free(text);
        }
        json_object_set(value, key, member);
        mutate(root, member);
        json_decref(member);
        next = json_object_iter_next(value, json_object_iter_at(value, key));
    }
}

static void test_mutations(void **state) {
    (void)state;
    json_t *root = fixture_json();
    json_t *cells = json_object_get(root, "cells");
    json_array_remove(cells, 5);
    json_array_remove(cells, 4);
    json_array_remove(cells, 3);
    json_array_remove(cells, 1);
    json_array_remove(cells, 0);
    json_t *rounds = json_object_get(json_array_get(cells, 0), "rounds");
    while (json_array_size(rounds) > 1) {
        json_array_remove(rounds, 1);
    }
    shorten(root);
    mutate(root, root);
    json_decref(root);
}

static void test_tampering_is_found(void **state) {
    (void)state;
    json_t *root = fixture_json();
    json_object_set_new(
        (json_t *)(uintptr_t)at(root, "cells/2/rounds/3/send_ns"), "mean", json_real(1.5));
    save_json(root);
    report again;
    size_t checked;
    assert_true(report_read(RESULT_FILE, &again, error, sizeof(error)));
    assert_false(report_recompute(&again, RESULT_FILE, &checked, error, sizeof(error)));
    assert_non_null(strstr(error, "cells[2].rounds[3]: send_ns.mean is not what the samples"));
    report_done(&again);
    json_decref(root);

    root = fixture_json();
    save_json(root);
    const char *path = json_string_value(at(root, "cells/0/rounds/1/processes/1/samples/path"));
    FILE *samples = fopen(path, "r+b");
    assert_int_equal(fseek(samples, 64 + 40, SEEK_SET), 0);
    int byte = fgetc(samples);
    assert_int_equal(fseek(samples, 64 + 40, SEEK_SET), 0);
    fputc(byte ^ 1, samples);
    fclose(samples);
    assert_true(report_read(RESULT_FILE, &again, error, sizeof(error)));
    assert_false(report_recompute(&again, RESULT_FILE, &checked, error, sizeof(error)));
    assert_non_null(strstr(error, "was changed"));
    assert_non_null(strstr(error, path));
    assert_int_equal(unlink(path), 0);
    assert_true(report_recompute(&again, RESULT_FILE, &checked, error, sizeof(error)));
    assert_int_equal(checked, 5 * FIXTURE_ROUNDS - 2);
    report_done(&again);
    json_decref(root);
}

/* Left behind for the test of the schema. */
static void test_leave_a_file(void **state) {
    (void)state;
    char *text = fixture_write(&f.result, "json", NULL);
    FILE *out = fopen("report_fixture.json", "w");
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
    free(text);
}

int main(void) {
    mallopt(M_TRIM_THRESHOLD, 256 << 20); /* test_mutations would ask the kernel again and again */
    mallopt(M_MMAP_THRESHOLD, 256 << 20);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_failed_and_refused),
        cmocka_unit_test(test_read_back),
        cmocka_unit_test(test_wrong_files),
        cmocka_unit_test(test_errors_name_the_place),
        cmocka_unit_test(test_mutations),
        cmocka_unit_test(test_leave_a_file),
        cmocka_unit_test(test_tampering_is_found),
    };
    return cmocka_run_group_tests(tests, create, done);
}
