/* Settling: a task of the sender thread that waits for acknowledgements. */
#include "ros2/settle.h"

#include <stddef.h>
#include <time.h>

#include "rclite/time.h"
#include "ros2/ros2.h"

/* More than the two heartbeats that a lost probe costs. */
#define SETTLE_NS_MAX INT64_C(250000000)
/* Cyclone sends a new reader its first heartbeat after 1 ms; a probe before it would be dropped. */
#define PROBE_AFTER_NS INT64_C(2000000)
/* How long the thread waits before it looks at its other tasks. */
#define SLICE_NS INT64_C(1000000)

static bool is_acknowledged(ros2_settle *settle, int64_t now_ns) {
    if (atomic_load(&settle->probe_wanted)) {
        if (now_ns < atomic_load(&settle->matched_ns) + PROBE_AFTER_NS) {
            return false;
        }
        atomic_store(&settle->probe_wanted, false);
        if (!ros2_writer_probe(settle->writer)) {
            atomic_store(&settle->probe_wanted, true); /* its readers are behind */
        }
    }
    return dds_wait_for_acks(settle->writer->entity, SLICE_NS) != DDS_RETCODE_TIMEOUT &&
           !atomic_load(&settle->probe_wanted);
}

static bool await_acknowledgement(ros2_task *task, bool alone) {
    (void)alone;
    ros2_settle *settle = (ros2_settle *)((char *)task - offsetof(ros2_settle, task));
    if (atomic_load(&settle->ended)) {
        return false;
    }
    int64_t matched_ns = atomic_load(&settle->matched_ns);
    const int64_t since_ns = rclite_monotonic_ns() - matched_ns;
    const bool acknowledged = is_acknowledged(settle, since_ns + matched_ns);
    if (since_ns < (acknowledged ? settle->least_ns : SETTLE_NS_MAX)) {
        nanosleep(&(struct timespec){.tv_nsec = SLICE_NS}, NULL);
        return true;
    }
    if (!atomic_compare_exchange_strong(&settle->matched_ns, &matched_ns, 0)) {
        return true; /* one more match */
    }
    settle->done(settle->user);
    return false;
}

void ros2_settle_init(ros2_settle *settle, ros2_sender *sender, int64_t least_ns,
    void (*done)(void *user), void *user) {
    settle->least_ns = least_ns;
    settle->task.run = await_acknowledgement;
    settle->sender = sender;
    settle->done = done;
    settle->user = user;
}

void ros2_settle_start(ros2_settle *settle, ros2_writer *writer) {
    settle->writer = writer;
    atomic_store(&settle->started, true);
    if (!ros2_settle_is_done(settle)) {
        ros2_sender_push(settle->sender, &settle->task);
    }
}

void ros2_settle_end(ros2_settle *settle) {
    if (settle->sender) {
        atomic_store(&settle->ended, true);
        ros2_sender_remove(settle->sender, &settle->task);
    }
}

void ros2_settle_match(ros2_settle *settle, int32_t change) {
    if (change > 0) {
        atomic_store(&settle->probe_wanted, true);
        atomic_store(&settle->matched_ns, rclite_monotonic_ns());
        if (atomic_load(&settle->started)) {
            ros2_sender_push(settle->sender, &settle->task);
        }
    }
}

bool ros2_settle_is_done(ros2_settle *settle) {
    return atomic_load(&settle->matched_ns) == 0;
}
