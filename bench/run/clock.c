/* The clocks of the harness; see clock.h. */
#include "run/clock.h"

#include <time.h>

static int64_t read_clock(clockid_t id) {
    struct timespec now;
    clock_gettime(id, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t run_clock_real_ns(void) {
    return read_clock(CLOCK_REALTIME);
}

int64_t run_clock_monotonic_ns(void) {
    return read_clock(CLOCK_MONOTONIC);
}
