/* Domain numbers, what the environment says about the network, and the domains of this process. */
#include "ros2/domain.h"

#include <dds/dds.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ros2/text.h"

/* Cyclone keeps its domains process-wide and hands out no handle of one that exists; so what we
 * know of them has to be process-wide too. Guarded by the lock, which also keeps one context from
 * creating a participant in a domain that another is about to delete. */
static pthread_mutex_t domains_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    dds_entity_t handle; /* 0: made by others, so not ours to delete */
    uint32_t users;
    uint64_t config_hash;
} domains[ROS2_DOMAIN_ID_MAX + 1];

/* Room for some large messages, as far as net.core.rmem_max allows: over loopback a sender is as
 * fast as the reader, and what finds no room is lost. */
static const char loopback_xml[] =
    "<CycloneDDS><Domain><General><Interfaces><NetworkInterface name=\"lo\" multicast=\"true\"/>"
    "</Interfaces></General><Discovery><ParticipantIndex>none</ParticipantIndex></Discovery>"
    "<Internal><SocketReceiveBufferSize max=\"16MB\"/></Internal></Domain></CycloneDDS>";

rclite_result ros2_domain_id(int option, uint32_t *ret_id, rclite_error *reterr) {
    long id = option;
    if (option == RCLITE_DOMAIN_FROM_ENVIRONMENT) {
        const char *text = getenv("ROS_DOMAIN_ID");
        id = 0;
        if (text && *text) {
            char *end = NULL;
            errno = 0;
            id = strtol(text, &end, 10);
            if (errno != 0 || end == text || *end != '\0' || id < 0 || id > ROS2_DOMAIN_ID_MAX) {
                return rclitei_fail(reterr, RCLITE_ERR_INVALID, 0,
                    "ROS_DOMAIN_ID is \"%.40s\"; a number from 0 to %d is needed", text,
                    ROS2_DOMAIN_ID_MAX);
            }
        }
    }
    if (id < 0 || id > ROS2_DOMAIN_ID_MAX) {
        return rclitei_fail(reterr, RCLITE_ERR_INVALID, 0, "domain id %ld is outside 0 to %d", id,
            ROS2_DOMAIN_ID_MAX);
    }
    *ret_id = (uint32_t)id;
    return RCLITE_OK;
}

/* ---- configuration -------------------------------------------------------------------------- */

typedef enum discovery_range {
    RANGE_SUBNET,
    RANGE_LOCALHOST,
    RANGE_OFF,
    RANGE_SYSTEM_DEFAULT,
} discovery_range;

