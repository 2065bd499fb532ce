/* The job parser: a whole job is read field by field, and everything that is not a job is refused
 * by the name of what is wrong. */
#include "job.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

static const char good_job[] =
    "{\"protocol\":1,\"generation\":2,\"pattern\":\"topic\",\"role\":\"publisher\",\"echo\":true,"
    "\"names\":{\"node\":\"/a\",\"topic\":\"/t\",\"echo_topic\":\"/e\",\"service\":null,"
    "\"action\":null},\"type\":\"std_msgs/msg/UInt8MultiArray\","
    "\"qos\":{\"reliability\":\"best_effort\",\"durability\":\"transient_local\","
    "\"history\":\"keep_all\",\"depth\":7,\"deadline_ns\":1,\"lifespan_ns\":2,"
    "\"liveliness\":\"manual_by_topic\",\"liveliness_lease_ns\":3},"
    "\"payload_bytes\":1024,\"payload_kind\":\"list\",\"count\":1000,\"duration_ns\":0,"
    "\"period_ns\":50000000,\"warmup\":10,\"in_flight\":1,"
    "\"endpoints\":{\"publishers\":1,\"subscribers\":2,\"clients\":1,\"servers\":1,\"nodes\":1},"
    "\"verify\":\"full\",\"run_id\":9223372036854775807,\"foreign\":false,"
    "\"match_timeout_ns\":10,\"quiet_ns\":11,\"call_timeout_ns\":12,"
    "\"samples\":\"/tmp/x\",\"settings\":{\"delivery\":\"spin\"}}";

static void test_reads_every_field(void **state) {
    (void)state;
    peer_job job;
    peer_job_error error;
    assert_true(peer_job_parse(good_job, strlen(good_job), &job, &error));
    assert_int_equal(job.pattern, PEER_TOPIC);
    assert_int_equal(job.role, PEER_PUBLISHER);
    assert_true(job.echo);
    assert_string_equal(job.echo_topic, "/e");
    assert_null(job.service);
    assert_int_equal(job.qos.reliability, PEER_BEST_EFFORT);
    assert_int_equal(job.qos.durability, PEER_TRANSIENT_LOCAL);
    assert_int_equal(job.qos.history, PEER_KEEP_ALL);
    assert_int_equal(job.qos.liveliness, PEER_MANUAL_BY_TOPIC);
    assert_int_equal(job.qos.depth, 7);
    assert_int_equal(job.qos.liveliness_lease_ns, 3);
    assert_int_equal(job.payload_bytes, 1024);
    assert_int_equal(job.payload_kind, PEER_LIST);
    assert_int_equal(job.period_ns, 50000000);
    assert_int_equal(job.run_id, INT64_MAX);
    assert_int_equal(job.verify, PEER_VERIFY_FULL);
    assert_string_equal(peer_job_setting(&job, "delivery", "direct"), "spin");
    assert_string_equal(peer_job_setting(&job, "executor", "single"), "single");
    assert_string_equal(peer_job_not_plain(&job), "endpoints.subscribers");
    const char *const known[] = {"executor", NULL};
    assert_string_equal(peer_job_unknown_setting(&job, known), "delivery");
    peer_job_done(&job);
}

typedef struct change {
    const char *section, *name;
    const char *value; /* JSON; NULL: the field is removed */
    const char *refused;
} change;

static const change changes[] = {
    {NULL, "protocol", "2", "protocol"},
    {NULL, "generation", "3", "generation"},
    {NULL, "pattern", "\"walk\"", "pattern"},
    {NULL, "pattern", "\"service\"", "role"}, /* a publisher of services */
    {NULL, "role", "\"client\"", "role"},
    {NULL, "echo", "1", "echo"},
    {NULL, "wings", "2", "wings"},
    {"qos", "colour", "\"red\"", "qos.colour"},
    {"qos", "liveliness", "\"manual_by_node\"", "qos.liveliness"},
    {"qos", "depth", "0", "qos.depth"},
    {"qos", "depth", "4294967296", "qos.depth"},
    {"names", "topic", "null", "names.topic"},
    {"names", "topic", "\"\"", "names.topic"},
    {"names", "echo_topic", "null", "names.echo_topic"},
    {"names", "node", "null", "names.node"},
    {NULL, "names", "[]", "names"},
    {NULL, "settings", "null", "settings"},
    {NULL, "payload_bytes", "39", "payload_bytes"},
    {NULL, "payload_bytes", "-1", "payload_bytes"},
    {NULL, "payload_bytes", "1024.0", "payload_bytes"},
    {NULL, "count", "0", "count"}, /* and no duration */
    {NULL, "in_flight", "0", "in_flight"},
    {"endpoints", "nodes", "0", "endpoints.nodes"},
    {NULL, "run_id", "-1", "run_id"},
    {NULL, "period_ns", "9223372036854775807", "period_ns"},
    {NULL, "samples", NULL, ""},
    {"qos", "depth", NULL, ""},
    {NULL, "settings", NULL, ""},
};

static void test_refuses_by_name(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        const change *it = &changes[i];
        json_t *root = json_loads(good_job, 0, NULL);
        json_t *object = it->section ? json_object_get(root, it->section) : root;
        if (it->value) {
            json_object_set_new(object, it->name, json_loads(it->value, JSON_DECODE_ANY, NULL));
        } else {
            json_object_del(object, it->name);
        }
        char *text = json_dumps(root, 0);
        peer_job job;
        peer_job_error error;
        assert_false(peer_job_parse(text, strlen(text), &job, &error));
        assert_string_equal(error.refused, it->refused);
        if (!it->refused[0]) {
            assert_non_null(strstr(error.text, it->name));
        }
        free(text);
        json_decref(root);
    }
}

static void test_no_job_at_all(void **state) {
    (void)state;
    static const char *const texts[] = {
        "", "{", "[]", "3", "{\"protocol\":1,\"protocol\":1}", "\xff"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        peer_job job;
        peer_job_error error;
        assert_false(peer_job_parse(texts[i], strlen(texts[i]), &job, &error));
        assert_string_not_equal(error.text, "");
    }
    peer_job job;
    peer_job_error error;
    assert_false(peer_job_read("/nowhere/job.json", &job, &error));
    assert_non_null(strstr(error.text, "/nowhere/job.json"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads_every_field),
        cmocka_unit_test(test_refuses_by_name),
        cmocka_unit_test(test_no_job_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
