/* A private ROS 1 master: rosmaster on a free port of loopback, ours alone, ended with us. */
#ifndef BENCH_RUN_MASTER_H
#define BENCH_RUN_MASTER_H

#include <stdbool.h>

#include "run/child.h"

typedef struct run_master {
    run_child child;
    char uri[64]; /* "" until started */
} run_master;

/* Starts it and waits until it answers. False with a sentence (heap). log_dir: where it may write.
 */
bool run_master_start(run_master *master, const strvec *environment, const char *log_dir,
    const run_guard *guard, char **ret_error);

/* A sentence (heap) when it has ended, else NULL. Does not wait. */
char *run_master_check(run_master *master);

void run_master_stop(run_master *master);

#endif
