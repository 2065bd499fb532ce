/* What a peer cannot do although it plays the pattern, as its manifest says it ("refuses"): known
 * before anything runs, with the reason. */
#ifndef BENCH_PLAN_RULE_H
#define BENCH_PLAN_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/plan.h"

/* A rule holds for a cell when all of its conditions do. */
typedef struct plan_rule {
    bool patterns[PLAN_PATTERN_COUNT];
    int side;               /* 0 publisher and client, 1 subscriber and server, -1 both */
    uint64_t payload_above; /* more bytes than this; 0: any */
    char *unless_name;      /* not when the settings have this text; NULL: always */
    char *unless_value;
    char *reason; /* ends the sentence "roslisp is refused as server: " */
} plan_rule;

typedef struct plan_rules {
    plan_rule *items;
    size_t count;
} plan_rules;

/* Why the peer cannot be this side of the cell; heap, or NULL. */
char *plan_rules_refusal(
    const plan_rules *rules, const char *peer, const plan_cell *cell, int side);

/* The settings (JSON) with which no rule about the pattern's settings holds any more; heap. */
char *plan_rules_settings(const plan_rules *rules, plan_pattern pattern, const char *settings_json);

void plan_rules_done(plan_rules *rules);

#endif
