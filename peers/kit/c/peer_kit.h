/* The kit for peers written in C or C++: job, control channel, pacing, payload, recording, sample
 * file, and the order of it all (docs/peer-protocol.md). A peer brings a table of functions that
 * make its library's calls, and reports what its library delivers; it computes nothing and prints
 * nothing.
 *
 * Threads: the functions of the table are called from main's thread, but `publish`, `echo` and
 * `call` also from inside the peer_kit_* reports, so from whatever thread the library calls back
 * on. The peer_kit_* reports may come from any thread, also before `create` returned. The kit
 * itself never polls; a library that needs spinning is spun by a thread of the peer's own, or, in a
 * language that has one thread only, by `pump`. */
#ifndef PEER_KIT_H
#define PEER_KIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct json_t;

#define PEER_ERROR_BYTES 256
#define PEER_PAYLOAD_BYTES_MIN 40

/* High bits of a sequence number, on the wire and in rows. */
#define PEER_SEQ_HANDSHAKE ((uint64_t)1 << 63)
#define PEER_SEQ_WARMUP ((uint64_t)1 << 62)
#define PEER_SEQ_CORRUPT ((uint64_t)1 << 61)

enum {
    PEER_EXIT_GOOD = 0,
    PEER_EXIT_FAILED = 1,
    PEER_EXIT_REFUSED = 2,
    PEER_EXIT_UNAVAILABLE = 77
};

/* ---- the job -------------------------------------------------------------------------------- */

typedef enum peer_pattern { PEER_TOPIC, PEER_SERVICE, PEER_ACTION, PEER_STARTUP } peer_pattern;
typedef enum peer_role { PEER_PUBLISHER, PEER_SUBSCRIBER, PEER_CLIENT, PEER_SERVER } peer_role;
typedef enum peer_reliability { PEER_RELIABLE, PEER_BEST_EFFORT } peer_reliability;
typedef enum peer_durability { PEER_VOLATILE, PEER_TRANSIENT_LOCAL } peer_durability;
typedef enum peer_history { PEER_KEEP_LAST, PEER_KEEP_ALL } peer_history;
typedef enum peer_liveliness { PEER_AUTOMATIC, PEER_MANUAL_BY_TOPIC } peer_liveliness;
typedef enum peer_payload_kind { PEER_BYTES, PEER_LIST } peer_payload_kind;
typedef enum peer_verify { PEER_VERIFY_ENDS, PEER_VERIFY_FULL } peer_verify;

typedef struct peer_qos {
    peer_reliability reliability;
    peer_durability durability;
    peer_history history;
    peer_liveliness liveliness;
    uint32_t depth;
    int64_t deadline_ns; /* 0 = none, for all three */
    int64_t lifespan_ns;
    int64_t liveliness_lease_ns;
} peer_qos;

/* The job as docs/peer-protocol.md has it. Strings belong to the job; NULL where the job says null.
 */
typedef struct peer_job {
    int32_t protocol;
    int32_t generation;
    peer_pattern pattern;
    peer_role role;
    bool echo;
    const char *node, *topic, *echo_topic, *service, *action;
    const char *type;
    peer_qos qos;
    uint64_t payload_bytes;
    peer_payload_kind payload_kind;
    uint64_t count; /* 0: until duration_ns */
    int64_t duration_ns;
    int64_t period_ns;
    uint64_t warmup;
    uint32_t in_flight;
    uint32_t publishers, subscribers, clients, servers, nodes;
    peer_verify verify;
    uint64_t run_id;
    bool foreign;
    int64_t match_timeout_ns, quiet_ns, call_timeout_ns;
    const char *samples;
    struct json_t *settings; /* jansson object */
    struct json_t *root;     /* owns all of the above */
} peer_job;

/* The value of a text setting, or `otherwise` when the job has none. */
const char *peer_job_setting(const peer_job *job, const char *key, const char *otherwise);
/* The pattern's own type; "std_msgs/msg/UInt8MultiArray" and so on. */
const char *peer_pattern_type(peer_pattern pattern);
/* The name of a field whose value a plain peer does not support: more than one endpoint of a kind
 * or node, payload_kind list, another type than the pattern's own. NULL: all are plain. */
const char *peer_job_not_plain(const peer_job *job);

/* ---- the peer's functions ------------------------------------------------------------------- */

typedef struct peer_kit peer_kit;

/* Where a run stands; told to peer_ops.stage. */
typedef enum peer_stage {
    PEER_STAGE_START,    /* the job is accepted, nothing made yet */
    PEER_STAGE_CREATED,  /* endpoints exist */
    PEER_STAGE_READY,    /* about to say `ready` */
    PEER_STAGE_GO,       /* `now` was said; measuring begins */
    PEER_STAGE_MEASURED, /* about to say `measured` */
    PEER_STAGE_WRITE,    /* about to write the sample file */
    PEER_STAGE_DONE,     /* `done` was said */
    PEER_STAGE_COUNT
} peer_stage;

