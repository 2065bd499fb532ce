/* The topic pattern; README.md says exactly what is timed. */
#include "pattern.h"

static const pattern_type types[] = {
    {"std_msgs/msg/UInt8MultiArray", "data"},
    {"sensor_msgs/msg/Image", "data"},
    {"sensor_msgs/msg/PointCloud2", "data"},
    {"std_msgs/msg/Empty", NULL},
    {NULL, NULL},
};

const pattern pattern_topic = {
    .name = "topic",
    .summary = "messages from a publisher to a subscriber, and with --echo back",
    .roles = {"publisher", "subscriber"},
    .types = types,
    .payload_bytes = 1024,
    .count = 1000,
    .warmup = 10,
    .period_ns = 0,
    .stamps = {{PATTERN_T1, PATTERN_T4}, {PATTERN_T1 | PATTERN_T4, PATTERN_T2 | PATTERN_T3}},
};
