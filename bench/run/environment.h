/* What the numbers were measured on and with: machine, kernel settings, DDS configuration, build.
 * Captured once per run, before the first round; part of every result. NULL and -1 are unknown. */
#ifndef BENCH_RUN_ENVIRONMENT_H
#define BENCH_RUN_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct run_environment {
    /* The tool. */
    char *tool_version;
    char *revision;   /* git revision of the build */
    char *build_type; /* "RelWithDebInfo" */
    char *compiler;
    bool optimised; /* false: the report warns */
    char *command_line;
    int64_t started_ns; /* CLOCK_REALTIME */

    /* The machine. */
    char *hostname;
    char *kernel;       /* "Linux 6.1.0-18-amd64 x86_64" */
    char *distribution; /* PRETTY_NAME of os-release */
    char *cpu_model;
    int cpu_count;     /* online */
    char *governor;    /* of cpu0 */
    char *turbo;       /* "on", "off" */
    char *idle_states; /* names of cpu0's enabled C-states, comma separated */
    bool virtual_machine;
    double load_1min; /* -1 unknown */
    int64_t memory_bytes;
    int64_t rmem_max, wmem_max, rmem_default, wmem_default, ipfrag_high_thresh;

    /* The transport that the peers were given. */
    char *dds_library; /* "Eclipse Cyclone DDS" */
    char *dds_version;
    char *dds_configuration; /* CYCLONEDDS_URI's XML of the transport that the first cell uses */
    char *fastdds_profiles;  /* the same where the RMW is Fast DDS's; or the user's file */
    char *rmw;               /* RMW_IMPLEMENTATION, or NULL: the distribution's default */
    char *ros2_distribution; /* "jazzy" */
    char *ros2_prefix;
    char *ros1_master; /* URI of the private master, or the user's; NULL: not used */
    int domain_id;
    bool isolated; /* our own domain on loopback; false: the user's environment (--only) */

    /* The floor of the harness: median cost of one reading of CLOCK_REALTIME. */
    int64_t clock_read_ns;
} run_environment;

void run_environment_capture(run_environment *environment);
void run_environment_done(run_environment *environment);

#endif
