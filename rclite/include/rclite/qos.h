/* Quality of service, in ROS's words. On ROS 1 only depth (queue size), history and durability
 * (transient local = latched) mean something; the others are ignored there. */
#ifndef RCLITE_QOS_H
#define RCLITE_QOS_H

#include <stdint.h>

#include "rclite/result.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum rclite_qos_reliability {
    RCLITE_QOS_RELIABLE,
    RCLITE_QOS_BEST_EFFORT,
    RCLITE_QOS_RELIABILITY_COUNT
} rclite_qos_reliability;

typedef enum rclite_qos_durability {
    RCLITE_QOS_VOLATILE,
    RCLITE_QOS_TRANSIENT_LOCAL,
    RCLITE_QOS_DURABILITY_COUNT
} rclite_qos_durability;

typedef enum rclite_qos_history {
    RCLITE_QOS_KEEP_LAST,
    RCLITE_QOS_KEEP_ALL,
    RCLITE_QOS_HISTORY_COUNT
} rclite_qos_history;

typedef enum rclite_qos_liveliness {
    RCLITE_QOS_LIVELINESS_AUTOMATIC,
    RCLITE_QOS_LIVELINESS_MANUAL_BY_TOPIC,
    RCLITE_QOS_LIVELINESS_COUNT
} rclite_qos_liveliness;

typedef struct rclite_qos {
    rclite_qos_reliability reliability;
    rclite_qos_durability durability;
    rclite_qos_history history;
    rclite_qos_liveliness liveliness;
    uint32_t depth;      /* keep last: at least 1 */
    int64_t deadline_ns; /* 0 = none, for all three */
    int64_t lifespan_ns;
    int64_t liveliness_lease_ns;
} rclite_qos;

/* The profiles of rmw: default (reliable, volatile, keep last 10), sensor data (best effort, 5),
 * services (reliable, volatile, 10), action status (reliable, transient local, 1), parameters. */
RCLITE_API rclite_qos rclite_qos_default(void);
RCLITE_API rclite_qos rclite_qos_sensor_data(void);
RCLITE_API rclite_qos rclite_qos_services(void);
RCLITE_API rclite_qos rclite_qos_action_status(void);

#ifdef __cplusplus
}
#endif
#endif
