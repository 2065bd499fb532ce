/* The smaller parts of run/: the job, the network, resources, finding ROS 2, the guard. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "run/budget.h"
#include "run/environment.h"
#include "run/guard.h"
#include "run/job.h"
#include "run/network.h"
#include "run/orphans.h"
#include "run/resources.h"
#include "run/ros2_env.h"
#include "util/memory.h"

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

static void a_budget_gives_fewer_cells_enough_rounds(void **state) {
    (void)state;
    const int64_t second_ns = 1000000000;
    plan todo;
    plan_init(&todo);
    todo.rounds = 10;
    run_budget budget;
    run_budget_begin(&budget, 100 * second_ns, 4);
    const int64_t costs_s[] = {5, 5, 0, 20};
    for (size_t i = 0; i < 4; i++) {
        budget.cost_ns[i] = costs_s[i] * second_ns;
    }
    run_budget_thin(&budget, &todo, budget.began_ns + 30 * second_ns);
    assert_int_equal(budget.kept, 3);
    assert_int_equal(todo.note_count, 1);
    assert_non_null(strstr(todo.notes[0], "the last 1 of 3 measurements have one round only"));
    run_budget_thin(&budget, &todo, budget.began_ns + 95 * second_ns);
    assert_int_equal(budget.kept, 1); /* something is always measured on */
    assert_false(run_budget_is_spent(&budget, budget.began_ns + 95 * second_ns));
    assert_true(run_budget_is_spent(&budget, budget.began_ns + 96 * second_ns));
    run_budget_done(&budget);

    run_budget_begin(&budget, 0, 4);
    budget.cost_ns[0] = second_ns;
    run_budget_thin(&budget, &todo, budget.began_ns + 1000 * second_ns);
    assert_int_equal(budget.kept, 4);
    assert_false(run_budget_is_spent(&budget, INT64_MAX));
    run_budget_done(&budget);
    plan_done(&todo);
}

static void two_networks_have_two_domains(void **state) {
    (void)state;
    run_network one;
    run_network two;
    char *error = NULL;
    assert_true(run_network_isolate(&one, -1, &error));
    assert_true(run_network_isolate(&two, -1, &error));
    assert_true(one.domain_id != two.domain_id);
    assert_true(one.domain_id >= 60 && one.domain_id < 100);
    strvec environment = {0};
    strvec_push(&environment, "ROS_STATIC_PEERS=192.0.2.1");
    run_network_apply(&one, PLAN_TRANSPORT_TUNED, "/f.xml", "http://m", &environment);
    assert_int_equal(atoi(strvec_variable(&environment, "ROS_DOMAIN_ID")), one.domain_id);
    assert_non_null(strstr(strvec_variable(&environment, "CYCLONEDDS_URI"), "name=\"lo\""));
    assert_non_null(strstr(strvec_variable(&environment, "CYCLONEDDS_URI"), "65500B"));
    assert_null(strvec_variable(&environment, "ROS_STATIC_PEERS"));
    assert_string_equal(strvec_variable(&environment, "ROS_MASTER_URI"), "http://m");
    strvec_done(&environment);
    run_network_done(&one);
    run_network_done(&two);
}

static void fastdds_gets_profiles_unless_the_user_has_some(void **state) {
    (void)state;
    run_network network;
    char *error = NULL;
    assert_true(run_network_isolate(&network, 7, &error));
    assert_non_null(
        strstr(network.fastdds_profiles[PLAN_TRANSPORT_STOCK], "<address>127.0.0.1</address>"));
    strvec environment = {0};
    strvec_push(&environment, "FASTDDS_DEFAULT_PROFILES_FILE=");
    strvec_push(&environment, "ROS_DISCOVERY_SERVER=192.0.2.1:11811");
    assert_null(run_network_own_profiles(&environment));
    run_network_apply(&network, PLAN_TRANSPORT_STOCK, "/ours.xml", NULL, &environment);
    assert_string_equal(
        strvec_variable(&environment, "FASTRTPS_DEFAULT_PROFILES_FILE"), "/ours.xml");
    assert_string_equal(
        strvec_variable(&environment, "FASTDDS_DEFAULT_PROFILES_FILE"), "/ours.xml");
    assert_null(strvec_variable(&environment, "ROS_DISCOVERY_SERVER"));
    strvec_clear(&environment);
    strvec_push(&environment, "FASTDDS_DEFAULT_PROFILES_FILE=/mine.xml");
    assert_string_equal(run_network_own_profiles(&environment), "/mine.xml");
    run_network_apply(&network, PLAN_TRANSPORT_STOCK, "/ours.xml", NULL, &environment);
    assert_string_equal(
        strvec_variable(&environment, "FASTDDS_DEFAULT_PROFILES_FILE"), "/mine.xml");
    assert_null(strvec_variable(&environment, "FASTRTPS_DEFAULT_PROFILES_FILE"));
    strvec_done(&environment);
    run_network_done(&network);
}

