/* The action pattern; README.md says exactly what is timed. */
#include "pattern.h"

static const pattern_type types[] = {{"actionlib_benchmark/action/Roundtrip", ""}, {NULL, NULL}};

const pattern pattern_action = {
    .name = "action",
    .summary = "goals from a client to a server that succeed at once",
    .roles = {"client", "server"},
    .types = types,
    .payload_bytes = 0,
    .count = 100,
    .warmup = 1,
    .period_ns = 50000000, /* the first ancestor's 20 Hz */
    .stamps = {{PATTERN_T1 | PATTERN_T2 | PATTERN_T4, PATTERN_T2}},
};
