/* Tests of names: validity, expansion, ROS arguments, remapping, and parameters from arguments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/endpoint.h"
#include "core/memory.h"
#include "core/testing/failing_allocator.h"
#include "core/testing/fake_backend.h"

static void node_names(void **state) {
    (void)state;
    const char *good[] = {"a", "talker", "_a", "a_1", "A9", "__x"};
    const char *bad[] = {"", "1a", "a/b", "/a", "a b", "a-b", "~", "a.b", "\xc3\xa4"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_null(rclitei_check_node_name(RCLITE_ROS2, good[i]));
        assert_null(rclitei_check_node_name(RCLITE_ROS1, good[i]));
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_non_null(rclitei_check_node_name(RCLITE_ROS2, bad[i]));
        assert_non_null(rclitei_check_node_name(RCLITE_ROS1, bad[i]));
    }
    char name[257];
    memset(name, 'a', sizeof name);
    name[255] = '\0';
    assert_null(rclitei_check_node_name(RCLITE_ROS2, name));
    name[255] = 'a';
    name[256] = '\0';
    assert_non_null(rclitei_check_node_name(RCLITE_ROS2, name));
}

static void full_name_length_is_bounded_on_ros2(void **state) {
    (void)state;
    char name[300];
    memset(name, 'a', sizeof name);
    name[0] = '/';
    name[247] = '\0';
    assert_null(rclitei_check_full_name(RCLITE_ROS2, name));
    name[247] = 'a';
    name[248] = '\0';
    assert_non_null(rclitei_check_full_name(RCLITE_ROS2, name));
    assert_null(rclitei_check_full_name(RCLITE_ROS1, name));
}

/* Expansion in node "n" of namespace "/s"; NULL: refused. */
static void expands(rclite_generation generation, const char *input, const char *expected) {
    rclite_allocator allocator = rclite_allocator_default();
    char *full = NULL;
    const char *reason = NULL;
    rclite_result result =
        rclitei_expand_name(generation, &allocator, "n", "/s", input, &full, &reason);
    if (expected) {
        assert_int_equal(result, RCLITE_OK);
        assert_string_equal(full, expected);
        free(full);
    } else {
        assert_int_equal(result, RCLITE_ERR_NAME);
        assert_non_null(reason);
        assert_null(full);
    }
}

static void expansion_on_ros2(void **state) {
    (void)state;
    expands(RCLITE_ROS2, "a", "/s/a");
    expands(RCLITE_ROS2, "/a", "/a");
    expands(RCLITE_ROS2, "a/b", "/s/a/b");
    expands(RCLITE_ROS2, "~", "/s/n");
    expands(RCLITE_ROS2, "~/a", "/s/n/a");
    expands(RCLITE_ROS2, "_hidden", "/s/_hidden");
    expands(RCLITE_ROS2, "{node}/a", "/s/n/a");
    expands(RCLITE_ROS2, "{ns}/a", "/s/a");
    expands(RCLITE_ROS2, "{namespace}/{node}", "/s/n");
    const char *bad[] = {"", "/", "a/", "/a/", "a//b", "1a", "a/1b", "~a", "a~", "a/~/b", "a b",
        "a-b", "{nobody}", "{node", "a}", "a.b", "//a"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        expands(RCLITE_ROS2, bad[i], NULL);
    }
}

static void expansion_on_ros1(void **state) {
    (void)state;
    expands(RCLITE_ROS1, "a", "/s/a");
    expands(RCLITE_ROS1, "/a", "/a");
    expands(RCLITE_ROS1, "~a", "/s/n/a");
    expands(RCLITE_ROS1, "~/a", "/s/n/a");
    expands(RCLITE_ROS1, "~", "/s/n");
    expands(RCLITE_ROS1, "a//b/", "/s/a/b");
    expands(RCLITE_ROS1, "//a", "/a");
    expands(RCLITE_ROS1, "a/1b", "/s/a/1b");
    const char *bad[] = {"", "1a", "_a", "a b", "a-b", "{node}", "a~", "/"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        expands(RCLITE_ROS1, bad[i], NULL);
    }
}

/* ---- contexts with arguments ---------------------------------------------------------------- */

typedef struct fixture {
    rclite_context *context;
    rclite_node *node;
} fixture;

static fixture make(rclite_generation generation, const char *node_name, const char *name_space,
    int argc, const char *const *argv) {
    rclite_context_options options = RCLITE_CONTEXT_OPTIONS_INIT;
    options.generation = generation;
    options.argc = argc;
    options.argv = argv;
    fixture made = {0};
    made.context = fake_context_create(&options);
    assert_non_null(made.context);
    rclite_error error;
    assert_int_equal(
        rclite_node_create(made.context, node_name, name_space, &made.node, &error), RCLITE_OK);
    return made;
}

