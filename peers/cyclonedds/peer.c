/* Bare Cyclone DDS with idlc's types: the floor that a client library over it can reach. `listener`
 * takes and echoes on Cyclone's receive thread, `waitset` on a thread that waits. */
#include <dds/dds.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peer_kit.h"
#include "qos.h"
#include "types.h"

#define LOOPBACK_CONFIG                                                                            \
    "<CycloneDDS><Domain><General><Interfaces><NetworkInterface name=\"lo\" multicast=\"true\"/>"  \
    "</Interfaces></General></Domain></CycloneDDS>"

typedef std_msgs_msg_dds__UInt8MultiArray_ message_type;

typedef struct cyclone_peer {
    peer_kit *kit;
    const peer_job *job;
    bool waits; /* waitset delivery */
    dds_entity_t participant, writer, reader, waitset, stop_guard;
    pthread_t waiter;
    bool waiting;
    message_type outgoing;
    std_msgs_msg_dds__MultiArrayDimension_ dimensions[3];
} cyclone_peer;

static bool failed(char *error, const char *call, dds_return_t code) {
    snprintf(error, PEER_ERROR_BYTES, "%s: %s", call, dds_strretcode(code));
    return false;
}

/* ---- delivery ---- */

static void take_all(cyclone_peer *peer) {
    void *loan = NULL;
    dds_sample_info_t info;
    while (dds_take(peer->reader, &loan, &info, 1, 1) == 1) {
        if (info.valid_data) {
            const message_type *message = loan;
            peer_kit_message(peer->kit, message->data._buffer, message->data._length, message);
        }
        dds_return_loan(peer->reader, &loan, 1);
        loan = NULL;
    }
}

static void on_data(dds_entity_t reader, void *argument) {
    (void)reader;
    take_all(argument);
}

static void *wait_main(void *argument) {
    cyclone_peer *peer = argument;
    bool stopped = false;
    while (!stopped) {
        dds_waitset_wait(peer->waitset, NULL, 0, DDS_INFINITY);
        take_all(peer);
        dds_read_guardcondition(peer->stop_guard, &stopped);
    }
    return NULL;
}

/* ---- creating ---- */

static bool create_reader(
    cyclone_peer *peer, dds_entity_t topic, const dds_qos_t *qos, char *error) {
    dds_listener_t *listener = dds_create_listener(peer);
    if (!peer->waits) {
        dds_lset_data_available(listener, on_data);
    }
    /* The callback needs the handle, which exists only afterwards: it is set last. */
    peer->reader = dds_create_reader(peer->participant, topic, qos, NULL);
    if (peer->reader > 0) {
        dds_set_listener(peer->reader, listener);
    }
    dds_delete_listener(listener);
    return peer->reader > 0 || failed(error, "dds_create_reader", peer->reader);
}

static bool create_endpoint(cyclone_peer *peer, const char *ros_name, bool writes, char *error) {
    char name[256];
    snprintf(name, sizeof name, "rt%s", ros_name);
    dds_entity_t topic = dds_create_topic(
        peer->participant, &std_msgs_msg_dds__UInt8MultiArray__desc, name, NULL, NULL);
    if (topic < 0) {
        return failed(error, "dds_create_topic", topic);
    }
    dds_qos_t *qos = cyclone_qos_create(&peer->job->qos);
    bool good = true;
    if (!writes) {
        good = create_reader(peer, topic, qos, error);
    } else {
        peer->writer = dds_create_writer(peer->participant, topic, qos, NULL);
        good = peer->writer > 0 || failed(error, "dds_create_writer", peer->writer);
    }
    dds_delete_qos(qos);
    return good;
}

static bool start_waiting(cyclone_peer *peer, char *error) {
    peer->waitset = dds_create_waitset(peer->participant);
    peer->stop_guard = dds_create_guardcondition(peer->participant);
    dds_entity_t condition = dds_create_readcondition(peer->reader, DDS_ANY_STATE);
    if (peer->waitset < 0 || peer->stop_guard < 0 || condition < 0 ||
        dds_waitset_attach(peer->waitset, peer->stop_guard, 0) != 0 ||
        dds_waitset_attach(peer->waitset, condition, 0) != 0) {
        return failed(error, "making a waitset", DDS_RETCODE_ERROR);
    }
    if (pthread_create(&peer->waiter, NULL, wait_main, peer) != 0) {
        return failed(error, "starting a thread", DDS_RETCODE_OUT_OF_RESOURCES);
    }
    peer->waiting = true;
    return true;
}

static bool prepare_outgoing(cyclone_peer *peer, char *error) {
    uint32_t bytes = (uint32_t)peer->job->payload_bytes;
    static char height[] = "height", width[] = "width", channel[] = "channel";
    peer->dimensions[0] = (std_msgs_msg_dds__MultiArrayDimension_){height, 1, bytes};
    peer->dimensions[1] = (std_msgs_msg_dds__MultiArrayDimension_){width, bytes, bytes};
    peer->dimensions[2] = (std_msgs_msg_dds__MultiArrayDimension_){channel, 1, 1};
    peer->outgoing.layout.dim._buffer = peer->dimensions;
    peer->outgoing.layout.dim._length = peer->outgoing.layout.dim._maximum = 3;
    peer->outgoing.data._buffer = malloc(bytes);
    peer->outgoing.data._length = peer->outgoing.data._maximum = bytes;
    if (!peer->outgoing.data._buffer) {
        return failed(error, "making the message", DDS_RETCODE_OUT_OF_RESOURCES);
    }
    peer_kit_payload(peer->kit, peer->outgoing.data._buffer);
    return true;
}

