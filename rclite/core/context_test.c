/* Tests of contexts: their options, their log, and that they outlive what is in them. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/testing/core_testing.h"

static void context_options_are_checked(void **state) {
    (void)state;
    rclite_context *context = NULL;
    rclite_error error;
    const rclite_context_options good = RCLITE_CONTEXT_OPTIONS_INIT;
    const char *const argv[] = {"prog", NULL};
    const rclite_allocator nothing = {0};
    rclite_context_options bad[8];
    for (int i = 0; i < 8; i++) {
        bad[i] = good;
    }
    bad[0].size = 1;
    bad[1].generation = (rclite_generation)3;
    bad[2].delivery = RCLITE_DELIVERY_COUNT;
    bad[3].argc = 1;
    bad[4].argc = -1;
    bad[5].argc = 2;
    bad[5].argv = argv;
    bad[6].domain_id = 233;
    bad[7].allocator = &nothing;
    const char *named[] = {
        "size", "generation", "delivery", "argc", "argc", "argv[1]", "domain_id", "allocator"};
    for (int i = 0; i < 8; i++) {
        assert_int_equal(rclite_context_create(&bad[i], &context, &error), RCLITE_ERR_INVALID);
        assert_non_null(strstr(error.text, named[i]));
    }
    assert_int_equal(rclite_context_create(NULL, &context, &error), RCLITE_ERR_INVALID);
    assert_int_equal(rclite_context_create(&good, NULL, &error), RCLITE_ERR_INVALID);
    assert_null(context);
    assert_null(rclite_context_free(NULL));
}

static void keep_text(rclite_log_level level, const char *text, void *user) {
    (void)level;
    strncpy(user, text, 255);
}

static void log_level_is_obeyed(void **state) {
    (void)state;
    char text[256] = "";
    const char *const argv[] = {"prog", "--ros-args", "--log-level", "error"};
    rclite_context_options options = RCLITE_CONTEXT_OPTIONS_INIT;
    options.log = keep_text;
    options.log_user = text;
    options.argc = 4;
    options.argv = argv;
    rclite_context *context = fake_context_create(&options);
    rclitei_context_log(context, RCLITE_LOG_WARN, "number %d", 1);
    assert_string_equal(text, "");
    rclitei_context_log(context, RCLITE_LOG_ERROR, "number %d", 2);
    assert_string_equal(text, "number 2");
    rclite_context_free(context);
}

/* In a debug build the breach is an assertion; otherwise the parent is kept and the log says so. */
static void parents_outlive_children(void **state) {
    (void)state;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (!freopen("/dev/null", "w", stderr)) {
            _exit(9);
        }
        char text[256] = "";
        rclite_context_options options = RCLITE_CONTEXT_OPTIONS_INIT;
        options.log = keep_text;
        options.log_user = text;
        rclite_context *context = fake_context_create(&options);
        rclite_node *node = NULL;
        if (rclite_node_create(context, "n", "", &node, NULL) != RCLITE_OK) {
            _exit(8);
        }
        rclite_context_free(context);
        bool said = strstr(text, "the context was freed before 1 of its children") != NULL;
        rclite_node_free(node); /* still possible */
        rclite_context_free(context);
        _exit(said ? 0 : 7);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
#ifdef NDEBUG
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
#else
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGABRT);
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(context_options_are_checked),
        cmocka_unit_test(log_level_is_obeyed),
        cmocka_unit_test(parents_outlive_children),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