static void an_open_network_leaves_the_environment(void **state) {
    (void)state;
    run_network network;
    setenv("CYCLONEDDS_URI", "file:///mine.xml", 1);
    run_network_open(&network, 7);
    unsetenv("CYCLONEDDS_URI");
    strvec environment = {0};
    strvec_push(&environment, "CYCLONEDDS_URI=file:///mine.xml");
    run_network_apply(&network, PLAN_TRANSPORT_STOCK, NULL, NULL, &environment);
    assert_string_equal(strvec_variable(&environment, "ROS_DOMAIN_ID"), "7");
    assert_string_equal(strvec_variable(&environment, "CYCLONEDDS_URI"), "file:///mine.xml");
    assert_null(strvec_variable(&environment, "ROS_IP"));
    strvec_done(&environment);
    run_network_done(&network);
}

/* Where the user says nothing every library stays on loopback, not only those that do by
 * themselves. What the set-up file of a ROS 2 installation says is not the user's word. */
static void an_open_network_without_a_word_is_loopback(void **state) {
    (void)state;
    run_network network;
    unsetenv("CYCLONEDDS_URI");
    unsetenv("ROS_AUTOMATIC_DISCOVERY_RANGE");
    unsetenv("ROS_LOCALHOST_ONLY");
    unsetenv("ROS_STATIC_PEERS");
    run_network_open(&network, 7);
    strvec environment = {0};
    strvec_push(&environment, "ROS_AUTOMATIC_DISCOVERY_RANGE=SUBNET");
    run_network_apply(&network, PLAN_TRANSPORT_STOCK, NULL, NULL, &environment);
    assert_non_null(strstr(strvec_variable(&environment, "CYCLONEDDS_URI"), "name=\"lo\""));
    assert_null(strvec_variable(&environment, "ROS_IP"));
    strvec_done(&environment);
    run_network_done(&network);
    setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "SUBNET", 1);
    run_network_open(&network, 7);
    unsetenv("ROS_AUTOMATIC_DISCOVERY_RANGE");
    run_network_apply(&network, PLAN_TRANSPORT_STOCK, NULL, NULL, &environment);
    assert_null(strvec_variable(&environment, "CYCLONEDDS_URI"));
    strvec_done(&environment);
    run_network_done(&network);
}

/* Work whose size is known at least from below. */
static void the_measured_part_is_what_lies_between(void **state) {
    (void)state;
    run_reading begin = run_resources_begin(getpid());
    assert_true(begin.so_far.valid);
    size_t size = 32 * 1024 * 1024;
    volatile char *memory = util_alloc(size, 1);
    for (size_t i = 0; i < size; i += 1024) {
        memory[i] = (char)i;
    }
    run_reading end = run_resources_read(getpid());
    run_resources part = run_resources_between(&begin, &end);
    free((void *)memory);
    assert_true(part.valid);
    assert_true(part.max_rss_bytes >= (int64_t)size);
    assert_true(part.minor_faults > 0);
    assert_true(part.cpu_user_ns + part.cpu_system_ns > 100000);
    run_reading nothing = {0};
    assert_false(run_resources_between(&nothing, &end).valid);
    run_resources gone = run_resources_read(0x3ffffffe).so_far;
    assert_false(gone.valid);
}

static void the_host_is_known(void **state) {
    (void)state;
    run_environment environment;
    run_environment_capture(&environment);
    assert_non_null(strstr(environment.kernel, "Linux"));
    assert_true(environment.cpu_count > 0);
    assert_true(environment.clock_read_ns >= 0 && environment.clock_read_ns < 1000000);
    assert_non_null(environment.build_type);
    run_environment_done(&environment);
    assert_true(run_load_1min() >= 0);
}

