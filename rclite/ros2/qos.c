/* QoS between ROS's words and DDS's, as rmw_cyclonedds translates them, with one difference: a
 * writer never blocks inside Cyclone (max_blocking_time 0). A thread that may wait does so in
 * writer.c, where no lock of Cyclone's is held. */
#include <string.h>

#include "ros2/ros2.h"

static void set_history(dds_qos_t *to, const rclite_qos *qos) {
    const bool all = qos->history == RCLITE_QOS_KEEP_ALL;
    const dds_history_kind_t kind = all ? DDS_HISTORY_KEEP_ALL : DDS_HISTORY_KEEP_LAST;
    const int32_t depth = all ? DDS_LENGTH_UNLIMITED : (int32_t)qos->depth;
    dds_qset_history(to, kind, depth);
    if (qos->durability == RCLITE_QOS_TRANSIENT_LOCAL) {
        /* Cyclone keeps for late joiners what the durability service says, not the history. */
        dds_qset_durability(to, DDS_DURABILITY_TRANSIENT_LOCAL);
        dds_qset_durability_service(
            to, 0, kind, depth, DDS_LENGTH_UNLIMITED, DDS_LENGTH_UNLIMITED, DDS_LENGTH_UNLIMITED);
    } else {
        dds_qset_durability(to, DDS_DURABILITY_VOLATILE);
    }
}

dds_qos_t *ros2_qos_create(const rclite_qos *qos, const ros2_qos_extra *extra) {
    dds_qos_t *to = dds_create_qos();
    if (!to) {
        return NULL;
    }
    set_history(to, qos);
    dds_qset_reliability(to,
        qos->reliability == RCLITE_QOS_RELIABLE ? DDS_RELIABILITY_RELIABLE
                                                : DDS_RELIABILITY_BEST_EFFORT,
        0);
    if (qos->deadline_ns > 0) {
        dds_qset_deadline(to, qos->deadline_ns);
    }
    if (qos->lifespan_ns > 0) {
        dds_qset_lifespan(to, qos->lifespan_ns);
    }
    dds_qset_liveliness(to,
        qos->liveliness == RCLITE_QOS_LIVELINESS_AUTOMATIC ? DDS_LIVELINESS_AUTOMATIC
                                                           : DDS_LIVELINESS_MANUAL_BY_TOPIC,
        qos->liveliness_lease_ns > 0 ? qos->liveliness_lease_ns : DDS_INFINITY);
    if (extra->writer) {
        dds_qset_writer_data_lifecycle(to, false);
    }
    if (extra->ignore_local) {
        dds_qset_ignorelocal(to, DDS_IGNORELOCAL_PARTICIPANT);
    }
    dds_qset_userdata(to, extra->user_data, strlen(extra->user_data));
    return to;
}

static int64_t none_if_infinite(dds_duration_t duration) {
    return duration == DDS_INFINITY ? 0 : duration;
}

rclite_qos ros2_qos_read(const dds_qos_t *qos) {
    rclite_qos result = rclite_qos_default();
    dds_history_kind_t history;
    int32_t depth = 0;
    if (dds_qget_history(qos, &history, &depth)) {
        result.history =
            history == DDS_HISTORY_KEEP_ALL ? RCLITE_QOS_KEEP_ALL : RCLITE_QOS_KEEP_LAST;
        result.depth = history == DDS_HISTORY_KEEP_ALL ? 0 : (uint32_t)depth;
    }
    dds_reliability_kind_t reliability;
    dds_duration_t duration = DDS_INFINITY;
    if (dds_qget_reliability(qos, &reliability, &duration)) {
        result.reliability =
            reliability == DDS_RELIABILITY_RELIABLE ? RCLITE_QOS_RELIABLE : RCLITE_QOS_BEST_EFFORT;
    }
    dds_durability_kind_t durability;
    if (dds_qget_durability(qos, &durability)) {
        result.durability = durability == DDS_DURABILITY_VOLATILE ? RCLITE_QOS_VOLATILE
                                                                  : RCLITE_QOS_TRANSIENT_LOCAL;
    }
    if (dds_qget_deadline(qos, &duration)) {
        result.deadline_ns = none_if_infinite(duration);
    }
    if (dds_qget_lifespan(qos, &duration)) {
        result.lifespan_ns = none_if_infinite(duration);
    }
    dds_liveliness_kind_t liveliness;
    if (dds_qget_liveliness(qos, &liveliness, &duration)) {
        result.liveliness = liveliness == DDS_LIVELINESS_MANUAL_BY_TOPIC
                                ? RCLITE_QOS_LIVELINESS_MANUAL_BY_TOPIC
                                : RCLITE_QOS_LIVELINESS_AUTOMATIC;
        result.liveliness_lease_ns = none_if_infinite(duration);
    }
    return result;
}

const char *ros2_qos_policy_name(uint32_t policy_id) {
    switch (policy_id) {
    case DDS_DURABILITY_QOS_POLICY_ID:
        return "DURABILITY";
    case DDS_DEADLINE_QOS_POLICY_ID:
        return "DEADLINE";
    case DDS_LIVELINESS_QOS_POLICY_ID:
        return "LIVELINESS";
    case DDS_RELIABILITY_QOS_POLICY_ID:
        return "RELIABILITY";
    case DDS_HISTORY_QOS_POLICY_ID:
        return "HISTORY";
    case DDS_LIFESPAN_QOS_POLICY_ID:
        return "LIFESPAN";
    default:
        return "OTHER";
    }
}

static bool find_value(
    const char *data, size_t size, const char *key, const char **ret_value, size_t *ret_size) {
    const size_t key_size = strlen(key);
    const char *end = data + size;
    for (const char *at = data; at < end;) {
        const char *stop = memchr(at, ';', (size_t)(end - at));
        if (!stop) {
            stop = end;
        }
        const size_t length = (size_t)(stop - at);
        if (length > key_size && memcmp(at, key, key_size) == 0 && at[key_size] == '=') {
            *ret_value = at + key_size + 1;
            *ret_size = length - key_size - 1;
            return true;
        }
        at = stop + 1;
    }
    return false;
}

bool ros2_user_data_get(const dds_qos_t *qos, const char *key, char *value, size_t capacity) {
    void *data = NULL;
    size_t size = 0;
    if (!qos || !dds_qget_userdata(qos, &data, &size) || !data) {
        return false;
    }
    const char *found = NULL;
    size_t found_size = 0;
    const bool there = find_value(data, size, key, &found, &found_size) && found_size < capacity;
    if (there) {
        memcpy(value, found, found_size);
        value[found_size] = '\0';
    }
    dds_free(data);
    return there;
}
