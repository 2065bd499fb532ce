/* What a peer leaves behind: processes that it started, that left its process group (a daemon does)
 * and that outlived it. They would go on using the machine while others are measured. */
#ifndef BENCH_RUN_ORPHANS_H
#define BENCH_RUN_ORPHANS_H

#include <stddef.h>
#include <sys/types.h>

/* From now on orphans of our children become our children. */
void run_orphans_adopt(void);

/* Our children now, at most `max` of them; returns how many. */
size_t run_orphans_children(pid_t *ret_pids, size_t max);

/* Kills and reaps all our children but those spared, and theirs. Returns how many; ret_name gets
 * the name of one. */
#define RUN_ORPHAN_NAME_MAX 32
size_t run_orphans_end(
    const pid_t *spared, size_t spared_count, char ret_name[RUN_ORPHAN_NAME_MAX]);

#endif
