/* What is timed, as data: one const table per pattern (topic/pattern.c, ...), all of them in
 * registry.c. Used to say what a command can do, to refuse a type that cannot carry a payload, and
 * to check the rows that a peer wrote. Pure. */
#ifndef PATTERNS_PATTERN_H
#define PATTERNS_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sample/sample.h"

enum { PATTERN_T1 = 1, PATTERN_T2 = 2, PATTERN_T3 = 4, PATTERN_T4 = 8 };

/* A type that messages of the pattern may have. */
typedef struct pattern_type {
    const char *name;    /* std_msgs/msg/UInt8MultiArray */
    const char *carrier; /* the field that carries the payload ("data"); "": it needs none; NULL: no
                            field has room, so the type is refused */
} pattern_type;

typedef struct pattern {
    const char *name;
    const char *summary;
    const char *roles[2];      /* the side that begins, and the other; words of the peer protocol */
    const pattern_type *types; /* the first is the default; ends with a NULL name */
    uint64_t payload_bytes, count, warmup; /* defaults of one round */
    int64_t period_ns;
    /* Stamps that each side takes itself, [echo][side]; others are 0 or copied from the message. */
    uint8_t stamps[2][2];
} pattern;

extern const pattern pattern_topic, pattern_service, pattern_action, pattern_startup;

/* All patterns, in the order in which they are shown; ends with NULL. */
extern const pattern *const pattern_registry[];
const pattern *pattern_find(const char *name);
/* NULL: the pattern does not know this type. */
const pattern_type *pattern_find_type(const pattern *of, const char *type_name);

/* What a side was asked, and when it was measured. */
typedef struct pattern_asked {
    int side; /* index of its role */
    bool echo;
    uint64_t run_id, count, warmup;
    int64_t period_ns;
    int64_t go_ns, measured_ns; /* the harness's clock around the measured part */
} pattern_asked;

/* Count, order, numbers, stamps and payload marks of the rows of one side, where nothing was lost.
 * Returns false with one sentence for the first thing that is wrong. */
bool pattern_check_rows(const pattern *of, const pattern_asked *asked, const sample_file *file,
    char *problem, size_t problem_size);

#endif
