/* Summaries of rounds and cells: see summarize.h. */
#include "stats/summarize.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/compare.h"
#include "stats/distribution.h"
#include "util/memory.h"

/* The figures of a round that a pool keeps, and how many there are. */
enum {
    DISCOVERY,
    PUBLISH_TOTAL,
    DELIVERED_TOTAL,
    MSGS_PER_S,
    BYTES_PER_S,
    GROWTH_FIRST,
    GROWTH_LAST,
    GROWTH_SLOPE,
    FIGURE_COUNT
};
_Static_assert(FIGURE_COUNT == STATS_POOL_FIGURES, "stats_pool has room for these");

#define GROWTH_PART ((size_t)100)

static const char *const quantity_names[STATS_QUANTITY_COUNT] = {
    [STATS_LATENCY] = "latency_ns",
    [STATS_LATENCY_PLANNED] = "latency_planned_ns",
    [STATS_ROUNDTRIP] = "roundtrip_ns",
    [STATS_ROUNDTRIP_PLANNED] = "roundtrip_planned_ns",
    [STATS_SEND] = "send_ns",
    [STATS_RECV] = "recv_ns",
    [STATS_TOTAL] = "total_ns",
    [STATS_SEND_LAG] = "send_lag_ns",
    [STATS_WARMUP] = "warmup_ns",
    [STATS_STARTUP_READY] = "startup_ready_ns",
    [STATS_STARTUP_FIRST] = "startup_first_ns",
};

const char *stats_quantity_name(stats_quantity quantity) {
    return quantity_names[quantity];
}

void stats_summary_done(stats_summary *summary) {
    for (int q = 0; q < STATS_QUANTITY_COUNT; q++) {
        stats_distribution_done(&summary->quantities[q]);
    }
}

stats_quantity stats_main_quantity(const plan_cell *cell) {
    switch (cell->pattern) {
    case PLAN_SERVICE:
        return STATS_ROUNDTRIP;
    case PLAN_ACTION:
        return STATS_TOTAL;
    case PLAN_STARTUP:
        return STATS_STARTUP_FIRST;
    case PLAN_TOPIC:
    case PLAN_PATTERN_COUNT:
        break;
    }
    return cell->echo ? STATS_ROUNDTRIP : STATS_LATENCY;
}

sample_join stats_join_kind(const plan_cell *cell) {
    if (cell->pattern == PLAN_SERVICE || cell->pattern == PLAN_ACTION) {
        return SAMPLE_JOIN_CALL;
    }
    return cell->echo ? SAMPLE_JOIN_ECHO : SAMPLE_JOIN_ONE_WAY;
}

/* Grows by doubling, into memory that is cheap to touch. */
static void reserve(stats_values *values, size_t needed) {
    if (needed <= values->capacity) {
        return;
    }
    size_t capacity = values->capacity * 2 > needed ? values->capacity * 2 : needed;
    int64_t *items = util_alloc_large(capacity, sizeof(*items));
    if (values->count > 0) {
        memcpy(items, values->items, values->count * sizeof(*items));
    }
    free(values->items);
    values->items = items;
    values->capacity = capacity;
}

static void push(stats_values *values, int64_t value) {
    if (values->count == values->capacity) {
        reserve(values, values->count < 8 ? 8 : values->count + 1);
    }
    values->items[values->count++] = value;
}

static void push_all(stats_values *values, const stats_values *more) {
    if (more->count > 0) {
        size_t needed = values->count + more->count;
        reserve(values, needed);
        memcpy(values->items + values->count, more->items, more->count * sizeof(*more->items));
        values->count = needed;
    }
}

/* to - from, if both stamps are there. */
static void push_between(stats_values *values, int64_t from_ns, int64_t to_ns) {
    if (from_ns != 0 && to_ns != 0) {
        push(values, to_ns - from_ns);
    }
}