/* One row of the sample file. */
typedef struct peer_row {
    uint64_t seq;
    int64_t planned_ns, t1_ns, t2_ns, t3_ns, t4_ns;
} peer_row;

/* `self` is what peer_main was given. Functions that return bool return false on failure, with one
 * sentence in error (PEER_ERROR_BYTES). Those not marked optional are needed for the roles that the
 * peer accepts. */
typedef struct peer_ops {
    /* Names of the settings that the peer knows; ends with NULL. */
    const char *const *settings;
    /* The name of a field whose value is not supported, or NULL: the job is accepted. The peer
     * checks generation, pattern, type, qos and the values of its settings here. */
    const char *(*refuses)(void *self, const peer_job *job);
    /* Makes the library's context, node and endpoints. Publishers give their payload buffer to
     * peer_kit_payload here, every peer says peer_kit_effective. */
    bool (*create)(void *self, peer_kit *kit, const peer_job *job, char *error);
    /* Waits until the other side is matched. A server is not asked. */
    bool (*wait_matched)(void *self, int64_t timeout_ns, char *error);
    /* Publishes the message around the payload buffer. */
    bool (*publish)(void *self, char *error);
    /* Sends a received message back, as it is. */
    bool (*echo)(void *self, const void *message, char *error);
    /* Sends a request or a goal (action: start = t1_ns) and returns. The answer is reported with
     * the same token. */
    bool (*call)(void *self, uint64_t token, int64_t t1_ns, char *error);
    /* Optional: the answer to token is not waited for any more. */
    void (*forget)(void *self, uint64_t token);
    /* Optional: lets the library work for at most so long, on main's thread; called wherever the
     * kit would wait. It may return early. */
    void (*pump)(void *self, int64_t timeout_ns);
    /* Frees everything. Nothing is reported after it returned. Also after a failed create. */
    void (*destroy)(void *self);

    /* The rest is for the peer `null`, which lies and fails on purpose; others leave it NULL. */
    void (*stage)(void *self, peer_stage stage);
    void (*say)(void *self, char *line, size_t size); /* may change the line; "" drops it */
    /* May change the rows before they are written; there is room for one more. */
    void (*rows)(void *self, peer_row *rows, size_t *count);
} peer_ops;

/* The whole life of a peer process: reads the job named by argv[1], runs it, returns the exit
 * status. */
int peer_main(int argc, char **argv, const peer_ops *ops, void *self);

/* ---- what a peer tells the kit -------------------------------------------------------------- */

/* CLOCK_REALTIME in ns. */
int64_t peer_now_ns(void);

/* The buffer that `publish` sends: job->payload_bytes, the peer's. The kit writes it: the body once
 * now, the rest for each message. */
void peer_kit_payload(peer_kit *kit, uint8_t *data);
/* The settings in force, as the library says them. transport, library, version: short texts. Kept
 * until `effective` is said. */
void peer_kit_effective(peer_kit *kit, const peer_qos *qos, const char *transport,
    const char *library, const char *version);
/* A failure outside of any call of the kit (a server's error, a lost connection): ends the run. */
void peer_kit_fail(peer_kit *kit, const char *text);

/* Subscription callback, first thing in it. `message` is handed to `echo`. The second form is for a
 * callback that has read the clock itself. */
void peer_kit_message(peer_kit *kit, const uint8_t *data, size_t size, const void *message);
void peer_kit_message_at(
    peer_kit *kit, int64_t arrived_ns, const uint8_t *data, size_t size, const void *message);
/* A service or action server answers: t1 = 0 where the request carries none. Called after t3 was
 * taken and before the answer is sent, or `go` may overtake the handshake's record. */
void peer_kit_served(peer_kit *kit, int64_t t1_ns, int64_t t2_ns, int64_t t3_ns);
/* A client got its answer; t4 read first thing in the callback. t2, t3: from inside the answer, 0
 * if none. corrupt: the answer did not pass its check. May call `call` for the next one. */
void peer_kit_answered(
    peer_kit *kit, uint64_t token, int64_t t2_ns, int64_t t3_ns, int64_t t4_ns, bool corrupt);
/* The call or goal failed (rejected, service error): it counts as lost. */
void peer_kit_unanswered(peer_kit *kit, uint64_t token);

/* ---- GetMap --------------------------------------------------------------------------------- */

#define PEER_MAP_FRAME "main_frame"
#define PEER_MAP_RESOLUTION 1.0f
#define PEER_MAP_WIDTH 1024
#define PEER_MAP_HEIGHT 768

/* map.data of a response. */
void peer_map_fill(int8_t *data, size_t size);
/* True if size and content are as filled; `ends` looks at the first and last eight elements. */
bool peer_map_check(const int8_t *data, size_t size, uint64_t expected_bytes, peer_verify verify);

#ifdef __cplusplus
}
#endif
#endif
