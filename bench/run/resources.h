/* What a running process has used so far, from outside. CPU time is read from the process's CPU
 * clock (ns, all threads, those that have ended too) and split into user and system as the ticks of
 * /proc/PID/stat are; switches are summed over /proc/PID/task; the peak of memory is VmHWM, which
 * run_resources_begin() resets. */
#ifndef BENCH_RUN_RESOURCES_H
#define BENCH_RUN_RESOURCES_H

#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "run/run_record.h"

typedef struct run_reading {
    run_resources so_far; /* CPU times in ticks, as the kernel splits them */
    int64_t cpu_ns;       /* exact */
} run_reading;

/* Resets the peak memory to what is used now, and reads. */
run_reading run_resources_begin(pid_t pid);
run_reading run_resources_read(pid_t pid);
/* Of the part between two readings; memory is the peak. Not valid unless both are. */
run_resources run_resources_between(const run_reading *begin, const run_reading *end);
run_resources run_resources_of_usage(const struct rusage *usage);

/* RcvbufErrors of UDP of this host; -1 unknown. */
int64_t run_udp_receive_errors(void);
/* The first figure of /proc/loadavg; -1 unknown. */
double run_load_1min(void);

#endif
