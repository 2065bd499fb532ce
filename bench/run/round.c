/* Records: warnings, and their end; see round.h. */
#include "run/round.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

void run_round_warn(run_round *round, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = util_vformat(format, arguments);
    va_end(arguments);
    round->warnings =
        reallocarray(round->warnings, round->warning_count + 1, sizeof *round->warnings);
    if (round->warnings == NULL) {
        abort();
    }
    round->warnings[round->warning_count++] = text;
}

static void process_done(run_process *process) {
    free(process->role);
    free(process->variant);
    free(process->command);
    free(process->effective_json);
    free(process->samples_path);
    free(process->said);
}

void run_round_done(run_round *round) {
    process_done(&round->sides[0]);
    process_done(&round->sides[1]);
    for (size_t i = 0; i < round->warning_count; i++) {
        free(round->warnings[i]);
    }
    free(round->warnings);
    free(round->failure);
    memset(round, 0, sizeof *round);
}

void run_record_done(run_record *record) {
    for (size_t i = 0; i < record->cell_count; i++) {
        for (size_t j = 0; j < record->cells[i].round_count; j++) {
            run_round_done(&record->cells[i].rounds[j]);
        }
        free(record->cells[i].rounds);
        free(record->cells[i].refused);
    }
    free(record->cells);
    run_work_dir_done(&record->work_dir);
    memset(record, 0, sizeof *record);
}
