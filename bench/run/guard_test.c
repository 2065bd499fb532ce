/* Tests of what ends the processes that are left: the guard when we are gone, and the end of
 * orphans after a round. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "run/guard.h"
#include "run/orphans.h"

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
    char own_name[16]; /* the kernel's length */
    assert_int_equal(prctl(PR_GET_NAME, own_name), 0);
    assert_string_equal(name, own_name);
    assert_int_equal(kill(daemon, 0), -1);
    assert_int_equal(kill(spared, 0), 0);
    assert_int_equal(run_orphans_end(NULL, 0, name), 1);
    assert_int_equal(kill(spared, 0), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_guard_kills_what_is_left),
        cmocka_unit_test(a_daemon_is_ended_and_others_are_spared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
