/* The guard: a small process of our own that waits for rclbench to be gone. When that happens in a
 * way that leaves no time (SIGKILL), it kills the process groups that were still running. */
#ifndef BENCH_RUN_GUARD_H
#define BENCH_RUN_GUARD_H

#include <stdbool.h>
#include <sys/types.h>

typedef struct run_guard {
    pid_t pid; /* 0: none */
    int fd;    /* its only other end is ours: end of file means that we are gone */
} run_guard;

/* Call it before anything else is started. False with errno. */
bool run_guard_start(run_guard *guard);
/* A zeroed guard watches nothing. */
void run_guard_add(const run_guard *guard, pid_t group);
void run_guard_remove(const run_guard *guard, pid_t group);
/* Ends it; groups that are still watched are killed. */
void run_guard_stop(run_guard *guard);

#endif
