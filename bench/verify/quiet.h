/* Whether a peer is silent while it measures: what it wrote to files, pipes and its standard output
 * between go and measured, seen from outside. */
#ifndef BENCH_VERIFY_QUIET_H
#define BENCH_VERIFY_QUIET_H

#include <stdbool.h>
#include <stdint.h>

#include "run/child.h"

typedef struct quiet_reading {
    bool valid;
    bool speaks_tcp;       /* has TCP sockets */
    int64_t at_ns;         /* monotonic */
    int64_t written_bytes; /* wchar of /proc/PID/io: write() and its kin, not sockets' send */
    int64_t stored_bytes;  /* write_bytes of the same: what goes to a disk */
    int64_t file_bytes;    /* positions in the files that it has open for writing */
    int64_t printed_bytes; /* standard output and error */
} quiet_reading;

typedef struct quiet_side {
    quiet_reading begin, end;
} quiet_side;

typedef struct quiet_watch {
    quiet_side sides[2];
} quiet_watch;

/* An observer's `reading`; user is a quiet_watch. */
void quiet_read(void *user, int side, const run_child *child, bool measured);

/* A sentence (heap), or NULL: it was silent. */
char *quiet_judge(const quiet_side *side, const char *role, uint64_t messages);

#endif
