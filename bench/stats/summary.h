/* The numbers of a round, of a cell (pooled), and of their parts. Computed in
 * this room and nowhere else. */
#ifndef BENCH_STATS_SUMMARY_H
#define BENCH_STATS_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/histogram.h"

/* Of one quantity. n = 0: nothing was measured, every other member is
 * meaningless and reported as null. A percentile is reported only if at least
 * 10 samples lie beyond it; p50 always. Outliers (Tukey's fences, 1.5 and 3
 * interquartile ranges) are counted, never dropped. */
typedef struct stats_distribution {
    uint64_t n;
    double mean;
    double mean_abs_dev; /* mean of |x - mean|: the first ancestor's Deviation */
    double stddev;       /* n - 1; n = 1: null */
    int64_t min, max;
    double p50, p90, p99, p99_9, p99_99;
    bool p90_valid, p99_valid, p99_9_valid, p99_99_valid;
    uint64_t outliers_mild, outliers_severe;
    stats_histogram *histogram; /* owned; NULL when n = 0 */
} stats_distribution;

typedef struct stats_interval {
    bool valid;
    double low, estimate, high; /* 95 % */
} stats_interval;

typedef enum stats_quantity {
    STATS_LATENCY,           /* topic: t4 - t1 */
    STATS_LATENCY_PLANNED,   /* topic at a rate: t4 - planned */
    STATS_ROUNDTRIP,         /* service, echo: t4 - t1 */
    STATS_ROUNDTRIP_PLANNED, /* service, echo, action at a rate: t4 - planned */
    STATS_SEND,              /* service, action: t2 - t1 */
    STATS_RECV,              /* action: t4 - t2; service: t4 - t3 */
    STATS_TOTAL,             /* service, action: t4 - t1 */
    STATS_SEND_LAG,          /* at a rate: t1 - planned */
    STATS_WARMUP,            /* t4 - t1 of the warm-up messages, which are in nothing else */
    STATS_STARTUP_READY,     /* startup: spawned -> the node exists */
    STATS_STARTUP_FIRST,     /* startup: spawned -> first message at the other side */
    STATS_QUANTITY_COUNT
} stats_quantity;

/* How the time of a goal grows with the goals before it. */
typedef struct stats_growth {
    bool valid;
    double first_ns, last_ns; /* median of the first and of the last hundred (or half) */
    double slope_ns;          /* per goal: least squares over all */
} stats_growth;

typedef struct stats_summary {
    bool sent_known, received_known; /* false: that side was not ours; its counts are null */
    uint64_t sent, received, lost, duplicated, reordered, corrupt;
    uint64_t warmup_sent, warmup_received;
    uint64_t missing_rows;      /* a peer had no room for so many rows: the counts are
                                   short */
    int64_t discovery_ns;       /* both sides exist -> both matched; -1: null, like the
                                   next two */
    int64_t publish_total_ns;   /* first t1 -> last publish, or call, returned */
    int64_t delivered_total_ns; /* first t1 -> last arrival */
    bool last_was_lost;
    double throughput_msgs_per_s,
        throughput_bytes_per_s; /* received over delivered_total; -1 null */
    stats_distribution quantities[STATS_QUANTITY_COUNT];
    stats_growth growth; /* action, if the cell asks for it; pooled: medians over rounds */
    int64_t clock_error_ns;
    char one_way_reason[160]; /* why one-way figures are null; "" when they are
                                 not */
} stats_summary;

/* "latency_ns", "roundtrip_ns", ...: the key in a result file. */
const char *stats_quantity_name(stats_quantity quantity);

void stats_summary_done(stats_summary *summary);

#endif
