/* Manifests: a good one, and each way to break one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "run/registry.h"
#include "util/memory.h"

#define GOOD_REST                                                                                  \
    "\"language\":\"C\",\"library\":\"lib\",\"generations\":[1,2],\"patterns\":[\"topic\","        \
    "\"action\"],\"probe\":[\"./probe\"],\"run\":[\"./peer\",\"-x\"]"

static void a_good_manifest_is_read_whole(void **state) {
    (void)state;
    static const char text[] =
        "{\"name\":\"one\"," GOOD_REST ",\"install\":\"apt\",\"ros2\":true,\"variants\":["
        "{\"name\":\"one\",\"label\":\"One\"},"
        "{\"name\":\"one-spin\",\"settings\":{\"delivery\":\"spin\"}}],\"refuses\":["
        "{\"patterns\":[\"action\"],\"role\":\"server\",\"payload_above\":9,\"unless\":\"a=b=c\","
        "\"reason\":\"because\"},{\"patterns\":[\"topic\"],\"reason\":\"so\"}]}";
    run_peer peer;
    char *error = NULL;
    assert_true(run_manifest_parse(text, strlen(text), "peer.json", &peer, &error));
    assert_string_equal(peer.name, "one");
    assert_string_equal(peer.family, "ros");
    assert_string_equal(peer.install, "apt");
    assert_true(peer.generations[1] && peer.generations[2] && peer.uses_ros2);
    assert_true(peer.patterns[PLAN_TOPIC] && peer.patterns[PLAN_ACTION]);
    assert_false(peer.patterns[PLAN_SERVICE] || peer.patterns[PLAN_STARTUP]);
    assert_int_equal(peer.run.count, 2);
    assert_int_equal(peer.variant_count, 2);
    assert_string_equal(peer.variants[0].label, "One");
    assert_string_equal(peer.variants[0].settings_json, "{}");
    assert_string_equal(peer.variants[1].label, "one-spin");
    assert_string_equal(peer.variants[1].settings_json, "{\"delivery\":\"spin\"}");
    assert_int_equal(peer.rules.count, 2);
    const plan_rule *rule = &peer.rules.items[0];
    assert_true(rule->patterns[PLAN_ACTION] && !rule->patterns[PLAN_TOPIC]);
    assert_int_equal(rule->side, 1);
    assert_int_equal(rule->payload_above, 9);
    assert_string_equal(rule->unless_name, "a");
    assert_string_equal(rule->unless_value, "b=c");
    assert_string_equal(rule->reason, "because");
    assert_int_equal(peer.rules.items[1].side, -1);
    assert_int_equal(peer.rules.items[1].payload_above, 0);
    assert_null(peer.rules.items[1].unless_name);
    run_peer_done(&peer);
}

static void without_variants_there_is_one(void **state) {
    (void)state;
    static const char text[] = "{\"name\":\"one\"," GOOD_REST "}";
    run_peer peer;
    char *error = NULL;
    assert_true(run_manifest_parse(text, strlen(text), "peer.json", &peer, &error));
    assert_int_equal(peer.variant_count, 1);
    assert_string_equal(peer.variants[0].name, "one");
    run_peer_done(&peer);
}

static void each_fault_is_named(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } faults[] = {
        {"{\n \"name\": \"x\",\n oops}", "f:3:5: "},
        {"", "f:1:0: "},
        {"[]", "f: has to be an object"},
        {"{\"name\":\"x\",\"name\":\"y\"}", "duplicate object key"},
        {"{" GOOD_REST "}", "f: \"name\" has to be a text and is missing"},
        {"{\"name\":\"a b\"," GOOD_REST "}", "\"a b\": a name is made of"},
        {"{\"name\":\"all\"," GOOD_REST "}", "\"all\": a name is made of"},
        {"{\"name\":\"../x\"," GOOD_REST "}", "a name is made of"},
        {"{\"name\":\"x\",\"langauge\":\"C\"}", "\"langauge\" (did you mean \"language\"?)"},
        {"{\"name\":\"x\",\"language\":\"C\",\"library\":\"l\",\"generations\":[3]}",
            "\"generations\"[0] has to be 1 or 2"},
        {"{\"name\":\"x\",\"language\":\"C\",\"library\":\"l\",\"generations\":[]}",
            "\"generations\" has to be a list of 1 to 32"},
        {"{\"name\":\"x\",\"language\":\"C\",\"library\":\"l\",\"generations\":[2],"
         "\"patterns\":[\"topics\"]}",
            "\"patterns\"[0] has to be one of"},
        {"{\"name\":\"x\",\"language\":\"C\",\"library\":\"l\",\"generations\":[2],"
         "\"patterns\":[\"topic\"],\"probe\":\"true\"}",
            "\"probe\" has to be a list"},
        {"{\"name\":\"x\",\"language\":\"C\",\"library\":\"l\",\"generations\":[2],"
         "\"patterns\":[\"topic\"],\"probe\":[\"true\"],\"run\":[7]}",
            "\"run\"[0] has to be a text"},
        {"{\"name\":\"x\"," GOOD_REST ",\"ros2\":1}", "\"ros2\" has to be true or false"},
        {"{\"name\":\"x\"," GOOD_REST ",\"variants\":[{\"name\":\"v\"},{\"name\":\"v\"}]}",
            "variant \"v\" is there twice"},
        {"{\"name\":\"x\"," GOOD_REST ",\"variants\":[{\"name\":\"v\",\"settings\":[]}]}",
            "\"settings\" of a variant has to be an object"},
        {"{\"name\":\"x\"," GOOD_REST ",\"variants\":[5]}", "\"variants\"[0] has to be an object"},
        {"{\"name\":\"x\"," GOOD_REST ",\"refuses\":[5]}",
            "\"refuses\" has to be a list of objects"},
        {"{\"name\":\"x\"," GOOD_REST ",\"refuses\":[{\"patterns\":[\"topic\"]}]}",
            "\"reason\" has to be a text and is missing"},
        {"{\"name\":\"x\"," GOOD_REST ",\"refuses\":[{\"role\":\"server\",\"reason\":\"r\"}]}",
            "\"patterns\" has to be a list of 1 to 32 values and is missing"},
        {"{\"name\":\"x\"," GOOD_REST
         ",\"refuses\":[{\"patterns\":[\"topic\"],\"role\":\"waiter\",\"reason\":\"r\"}]}",
            "\"role\" has to be one of"},
        {"{\"name\":\"x\"," GOOD_REST
         ",\"refuses\":[{\"patterns\":[\"topic\"],\"unless\":\"a\",\"reason\":\"r\"}]}",
            "\"unless\" has to be a text like"},
        {"{\"name\":\"x\"," GOOD_REST
         ",\"refuses\":[{\"patterns\":[\"topic\"],\"payload_above\":-1,\"reason\":\"r\"}]}",
            "\"payload_above\" has to be a number of bytes"},
        {"{\"name\":\"x\"," GOOD_REST ",\"refuses\":[{\"raison\":\"r\"}]}",
            "\"raison\" (did you mean \"reason\"?)"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        run_peer peer;
        char *error = NULL;
        assert_false(
            run_manifest_parse(faults[i].text, strlen(faults[i].text), "f", &peer, &error));
        assert_non_null(error);
        if (strstr(error, faults[i].message) == NULL) {
            fail_msg("fault %zu: '%s' does not hold '%s'", i, error, faults[i].message);
        }
        free(error);
    }
}

static void write_manifest(const char *dir, const char *name, const char *text) {
    char *folder = util_format("%s/%s", dir, name);
    char *path = util_format("%s/peer.json", folder);
    assert_int_equal(mkdir(folder, 0700), 0);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    free(path);
    free(folder);
}

static void remove_manifest(const char *dir, const char *name) {
    char *folder = util_format("%s/%s", dir, name);
    char *path = util_format("%s/peer.json", folder);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
    free(path);
    free(folder);
}

static void a_broken_manifest_costs_that_peer_only(void **state) {
    (void)state;
    char dir[] = "/tmp/manifest_test_XXXXXX";
    assert_non_null(mkdtemp(dir));
    write_manifest(dir, "a", "{\"name\":\"a\"," GOOD_REST "}");
    write_manifest(dir, "b", "{\"name\":");
    write_manifest(dir, "c", "{\"name\":\"a\"," GOOD_REST "}");
    write_manifest(dir, "d", "{\"name\":\"d\"," GOOD_REST "}");
    run_registry registry = {0};
    char *error = NULL;
    assert_true(run_registry_add_place(&registry, (run_registry_place){dir, "/build"}, &error));
    assert_int_equal(registry.peer_count, 2);
    assert_int_equal(registry.problems.count, 2);
    assert_non_null(strstr(registry.problems.items[0], "/b/peer.json:1:"));
    assert_non_null(strstr(registry.problems.items[1], "/c/peer.json: passed over"));
    assert_string_equal(registry.peers[1].build_dir, "/build/d");
    const run_variant *variant = NULL;
    assert_ptr_equal(run_registry_find(&registry, "d", &variant), &registry.peers[1]);
    assert_string_equal(variant->name, "d");
    assert_null(run_registry_find(&registry, "b", NULL));
    assert_false(
        run_registry_add_place(&registry, (run_registry_place){"/nonexistent", NULL}, &error));
    assert_non_null(strstr(error, "/nonexistent"));
    free(error);
    run_registry_done(&registry);
    remove_manifest(dir, "a");
    remove_manifest(dir, "b");
    remove_manifest(dir, "c");
    remove_manifest(dir, "d");
    assert_int_equal(rmdir(dir), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_manifest_is_read_whole),
        cmocka_unit_test(without_variants_there_is_one),
        cmocka_unit_test(each_fault_is_named),
        cmocka_unit_test(a_broken_manifest_costs_that_peer_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
