/* One supervised process; see child.h. */
#include "run/child.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run/clock.h"
#include "run/interrupt.h"
#include "util/memory.h"
#include "util/strbuf.h"

/* Pipes are made with descriptors from here on, so that 3 and 4 are free in the child. */
#define FD_MIN 10

typedef struct pipes {
    int input[2], output[2], to[2], from[2];
} pipes;

static void close_fd(int *fd) {
    if (*fd >= 0) {
        close(*fd);
        *fd = -1;
    }
}

static void close_pair(int fds[2]) {
    close_fd(&fds[0]);
    close_fd(&fds[1]);
}

/* A pipe whose ends are high and are closed on exec. */
static bool high_pipe(int fds[2]) {
    int low[2];
    if (pipe2(low, O_CLOEXEC) != 0) {
        return false;
    }
    fds[0] = fcntl(low[0], F_DUPFD_CLOEXEC, FD_MIN);
    fds[1] = fcntl(low[1], F_DUPFD_CLOEXEC, FD_MIN);
    close(low[0]);
    close(low[1]);
    return fds[0] >= 0 && fds[1] >= 0;
}

static void close_pipes(pipes *all) {
    close_pair(all->input);
    close_pair(all->output);
    close_pair(all->to);
    close_pair(all->from);
}

static bool open_pipes(pipes *all, bool protocol) {
    *all = (pipes){{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}};
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (null >= 0) {
        all->input[0] = fcntl(null, F_DUPFD_CLOEXEC, FD_MIN);
        close(null);
    }
    bool ok = all->input[0] >= 0 && high_pipe(all->output);
    if (ok && protocol) {
        ok = high_pipe(all->to) && high_pipe(all->from);
    }
    if (!ok) {
        int error = errno;
        close_pipes(all);
        errno = error;
    }
    return ok;
}

/* Between fork and exec. Never returns. */
static void become(const run_child_command *command, const pipes *all, pid_t parent) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(127);
    }
    run_interrupt_reset_in_child();
    dup2(all->input[0], 0);
    dup2(all->output[1], 1);
    dup2(all->output[1], 2);
    if (command->protocol) {
        dup2(all->to[0], 3);
        dup2(all->from[1], 4);
    } else {
        close(3);
        close(4);
    }
    if (chdir(command->dir) != 0) {
        dprintf(2, "cd %s: %s\n", command->dir, strerror(errno));
        _exit(127);
    }
    environ = command->environment->items;
    execvp(command->argv->items[0], command->argv->items);
    dprintf(2, "%s: %s\n", command->argv->items[0], strerror(errno));
    _exit(127);
}

static void adopt(run_child *child, pipes *all) {
    child->output_fd = all->output[0];
    child->to_fd = all->to[1];
    child->from_fd = all->from[0];
    int ours[] = {child->output_fd, child->to_fd, child->from_fd};
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++) {
        if (ours[i] >= 0) {
            fcntl(ours[i], F_SETFL, O_NONBLOCK);
        }
    }
    close_fd(&all->input[0]);
    close_fd(&all->output[1]);
    close_fd(&all->to[0]);
    close_fd(&all->from[1]);
}

bool run_child_start(run_child *child, const run_child_command *command, char **ret_error) {
    memset(child, 0, sizeof *child);
    child->pid_fd = child->to_fd = child->from_fd = child->output_fd = -1;
    pipes all;
    if (!open_pipes(&all, command->protocol)) {
        *ret_error = util_format("no pipes for %s: %s", command->argv->items[0], strerror(errno));
        return false;
    }
    pid_t parent = getpid();
    child->spawned_ns = run_clock_real_ns();
    pid_t pid = fork();
    if (pid == 0) {
        become(command, &all, parent);
    }
    if (pid < 0) {
        *ret_error = util_format("%s: %s", command->argv->items[0], strerror(errno));
        close_pipes(&all);
        return false;
    }
    setpgid(pid, pid); /* Also done by the child: whoever is first. */
    child->pid = pid;
    child->pid_fd = pidfd_open(pid, 0);
    child->guard = command->guard;
    if (child->guard != NULL) {
        run_guard_add(child->guard, pid);
    }
    adopt(child, &all);
    child->line = command->protocol ? util_alloc(RUN_CHILD_LINE_MAX, 1) : NULL;
    if (child->pid_fd < 0) {
        *ret_error = util_format("pidfd_open: %s", strerror(errno));
        run_child_done(child, 0);
        return false;
    }
    return true;
}

bool run_child_say(run_child *child, const char *line) {
    char text[32];
    size_t len = strlen(line);
    if (child->to_fd < 0 || len + 1 > sizeof text) {
        return false;
    }
    memcpy(text, line, len);
    text[len] = '\n';
    return write(child->to_fd, text, len + 1) == (ssize_t)(len + 1);
}

void run_child_poll_fds(const run_child *child, struct pollfd fds[RUN_CHILD_POLL_FDS]) {
    fds[0] = (struct pollfd){.fd = child->from_fd, .events = POLLIN};
    fds[1] = (struct pollfd){.fd = child->output_fd, .events = POLLIN};
    fds[2] = (struct pollfd){.fd = child->pid_fd, .events = POLLIN};
}

