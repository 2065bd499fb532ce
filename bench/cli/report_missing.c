/* Stands in until bench/report is there: prints what each round gave, nothing computed. */
#include "report/report.h"

#include <inttypes.h>
#include <string.h>

#include "sample/sample.h"

static bool write_plain(const report *result, const report_view *view, FILE *out) {
    (void)view;
    for (size_t i = 0; i < result->record->cell_count; i++) {
        const run_cell *cell = &result->record->cells[i];
        fprintf(out, "%s %s -> %s%s%s\n", plan_pattern_name(cell->cell->pattern), cell->cell->from,
            cell->cell->to, cell->refused == NULL ? "" : " refused: ",
            cell->refused == NULL ? "" : cell->refused);
        for (size_t j = 0; j < cell->round_count; j++) {
            const run_round *round = &cell->rounds[j];
            fprintf(out, "  round %u ok=%d rows %" PRIu64 " %" PRIu64 " cpu %" PRId64 " %" PRId64
                         " rss %" PRId64 "\n",
                round->index, round->ok, round->sides[0].done_rows, round->sides[1].done_rows,
                round->sides[0].measured.cpu_user_ns, round->sides[0].measured.cpu_system_ns,
                round->sides[0].measured.max_rss_bytes);
            sample_file files[2];
            sample_set set;
            char error[256];
            if (round->ok && sample_file_read(round->sides[0].samples_path, &files[0], error, 256) &&
                sample_file_read(round->sides[1].samples_path, &files[1], error, 256)) {
                sample_join kind = cell->cell->pattern == PLAN_TOPIC
                                       ? (cell->cell->echo ? SAMPLE_JOIN_ECHO : SAMPLE_JOIN_ONE_WAY)
                                       : SAMPLE_JOIN_CALL;
                if (sample_set_join(&files[0], &files[1], kind, &set, error, 256)) {
                    fprintf(out, "    sent %" PRIu64 " received %" PRIu64 " first %" PRId64 "\n",
                        set.sent, set.received, set.rows[0].t4_ns - set.rows[0].t1_ns);
                }
            }
        }
    }
    for (size_t i = 0; i < result->plan->note_count; i++) {
        fprintf(out, "note: %s\n", result->plan->notes[i]);
    }
    return true;
}

const report_format report_formats[] = {{"text", ".txt", "", write_plain}};
const size_t report_format_count = 1;

const report_format *report_format_find(const char *name) {
    (void)name;
    return &report_formats[0];
}

const report_format *report_format_of_file(const char *file_name) {
    (void)file_name;
    return &report_formats[0];
}

void report_build(const plan *todo, const run_record *record, const run_environment *environment,
    const report_options *options, report *ret_report) {
    memset(ret_report, 0, sizeof *ret_report);
    ret_report->plan = todo;
    ret_report->record = record;
    ret_report->environment = environment;
    ret_report->seed = options->seed;
}

bool report_read(const char *path, report *ret_report, char *error_text, size_t error_size) {
    (void)ret_report;
    snprintf(error_text, error_size, "%s: results cannot be read yet", path);
    return false;
}

bool report_recompute(const report *result, const char *result_path, size_t *ret_rounds_checked,
    char *error_text, size_t error_size) {
    (void)result;
    *ret_rounds_checked = 0;
    snprintf(error_text, error_size, "%s: results cannot be read yet", result_path);
    return false;
}

void report_done(report *result) {
    memset(result, 0, sizeof *result);
}