static void end(fixture made) {
    rclite_node_free(made.node);
    rclite_context_free(made.context);
}

static void resolves(
    fixture made, rclitei_name_kind kind, const char *input, const char *expected) {
    char *full = NULL;
    rclite_error error;
    assert_int_equal(rclitei_names_resolve(made.node, kind, input, &full, &error), RCLITE_OK);
    assert_string_equal(full, expected);
    free(full);
}

#define COUNT(array) (int)(sizeof(array) / sizeof *(array))

static void ros2_remapping(void **state) {
    (void)state;
    const char *const argv[] = {"prog", "-v", "--ros-args", "-r", "chatter:=/news", "--remap",
        "~/private:=mine", "-r", "other:a:=b", "-r", "me:c:=d", "-r", "rostopic://e:=f", "-r",
        "rosservice://e:=g", "-r", "c:=late", "--", "file", "x:=y"};
    fixture made = make(RCLITE_ROS2, "me", "/ns", COUNT(argv), argv);
    resolves(made, RCLITEI_NAME_TOPIC, "chatter", "/news");
    resolves(made, RCLITEI_NAME_TOPIC, "/ns/chatter", "/news");
    resolves(made, RCLITEI_NAME_TOPIC, "/chatter", "/chatter");
    resolves(made, RCLITEI_NAME_TOPIC, "~/private", "/ns/mine");
    resolves(made, RCLITEI_NAME_TOPIC, "a", "/ns/a");
    resolves(made, RCLITEI_NAME_TOPIC, "c", "/ns/d");
    resolves(made, RCLITEI_NAME_TOPIC, "e", "/ns/f");
    resolves(made, RCLITEI_NAME_SERVICE, "e", "/ns/g");
    const char *const *rest;
    assert_int_equal(rclite_context_arguments(made.context, &rest), 4);
    assert_string_equal(rest[0], "prog");
    assert_string_equal(rest[1], "-v");
    assert_string_equal(rest[2], "file");
    assert_string_equal(rest[3], "x:=y");
    assert_null(rest[4]);
    end(made);
}

static void ros2_node_remapping(void **state) {
    (void)state;
    const char *const argv[] = {"prog", "--ros-args", "-r", "other:__node:=no", "-r",
        "__node:=renamed", "-r", "me:__ns:=/no", "-r", "renamed:__ns:=/yes", "-r", "renamed:a:=b"};
    fixture made = make(RCLITE_ROS2, "me", "/ns", COUNT(argv), argv);
    assert_string_equal(rclite_node_name(made.node), "renamed");
    assert_string_equal(rclite_node_namespace(made.node), "/yes");
    assert_string_equal(rclite_node_full_name(made.node), "/yes/renamed");
    resolves(made, RCLITEI_NAME_TOPIC, "a", "/yes/b");
    end(made);
}

static void ros2_other_arguments(void **state) {
    (void)state;
    const char *const argv[] = {"prog", "--ros-args", "--log-level", "WARN", "--log-level",
        "rcl:=debug", "-e", "/a/b", "-p", "n:=1", "-p", "me:n:=2", "-p", "you:n:=3", "-p",
        "a.b:='x y'", "--disable-rosout-logs", "--log-config-file", "f"};
    fixture made = make(RCLITE_ROS2, "me", "", COUNT(argv), argv);
    assert_int_equal(made.context->names->log_level, RCLITE_LOG_WARN);
    assert_string_equal(made.context->names->enclave, "/a/b");
    assert_string_equal(rclite_node_full_name(made.node), "/me");
    rclite_parameter value;
    assert_int_equal(rclite_parameter_get(made.node, "n", &value, NULL), RCLITE_OK);
    assert_int_equal(value.kind, RCLITE_PARAMETER_INTEGER);
    assert_int_equal(value.integer, 2);
    rclite_parameter_done(made.node, &value);
    assert_int_equal(rclite_parameter_get(made.node, "a.b", &value, NULL), RCLITE_OK);
    assert_int_equal(value.kind, RCLITE_PARAMETER_STRING);
    assert_string_equal(value.string.data, "x y");
    rclite_parameter_done(made.node, &value);
    assert_int_equal(rclite_parameter_get(made.node, "none", &value, NULL), RCLITE_EMPTY);
    end(made);
}

