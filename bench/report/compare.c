/* Judges two results: see compare.h. */
#include "report/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/layout.h"
#include "stats/compare.h"
#include "stats/summarize.h"
#include "util/memory.h"

static const char *const verdict_names[COMPARE_VERDICT_COUNT] = {
    [COMPARE_NO_CHANGE] = "no change",
    [COMPARE_BETTER] = "better",
    [COMPARE_WORSE] = "worse",
    [COMPARE_TOO_FEW] = "too few rounds",
    [COMPARE_TOO_NOISY] = "too noisy",
};

const char *compare_verdict_name(compare_verdict verdict) {
    return verdict_names[verdict];
}

/* Messages of a flooded topic wait for each other; there the time of all of
 * them is the figure. */
static bool by_total(const plan_cell *what) {
    return what->pattern == PLAN_TOPIC && !what->echo && what->period_ns == 0;
}

static bool figure_of(const report_cell *cell, const report_round *round, double *ret_figure) {
    const stats_summary *summary = &round->summary;
    const stats_distribution *d = &summary->quantities[stats_main_quantity(cell->run->cell)];
    bool total = by_total(cell->run->cell);
    *ret_figure = total ? (double)summary->delivered_total_ns : d->p50;
    return round->has_summary && (total ? summary->delivered_total_ns >= 0 : d->n > 0);
}

/* The baseline's figure in the round of this number. */
static bool figure_beside(const report_cell *baseline, uint32_t index, double *ret_figure) {
    for (size_t i = 0; i < baseline->round_count; i++) {
        if (baseline->rounds[i].run->index == index) {
            return figure_of(baseline, &baseline->rounds[i], ret_figure) && *ret_figure > 0;
        }
    }
    return false;
}

/* One per good round; relative to the baseline's in the same round, if there is one. */
static size_t figures(const report_cell *cell, const report_cell *baseline, double **ret_values) {
    size_t count = 0;
    *ret_values = util_alloc(cell->round_count + 1, sizeof(double));
    for (size_t i = 0; i < cell->round_count; i++) {
        double figure, beside = 1;
        if (figure_of(cell, &cell->rounds[i], &figure) &&
            (baseline == NULL || figure_beside(baseline, cell->rounds[i].run->index, &beside))) {
            (*ret_values)[count++] = figure / beside;
        }
    }
    return count;
}

/* The same combination of these libraries. Other settings of the peers may be what is compared,
 * so they only count when there is a choice. */
static const report_cell *find(
    const report *result, const plan_cell *what, const char *from, const char *to) {
    const report_cell *found = NULL;
    for (size_t i = 0; i < result->cell_count; i++) {
        plan_cell candidate = *result->cells[i].run->cell;
        bool same_settings = layout_same_group(&candidate, what);
        candidate.settings_json = what->settings_json;
        if (result->cells[i].has_summary && layout_same_group(&candidate, what) &&
            strcmp(candidate.from, from) == 0 && strcmp(candidate.to, to) == 0 &&
            (found == NULL || same_settings)) {
            found = &result->cells[i];
        }
    }
    return found;
}

static const report_cell *partner(const report *other, const report_cell *cell) {
    return find(other, cell->run->cell, cell->run->cell->from, cell->run->cell->to);
}

/* The baselines may be NULL. */
static void fill_row(compare_row *row, const report_cell *before_baseline,
    const report_cell *after_baseline, uint64_t seed) {
    double *before, *after;
    row->before_rounds = figures(row->before, before_baseline, &before);
    row->after_rounds = figures(row->after, after_baseline, &after);
    row->figure = by_total(row->after->run->cell)
                      ? "delivered_total_ns"
                      : stats_quantity_name(stats_main_quantity(row->after->run->cell));
    row->p = 1;
    if (row->before_rounds > 0 && row->after_rounds > 0) {
        stats_u_test test =
            stats_mann_whitney(after, row->after_rounds, before, row->before_rounds);
        row->before_median = stats_median(before, row->before_rounds);
        row->after_median = stats_median(after, row->after_rounds);
        row->ratio =
            stats_bootstrap_ratio(after, row->after_rounds, before, row->before_rounds, seed);
        row->p = test.p;
        row->effect = test.effect;
    }
    free(before);
    free(after);
}

/* row->p is adjusted by now. */
static compare_verdict judge(const compare_row *row) {
    double ratio = row->ratio.estimate;
    if (row->p < COMPARE_ALPHA && ratio > 0) {
        return ratio > 1 + COMPARE_THRESHOLD         ? COMPARE_WORSE
               : ratio < 1 / (1 + COMPARE_THRESHOLD) ? COMPARE_BETTER
                                                     : COMPARE_NO_CHANGE;
    }
    bool excluded = row->ratio.valid && row->ratio.low > 1 / (1 + COMPARE_EXCLUDED) &&
                    row->ratio.high < 1 + COMPARE_EXCLUDED;
    return excluded ? COMPARE_NO_CHANGE : COMPARE_TOO_NOISY;
}

/* How many rounds would do for all the rows, when some have too few. */
static void note_rounds(comparison *compared) {
    size_t needed = 2;
    while (
        stats_mann_whitney_least_p(needed, needed) * (double)compared->row_count > COMPARE_ALPHA) {
        needed++;
    }
    if (compared->verdicts[COMPARE_TOO_FEW] > 0) {
        strvec_pushf(&compared->notes,
            "too few rounds: a verdict on %zu row%s needs %zu rounds "
            "of each, old and new (--rounds)",
            compared->row_count, compared->row_count == 1 ? "" : "s", needed);
    }
}

