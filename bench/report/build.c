/* Builds a report from what a run left behind, and says what is dubious about
 * it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/compute.h"
#include "report/owned.h"
#include "util/memory.h"

/* A round whose two clocks moved apart by more is marked: NTP slews less than
 * this in a second. */
#define CLOCK_STEP_MAX_NS 1000000
/* More late sends than this are said (a send is late when it is 10 % of the
 * period behind). */
#define LATE_SENDS_MAX 0.01

static void warn_of_round(const plan_cell *cell, report_round *round) {
    const run_round *run = round->run;
    const stats_summary *s = &round->summary;
    if (llabs(run->clock_step_ns) > CLOCK_STEP_MAX_NS) {
        strvec_pushf(&round->warnings,
            "the wall clock was set by %lld us during the round; its "
            "times are dubious",
            (long long)run->clock_step_ns / 1000);
    }
    if (s->missing_rows > 0) {
        strvec_pushf(&round->warnings,
            "%llu samples did not fit into the peers' memory; the counts are short",
            (unsigned long long)s->missing_rows);
    }
    if (s->sent_known && cell->count > 0 && s->sent != cell->count) {
        strvec_pushf(&round->warnings, "%llu messages were asked for, %llu were sent",
            (unsigned long long)cell->count, (unsigned long long)s->sent);
    }
    const stats_distribution *lag = &s->quantities[STATS_SEND_LAG];
    if (lag->n > 0 && cell->period_ns > 0) {
        int64_t late_ns = cell->period_ns / 10;
        uint64_t late = lag->histogram->saturated;
        for (size_t i = 0; i < lag->histogram->bucket_count; i++) {
            const stats_bucket *bucket = &lag->histogram->buckets[i];
            late += stats_histogram_low(bucket->index) >= late_ns ? bucket->count : 0;
        }
        double share = (double)late / (double)lag->n;
        if (share > LATE_SENDS_MAX) {
            strvec_pushf(&round->warnings, "%.1f %% of the sends were late", 100 * share);
        }
    }
}

static void keep_hashes(report_round *round) {
    for (int side = 0; side < 2; side++) {
        const char *path = round->run->sides[side].samples_path;
        if (path != NULL && !report_sha256_file(path, round->samples_sha256[side])) {
            round->samples_sha256[side][0] = '\0';
            strvec_pushf(&round->warnings, "cannot read %s again", path);
        }
    }
}

static void build_round(
    const plan_cell *cell, report_round *round, bool samples_kept, stats_pool *pool) {
    const run_round *run = round->run;
    char error[512];
    if (!run->ok) {
        return;
    }
    const char *paths[2] = {run->sides[0].samples_path, run->sides[1].samples_path};
    round->has_summary =
        report_compute_round(cell, run, paths, pool, &round->summary, error, sizeof(error));
    if (!round->has_summary) {
        strvec_pushf(&round->warnings, "nothing can be computed: %s", error);
        return;
    }
    warn_of_round(cell, round);
    if (samples_kept) {
        keep_hashes(round);
    }
}

static void build_cell(report_cell *cell, const run_cell *run, bool samples_kept) {
    stats_pool pool = {0};
    cell->run = run;
    cell->round_count = run->round_count;
    cell->rounds = util_alloc(run->round_count + 1, sizeof(*cell->rounds));
    for (size_t i = 0; i < run->round_count; i++) {
        cell->rounds[i].run = &run->rounds[i];
        build_round(run->cell, &cell->rounds[i], samples_kept, &pool);
        cell->good_rounds += cell->rounds[i].has_summary;
    }
    cell->has_summary = cell->good_rounds > 0;
    if (cell->has_summary) {
        stats_pool_summarize(&pool, &cell->summary);
    }
    stats_pool_done(&pool);
}

void report_build(const plan *todo, const run_record *record, const run_environment *environment,
    const report_options *options, report *ret_report) {
    report built = {
        .plan = todo,
        .record = record,
        .environment = environment,
        .cell_count = record->cell_count,
        .seed = options->seed & INT64_MAX, /* JSON's integers are signed */
    };
    built.cells = util_alloc(record->cell_count + 1, sizeof(*built.cells));
    for (size_t i = 0; i < record->cell_count; i++) {
        build_cell(&built.cells[i], &record->cells[i], options->samples_kept);
    }
    if (options->warnings != NULL) {
        strvec_push_all(&built.warnings, options->warnings);
    }
    *ret_report = built;
}

void report_done(report *result) {
    for (size_t i = 0; i < result->cell_count; i++) {
        report_cell *cell = &result->cells[i];
        for (size_t r = 0; r < cell->round_count; r++) {
            stats_summary_done(&cell->rounds[r].summary);
            strvec_done(&cell->rounds[r].warnings);
        }
        stats_summary_done(&cell->summary);
        free(cell->rounds);
    }
    free(result->cells);
    strvec_done(&result->warnings);
    report_owned_free(result->owned);
    memset(result, 0, sizeof(*result));
}
