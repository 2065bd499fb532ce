/* What a side of a cell used, over its rounds: medians of the good rounds'
 * figures. */
#ifndef BENCH_REPORT_RESOURCES_H
#define BENCH_REPORT_RESOURCES_H

#include "report/report.h"

typedef struct report_resources {
    const char *role; /* NULL: that side was not ours */
    const char *variant;
    run_resources measured, lifetime; /* not valid: no round has it */
    double cpu_percent;               /* of the measured part; 100 is one core; -1 unknown */
} report_resources;

report_resources report_pool_resources(const report_cell *cell, int side);

#endif