static void write_script(const char *dir, const char *text) {
    char *path = util_format("%s/setup.sh", dir);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    free(path);
    path = util_format("%s/local_setup.sh", dir);
    file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
    free(path);
}

static void make_distribution(const char *root, const char *name, const char *script) {
    char *dir = util_format("%s/%s", root, name);
    assert_int_equal(mkdir(dir, 0700), 0);
    write_script(dir, script);
    free(dir);
}

static void remove_distribution(const char *root, const char *name) {
    char *command = util_format("rm -r %s/%s", root, name);
    assert_int_equal(system(command), 0);
    free(command);
}

static void the_newest_ros2_is_found_and_sourced(void **state) {
    (void)state;
    char root[] = "/tmp/run_test_XXXXXX";
    assert_non_null(mkdtemp(root));
    make_distribution(root, "jazzy", "export ROS_DISTRO=jazzy; export WITH=\"two\nlines\"");
    make_distribution(root, "humble", "export ROS_DISTRO=humble");
    make_distribution(root, "rolling", "export ROS_DISTRO=rolling");
    strvec base = {0};
    strvec_pushf(&base, "PATH=%s", getenv("PATH"));
    run_ros2 ros2;
    run_ros2_find(&ros2, NULL, root, NULL, &base, NULL);
    assert_true(ros2.found);
    assert_string_equal(ros2.distribution, "jazzy");
    assert_string_equal(ros2.rmw, "rmw_cyclonedds_cpp");
    assert_string_equal(strvec_variable(&ros2.environment, "WITH"), "two\nlines");
    run_ros2_done(&ros2);

    char *prefix = util_format("%s/humble", root);
    strvec_push(&base, "AMENT_PREFIX_PATH=/elsewhere/jazzy:/x");
    strvec_push(&base, "RMW_IMPLEMENTATION=rmw_fastrtps_cpp");
    run_ros2_find(&ros2, prefix, root, NULL, &base, NULL);
    assert_string_equal(ros2.distribution, "humble");
    assert_string_equal(ros2.rmw, "rmw_fastrtps_cpp");
    run_ros2_done(&ros2);
    free(prefix);

    run_ros2_find(&ros2, NULL, root, NULL, &base, NULL);
    assert_true(ros2.found);
    assert_string_equal(ros2.prefix, "/elsewhere/jazzy");
    run_ros2_done(&ros2);
    strvec_done(&base);
    remove_distribution(root, "jazzy");
    remove_distribution(root, "humble");
    remove_distribution(root, "rolling");
    rmdir(root);
}

static void make_rmw(const char *root, const char *rmw) {
    char *command = util_format("d=%s/share/ament_index/resource_index/rmw_typesupport; "
                                "mkdir -p $d && touch $d/%s $d/rmw_implementation",
        root, rmw);
    assert_int_equal(system(command), 0);
    free(command);
}

static void an_unusable_ros2_is_named(void **state) {
    (void)state;
    char root[] = "/tmp/run_test_XXXXXX";
    assert_non_null(mkdtemp(root));
    make_distribution(root, "humble", "export ROS_DISTRO=humble");
    make_distribution(root, "lyrical", "export ROS_DISTRO=lyrical");
    char *newest = util_format("%s/lyrical", root);
    char *old = util_format("%s/humble", root);
    make_rmw(newest, "rmw_fastrtps_cpp");
    strvec base = {0};
    strvec_pushf(&base, "PATH=%s", getenv("PATH"));
    run_ros2 ros2;
    run_ros2_find(&ros2, old, root, NULL, &base, NULL);
    assert_true(ros2.found);
    assert_non_null(strstr(ros2.unusable, "ROS 2 humble ("));
    assert_non_null(strstr(ros2.unusable, "is not supported: Iron or later"));
    run_ros2_done(&ros2);

    run_ros2_find(&ros2, NULL, root, NULL, &base, NULL);
    assert_int_equal(ros2.rmws.count, 1);
    assert_non_null(strstr(ros2.unusable, "rmw_cyclonedds_cpp, which is not installed (there are: "
                                          "rmw_fastrtps_cpp): install "
                                          "ros-lyrical-rmw-cyclonedds-cpp"));
    run_ros2_done(&ros2);

    strvec_push(&base, "RMW_IMPLEMENTATION=rmw_fastrtps_cpp");
    run_ros2_find(&ros2, NULL, root, NULL, &base, NULL);
    assert_null(ros2.unusable);
    assert_string_equal(ros2.rmw, "rmw_fastrtps_cpp");
    run_ros2_done(&ros2);
    strvec_done(&base);
    remove_distribution(root, "humble");
    remove_distribution(root, "lyrical");
    free(newest);
    free(old);
    rmdir(root);
}