static void keep_output(run_child *child, const char *bytes, size_t len) {
    for (size_t i = 0; i < len; i++) {
        child->output[child->output_total++ % RUN_CHILD_OUTPUT_MAX] = bytes[i];
    }
}

/* At most `times` reads: a process that floods us must not keep us from the others. */
static void drain_output(run_child *child, int times) {
    char bytes[16 * 1024];
    while (child->output_fd >= 0 && times-- > 0) {
        ssize_t got = read(child->output_fd, bytes, sizeof bytes);
        if (got > 0) {
            keep_output(child, bytes, (size_t)got);
        } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
            close_fd(&child->output_fd);
        } else if (errno == EAGAIN) {
            return;
        }
    }
}

static void cut_lines(run_child *child, run_child_on_line *on_line, void *user) {
    char *first = child->line;
    char *end = child->line + child->line_len;
    char *newline;
    while ((newline = memchr(first, '\n', (size_t)(end - first))) != NULL) {
        *newline = '\0';
        on_line(user, first, (size_t)(newline - first));
        first = newline + 1;
    }
    child->line_len = (size_t)(end - first);
    memmove(child->line, first, child->line_len);
    if (child->line_len == RUN_CHILD_LINE_MAX) {
        child->line_too_long = true;
        close_fd(&child->from_fd);
    }
}

static void drain_lines(run_child *child, int times, run_child_on_line *on_line, void *user) {
    while (child->from_fd >= 0 && times-- > 0) {
        ssize_t got = read(
            child->from_fd, child->line + child->line_len, RUN_CHILD_LINE_MAX - child->line_len);
        if (got > 0) {
            child->line_len += (size_t)got;
            cut_lines(child, on_line, user);
        } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
            close_fd(&child->from_fd);
        } else if (errno == EAGAIN) {
            return;
        }
    }
}

/* Its group goes with it; while it is a zombie nobody else can have its number. */
static void reap(run_child *child) {
    kill(-child->pid, SIGKILL);
    while (wait4(child->pid, &child->status, 0, &child->usage) < 0 && errno == EINTR) {
    }
    if (child->guard != NULL) {
        run_guard_remove(child->guard, child->pid);
    }
    child->ended = true;
    close_fd(&child->pid_fd);
}

void run_child_handle(run_child *child, const struct pollfd fds[RUN_CHILD_POLL_FDS],
    run_child_on_line *on_line, void *user) {
    if (fds[0].revents != 0) {
        drain_lines(child, 4, on_line, user);
    }
    if (fds[1].revents != 0) {
        drain_output(child, 4);
    }
    if (fds[2].revents != 0 && child->pid_fd >= 0) {
        drain_lines(child, 64, on_line, user);
        drain_output(child, 64);
        reap(child);
    }
}

char *run_child_output(const run_child *child) {
    if (child->output_total == 0) {
        return NULL;
    }
    bool wrapped = child->output_total > RUN_CHILD_OUTPUT_MAX;
    size_t len = wrapped ? RUN_CHILD_OUTPUT_MAX : child->output_total;
    strbuf text = {0};
    for (size_t i = child->output_total - len; i < child->output_total; i++) {
        char c = child->output[i % RUN_CHILD_OUTPUT_MAX];
        bool fine = c == '\n' || c == '\t' || !iscntrl((unsigned char)c);
        strbuf_append_char(&text, fine ? c : '?');
    }
    return strbuf_take(&text);
}

/* Waits for the end of the process, while its output goes on being read. */
static bool wait_for_end(run_child *child, int64_t deadline_ns) {
    struct pollfd fds[2];
    while (run_clock_monotonic_ns() < deadline_ns) {
        fds[0] = (struct pollfd){.fd = child->pid_fd, .events = POLLIN};
        fds[1] = (struct pollfd){.fd = child->output_fd, .events = POLLIN};
        int64_t left = (deadline_ns - run_clock_monotonic_ns()) / 1000000 + 1;
        if (poll(fds, 2, (int)left) < 0) {
            continue;
        }
        drain_output(child, 4);
        if (fds[0].revents != 0) {
            return true;
        }
    }
    return false;
}

void run_child_end(run_child *child, int64_t grace_ns) {
    if (child->pid != 0 && !child->ended) {
        if (grace_ns > 0) {
            kill(-child->pid, SIGTERM);
            wait_for_end(child, run_clock_monotonic_ns() + grace_ns);
        }
        kill(-child->pid, SIGKILL);
        reap(child);
        drain_output(child, 64);
    }
    close_fd(&child->to_fd);
    close_fd(&child->from_fd);
    close_fd(&child->output_fd);
}

void run_child_done(run_child *child, int64_t grace_ns) {
    run_child_end(child, grace_ns);
    close_fd(&child->pid_fd);
    free(child->line);
    child->line = NULL;
}
