/* Reads sample files after a round; see check.h. */
#include "run/check.h"

#include <inttypes.h>

#include "sample/sample.h"
#include "util/memory.h"

/* What a peer said it did against the file it wrote. */
static char *check_samples(const run_process *process, uint64_t run_id, uint64_t exactly) {
    sample_file file;
    char text[512];
    if (!sample_file_read(process->samples_path, &file, text, sizeof text)) {
        return util_format(
            "%s (%s) left no usable samples: %s", process->variant, process->role, text);
    }
    uint64_t rows = 0;
    for (size_t i = 0; i < file.row_count; i++) {
        rows += (file.rows[i].seq & SAMPLE_FLAG_WARMUP) == 0;
    }
    char *sentence = NULL;
    if (rows != process->done_rows) {
        sentence = util_format("%s (%s) said 'done %" PRIu64 "', but its file holds %" PRIu64
                               " rows that are not warm-up",
            process->variant, process->role, process->done_rows, rows);
    } else if (exactly != 0 && rows != exactly) {
        sentence = util_format("%s (%s) recorded %" PRIu64 " messages instead of %" PRIu64,
            process->variant, process->role, rows, exactly);
    } else if (file.run_id != run_id) {
        sentence =
            util_format("%s (%s) left the samples of another run", process->variant, process->role);
    }
    sample_file_done(&file);
    return sentence;
}

/* The sending side has a row for each message, exactly; the other one for what arrived. */
void run_check_samples(run_round *round, uint64_t run_id, const plan_cell *cell) {
    for (int side = 0; round->ok && side < 2; side++) {
        if (round->sides[side].samples_path != NULL) {
            round->failure =
                check_samples(&round->sides[side], run_id, side == 0 ? cell->count : 0);
            round->ok = round->failure == NULL;
        }
    }
}
