/* Deadline, lifespan and lease: 0 in the job is infinity in DDS. */
#include "qos.h"

/* As rmw_cyclonedds: no waiting without end for a reader that is behind. */
#define MAX_BLOCKING_NS DDS_MSECS(100)

static dds_duration_t to_dds(int64_t ns) {
    return ns == 0 ? DDS_INFINITY : ns;
}

static int64_t from_dds(dds_duration_t ns) {
    return ns == DDS_INFINITY ? 0 : ns;
}

dds_qos_t *cyclone_qos_create(const peer_qos *qos) {
    dds_qos_t *to = dds_create_qos();
    dds_qset_reliability(to,
        qos->reliability == PEER_RELIABLE ? DDS_RELIABILITY_RELIABLE : DDS_RELIABILITY_BEST_EFFORT,
        MAX_BLOCKING_NS);
    dds_qset_durability(to, qos->durability == PEER_VOLATILE ? DDS_DURABILITY_VOLATILE
                                                             : DDS_DURABILITY_TRANSIENT_LOCAL);
    dds_qset_history(to,
        qos->history == PEER_KEEP_LAST ? DDS_HISTORY_KEEP_LAST : DDS_HISTORY_KEEP_ALL,
        (int32_t)qos->depth);
    dds_qset_liveliness(to,
        qos->liveliness == PEER_AUTOMATIC ? DDS_LIVELINESS_AUTOMATIC
                                          : DDS_LIVELINESS_MANUAL_BY_TOPIC,
        to_dds(qos->liveliness_lease_ns));
    dds_qset_deadline(to, to_dds(qos->deadline_ns));
    dds_qset_lifespan(to, to_dds(qos->lifespan_ns));
    return to;
}

peer_qos cyclone_qos_read(const dds_qos_t *qos) {
    dds_reliability_kind_t reliability = DDS_RELIABILITY_BEST_EFFORT;
    dds_durability_kind_t durability = DDS_DURABILITY_VOLATILE;
    dds_history_kind_t history = DDS_HISTORY_KEEP_LAST;
    dds_liveliness_kind_t liveliness = DDS_LIVELINESS_AUTOMATIC;
    dds_duration_t blocking, lease = DDS_INFINITY, deadline = DDS_INFINITY, lifespan = DDS_INFINITY;
    int32_t depth = 1;
    dds_qget_reliability(qos, &reliability, &blocking);
    dds_qget_durability(qos, &durability);
    dds_qget_history(qos, &history, &depth);
    dds_qget_liveliness(qos, &liveliness, &lease);
    dds_qget_deadline(qos, &deadline);
    dds_qget_lifespan(qos, &lifespan);
    return (peer_qos){
        .reliability = reliability == DDS_RELIABILITY_RELIABLE ? PEER_RELIABLE : PEER_BEST_EFFORT,
        .durability = durability == DDS_DURABILITY_VOLATILE ? PEER_VOLATILE : PEER_TRANSIENT_LOCAL,
        .history = history == DDS_HISTORY_KEEP_LAST ? PEER_KEEP_LAST : PEER_KEEP_ALL,
        .liveliness =
            liveliness == DDS_LIVELINESS_AUTOMATIC ? PEER_AUTOMATIC : PEER_MANUAL_BY_TOPIC,
        .depth = depth > 0 ? (uint32_t)depth : 1,
        .deadline_ns = from_dds(deadline),
        .lifespan_ns = from_dds(lifespan),
        .liveliness_lease_ns = from_dds(lease),
    };
}
