/* The network that peers see; see network.h. */
#include "run/network.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "util/memory.h"

/* Domains whose ports lie below the ephemeral range, away from those that people use. */
#define DOMAIN_FIRST 60
#define DOMAIN_COUNT 40

static const char stock_format[] =
    "<CycloneDDS><Domain><General><Interfaces>"
    "<NetworkInterface name=\"lo\" multicast=\"true\"/></Interfaces></General>"
    "<Discovery><ParticipantIndex>none</ParticipantIndex></Discovery>"
    "</Domain></CycloneDDS>";

static const char tuned_format[] =
    "<CycloneDDS><Domain><General><Interfaces>"
    "<NetworkInterface name=\"lo\" multicast=\"true\"/></Interfaces>"
    "<MaxMessageSize>65500B</MaxMessageSize><FragmentSize>64000B</FragmentSize></General>"
    "<Discovery><ParticipantIndex>none</ParticipantIndex></Discovery>"
    "<Internal><SocketReceiveBufferSize max=\"16MB\"/></Internal>"
    "</Domain></CycloneDDS>";

/* Fast DDS: UDP on loopback only, no shared memory, so that both libraries do the same work. */
static const char fastdds_format[] =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<profiles xmlns=\"http://www.eprosima.com/XMLSchemas/fastRTPS_Profiles\">\n"
    "<transport_descriptors><transport_descriptor><transport_id>loopback</transport_id>"
    "<type>UDPv4</type>%s<interfaceWhiteList><address>127.0.0.1</address></interfaceWhiteList>"
    "</transport_descriptor></transport_descriptors>\n"
    "<participant profile_name=\"rclbench\" is_default_profile=\"true\"><rtps>"
    "<userTransports><transport_id>loopback</transport_id></userTransports>"
    "<useBuiltinTransports>false</useBuiltinTransports></rtps></participant>\n"
    "</profiles>\n";

/* A name in the abstract socket space is free again when its holder is gone, however it went, and
 * is seen by exactly those processes that share our loopback. */
