/* The tables of the result file's objects (docs/result-schema.json). */
#ifndef BENCH_REPORT_TABLES_H
#define BENCH_REPORT_TABLES_H

#include "report/fields.h"

typedef struct field_table {
    const field *fields;
    size_t count;
} field_table;

extern const field_table table_environment; /* run_environment */
extern const field_table table_qos;         /* plan_qos */
extern const field_table table_cell;        /* plan_cell, but for pattern, names, qos, transport */
extern const field_table table_round;       /* run_round */
extern const field_table table_process;     /* run_process */
extern const field_table table_resources;   /* run_resources */
extern const field_table table_sent;        /* stats_summary: known if the sender is ours */
extern const field_table table_received;    /* stats_summary: known if the receiver is ours */
extern const field_table table_counts;      /* stats_summary: what is never null in a summary */
extern const field_table table_growth;      /* stats_growth */
extern const field_table table_figures;     /* stats_summary: totals and rates */

#endif