static void parameter_kinds(void **state) {
    (void)state;
    const char *const argv[] = {"prog", "--ros-args", "-p", "t:=true", "-p", "f:=False", "-p",
        "d:=-1.5e3", "-p", "s:=nan", "-p", "empty:=", "-p", "i:=-7", "-p", "v:=1.2.3"};
    fixture made = make(RCLITE_ROS2, "me", "", COUNT(argv), argv);
    const struct {
        const char *name;
        rclite_parameter_kind kind;
    } expected[] = {{"t", RCLITE_PARAMETER_BOOL}, {"f", RCLITE_PARAMETER_BOOL},
        {"d", RCLITE_PARAMETER_DOUBLE}, {"s", RCLITE_PARAMETER_STRING},
        {"empty", RCLITE_PARAMETER_STRING}, {"i", RCLITE_PARAMETER_INTEGER},
        {"v", RCLITE_PARAMETER_STRING}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        rclite_parameter value;
        assert_int_equal(
            rclite_parameter_get(made.node, expected[i].name, &value, NULL), RCLITE_OK);
        assert_int_equal(value.kind, expected[i].kind);
        assert_true(i != 0 || value.boolean);
        assert_true(i != 1 || !value.boolean);
        assert_true(i != 2 || (value.real < -1499 && value.real > -1501));
        assert_true(i != 5 || value.integer == -7);
        rclite_parameter_done(made.node, &value);
    }
    end(made);
}

static void ros1_arguments(void **state) {
    (void)state;
    const char *const argv[] = {"prog:=notme", "chatter:=/news", "__name:=other", "__ns:=/far",
        "__ip:=127.0.0.1", "__hostname:=h", "__master:=http://m:1", "__log:=/tmp/x", "_rate:=10",
        "~p:=q", "--flag"};
    fixture made = make(RCLITE_ROS1, "me", "", COUNT(argv), argv);
    assert_string_equal(rclite_node_full_name(made.node), "/far/other");
    resolves(made, RCLITEI_NAME_TOPIC, "chatter", "/news");
    resolves(made, RCLITEI_NAME_TOPIC, "~p", "/far/q");
    const rclitei_names *names = made.context->names;
    assert_string_equal(names->ip, "127.0.0.1");
    assert_string_equal(names->hostname, "h");
    assert_string_equal(names->master_uri, "http://m:1");
    assert_string_equal(rclitei_names_setting(made.node, "rate"), "10");
    const char *const *rest;
    assert_int_equal(rclite_context_arguments(made.context, &rest), 2);
    assert_string_equal(rest[0], "prog:=notme");
    assert_string_equal(rest[1], "--flag");
    end(made);
}

static void ros_namespace_is_for_ros1(void **state) {
    (void)state;
    setenv("ROS_NAMESPACE", "env", 1);
    fixture made = make(RCLITE_ROS1, "me", "/", 0, NULL);
    assert_string_equal(rclite_node_full_name(made.node), "/env/me");
    end(made);
    made = make(RCLITE_ROS1, "me", "/own", 0, NULL);
    assert_string_equal(rclite_node_full_name(made.node), "/own/me");
    end(made);
    made = make(RCLITE_ROS2, "me", "/", 0, NULL);
    assert_string_equal(rclite_node_full_name(made.node), "/me");
    end(made);
    unsetenv("ROS_NAMESPACE");
}

/* The error must hold the argument that is wrong. */
static void refused(rclite_generation generation, int argc, const char *const *argv,
    rclite_result code, const char *named) {
    rclite_context_options options = RCLITE_CONTEXT_OPTIONS_INIT;
    options.generation = generation;
    options.argc = argc;
    options.argv = argv;
    rclite_context *context = NULL;
    rclite_error error = {0};
    assert_int_equal(rclitei_context_create_with(&fake_backend, &options, &context, &error), code);
    assert_int_equal(error.code, code);
    assert_non_null(strstr(error.text, named));
    assert_null(context);
}

