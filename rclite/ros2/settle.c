/* Settling: a task of the sender thread that lets the time pass. */
#include "ros2/settle.h"

#include <stddef.h>
#include <time.h>

#include "rclite/time.h"

#define SETTLE_NS INT64_C(15000000)
#define SLICE_NS INT64_C(1000000) /* other tasks of the thread wait no longer than this */

static bool let_time_pass(ros2_task *task, bool alone) {
    (void)alone;
    ros2_settle *settle = (ros2_settle *)((char *)task - offsetof(ros2_settle, task));
    int64_t until_ns = atomic_load(&settle->until_ns);
    const int64_t left_ns = until_ns - rclite_monotonic_ns();
    if (left_ns > 0) {
        const int64_t nap_ns = left_ns < SLICE_NS ? left_ns : SLICE_NS;
        nanosleep(&(struct timespec){.tv_nsec = (long)nap_ns}, NULL);
        return true;
    }
    if (!atomic_compare_exchange_strong(&settle->until_ns, &until_ns, 0)) {
        return true; /* one more match */
    }
    settle->done(settle->user);
    return false;
}

void ros2_settle_init(
    ros2_settle *settle, ros2_sender *sender, void (*done)(void *user), void *user) {
    settle->task.run = let_time_pass;
    settle->sender = sender;
    settle->done = done;
    settle->user = user;
}

void ros2_settle_end(ros2_settle *settle) {
    if (settle->sender) {
        ros2_sender_remove(settle->sender, &settle->task);
    }
}

void ros2_settle_match(ros2_settle *settle, int32_t change) {
    if (change > 0) {
        atomic_store(&settle->until_ns, rclite_monotonic_ns() + SETTLE_NS);
        ros2_sender_push(settle->sender, &settle->task);
    }
}

bool ros2_settle_is_done(ros2_settle *settle) {
    return atomic_load(&settle->until_ns) == 0;
}
