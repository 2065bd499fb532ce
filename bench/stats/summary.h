/* The numbers of a round, of a cell (pooled), and of their parts. Computed here and nowhere else. */
#ifndef BENCH_STATS_SUMMARY_H
#define BENCH_STATS_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/histogram.h"

/* Of one quantity. n = 0: nothing was measured, every other member is meaningless and reported as
 * null. A percentile is reported only if at least 10 samples lie beyond it (ANCHORS: hidden
 * otherwise); p50 always. */
typedef struct stats_distribution {
    uint64_t n;
    double mean;
    double mean_abs_dev; /* mean of |x - mean|: the first ancestor's Deviation */
    double stddev;       /* n - 1; n = 1: null */
    int64_t min, max;
    double p50, p90, p99, p99_9, p99_99;
    bool p90_valid, p99_valid, p99_9_valid, p99_99_valid;
    stats_histogram *histogram; /* owned */
} stats_distribution;

typedef struct stats_interval {
    bool valid;
    double low, estimate, high; /* 95 % */
} stats_interval;

typedef struct stats_summary {
    uint64_t sent, received, lost, duplicated, reordered, corrupt;
    uint64_t warmup_sent, warmup_received;
    int64_t discovery_ns;       /* -1: null, like the next three */
    int64_t publish_total_ns;   /* first t1 -> last publish returned */
    int64_t delivered_total_ns; /* first t1 -> last arrival */
    bool last_was_lost;
    double throughput_msgs_per_s, throughput_bytes_per_s; /* received over delivered_total; -1 null */
    stats_distribution latency_ns;         /* topic: t4 - t1 */
    stats_distribution latency_planned_ns; /* topic at a rate: t4 - planned */
    stats_distribution roundtrip_ns;       /* service, echo: t4 - t1 */
    stats_distribution send_ns, recv_ns, total_ns; /* t2-t1, t4-t2 (service: t4-t3), t4-t1 */
    stats_distribution send_lag_ns;        /* at a rate: t1 - planned */
    stats_distribution startup_ready_ns, startup_first_ns; /* startup: spawn -> ready, -> sample */
    const char *one_way_reason; /* why send_ns and recv_ns are null; NULL when they are not */
} stats_summary;

#endif