static void extract_row(
    const plan_cell *cell, const sample_row *row, bool one_way, stats_values *v) {
    bool planned = cell->period_ns > 0;
    if (planned) {
        push_between(&v[STATS_SEND_LAG], row->planned_ns, row->t1_ns);
    }
    if (row->t4_ns == 0 || cell->pattern == PLAN_STARTUP) {
        return;
    }
    if (stats_join_kind(cell) == SAMPLE_JOIN_ONE_WAY) {
        if (one_way) {
            push_between(&v[STATS_LATENCY], row->t1_ns, row->t4_ns);
        }
        if (one_way && planned) {
            push_between(&v[STATS_LATENCY_PLANNED], row->planned_ns, row->t4_ns);
        }
        return;
    }
    if (planned) {
        push_between(&v[STATS_ROUNDTRIP_PLANNED], row->planned_ns, row->t4_ns);
    }
    if (cell->pattern != PLAN_ACTION) {
        push_between(&v[STATS_ROUNDTRIP], row->t1_ns, row->t4_ns);
    }
    if (cell->pattern != PLAN_TOPIC) {
        push_between(&v[STATS_TOTAL], row->t1_ns, row->t4_ns);
    }
    if (cell->pattern != PLAN_TOPIC && one_way) {
        int64_t answered_ns = cell->pattern == PLAN_ACTION ? row->t2_ns : row->t3_ns;
        push_between(&v[STATS_SEND], row->t1_ns, row->t2_ns);
        push_between(&v[STATS_RECV], answered_ns, row->t4_ns);
    }
}

static void extract_startup(const run_round *round, const sample_set *set, stats_values *v) {
    const run_process *node = &round->sides[0];
    int64_t exists_ns = node->created_ns != 0 ? node->created_ns : node->ready_ns;
    int64_t first_ns = 0;
    for (size_t i = 0; i < set->row_count; i++) {
        int64_t t4 = set->rows[i].t4_ns;
        first_ns = t4 != 0 && (first_ns == 0 || t4 < first_ns) ? t4 : first_ns;
    }
    push_between(&v[STATS_STARTUP_READY], node->spawned_ns, exists_ns);
    push_between(&v[STATS_STARTUP_FIRST], node->spawned_ns, first_ns);
}

static void extract(
    const plan_cell *cell, const run_round *round, const sample_set *set, stats_values *v) {
    for (size_t i = 0; i < set->row_count; i++) {
        extract_row(cell, &set->rows[i], set->one_way_valid, v);
    }
    bool warmup_counts = set->one_way_valid || stats_join_kind(cell) != SAMPLE_JOIN_ONE_WAY;
    for (size_t i = 0; i < set->warmup_row_count && warmup_counts; i++) {
        push_between(&v[STATS_WARMUP], set->warmup_rows[i].t1_ns, set->warmup_rows[i].t4_ns);
    }
    if (cell->pattern == PLAN_STARTUP) {
        extract_startup(round, set, v);
    }
}

/* Both sides exist -> both are matched; of one side, if only one says so. */
static int64_t discovery_of(const run_round *round) {
    int64_t created_ns = 0, matched_ns = 0;
    for (int side = 0; side < 2; side++) {
        const run_process *process = &round->sides[side];
        if (process->created_ns == 0 || process->matched_ns == 0) {
            continue;
        }
        created_ns = process->created_ns > created_ns ? process->created_ns : created_ns;
        matched_ns = process->matched_ns > matched_ns ? process->matched_ns : matched_ns;
    }
    return created_ns != 0 && matched_ns >= created_ns ? matched_ns - created_ns : -1;
}

static void totals(const plan_cell *cell, const sample_set *set, stats_summary *s) {
    s->publish_total_ns = s->delivered_total_ns = -1;
    s->throughput_msgs_per_s = s->throughput_bytes_per_s = -1;
    if (set->first_sent_ns == 0) {
        return;
    }
    if (set->publish_finished_ns >= set->first_sent_ns) {
        s->publish_total_ns = set->publish_finished_ns - set->first_sent_ns;
    }
    if (set->last_received_ns <= set->first_sent_ns) {
        return;
    }
    s->delivered_total_ns = set->last_received_ns - set->first_sent_ns;
    s->throughput_msgs_per_s = (double)set->received * 1e9 / (double)s->delivered_total_ns;
    if (cell->pattern == PLAN_TOPIC || cell->pattern == PLAN_SERVICE) {
        s->throughput_bytes_per_s = s->throughput_msgs_per_s * (double)cell->payload_bytes;
    }
}

