/* What a report that was read from a file owns: the JSON, from which all its
 * texts are borrowed, and the plan, record and environment made from it. */
#ifndef BENCH_REPORT_OWNED_H
#define BENCH_REPORT_OWNED_H

#include <jansson.h>

#include "report/report.h"

typedef struct report_owned {
    json_t *root;
    plan plan;
    run_record record;
    run_environment environment;
    void **blocks; /* arrays and texts that are not in root */
    size_t block_count, block_capacity;
} report_owned;

/* Zeroed memory that lives as long as the report. */
void *report_owned_alloc(report_owned *owned, size_t count, size_t size);
/* Takes a heap block. */
void report_owned_take(report_owned *owned, void *block);
void report_owned_free(report_owned *owned);

#endif
