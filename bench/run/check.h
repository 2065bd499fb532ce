/* Whether what a peer said it did is what its sample file holds. */
#ifndef BENCH_RUN_CHECK_H
#define BENCH_RUN_CHECK_H

#include <stdint.h>

#include "run/run_record.h"

/* Turns a good round into a failed one when they differ. */
void run_check_samples(run_round *round, uint64_t run_id, const plan_cell *cell);

#endif
