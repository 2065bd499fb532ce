/* A private ROS 1 master; see master.h. */
#include "run/master.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run/clock.h"
#include "run/interrupt.h"
#include "util/memory.h"

#define ANSWER_WAIT_NS INT64_C(15000000000)
#define TRY_AGAIN_NS INT64_C(20000000)
#define GRACE_NS INT64_C(1000000000)

static int loopback_socket(uint16_t port, struct sockaddr_in *ret_address) {
    memset(ret_address, 0, sizeof *ret_address);
    ret_address->sin_family = AF_INET;
    ret_address->sin_port = htons(port);
    ret_address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

/* A port that was free a moment ago; 0 with errno. */
static uint16_t free_port(void) {
    struct sockaddr_in address;
    socklen_t len = sizeof address;
    int fd = loopback_socket(0, &address);
    bool ok = fd >= 0 && bind(fd, (const struct sockaddr *)&address, sizeof address) == 0 &&
              getsockname(fd, (struct sockaddr *)&address, &len) == 0;
    if (fd >= 0) {
        close(fd);
    }
    return ok ? ntohs(address.sin_port) : 0;
}

static bool answers(uint16_t port) {
    struct sockaddr_in address;
    int fd = loopback_socket(port, &address);
    bool ok = fd >= 0 && connect(fd, (const struct sockaddr *)&address, sizeof address) == 0;
    if (fd >= 0) {
        close(fd);
    }
    return ok;
}

static void no_line(void *user, char *line, size_t len) {
    (void)user;
    (void)line;
    (void)len;
}

static void look(run_master *master, int64_t deadline_ns) {
    struct pollfd fds[RUN_CHILD_POLL_FDS];
    run_child_poll_fds(&master->child, fds);
    if (run_interrupt_poll(fds, RUN_CHILD_POLL_FDS, deadline_ns) > 0) {
        run_child_handle(&master->child, fds, no_line, NULL);
    }
}

char *run_master_check(run_master *master) {
    if (!master->child.ended) {
        look(master, 0);
    }
    if (!master->child.ended) {
        return NULL;
    }
    int status = master->child.status;
    char *output = run_child_output(&master->child);
    char *how = WIFSIGNALED(status) ? util_format("was killed by signal %d", WTERMSIG(status))
                                    : util_format("exited with status %d", WEXITSTATUS(status));
    char *text = util_format("the ROS 1 master (rosmaster at %s) %s%s%s", master->uri, how,
        output == NULL ? "" : "; it said: ", output == NULL ? "" : output);
    free(output);
    free(how);
    return text;
}

static bool wait_for_answer(run_master *master, uint16_t port, char **ret_error) {
    int64_t deadline_ns = run_clock_monotonic_ns() + ANSWER_WAIT_NS;
    while (!answers(port)) {
        char *sentence = run_master_check(master);
        if (sentence == NULL && run_interrupt_count() > 0) {
            sentence = util_strdup("interrupted");
        }
        if (sentence == NULL && run_clock_monotonic_ns() > deadline_ns) {
            sentence = util_format("rosmaster does not answer at %s", master->uri);
        }
        if (sentence != NULL) {
            *ret_error = sentence;
            return false;
        }
        look(master, run_clock_monotonic_ns() + TRY_AGAIN_NS);
    }
    return true;
}

bool run_master_start(run_master *master, const strvec *environment, const char *log_dir,
    const run_guard *guard, char **ret_error) {
    memset(master, 0, sizeof *master);
    uint16_t port = free_port();
    if (port == 0) {
        *ret_error = util_format("no free port for a ROS 1 master: %s", strerror(errno));
        return false;
    }
    snprintf(master->uri, sizeof master->uri, "http://127.0.0.1:%u", (unsigned)port);
    strvec argv = {0};
    strvec_push(&argv, "rosmaster");
    strvec_push(&argv, "--core");
    strvec_push(&argv, "-p");
    strvec_pushf(&argv, "%u", (unsigned)port);
    strvec own = {0};
    strvec_push_all(&own, environment);
    strvec_set_variable(&own, "ROS_MASTER_URI", master->uri);
    strvec_set_variable(&own, "ROS_IP", "127.0.0.1");
    strvec_set_variable(&own, "ROS_LOG_DIR", log_dir);
    run_child_command command = {.argv = &argv, .dir = "/", .environment = &own, .guard = guard};
    bool ok = run_child_start(&master->child, &command, ret_error);
    strvec_done(&argv);
    strvec_done(&own);
    if (ok && !wait_for_answer(master, port, ret_error)) {
        run_master_stop(master);
        ok = false;
    }
    return ok;
}

void run_master_stop(run_master *master) {
    if (master->child.pid != 0) {
        run_child_done(&master->child, GRACE_NS);
    }
    memset(master, 0, sizeof *master);
}
