/* The startup pattern; README.md says exactly what is timed. */
#include "pattern.h"

static const pattern_type types[] = {{"std_msgs/msg/UInt8MultiArray", "data"}, {NULL, NULL}};

const pattern pattern_startup = {
    .name = "startup",
    .summary = "from the start of a process to its first message at another node",
    .roles = {"publisher", "subscriber"},
    .types = types,
    .payload_bytes = 1024,
    .count = 1,
    .warmup = 0,
    .period_ns = 0,
    .stamps = {{PATTERN_T1, PATTERN_T4}},
};
