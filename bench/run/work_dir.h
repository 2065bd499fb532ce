/* The temporary folder of one run. Its owner holds a lock in it for as long as he lives, so that a
 * later run can tell what a killed one has left behind, and clears it. */
#ifndef BENCH_RUN_WORK_DIR_H
#define BENCH_RUN_WORK_DIR_H

#include <stdbool.h>

typedef struct run_work_dir {
    char *path; /* NULL: there is none */
    int lock_fd;
} run_work_dir;

/* False with a sentence (heap). */
bool run_work_dir_create(run_work_dir *dir, char **ret_error);
/* Deletes it with all that is in there. */
void run_work_dir_done(run_work_dir *dir);

#endif
