/* What is to be measured: the ordered list of cells that the command line or a plan file asks for.
 * Building a plan is pure: no process, no file, no network. */
#ifndef BENCH_PLAN_PLAN_H
#define BENCH_PLAN_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum plan_pattern {
    PLAN_TOPIC,
    PLAN_SERVICE,
    PLAN_ACTION,
    PLAN_STARTUP,
    PLAN_PATTERN_COUNT
} plan_pattern;

typedef enum plan_transport {
    PLAN_TRANSPORT_STOCK, /* the DDS library's defaults, on loopback */
    PLAN_TRANSPORT_TUNED, /* large datagrams and socket buffers */
    PLAN_TRANSPORT_COUNT
} plan_transport;

/* ROS's words; the strings are those of the peer protocol. */
typedef struct plan_qos {
    const char *reliability; /* "reliable", "best_effort" */
    const char *durability;  /* "volatile", "transient_local" */
    const char *history;     /* "keep_last", "keep_all" */
    const char *liveliness;  /* "automatic", "manual_by_topic" */
    uint32_t depth;
    int64_t deadline_ns; /* 0 = none, for all three */
    int64_t lifespan_ns;
    int64_t liveliness_lease_ns;
} plan_qos;

/* One measured combination. Strings are owned by the todo. */
typedef struct plan_cell {
    plan_pattern pattern;
    int generation;
    bool echo;
    bool growth;      /* action: the report shows the round trip against the goals already done */
    const char *from; /* topic, startup: publisher; service, action: client. A variant's name. */
    const char *to;   /* subscriber; server */
    const char *type;
    plan_qos qos;
    plan_transport transport;
    uint64_t payload_bytes;
    const char *payload_kind; /* "bytes", "list" */
    uint64_t count;           /* per round, without warm-up; 0: duration */
    int64_t duration_ns;
    int64_t period_ns; /* 0: back to back */
    uint64_t warmup;
    uint32_t in_flight;
    const char *verify;        /* "ends", "full" */
    const char *settings_json; /* "{}" or what --set gave; merged over the variant's */
    const char *refused;       /* why this combination cannot run, or NULL */
} plan_cell;

typedef struct plan {
    plan_cell *cells;
    size_t cell_count;
    uint32_t rounds;
    int64_t timeout_ns; /* of one round, beyond its own length */
    char **notes;       /* what was left out, lowered or dropped, one line each */
    size_t note_count;

    size_t cell_capacity, note_capacity, string_count, string_capacity;
    char **strings; /* what the cells' texts point to */
} plan;

/* {0} with a timeout of 60 s and one round; plan_done() ends it. */
void plan_init(plan *todo);
void plan_done(plan *todo);

/* A copy of text that lives as long as the plan; NULL stays NULL. */
const char *plan_keep(plan *todo, const char *text);
/* Appends a copy; its texts are kept. */
plan_cell *plan_add_cell(plan *todo, const plan_cell *cell);
void plan_note(plan *todo, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "topic", ... */
const char *plan_pattern_name(plan_pattern pattern);
bool plan_pattern_parse(const char *name, plan_pattern *ret_pattern);
const char *plan_transport_name(plan_transport transport);
/* The role of side 0 (from, client) and 1 (to, server) in a pattern, as the peer protocol has it.
 */
const char *plan_role_name(plan_pattern pattern, int side);
/* The pattern's defaults: type, quality of service, counts, period; no peers. */
plan_cell plan_cell_default(plan_pattern pattern);

#endif
