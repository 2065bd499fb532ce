/* What records need: warnings added to a round's, everything freed. */
#ifndef BENCH_RUN_ROUND_H
#define BENCH_RUN_ROUND_H

#include "run/run_record.h"

void run_round_warn(run_round *round, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void run_round_done(run_round *round);
/* Frees the record of a whole run, and deletes the temporary folder of its samples. */
void run_record_done(run_record *record);

#endif