/* An empty variable is as good as none, in ROS as here. */
static const char *variable(const char *name) {
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

/* ROS_LOCALHOST_ONLY=1 prevails and drops the peers, as in rcl; a range that is no word of ROS's
 * counts as LOCALHOST, as in rcl. */
static discovery_range range_of_environment(const char **ret_peers) {
    *ret_peers = variable("ROS_STATIC_PEERS");
    const char *localhost_only = variable("ROS_LOCALHOST_ONLY");
    if (localhost_only && strcmp(localhost_only, "1") == 0) {
        *ret_peers = NULL;
        return RANGE_LOCALHOST;
    }
    const char *range = variable("ROS_AUTOMATIC_DISCOVERY_RANGE");
    if (!range || strcmp(range, "SUBNET") == 0) {
        return RANGE_SUBNET;
    }
    if (strcmp(range, "OFF") == 0) {
        return RANGE_OFF;
    }
    return strcmp(range, "SYSTEM_DEFAULT") == 0 ? RANGE_SYSTEM_DEFAULT : RANGE_LOCALHOST;
}

static void add_peers(ros2_text *xml, discovery_range range, const char *peers) {
    if (range != RANGE_LOCALHOST && !peers) {
        return;
    }
    ros2_text_add(xml, "<Peers>");
    if (range == RANGE_LOCALHOST) {
        ros2_text_add(xml, "<Peer address=\"localhost\"/>");
    }
    while (peers && *peers) {
        const size_t size = strcspn(peers, ";");
        if (size > 0) {
            ros2_text_add(xml, "<Peer address=\"");
            ros2_text_add_xml(xml, peers, size);
            ros2_text_add(xml, "\"/>");
        }
        peers += size + (peers[size] == ';');
    }
    ros2_text_add(xml, "</Peers>");
}

static void add_range(ros2_text *xml, discovery_range range, const char *peers) {
    if (range == RANGE_SYSTEM_DEFAULT) {
        return;
    }
    ros2_text_add(xml, "<CycloneDDS><Domain>");
    if (range != RANGE_SUBNET) {
        ros2_text_add(xml, "<General><AllowMulticast>false</AllowMulticast></General>");
    }
    if (range == RANGE_OFF) {
        ros2_text_add(xml,
            "<Discovery><ParticipantIndex>none</ParticipantIndex>"
            "<Tag>ros_discovery_off_%ld</Tag>",
            (long)getpid());
    } else {
        ros2_text_add(xml, "<Discovery><ParticipantIndex>auto</ParticipantIndex>"
                           "<MaxAutoParticipantIndex>32</MaxAutoParticipantIndex>");
        add_peers(xml, range, peers);
    }
    ros2_text_add(xml, "</Discovery></Domain></CycloneDDS>,");
}

rclite_result ros2_domain_config(
    const rclite_allocator *allocator, const char *option, char **ret_xml, rclite_error *reterr) {
    ros2_text xml = {.allocator = allocator};
    const char *uri = variable("CYCLONEDDS_URI");
    if (option) {
        ros2_text_add(&xml, "%s", option);
    } else if (uri || variable("ROS_AUTOMATIC_DISCOVERY_RANGE") || variable("ROS_LOCALHOST_ONLY") ||
               variable("ROS_STATIC_PEERS")) {
        const char *peers = NULL;
        const discovery_range range = range_of_environment(&peers);
        add_range(&xml, range, peers);
        ros2_text_add(&xml, "%s", uri ? uri : "");
    } else {
        ros2_text_add(&xml, "%s", loopback_xml);
    }
    if (xml.failed) {
        ros2_text_done(&xml);
        return rclitei_fail(reterr, RCLITE_ERR_NO_MEMORY, 0, "no memory for the configuration");
    }
    *ret_xml = xml.data;
    return RCLITE_OK;
}

/* ---- the domains of this process ------------------------------------------------------------ */

static uint64_t hash_text(const char *text) {
    uint64_t hash = UINT64_C(14695981039346656037);
    for (; *text; text++) {
        hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
    }
    return hash;
}

rclite_result ros2_domain_open(
    uint32_t id, const char *xml, bool *ret_differs, rclite_error *reterr) {
    rclite_result result = RCLITE_OK;
    const uint64_t hash = hash_text(xml);
    *ret_differs = false;
    pthread_mutex_lock(&domains_lock);
    if (domains[id].users == 0) {
        const dds_entity_t handle = dds_create_domain(id, xml);
        if (handle == DDS_RETCODE_PRECONDITION_NOT_MET) {
            *ret_differs = true;
        } else if (handle < 0) {
            result = rclitei_fail(reterr, RCLITE_ERR_TRANSPORT, handle,
                "Cyclone DDS refused domain %u (%s); its configuration is %.150s", id,
                dds_strretcode(handle), xml);
        }
        domains[id].handle = handle > 0 ? handle : 0;
        domains[id].config_hash = hash;
    } else {
        *ret_differs = domains[id].config_hash != hash;
    }
    if (result == RCLITE_OK) {
        domains[id].users++;
    }
    pthread_mutex_unlock(&domains_lock);
    return result;
}

void ros2_domain_close(uint32_t id) {
    pthread_mutex_lock(&domains_lock);
    domains[id].users--;
    if (domains[id].users == 0 && domains[id].handle > 0) {
        dds_delete(domains[id].handle);
        domains[id].handle = 0;
    }
    pthread_mutex_unlock(&domains_lock);
}