static int hold_domain(int domain_id) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int len = snprintf(
        address.sun_path + 1, sizeof address.sun_path - 1, "rclbench-domain-%d", domain_id);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)len);
    if (fd >= 0 && bind(fd, (const struct sockaddr *)&address, size) != 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static void set_configuration(run_network *network) {
    network->configuration[PLAN_TRANSPORT_STOCK] = util_strdup(stock_format);
    network->configuration[PLAN_TRANSPORT_TUNED] = util_strdup(tuned_format);
    network->fastdds_profiles[PLAN_TRANSPORT_STOCK] = util_format(fastdds_format, "");
    network->fastdds_profiles[PLAN_TRANSPORT_TUNED] = util_format(fastdds_format,
        "<sendBufferSize>4194304</sendBufferSize><receiveBufferSize>4194304</receiveBufferSize>"
        "<maxMessageSize>65000</maxMessageSize>");
}

bool run_network_isolate(run_network *network, int domain_id, char **ret_error) {
    memset(network, 0, sizeof *network);
    network->isolated = network->loopback = true;
    network->lock_fd = -1;
    network->domain_id = domain_id;
    for (int i = 0; domain_id < 0 && i < DOMAIN_COUNT; i++) {
        int candidate = DOMAIN_FIRST + (int)((unsigned)getpid() + (unsigned)i) % DOMAIN_COUNT;
        network->lock_fd = hold_domain(candidate);
        if (network->lock_fd >= 0) {
            network->domain_id = candidate;
            break;
        }
    }
    if (network->domain_id < 0) {
        *ret_error = util_format("all of the DDS domains %d to %d are in use by other rclbench "
                                 "processes; choose one with --domain",
            DOMAIN_FIRST, DOMAIN_FIRST + DOMAIN_COUNT - 1);
        return false;
    }
    set_configuration(network);
    return true;
}

/* As rclite decides it; an empty variable is as good as none. */
static bool user_names_a_network(void) {
    static const char *const names[] = {"CYCLONEDDS_URI", "ROS_AUTOMATIC_DISCOVERY_RANGE",
        "ROS_STATIC_PEERS", "ROS_LOCALHOST_ONLY"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = getenv(names[i]);
        if (value != NULL && value[0] != '\0') {
            return true;
        }
    }
    return false;
}

void run_network_open(run_network *network, int domain_id) {
    memset(network, 0, sizeof *network);
    network->lock_fd = -1;
    const char *variable = getenv("ROS_DOMAIN_ID");
    network->domain_id = domain_id;
    if (domain_id < 0) {
        network->domain_id = variable == NULL ? 0 : atoi(variable);
    }
    network->loopback = !user_names_a_network();
    if (network->loopback) {
        set_configuration(network);
    }
}

void run_network_done(run_network *network) {
    if (network->lock_fd >= 0) {
        close(network->lock_fd);
    }
    for (int i = 0; i < PLAN_TRANSPORT_COUNT; i++) {
        free(network->configuration[i]);
        free(network->fastdds_profiles[i]);
    }
    memset(network, 0, sizeof *network);
    network->lock_fd = -1;
}

const char *run_network_own_profiles(const strvec *environment) {
    static const char *const names[] = {
        "FASTRTPS_DEFAULT_PROFILES_FILE", "FASTDDS_DEFAULT_PROFILES_FILE"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *file = strvec_variable(environment, names[i]);
        if (file != NULL && file[0] != '\0') {
            return file;
        }
    }
    return NULL;
}

void run_network_apply(const run_network *network, plan_transport transport,
    const char *fastdds_file, const char *master_uri, strvec *environment) {
    char domain[16];
    snprintf(domain, sizeof domain, "%d", network->domain_id);
    strvec_set_variable(environment, "ROS_DOMAIN_ID", domain);
    if (master_uri != NULL) {
        strvec_set_variable(environment, "ROS_MASTER_URI", master_uri);
    }
    if (network->isolated) {
        strvec_set_variable(environment, "ROS_STATIC_PEERS", NULL);
        strvec_set_variable(environment, "ROS_LOCALHOST_ONLY", NULL);
        strvec_set_variable(environment, "ROS_DISCOVERY_SERVER", NULL);
        strvec_set_variable(environment, "ROS_SUPER_CLIENT", NULL);
        strvec_set_variable(environment, "ROS_HOSTNAME", NULL);
        strvec_set_variable(environment, "ROS_IP", "127.0.0.1");
    }
    if (!network->loopback) {
        return;
    }
    strvec_set_variable(environment, "CYCLONEDDS_URI", network->configuration[transport]);
    strvec_set_variable(environment, "ROS_AUTOMATIC_DISCOVERY_RANGE", "SUBNET");
    if (fastdds_file != NULL && run_network_own_profiles(environment) == NULL) {
        strvec_set_variable(environment, "FASTRTPS_DEFAULT_PROFILES_FILE", fastdds_file);
        strvec_set_variable(environment, "FASTDDS_DEFAULT_PROFILES_FILE", fastdds_file);
    }
}

static const char *variable_or(const char *name, const char *otherwise) {
    const char *value = getenv(name);
    return value == NULL || value[0] == '\0' ? otherwise : value;
}

char *run_network_describe(const run_network *network, int generation, const char *master_uri) {
    if (generation == 1) {
        return util_format("ROS_MASTER_URI is %s, ROS_IP %s, ROS_HOSTNAME %s; the other side needs "
                           "the same master",
            master_uri != NULL ? master_uri : variable_or("ROS_MASTER_URI", "not set"),
            variable_or("ROS_IP", "not set"), variable_or("ROS_HOSTNAME", "not set"));
    }
    const char *uri = getenv("CYCLONEDDS_URI");
    const char *range = getenv("ROS_AUTOMATIC_DISCOVERY_RANGE");
    char *interface = uri != NULL ? util_format("as CYCLONEDDS_URI says")
                      : range != NULL
                          ? util_format("as ROS_AUTOMATIC_DISCOVERY_RANGE=%s says", range)
                          : util_strdup("loopback (lo); to leave it, set "
                                        "ROS_AUTOMATIC_DISCOVERY_RANGE=SUBNET");
    char *text =
        util_format("domain %d (ROS_DOMAIN_ID sets it); interface: %s; the other side needs "
                    "the same",
            network->domain_id, interface);
    free(interface);
    return text;
}