static const stats_quantity one_way_quantities[] = {
    STATS_LATENCY, STATS_LATENCY_PLANNED, STATS_SEND, STATS_RECV};
#define ONE_WAY_COUNT (sizeof(one_way_quantities) / sizeof(one_way_quantities[0]))

/* A one-way figure below the error of the clocks says nothing. */
static void refuse_below_clock_error(stats_summary *s, stats_values *v) {
    for (size_t i = 0; i < ONE_WAY_COUNT; i++) {
        stats_distribution *d = &s->quantities[one_way_quantities[i]];
        if (d->n > 0 && s->clock_error_ns > 0 && d->p50 < (double)s->clock_error_ns) {
            snprintf(s->one_way_reason, sizeof(s->one_way_reason),
                "the clocks may differ by %lld ns, more than the figure itself",
                (long long)s->clock_error_ns);
            stats_distribution_done(d);
            v[one_way_quantities[i]].count = 0;
        }
    }
}

static void explain_one_way(const plan_cell *cell, const sample_set *set, stats_summary *s) {
    if (!set->one_way_valid) {
        snprintf(s->one_way_reason, sizeof(s->one_way_reason), "%s", set->one_way_reason);
    } else if (stats_join_kind(cell) == SAMPLE_JOIN_CALL && set->received > 0 &&
               s->quantities[STATS_SEND].n == 0 && s->one_way_reason[0] == '\0') {
        snprintf(s->one_way_reason, sizeof(s->one_way_reason), "the server put no stamps");
    }
}

static void pool_figure(stats_pool *pool, int figure, double value, bool known) {
    if (known) {
        util_reserve(&pool->figures[figure], &pool->figure_capacities[figure],
            pool->figure_counts[figure] + 1, sizeof(double));
        pool->figures[figure][pool->figure_counts[figure]++] = value;
    }
}

static void pool_add(stats_pool *pool, const stats_summary *s, const stats_values *values) {
    stats_summary *sum = &pool->counts;
    sum->sent_known = s->sent_known && (sum->sent_known || pool->round_count == 0);
    sum->received_known = s->received_known && (sum->received_known || pool->round_count == 0);
    sum->sent += s->sent;
    sum->received += s->received;
    sum->lost += s->lost;
    sum->duplicated += s->duplicated;
    sum->reordered += s->reordered;
    sum->corrupt += s->corrupt;
    sum->warmup_sent += s->warmup_sent;
    sum->warmup_received += s->warmup_received;
    sum->missing_rows += s->missing_rows;
    sum->last_was_lost = sum->last_was_lost || s->last_was_lost;
    if (s->clock_error_ns > sum->clock_error_ns) {
        sum->clock_error_ns = s->clock_error_ns;
    }
    if (sum->one_way_reason[0] == '\0') {
        memcpy(sum->one_way_reason, s->one_way_reason, sizeof(sum->one_way_reason));
    }
    for (int q = 0; q < STATS_QUANTITY_COUNT; q++) {
        push_all(&pool->quantities[q], &values[q]);
    }
    pool_figure(pool, DISCOVERY, (double)s->discovery_ns, s->discovery_ns >= 0);
    pool_figure(pool, PUBLISH_TOTAL, (double)s->publish_total_ns, s->publish_total_ns >= 0);
    pool_figure(pool, DELIVERED_TOTAL, (double)s->delivered_total_ns, s->delivered_total_ns >= 0);
    pool_figure(pool, MSGS_PER_S, s->throughput_msgs_per_s, s->throughput_msgs_per_s >= 0);
    pool_figure(pool, BYTES_PER_S, s->throughput_bytes_per_s, s->throughput_bytes_per_s >= 0);
    pool_figure(pool, GROWTH_FIRST, s->growth.first_ns, s->growth.valid);
    pool_figure(pool, GROWTH_LAST, s->growth.last_ns, s->growth.valid);
    pool_figure(pool, GROWTH_SLOPE, s->growth.slope_ns, s->growth.valid);
    pool->round_count++;
}

