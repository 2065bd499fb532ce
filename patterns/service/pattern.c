/* The service pattern; README.md says exactly what is timed. */
#include "pattern.h"

static const pattern_type types[] = {{"nav_msgs/srv/GetMap", "map.data"}, {NULL, NULL}};

const pattern pattern_service = {
    .name = "service",
    .summary = "calls from a client to a server, answered with a map of the asked size",
    .roles = {"client", "server"},
    .types = types,
    .payload_bytes = 1024,
    .count = 1000,
    .warmup = 10,
    .period_ns = 0,
    .stamps = {{PATTERN_T1 | PATTERN_T2 | PATTERN_T3 | PATTERN_T4, PATTERN_T2 | PATTERN_T3}},
};
