/* Clocks, and times as they stand in messages. */
#include "rclite/time.h"

#include <time.h>

#define NS_PER_S INT64_C(1000000000)

static int64_t clock_ns(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

int64_t rclite_now_ns(void) {
    return clock_ns(CLOCK_REALTIME);
}

int64_t rclite_monotonic_ns(void) {
    return clock_ns(CLOCK_MONOTONIC);
}

rclite_time rclite_time_from_ns(int64_t ns) {
    int64_t sec = ns / NS_PER_S;
    int64_t rest = ns % NS_PER_S;
    if (rest < 0) {
        sec -= 1;
        rest += NS_PER_S;
    }
    if (sec > INT32_MAX) {
        return (rclite_time){INT32_MAX, (uint32_t)(NS_PER_S - 1)};
    }
    if (sec < INT32_MIN) {
        return (rclite_time){INT32_MIN, 0};
    }
    return (rclite_time){(int32_t)sec, (uint32_t)rest};
}

int64_t rclite_time_to_ns(rclite_time time) {
    return (int64_t)time.sec * NS_PER_S + time.nanosec;
}
