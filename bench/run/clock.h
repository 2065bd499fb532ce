/* The clocks of the harness. Stamps are CLOCK_REALTIME, deadlines CLOCK_MONOTONIC. */
#ifndef BENCH_RUN_CLOCK_H
#define BENCH_RUN_CLOCK_H

#include <stdint.h>

int64_t run_clock_real_ns(void);
int64_t run_clock_monotonic_ns(void);

#endif
