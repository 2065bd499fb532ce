/* The job's QoS and stamps as ROS 2's, and back. */
#include "peer.h"

#define SECOND_NS 1000000000

static rmw_time_t duration(int64_t ns) {
    return (rmw_time_t){(uint64_t)(ns / SECOND_NS), (uint64_t)(ns % SECOND_NS)};
}

/* rmw says "infinite" or nothing where the job says 0. */
static int64_t finite_ns(rmw_time_t value) {
    const uint64_t infinite_s = 9000000000;
    return value.sec >= infinite_s ? 0 : (int64_t)(value.sec * SECOND_NS + value.nsec);
}

rmw_qos_profile_t rclc_peer_qos(const peer_qos *asked) {
    rmw_qos_profile_t qos = rmw_qos_profile_default;
    qos.history = asked->history == PEER_KEEP_ALL ? RMW_QOS_POLICY_HISTORY_KEEP_ALL
                                                  : RMW_QOS_POLICY_HISTORY_KEEP_LAST;
    qos.depth = asked->depth;
    qos.reliability = asked->reliability == PEER_RELIABLE ? RMW_QOS_POLICY_RELIABILITY_RELIABLE
                                                          : RMW_QOS_POLICY_RELIABILITY_BEST_EFFORT;
    qos.durability = asked->durability == PEER_VOLATILE ? RMW_QOS_POLICY_DURABILITY_VOLATILE
                                                        : RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL;
    qos.liveliness = asked->liveliness == PEER_AUTOMATIC
                         ? RMW_QOS_POLICY_LIVELINESS_AUTOMATIC
                         : RMW_QOS_POLICY_LIVELINESS_MANUAL_BY_TOPIC;
    qos.deadline = duration(asked->deadline_ns);
    qos.lifespan = duration(asked->lifespan_ns);
    qos.liveliness_lease_duration = duration(asked->liveliness_lease_ns);
    return qos;
}

peer_qos rclc_peer_effective(const rmw_qos_profile_t *actual) {
    return (peer_qos){
        .reliability = actual->reliability == RMW_QOS_POLICY_RELIABILITY_RELIABLE
                           ? PEER_RELIABLE
                           : PEER_BEST_EFFORT,
        .durability = actual->durability == RMW_QOS_POLICY_DURABILITY_VOLATILE
                          ? PEER_VOLATILE
                          : PEER_TRANSIENT_LOCAL,
        .history =
            actual->history == RMW_QOS_POLICY_HISTORY_KEEP_ALL ? PEER_KEEP_ALL : PEER_KEEP_LAST,
        .liveliness = actual->liveliness == RMW_QOS_POLICY_LIVELINESS_MANUAL_BY_TOPIC
                          ? PEER_MANUAL_BY_TOPIC
                          : PEER_AUTOMATIC,
        .depth = (uint32_t)actual->depth,
        .deadline_ns = finite_ns(actual->deadline),
        .lifespan_ns = finite_ns(actual->lifespan),
        .liveliness_lease_ns = finite_ns(actual->liveliness_lease_duration),
    };
}

int64_t rclc_peer_ns(const builtin_interfaces__msg__Time *stamp) {
    return (int64_t)stamp->sec * SECOND_NS + stamp->nanosec;
}

builtin_interfaces__msg__Time rclc_peer_stamp(int64_t ns) {
    return (builtin_interfaces__msg__Time){(int32_t)(ns / SECOND_NS), (uint32_t)(ns % SECOND_NS)};
}
