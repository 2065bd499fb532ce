/* The event count over Linux's futex. */
#include "core/event.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "rclite/time.h"

#define NS_PER_S INT64_C(1000000000)

_Static_assert(sizeof(_Atomic uint32_t) == 4, "the kernel looks at 32 bits");

uint32_t rclitei_event_look(rclitei_event *event) {
    return atomic_load(&event->sequence);
}

void rclitei_event_signal(rclitei_event *event) {
    atomic_fetch_add(&event->sequence, 1);
    if (atomic_load(&event->sleepers) != 0) {
        int saved = errno;
        syscall(SYS_futex, &event->sequence, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
        errno = saved;
    }
}

void rclitei_event_sleep(rclitei_event *event, uint32_t seen, int64_t deadline_ns) {
    struct timespec until = {
        .tv_sec = (time_t)(deadline_ns / NS_PER_S),
        .tv_nsec = (long)(deadline_ns % NS_PER_S),
    };
    atomic_fetch_add(&event->sleepers, 1);
    syscall(SYS_futex, &event->sequence, FUTEX_WAIT_BITSET_PRIVATE, seen,
        deadline_ns == RCLITE_FOREVER ? NULL : &until, NULL, FUTEX_BITSET_MATCH_ANY);
    atomic_fetch_sub(&event->sleepers, 1);
}
