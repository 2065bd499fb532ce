/* The guard process; see guard.h. */
#include "run/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

#define GROUPS_MAX 64

static void forget(pid_t groups[GROUPS_MAX], size_t *count, pid_t group) {
    for (size_t i = 0; i < *count; i++) {
        if (groups[i] == group) {
            groups[i] = groups[--*count];
            return;
        }
    }
}

/* Reads records (+group: watch, -group: forget) until the end. Never returns. */
static void watch(int fd) {
    pid_t groups[GROUPS_MAX];
    size_t count = 0;
    pid_t record;
    for (;;) {
        ssize_t got = read(fd, &record, sizeof record);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got != (ssize_t)sizeof record) {
            break;
        }
        if (record < 0) {
            forget(groups, &count, -record);
        } else if (count < GROUPS_MAX) {
            groups[count++] = record;
        }
    }
    for (size_t i = 0; i < count; i++) {
        kill(-groups[i], SIGKILL);
    }
    _exit(0);
}

bool run_guard_start(run_guard *guard) {
    int fds[2];
    if (pipe2(fds, O_CLOEXEC) != 0) {
        return false;
    }
    pid_t pid = fork();
    if (pid < 0) {
        close(fds[0]);
        close(fds[1]);
        return false;
    }
    if (pid == 0) {
        setsid(); /* Signals for our group and terminal do not reach it. */
        dup2(fds[0], 0);
        close_range(1, ~0U, 0);
        watch(0);
    }
    close(fds[0]);
    guard->pid = pid;
    guard->fd = fds[1];
    return true;
}

static void tell(const run_guard *guard, pid_t record) {
    if (guard->pid == 0) {
        return;
    }
    while (write(guard->fd, &record, sizeof record) < 0 && errno == EINTR) {
    }
}

void run_guard_add(const run_guard *guard, pid_t group) {
    tell(guard, group);
}

void run_guard_remove(const run_guard *guard, pid_t group) {
    tell(guard, -group);
}

void run_guard_stop(run_guard *guard) {
    if (guard->pid == 0) {
        return;
    }
    close(guard->fd);
    while (waitpid(guard->pid, NULL, 0) < 0 && errno == EINTR) {
    }
    guard->pid = 0;
}
