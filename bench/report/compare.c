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

static size_t figures(const report_cell *cell, double **ret_values) {
    return by_total(cell->run->cell) ? layout_round_totals(cell, ret_values)
                                     : layout_round_medians(cell, ret_values);
}

/* The same combination of the same libraries. Other settings of the peers may be what is compared,
 * so they only count when there is a choice. */
static const report_cell *partner(const report *other, const report_cell *cell) {
    const plan_cell *what = cell->run->cell;
    const report_cell *found = NULL;
    for (size_t i = 0; i < other->cell_count; i++) {
        plan_cell candidate = *other->cells[i].run->cell;
        bool same_settings = layout_same_group(&candidate, what);
        candidate.settings_json = what->settings_json;
        if (other->cells[i].has_summary && layout_same_group(&candidate, what) &&
            strcmp(candidate.from, what->from) == 0 && strcmp(candidate.to, what->to) == 0 &&
            (found == NULL || same_settings)) {
            found = &other->cells[i];
        }
    }
    return found;
}

static void fill_row(compare_row *row, uint64_t seed) {
    double *before, *after;
    row->before_rounds = figures(row->before, &before);
    row->after_rounds = figures(row->after, &after);
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
    if (stats_mann_whitney_least_p(row->before_rounds, row->after_rounds) > COMPARE_ALPHA) {
        return COMPARE_TOO_FEW;
    }
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

static void judge_all(comparison *compared) {
    double *p = util_alloc(compared->row_count + 1, sizeof(*p));
    double logs = 0;
    size_t ratios = 0;
    for (size_t i = 0; i < compared->row_count; i++) {
        p[i] = compared->rows[i].p;
    }
    stats_holm(p, compared->row_count);
    for (size_t i = 0; i < compared->row_count; i++) {
        compare_row *row = &compared->rows[i];
        row->p = p[i];
        row->verdict = judge(row);
        compared->verdicts[row->verdict]++;
        if (row->ratio.estimate > 0) {
            logs += log(row->ratio.estimate);
            ratios++;
        }
    }
    compared->geometric_mean = ratios > 0 ? exp(logs / (double)ratios) : 0;
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

void compare_results(const report *before, const report *after, comparison *ret_comparison) {
    comparison compared = {0};
    compared.rows = util_alloc(after->cell_count + 1, sizeof(*compared.rows));
    for (size_t i = 0; i < after->cell_count; i++) {
        const report_cell *cell = &after->cells[i];
        const report_cell *old = partner(before, cell);
        if (!cell->has_summary) {
            continue;
        }
        if (old == NULL) {
            note_cell(&compared, cell, "only in the new result");
            continue;
        }
        compare_row *row = &compared.rows[compared.row_count++];
        row->before = old;
        row->after = cell;
        fill_row(row, after->seed);
        note_losses(&compared, row);
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
