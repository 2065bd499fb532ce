/* What the null peer is told to do wrong, or to pretend: the settings of its job, checked. */
#ifndef PEER_NULL_SCRIPT_H
#define PEER_NULL_SCRIPT_H

#include "peer_kit.h"

typedef struct number_list {
    int64_t *values;
    size_t count;
} number_list;

typedef struct null_script {
    number_list latency_ns; /* of counted message i: element i mod count; none: the real one */
    number_list lose, duplicate, reorder, corrupt; /* sequence numbers of counted messages */
    int64_t ready_delay_ns;
    int hang_at, crash_at, exit_at, flood_at, line_at; /* peer_stage, or -1 */
    int64_t signal;
    int64_t exit_code;
    int64_t flood_bytes;
    bool flood_stderr;
    const char *line;      /* said at line_at, whatever the protocol thinks of it */
    int64_t now_offset_ns; /* added to `now` */
    int64_t done_offset;   /* added to `done` */
    int64_t rows_offset;   /* -1: a row is missing, 1: one too many */
    bool swap;             /* t1 and t4 change places in the rows */
    bool unwritten;        /* the payload's body is not written */
    bool wrong_qos;        /* effective is not what was asked */
    const char *early_io;  /* "file", "stdout": written before `measured` */
    bool exit_zero;        /* exit status 0 after a failure */
    bool deaf;             /* endpoints exist, but never match */
} null_script;

extern const char *const script_settings[];

/* Returns the name of a setting whose value is not possible ("settings.hang"), or NULL. */
const char *script_read(const peer_job *job, null_script *ret_script);
void script_done(null_script *script);
/* Is seq in the list? */
bool script_lists(const number_list *list, uint64_t seq);

#endif
