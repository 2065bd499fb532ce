/* Tests of finding a ROS 2 and sourcing it, and of what is said about one that is broken. */
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

#include "run/ros2_env.h"
#include "util/memory.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_newest_ros2_is_found_and_sourced),
        cmocka_unit_test(an_unusable_ros2_is_named),
        cmocka_unit_test(a_broken_ros2_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