static void wrong_arguments_are_named(void **state) {
    (void)state;
    const char *const ros2[][3] = {{"-r", "noassign", "noassign"}, {"-r", ":=b", ":=b"},
        {"-r", "a:=", "a:="}, {"-r", "a b:=c", "a b:=c"}, {"-r", "a:=c//d", "a:=c//d"},
        {"-r", "__node:=a/b", "__node:=a/b"}, {"-r", "__ns:=rel", "__ns:=rel"},
        {"-r", "1x:a:=b", "1x:a:=b"}, {"-p", "x", "x"}, {"--params-file", "f.yaml", "f.yaml"},
        {"--log-level", "loud", "loud"}, {"-e", "rel", "rel"}, {"--unheard", "of", "--unheard"}};
    for (size_t i = 0; i < sizeof ros2 / sizeof *ros2; i++) {
        const char *const argv[] = {"prog", "--ros-args", ros2[i][0], ros2[i][1]};
        refused(RCLITE_ROS2, 4, argv, RCLITE_ERR_INVALID, ros2[i][2]);
    }
    const char *const valueless[] = {"prog", "--ros-args", "-r"};
    refused(RCLITE_ROS2, 3, valueless, RCLITE_ERR_INVALID, "'-r'");
    const char *const ros1[] = {":=x", "a b:=c", "__nmae:=x", "__ip:=", "__ns:=rel", "__name:=a/b"};
    for (size_t i = 0; i < sizeof ros1 / sizeof *ros1; i++) {
        const char *const argv[] = {"prog", ros1[i]};
        refused(RCLITE_ROS1, 2, argv, RCLITE_ERR_INVALID, ros1[i]);
    }
}

static void wrong_names_are_named(void **state) {
    (void)state;
    fixture made = make(RCLITE_ROS2, "me", "", 0, NULL);
    rclite_error error;
    rclite_node *node = NULL;
    assert_int_equal(rclite_node_create(made.context, "a/b", "", &node, &error), RCLITE_ERR_NAME);
    assert_non_null(strstr(error.text, "'a/b'"));
    assert_int_equal(
        rclite_node_create(made.context, "a", "/x//y", &node, &error), RCLITE_ERR_NAME);
    assert_non_null(strstr(error.text, "'/x//y'"));
    rclite_publisher *publisher = NULL;
    rclite_publisher_options options = RCLITE_PUBLISHER_OPTIONS_INIT;
    assert_int_equal(
        rclite_publisher_create(made.node, "a b", &fake_type, &options, &publisher, &error),
        RCLITE_ERR_NAME);
    assert_non_null(strstr(error.text, "topic name 'a b'"));
    assert_null(node);
    assert_null(publisher);
    end(made);
}

static void namespaces_gain_a_slash(void **state) {
    (void)state;
    fixture made = make(RCLITE_ROS2, "me", "rel", 0, NULL);
    assert_string_equal(rclite_node_namespace(made.node), "/rel");
    end(made);
    made = make(RCLITE_ROS2, "me", "/", 0, NULL);
    assert_string_equal(rclite_node_namespace(made.node), "/");
    assert_string_equal(rclite_node_full_name(made.node), "/me");
    end(made);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    const char *const argv[] = {"prog", "--ros-args", "-r", "a:=b", "-r", "x:c:=d", "-p", "x:y:=z",
        "-e", "/e", "-r", "__node:=n", "-r", "__ns:=/s", "--", "rest"};
    bool succeeded = false;
    for (long fail_at = 1; !succeeded; fail_at++) {
        assert_true(fail_at < 1000);
        failing_allocator allocator;
        failing_allocator_init(&allocator, fail_at);
        rclite_context_options options = RCLITE_CONTEXT_OPTIONS_INIT;
        options.argc = COUNT(argv);
        options.argv = argv;
        options.allocator = &allocator.base;
        rclite_context *context = NULL;
        rclite_error error = {0};
        rclite_result result =
            rclitei_context_create_with(&fake_backend, &options, &context, &error);
        rclite_node *node = NULL;
        char *full = NULL;
        if (result == RCLITE_OK) {
            result = rclite_node_create(context, "me", "", &node, &error);
        }
        if (result == RCLITE_OK) {
            result = rclitei_names_resolve(node, RCLITEI_NAME_TOPIC, "{node}/a", &full, &error);
        }
        succeeded = result == RCLITE_OK;
        if (!succeeded) {
            assert_int_equal(result, RCLITE_ERR_NO_MEMORY);
            assert_int_equal(error.code, RCLITE_ERR_NO_MEMORY);
        }
        rclitei_release(&allocator.base, full);
        rclite_node_free(node);
        rclite_context_free(context);
        assert_int_equal(allocator.outstanding, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(node_names),
        cmocka_unit_test(full_name_length_is_bounded_on_ros2),
        cmocka_unit_test(expansion_on_ros2),
        cmocka_unit_test(expansion_on_ros1),
        cmocka_unit_test(ros2_remapping),
        cmocka_unit_test(ros2_node_remapping),
        cmocka_unit_test(ros2_other_arguments),
        cmocka_unit_test(parameter_kinds),
        cmocka_unit_test(ros1_arguments),
        cmocka_unit_test(ros_namespace_is_for_ros1),
        cmocka_unit_test(wrong_arguments_are_named),
        cmocka_unit_test(wrong_names_are_named),
        cmocka_unit_test(namespaces_gain_a_slash),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
