/* From the joined samples of a round to its summary, and from the rounds of a
 * cell to the pooled one. Which stamps make which quantity is said here and
 * nowhere else. */
#ifndef BENCH_STATS_SUMMARIZE_H
#define BENCH_STATS_SUMMARIZE_H

#include "plan/plan.h"
#include "run/run_record.h"
#include "sample/sample.h"
#include "stats/summary.h"

#define STATS_POOL_FIGURES 8

typedef struct stats_values {
    int64_t *items;
    size_t count, capacity;
} stats_values;

/* What the pooled summary of a cell is made of; {0} is an empty one. Counts are
 * summed, distributions are over the samples of all rounds, totals and rates
 * are medians over rounds. */
typedef struct stats_pool {
    stats_summary counts;
    stats_values quantities[STATS_QUANTITY_COUNT];
    double *figures[STATS_POOL_FIGURES]; /* per round: see summarize.c */
    size_t figure_counts[STATS_POOL_FIGURES], figure_capacities[STATS_POOL_FIGURES];
    size_t round_count;
} stats_pool;

/* The quantity that stands for a cell in tables and comparisons. */
stats_quantity stats_main_quantity(const plan_cell *cell);

/* How the two sides of such a cell are joined. */
sample_join stats_join_kind(const plan_cell *cell);

/* Adds the round to pool, unless that is NULL. */
void stats_round_summarize(const plan_cell *cell, const run_round *round, const sample_set *set,
    stats_pool *pool, stats_summary *ret_summary);

/* Permutes what the pool holds. */
void stats_pool_summarize(stats_pool *pool, stats_summary *ret_summary);
void stats_pool_done(stats_pool *pool);

#endif
