/* Times. Durations and instants of the API are int64_t nanoseconds; inside messages they are the
 * pair of 32-bit numbers that both generations put on the wire. */
#ifndef RCLITE_TIME_H
#define RCLITE_TIME_H

#include <stdint.h>

#include "rclite/result.h"

#ifdef __cplusplus
extern "C" {
#endif

/* timeout_ns arguments: 0 polls, RCLITE_FOREVER waits without end. */
#define RCLITE_FOREVER INT64_MAX

/* ROS 1 `time` and ROS 2 builtin_interfaces/Time. On ROS 1 `sec` is unsigned on the wire. */
typedef struct rclite_time {
    int32_t sec;
    uint32_t nanosec;
} rclite_time;

/* ROS 1 `duration` (nanosec signed there; normalised here) and builtin_interfaces/Duration. */
typedef struct rclite_duration {
    int32_t sec;
    uint32_t nanosec;
} rclite_duration;

/* CLOCK_REALTIME in ns since 1970, as ROS's own now() without simulated time. Thread-safe. */
RCLITE_API int64_t rclite_now_ns(void);
/* CLOCK_MONOTONIC in ns, for intervals and deadlines. Thread-safe. */
RCLITE_API int64_t rclite_monotonic_ns(void);
/* Saturates at the ends of the 32-bit range of seconds. */
RCLITE_API rclite_time rclite_time_from_ns(int64_t ns);
RCLITE_API int64_t rclite_time_to_ns(rclite_time time);

#ifdef __cplusplus
}
#endif
#endif
