/* One supervised process: started in a process group of its own, its output kept (the last of it),
 * its lines on descriptor 4 read, its end seen, its whole group killed. Knows nothing of what the
 * lines mean. */
#ifndef BENCH_RUN_CHILD_H
#define BENCH_RUN_CHILD_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "run/guard.h"
#include "util/strvec.h"

#define RUN_CHILD_OUTPUT_MAX 4096
#define RUN_CHILD_LINE_MAX (64 * 1024)
#define RUN_CHILD_POLL_FDS 3

typedef struct run_child_command {
    const strvec *argv; /* argv[0] is a path or is looked for in PATH */
    const char *dir;
    const strvec *environment;
    bool protocol;          /* pipes on descriptors 3 and 4 */
    const run_guard *guard; /* may be NULL */
} run_child_command;

typedef struct run_child {
    pid_t pid;   /* 0: not started */
    int pid_fd;  /* -1: ended and reaped, like the other three when closed */
    int to_fd;   /* its descriptor 3 */
    int from_fd; /* its descriptor 4 */
    int output_fd;
    const run_guard *guard;
    int64_t spawned_ns; /* CLOCK_REALTIME just before fork */

    char output[RUN_CHILD_OUTPUT_MAX]; /* a ring */
    size_t output_total;
    char *line; /* RUN_CHILD_LINE_MAX, of which line_len are an unfinished line */
    size_t line_len;
    bool line_too_long;

    bool ended;
    int status; /* as of wait4 */
    struct rusage usage;
} run_child;

/* Called for each whole line, without its newline and with 0 at the end; a NUL or too long a line
 * ends the reading, see line_too_long. */
typedef void run_child_on_line(void *user, char *line, size_t len);

/* False with a sentence (heap) when it cannot be started. */
bool run_child_start(run_child *child, const run_child_command *command, char **ret_error);

/* Sends one line; false when the other end is gone. Never blocks: the pipe holds it. */
bool run_child_say(run_child *child, const char *line);

/* Fills `fds` for poll(); those not in use are -1. */
void run_child_poll_fds(const run_child *child, struct pollfd fds[RUN_CHILD_POLL_FDS]);
/* Takes what poll() found: reads, collects, reaps when it has ended (after its last lines). */
void run_child_handle(run_child *child, const struct pollfd fds[RUN_CHILD_POLL_FDS],
    run_child_on_line *on_line, void *user);

/* The last of its output, heap; NULL when there was none. Control characters become '?'. */
char *run_child_output(const run_child *child);

/* TERM to the group, KILL after the grace (at once when grace_ns is 0), reaps. Nothing of the group
 * is left. Also does for a child that has ended or was never started. */
void run_child_end(run_child *child, int64_t grace_ns);
/* run_child_end() and frees. */
void run_child_done(run_child *child, int64_t grace_ns);

#endif