static bool create_participant(cyclone_peer *peer, char *error) {
    const char *domain_text = getenv("ROS_DOMAIN_ID");
    uint32_t domain = domain_text ? (uint32_t)strtoul(domain_text, NULL, 10) : 0;
    if (!getenv("CYCLONEDDS_URI")) {
        dds_entity_t created = dds_create_domain(domain, LOOPBACK_CONFIG);
        if (created < 0) {
            return failed(error, "dds_create_domain", created);
        }
    }
    peer->participant = dds_create_participant(domain, NULL, NULL);
    return peer->participant > 0 || failed(error, "dds_create_participant", peer->participant);
}

static void say_effective(cyclone_peer *peer) {
    dds_qos_t *qos = dds_create_qos();
    peer_qos in_force = peer->job->qos;
    bool publishes = peer->job->role == PEER_PUBLISHER;
    if (dds_get_qos(publishes ? peer->writer : peer->reader, qos) == 0) {
        in_force = cyclone_qos_read(qos);
    }
    dds_delete_qos(qos);
    const char *uri = getenv("CYCLONEDDS_URI");
    peer_kit_effective(
        peer->kit, &in_force, uri ? uri : LOOPBACK_CONFIG, "Cyclone DDS", CYCLONE_VERSION);
}

/* ---- the kit's functions ---- */

static const char *ops_refuses(void *self, const peer_job *job) {
    cyclone_peer *peer = self;
    const char *delivery = peer_job_setting(job, "delivery", "listener");
    peer->waits = strcmp(delivery, "waitset") == 0;
    if (job->generation != 2) {
        return "generation";
    }
    if (job->pattern != PEER_TOPIC && job->pattern != PEER_STARTUP) {
        return "pattern";
    }
    if (!peer->waits && strcmp(delivery, "listener") != 0) {
        return "settings.delivery";
    }
    return peer_job_not_plain(job);
}

static bool ops_create(void *self, peer_kit *kit, const peer_job *job, char *error) {
    cyclone_peer *peer = self;
    peer->kit = kit;
    peer->job = job;
    bool publishes = job->role == PEER_PUBLISHER;
    bool writes = publishes || job->echo;
    bool reads = !publishes || job->echo;
    if (!create_participant(peer, error) || (publishes && !prepare_outgoing(peer, error)) ||
        (writes && !create_endpoint(peer, publishes ? job->topic : job->echo_topic, true, error)) ||
        (reads && !create_endpoint(peer, publishes ? job->echo_topic : job->topic, false, error))) {
        return false;
    }
    say_effective(peer);
    return !reads || !peer->waits || start_waiting(peer, error);
}

/* Waits for one matched endpoint at the other side of writer or reader. */
static bool wait_for(dds_entity_t endpoint, bool writes, dds_time_t until) {
    dds_set_status_mask(
        endpoint, writes ? DDS_PUBLICATION_MATCHED_STATUS : DDS_SUBSCRIPTION_MATCHED_STATUS);
    dds_entity_t waitset = dds_create_waitset(dds_get_participant(endpoint));
    dds_waitset_attach(waitset, endpoint, 0);
    int count;
    do {
        uint32_t status;
        dds_take_status(endpoint, &status, UINT32_MAX);
        count = writes ? dds_get_matched_subscriptions(endpoint, NULL, 0)
                       : dds_get_matched_publications(endpoint, NULL, 0);
    } while (count == 0 && dds_waitset_wait_until(waitset, NULL, 0, until) > 0);
    dds_delete(waitset);
    return count > 0;
}

static bool ops_wait_matched(void *self, int64_t timeout_ns, char *error) {
    cyclone_peer *peer = self;
    dds_time_t until = dds_time() + timeout_ns;
    bool matched = (peer->writer <= 0 || wait_for(peer->writer, true, until)) &&
                   (peer->reader <= 0 || wait_for(peer->reader, false, until));
    if (!matched) {
        snprintf(error, PEER_ERROR_BYTES, "nobody is matched on %.100s after %lld ms",
            peer->job->topic, (long long)(timeout_ns / 1000000));
    }
    return matched;
}

static bool ops_publish(void *self, char *error) {
    cyclone_peer *peer = self;
    dds_return_t code = dds_write(peer->writer, &peer->outgoing);
    return code == 0 || failed(error, "dds_write", code);
}

static bool ops_echo(void *self, const void *message, char *error) {
    cyclone_peer *peer = self;
    dds_return_t code = dds_write(peer->writer, message);
    return code == 0 || failed(error, "dds_write", code);
}

static void ops_destroy(void *self) {
    cyclone_peer *peer = self;
    if (peer->waiting) {
        dds_set_guardcondition(peer->stop_guard, true);
        pthread_join(peer->waiter, NULL);
    }
    if (peer->participant > 0) {
        dds_delete(peer->participant);
    }
    free(peer->outgoing.data._buffer);
}

static const char *const settings[] = {"delivery", NULL};

static const peer_ops ops = {
    .settings = settings,
    .refuses = ops_refuses,
    .create = ops_create,
    .wait_matched = ops_wait_matched,
    .publish = ops_publish,
    .echo = ops_echo,
    .destroy = ops_destroy,
};

int main(int argc, char **argv) {
    cyclone_peer peer = {0};
    return peer_main(argc, argv, &ops, &peer);
}
