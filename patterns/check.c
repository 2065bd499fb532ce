/* The rows of one side against what it was asked; see pattern.h. */
#include <inttypes.h>
#include <stdio.h>

#include "pattern.h"

/* error_ns: how far the peer's clock may be off from another one. */
static bool check_stamps(const sample_row *row, uint8_t wanted, const pattern_asked *asked,
    int64_t error_ns, char *problem, size_t size) {
    const int64_t stamps[] = {row->t1_ns, row->t2_ns, row->t3_ns, row->t4_ns};
    int64_t before = asked->go_ns;
    for (int i = 0; i < 4; i++) {
        bool must = wanted & (1u << i);
        if (!must) {
            continue; /* a copy of the other side's stamp, or 0 */
        }
        if (stamps[i] == 0) {
            snprintf(problem, size, "has no t%d", i + 1);
            return false;
        }
        if (stamps[i] < before - error_ns) {
            snprintf(problem, size, "has t%d before %s", i + 1,
                before == asked->go_ns ? "go" : "the stamp that precedes it");
            return false;
        }
        if (stamps[i] > asked->measured_ns + error_ns) {
            snprintf(problem, size, "has t%d after measured", i + 1);
            return false;
        }
        before = stamps[i];
    }
    return true;
}

static bool check_planned(const sample_row *row, const sample_row *previous,
    const pattern_asked *asked, char *problem, size_t size) {
    if (asked->side != 0 || asked->period_ns == 0 || !previous) {
        return true;
    }
    int64_t step = row->planned_ns - previous->planned_ns;
    if (step != asked->period_ns) {
        snprintf(problem, size, "is planned %" PRId64 " ns after the one before, not %" PRId64,
            step, asked->period_ns);
        return false;
    }
    return true;
}

static uint64_t wanted_seq(const pattern_asked *asked, size_t index) {
    return index < asked->warmup ? index | SAMPLE_FLAG_WARMUP : index - asked->warmup;
}

static bool check_header(
    const pattern_asked *asked, const sample_file *file, char *problem, size_t size) {
    uint64_t rows = asked->count + asked->warmup;
    if (file->run_id != asked->run_id) {
        snprintf(problem, size, "the sample file carries another run id");
        return false;
    }
    if (file->missing_rows != 0) {
        snprintf(problem, size, "%" PRIu64 " rows are missing in the file", file->missing_rows);
        return false;
    }
    if (file->row_count != rows) {
        snprintf(problem, size,
            "%zu rows instead of %" PRIu64 " (%" PRIu64 " and %" PRIu64 " of warm-up)",
            file->row_count, rows, asked->count, asked->warmup);
        return false;
    }
    return true;
}

bool pattern_check_rows(const pattern *of, const pattern_asked *asked, const sample_file *file,
    char *problem, size_t problem_size) {
    if (!check_header(asked, file, problem, problem_size)) {
        return false;
    }
    uint8_t stamps = of->stamps[asked->echo][asked->side];
    int64_t error_ns = 2 * file->clock_error_ns; /* the other side may have such a clock, too */
    for (size_t i = 0; i < file->row_count; i++) {
        const sample_row *row = &file->rows[i];
        char reason[100] = "";
        if ((row->seq & ~SAMPLE_FLAG_CORRUPT) != wanted_seq(asked, i)) {
            snprintf(reason, sizeof reason, "has the number %#" PRIx64 " instead of %#" PRIx64,
                row->seq, wanted_seq(asked, i));
        } else if (row->seq & SAMPLE_FLAG_CORRUPT) {
            snprintf(reason, sizeof reason, "is marked as a payload that failed its check");
        } else if (check_stamps(row, stamps, asked, error_ns, reason, sizeof reason)) {
            check_planned(row, i > 0 ? row - 1 : NULL, asked, reason, sizeof reason);
        }
        if (reason[0]) {
            snprintf(problem, problem_size, "row %zu %s", i, reason);
            return false;
        }
    }
    return true;
}
