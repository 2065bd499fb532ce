/* Runs the probes; see probe.h. */
#include "run/probe.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run/child.h"
#include "run/clock.h"
#include "run/interrupt.h"
#include "util/memory.h"

#define PROBE_WAIT_NS INT64_C(20000000000)
#define PROBE_WAIT_TEXT "20 s"

void run_peer_argv(const run_peer *peer, const strvec *command, strvec *ret_argv) {
    const char *first = command->items[0];
    char *found = NULL;
    if (first[0] != '/' && strchr(first, '/') != NULL) {
        found = util_format("%s/%s", peer->build_dir, first);
        if (access(found, X_OK) != 0) {
            free(found);
            found = util_format("%s/%s", peer->dir, first);
        }
    }
    strvec_push_owned(ret_argv, found == NULL ? util_strdup(first) : found);
    for (size_t i = 1; i < command->count; i++) {
        strvec_push(ret_argv, command->items[i]);
    }
}

void run_peer_environment(const run_peer *peer, const strvec *base, strvec *ret_environment) {
    strvec_push_all(ret_environment, base);
    strvec_set_variable(ret_environment, "RCLBENCH_PEER_DIR", peer->dir);
    strvec_set_variable(ret_environment, "RCLBENCH_BUILD_DIR", peer->build_dir);
}

/* The last line of what a probe printed, heap; NULL when there is none. */
static char *last_line(char *output) {
    size_t len = output == NULL ? 0 : strlen(output);
    while (len > 0 && isspace((unsigned char)output[len - 1])) {
        output[--len] = '\0';
    }
    if (len == 0) {
        return NULL;
    }
    const char *newline = strrchr(output, '\n');
    return util_strdup(newline == NULL ? output : newline + 1);
}

static void judge(run_peer *peer, const run_child *child, bool in_time) {
    char *output = run_child_output(child);
    char *line = last_line(output);
    free(output);
    int status = child->status;
    peer->available = in_time && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!in_time) {
        peer->probe_line = util_strdup("its probe did not end within " PROBE_WAIT_TEXT);
    } else if (peer->available && line == NULL) {
        peer->probe_line = util_strdup(peer->library);
    } else if (line == NULL) {
        peer->probe_line = WIFEXITED(status)
                               ? util_format("its probe exited with status %d and said nothing",
                                     WEXITSTATUS(status))
                               : util_format("its probe was killed by signal %d", WTERMSIG(status));
    } else {
        peer->probe_line = line;
        line = NULL;
    }
    free(line);
}

static void start_probe(
    run_peer *peer, const strvec environments[2], const run_guard *guard, run_child *child) {
    strvec argv = {0};
    strvec environment = {0};
    run_peer_argv(peer, &peer->probe, &argv);
    run_peer_environment(peer, &environments[peer->uses_ros2 ? 1 : 0], &environment);
    run_child_command command = {
        .argv = &argv, .dir = peer->dir, .environment = &environment, .guard = guard};
    peer->probed = true;
    if (!run_child_start(child, &command, &peer->probe_line)) {
        peer->available = false;
    }
    strvec_done(&argv);
    strvec_done(&environment);
}

static void no_line(void *user, char *line, size_t len) {
    (void)user;
    (void)line;
    (void)len;
}

static bool all_ended(const run_child *children, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (children[i].pid != 0 && !children[i].ended) {
            return false;
        }
    }
    return true;
}

static void wait_for_all(run_child *children, size_t count, int64_t deadline_ns) {
    struct pollfd *fds = util_alloc(count * RUN_CHILD_POLL_FDS, sizeof *fds);
    while (!all_ended(children, count) && run_clock_monotonic_ns() < deadline_ns &&
           run_interrupt_count() == 0) {
        for (size_t i = 0; i < count; i++) {
            run_child_poll_fds(&children[i], &fds[i * RUN_CHILD_POLL_FDS]);
        }
        int got = run_interrupt_poll(fds, (unsigned)count * RUN_CHILD_POLL_FDS, deadline_ns);
        for (size_t i = 0; got > 0 && i < count; i++) {
            run_child_handle(&children[i], &fds[i * RUN_CHILD_POLL_FDS], no_line, NULL);
        }
    }
    free(fds);
}

void run_probe(run_registry *registry, const bool *wanted, const strvec environments[2],
    const run_guard *guard) {
    size_t count = registry->peer_count;
    run_child *children = util_alloc(count, sizeof *children);
    for (size_t i = 0; i < count; i++) {
        children[i].pid_fd = children[i].to_fd = children[i].from_fd = children[i].output_fd = -1;
        if (!registry->peers[i].probed && (wanted == NULL || wanted[i])) {
            start_probe(&registry->peers[i], environments, guard, &children[i]);
        }
    }
    wait_for_all(children, count, run_clock_monotonic_ns() + PROBE_WAIT_NS);
    for (size_t i = 0; i < count; i++) {
        if (children[i].pid == 0) {
            continue;
        }
        bool in_time = children[i].ended;
        run_child_end(&children[i], 0);
        judge(&registry->peers[i], &children[i], in_time);
        run_child_done(&children[i], 0);
    }
    free(children);
}