/* Over the answered goals in the order of sending. */
static stats_growth growth_of(const sample_set *set) {
    stats_growth growth = {0};
    double *totals_ns = util_alloc(set->row_count + 1, sizeof(*totals_ns));
    size_t count = 0;
    double mean = 0;
    for (size_t i = 0; i < set->row_count; i++) {
        if (set->rows[i].t1_ns != 0 && set->rows[i].t4_ns != 0) {
            totals_ns[count++] = (double)(set->rows[i].t4_ns - set->rows[i].t1_ns);
            mean += (totals_ns[count - 1] - mean) / (double)count;
        }
    }
    size_t part = count / 2 < GROWTH_PART ? count / 2 : GROWTH_PART;
    if (part > 0) {
        double middle = (double)(count - 1) / 2, above = 0, below = 0;
        for (size_t i = 0; i < count; i++) {
            above += ((double)i - middle) * (totals_ns[i] - mean);
            below += ((double)i - middle) * ((double)i - middle);
        }
        growth.valid = true;
        growth.first_ns = stats_median(totals_ns, part);
        growth.last_ns = stats_median(totals_ns + count - part, part);
        growth.slope_ns = above / below;
    }
    free(totals_ns);
    return growth;
}

void stats_round_summarize(const plan_cell *cell, const run_round *round, const sample_set *set,
    stats_pool *pool, stats_summary *ret_summary) {
    stats_summary s = {
        .sent_known = set->sent_known,
        .received_known = set->received_known,
        .sent = set->sent,
        .received = set->received,
        .lost = set->sent_known && set->received_known ? set->sent - set->received : 0,
        .duplicated = set->duplicated,
        .reordered = set->reordered,
        .corrupt = set->corrupt,
        .warmup_sent = set->warmup_sent,
        .warmup_received = set->warmup_received,
        .missing_rows = set->missing_rows,
        .discovery_ns = discovery_of(round),
        .last_was_lost = set->last_was_lost,
        .clock_error_ns = set->clock_error_ns,
    };
    totals(cell, set, &s);
    stats_values values[STATS_QUANTITY_COUNT] = {{0}};
    extract(cell, round, set, values);
    for (int q = 0; q < STATS_QUANTITY_COUNT; q++) {
        stats_distribution_compute(values[q].items, values[q].count, &s.quantities[q]);
    }
    if (cell->growth) {
        s.growth = growth_of(set);
    }
    refuse_below_clock_error(&s, values);
    explain_one_way(cell, set, &s);
    if (pool != NULL) {
        pool_add(pool, &s, values);
    }
    for (int q = 0; q < STATS_QUANTITY_COUNT; q++) {
        free(values[q].items);
    }
    *ret_summary = s;
}

static double pooled_figure(const stats_pool *pool, int figure) {
    size_t count = pool->figure_counts[figure];
    return count > 0 ? stats_median(pool->figures[figure], count) : -1;
}

void stats_pool_summarize(stats_pool *pool, stats_summary *ret_summary) {
    stats_summary s = pool->counts;
    s.discovery_ns = (int64_t)pooled_figure(pool, DISCOVERY);
    s.publish_total_ns = (int64_t)pooled_figure(pool, PUBLISH_TOTAL);
    s.delivered_total_ns = (int64_t)pooled_figure(pool, DELIVERED_TOTAL);
    s.throughput_msgs_per_s = pooled_figure(pool, MSGS_PER_S);
    s.throughput_bytes_per_s = pooled_figure(pool, BYTES_PER_S);
    s.growth.valid = pool->figure_counts[GROWTH_FIRST] > 0;
    if (s.growth.valid) {
        s.growth.first_ns = pooled_figure(pool, GROWTH_FIRST);
        s.growth.last_ns = pooled_figure(pool, GROWTH_LAST);
        s.growth.slope_ns = pooled_figure(pool, GROWTH_SLOPE);
    }
    for (int q = 0; q < STATS_QUANTITY_COUNT; q++) {
        stats_values *values = &pool->quantities[q];
        stats_distribution_compute(values->items, values->count, &s.quantities[q]);
    }
    *ret_summary = s;
}

void stats_pool_done(stats_pool *pool) {
    for (int q = 0; q < STATS_QUANTITY_COUNT; q++) {
        free(pool->quantities[q].items);
    }
    for (int figure = 0; figure < FIGURE_COUNT; figure++) {
        free(pool->figures[figure]);
    }
    *pool = (stats_pool){0};
}