static void a_broken_ros2_is_named(void **state) {
    (void)state;
    char root[] = "/tmp/run_test_XXXXXX";
    assert_non_null(mkdtemp(root));
    make_distribution(root, "jazzy", "echo it is broken; exit 3");
    strvec base = {0};
    strvec_pushf(&base, "PATH=%s", getenv("PATH"));
    run_ros2 ros2;
    run_ros2_find(&ros2, NULL, root, NULL, &base, NULL);
    assert_false(ros2.found);
    assert_non_null(strstr(ros2.problem, "could not be sourced: it is broken"));
    assert_int_equal(ros2.environment.count, 1);
    run_ros2_done(&ros2);
    remove_distribution(root, "jazzy");
    run_ros2_find(&ros2, NULL, root, NULL, &base, NULL);
    assert_false(ros2.found);
    assert_non_null(strstr(ros2.problem, "no ROS 2 is sourced"));
    run_ros2_done(&ros2);
    strvec_done(&base);
    rmdir(root);
}

/* A group that outlives us is killed by the guard when its pipe ends. */
static void the_guard_kills_what_is_left(void **state) {
    (void)state;
    run_guard guard;
    assert_true(run_guard_start(&guard));
    pid_t pid = fork();
    if (pid == 0) {
        setpgid(0, 0);
        execlp("sleep", "sleep", "97", (char *)NULL);
        _exit(127);
    }
    setpgid(pid, pid);
    run_guard_add(&guard, pid);
    run_guard_add(&guard, 0x3ffffffe);
    run_guard_remove(&guard, 0x3ffffffe);
    run_guard_stop(&guard);
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

/* A process that became a daemon: its parent ends, and it is ours. */
static void a_daemon_is_ended_and_others_are_spared(void **state) {
    (void)state;
    run_orphans_adopt();
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    pid_t spared = fork();
    if (spared == 0) {
        pause();
        _exit(0);
    }
    pid_t parent = fork();
    if (parent == 0) {
        setsid();
        pid_t daemon = fork();
        if (daemon == 0) {
            pause();
            _exit(0);
        }
        _exit(write(fds[1], &daemon, sizeof daemon) == sizeof daemon ? 0 : 1);
    }
    pid_t daemon = 0;
    assert_int_equal(read(fds[0], &daemon, sizeof daemon), sizeof daemon);
    assert_int_equal(waitpid(parent, NULL, 0), parent);
    close(fds[0]);
    close(fds[1]);
    pid_t children[3] = {0};
    assert_int_equal(run_orphans_children(children, 3), 2);
    assert_true(children[0] == spared || children[1] == spared);
    assert_int_equal(run_orphans_children(children, 1), 1);
    char name[RUN_ORPHAN_NAME_MAX] = "";
    assert_int_equal(run_orphans_end(&spared, 1, name), 1);
    assert_string_equal(name, "bench_run_test");
    assert_int_equal(kill(daemon, 0), -1);
    assert_int_equal(kill(spared, 0), 0);
    assert_int_equal(run_orphans_end(NULL, 0, name), 1);
    assert_int_equal(kill(spared, 0), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_holds_every_field),
        cmocka_unit_test(settings_that_are_no_object_are_refused),
        cmocka_unit_test(a_budget_gives_fewer_cells_enough_rounds),
        cmocka_unit_test(two_networks_have_two_domains),
        cmocka_unit_test(fastdds_gets_profiles_unless_the_user_has_some),
        cmocka_unit_test(an_open_network_leaves_the_environment),
        cmocka_unit_test(an_open_network_without_a_word_is_loopback),
        cmocka_unit_test(the_measured_part_is_what_lies_between),
        cmocka_unit_test(the_host_is_known),
        cmocka_unit_test(the_newest_ros2_is_found_and_sourced),
        cmocka_unit_test(an_unusable_ros2_is_named),
        cmocka_unit_test(a_broken_ros2_is_named),
        cmocka_unit_test(the_guard_kills_what_is_left),
        cmocka_unit_test(a_daemon_is_ended_and_others_are_spared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
