/* What happens while measuring, on standard error: one live line with bar and time left on a
 * terminal, else a line every few seconds; and every trouble, with what the peer said. */
#ifndef BENCH_CLI_PROGRESS_H
#define BENCH_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "plan/plan.h"
#include "run/runner.h"

typedef struct cli_progress {
    FILE *out;
    bool live;
    uint32_t rounds;
    size_t total, ended; /* rounds of all cells */
    int64_t budget_ns;
    int64_t began_ns, told_ns; /* when the last line came, where there is no live one */
    bool line_open;            /* a live line stands there */
} cli_progress;

/* budget_ns: more time than this there is not left; 0: no limit. */
void cli_progress_begin(cli_progress *progress, const plan *todo, int64_t budget_ns, FILE *out);
run_observer cli_progress_observer(cli_progress *progress);
/* Removes the live line. */
void cli_progress_end(cli_progress *progress);

#endif