static void judge_all(comparison *compared) {
    size_t count = compared->row_count, able_count = 0, ratios = 0;
    double *p = util_alloc(count + 1, sizeof(*p));
    bool *able = util_alloc(count + 1, sizeof(*able));
    double logs = 0;
    for (size_t i = 0; i < count; i++) {
        const compare_row *row = &compared->rows[i];
        p[i] = stats_mann_whitney_least_p(row->before_rounds, row->after_rounds);
    }
    stats_holm_able(p, count, COMPARE_ALPHA, able);
    for (size_t i = 0; i < count; i++) {
        if (able[i]) {
            p[able_count++] = compared->rows[i].p;
        }
    }
    stats_holm(p, able_count);
    for (size_t i = count; i-- > 0;) {
        compare_row *row = &compared->rows[i];
        row->p = able[i] ? p[--able_count] : fmin(1, row->p * (double)count);
        row->verdict = able[i] ? judge(row) : COMPARE_TOO_FEW;
        compared->verdicts[row->verdict]++;
        if (row->ratio.estimate > 0) {
            logs += log(row->ratio.estimate);
            ratios++;
        }
    }
    compared->geometric_mean = ratios > 0 ? exp(logs / (double)ratios) : 0;
    note_rounds(compared);
    free(able);
    free(p);
}

static void note_cell(comparison *compared, const report_cell *cell, const char *text) {
    const plan_cell *what = cell->run->cell;
    strvec_pushf(&compared->notes, "%s %s -> %s: %s", plan_pattern_name(what->pattern), what->from,
        what->to, text);
}

static void note_losses(comparison *compared, const compare_row *row) {
    const stats_summary *before = &row->before->summary, *after = &row->after->summary;
    bool known = before->sent_known && before->received_known && after->sent_known &&
                 after->received_known && before->sent > 0 && after->sent > 0;
    double was = known ? (double)before->lost / (double)before->sent : 0;
    double is = known ? (double)after->lost / (double)after->sent : 0;
    if (is > was) {
        char *text = util_format("more is lost: %llu of %llu, was %llu of %llu",
            (unsigned long long)after->lost, (unsigned long long)after->sent,
            (unsigned long long)before->lost, (unsigned long long)before->sent);
        note_cell(compared, row->after, text);
        free(text);
    }
}

static void note_difference(
    comparison *compared, const char *what, const char *before, const char *after) {
    if (before != NULL && after != NULL && strcmp(before, after) != 0) {
        strvec_pushf(&compared->notes, "%s differs: %s, now %s", what, before, after);
    }
}

static void note_environment(
    comparison *compared, const run_environment *before, const run_environment *after) {
    note_difference(compared, "the CPU", before->cpu_model, after->cpu_model);
    note_difference(compared, "the kernel", before->kernel, after->kernel);
    note_difference(compared, "the governor", before->governor, after->governor);
    note_difference(compared, "the build type", before->build_type, after->build_type);
    note_difference(compared, "the version of DDS", before->dds_version, after->dds_version);
    note_difference(
        compared, "the DDS configuration", before->dds_configuration, after->dds_configuration);
    note_difference(
        compared, "the profile of Fast DDS", before->fastdds_profiles, after->fastdds_profiles);
    note_difference(compared, "the RMW", before->rmw, after->rmw);
}

/* Adds a row for a cell that both have, beside the baseline if there is one. */
static void add_row(comparison *compared, const report *before, const report_cell *old,
    const report *after, const report_cell *cell) {
    const plan_cell *what = cell->run->cell;
    const char *name = compared->baseline;
    const report_cell *baselines[2] = {NULL, NULL};
    if (name != NULL) {
        baselines[0] = find(before, what, name, name);
        baselines[1] = find(after, what, name, name);
        if (baselines[0] == NULL || baselines[1] == NULL) {
            char *text = util_format("not compared, %s is not beside it in both", name);
            note_cell(compared, cell, text);
            free(text);
            return;
        }
        if (baselines[1] == cell) {
            return;
        }
    }
    compare_row *row = &compared->rows[compared->row_count++];
    row->before = old;
    row->after = cell;
    fill_row(row, baselines[0], baselines[1], after->seed);
    note_losses(compared, row);
}

void compare_results(
    const report *before, const report *after, const char *baseline, comparison *ret_comparison) {
    comparison compared = {.baseline = baseline};
    compared.rows = util_alloc(after->cell_count + 1, sizeof(*compared.rows));
    for (size_t i = 0; i < after->cell_count; i++) {
        const report_cell *cell = &after->cells[i];
        const report_cell *old = partner(before, cell);
        if (cell->has_summary && old != NULL) {
            add_row(&compared, before, old, after, cell);
        } else if (cell->has_summary) {
            note_cell(&compared, cell, "only in the new result");
        }
    }
    for (size_t i = 0; i < before->cell_count; i++) {
        if (before->cells[i].has_summary && partner(after, &before->cells[i]) == NULL) {
            note_cell(&compared, &before->cells[i], "only in the old result");
        }
    }
    judge_all(&compared);
    note_environment(&compared, before->environment, after->environment);
    *ret_comparison = compared;
}

void comparison_done(comparison *compared) {
    free(compared->rows);
    strvec_done(&compared->notes);
    memset(compared, 0, sizeof(*compared));
}
