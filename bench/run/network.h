/* The network that peers see: a DDS domain of our own on loopback, a private ROS 1 master's URI,
 * and one configuration of the DDS library per transport profile, the same for every peer. Or, when
 * one side is somebody else's, the user's own environment untouched. */
#ifndef BENCH_RUN_NETWORK_H
#define BENCH_RUN_NETWORK_H

#include <stdbool.h>

#include "plan/plan.h"
#include "util/strvec.h"

typedef struct run_network {
    bool isolated;
    bool loopback; /* isolated, or the user's environment names no network: as rclite, every peer
                      stays on loopback then */
    int domain_id;
    int lock_fd; /* holds the domain against other rclbench processes of this host; -1: none */
    char *configuration[PLAN_TRANSPORT_COUNT];    /* CYCLONEDDS_URI's XML */
    char *fastdds_profiles[PLAN_TRANSPORT_COUNT]; /* XML for FASTRTPS_DEFAULT_PROFILES_FILE */
} run_network;

/* A domain of our own (domain_id -1: any free one). False with a sentence (heap). */
bool run_network_isolate(run_network *network, int domain_id, char **ret_error);
/* The user's environment; domain_id -1 leaves ROS_DOMAIN_ID as it is. */
void run_network_open(run_network *network, int domain_id);
void run_network_done(run_network *network);

/* The file of profiles that the user himself gives Fast DDS, or NULL. */
const char *run_network_own_profiles(const strvec *environment);

/* Sets the variables of the profile in an environment. fastdds_file and master_uri may be NULL. The
 * user's own profiles of Fast DDS stay: nothing else keeps that library to a transport. */
void run_network_apply(const run_network *network, plan_transport transport,
    const char *fastdds_file, const char *master_uri, strvec *environment);

/* For people whose peer finds no other side: domain, interface, the variable to set. Heap. */
char *run_network_describe(const run_network *network, int generation, const char *master_uri);

#endif
