/* QoS between the job's words and Cyclone's. */
#ifndef PEER_CYCLONEDDS_QOS_H
#define PEER_CYCLONEDDS_QOS_H

#include <dds/dds.h>

#include "peer_kit.h"

dds_qos_t *cyclone_qos_create(const peer_qos *qos);
peer_qos cyclone_qos_read(const dds_qos_t *qos);

#endif
