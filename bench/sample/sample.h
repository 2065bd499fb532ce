/* Raw samples: reads and checks the files that peers write, and joins the two sides of a round.
 * Pure apart from reading the file it is given. */
#ifndef BENCH_SAMPLE_SAMPLE_H
#define BENCH_SAMPLE_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SAMPLE_FLAG_WARMUP ((uint64_t)1 << 62)
#define SAMPLE_FLAG_CORRUPT ((uint64_t)1 << 61)
#define SAMPLE_SEQ_MASK (((uint64_t)1 << 61) - 1)
#define SAMPLE_STAMP_LIMIT ((int64_t)1 << 62)

/* As on disk (docs/peer-protocol.md), in host order. */
typedef struct sample_row {
    uint64_t seq;                                   /* flags in the high bits */
    int64_t planned_ns, t1_ns, t2_ns, t3_ns, t4_ns; /* 0: no such stamp */
} sample_row;

typedef struct sample_file {
    uint64_t run_id;
    uint32_t role;
    uint32_t endpoint;
    int64_t clock_error_ns;
    int64_t finished_ns;
    uint64_t missing_rows;
    sample_row *rows; /* heap */
    size_t row_count;
} sample_file;

/* Reads a file whole and checks it: magic, version, size against the number of rows, stamps within
 * [0, 2^62) so that differences never overflow, no handshake rows. On failure writes one sentence
 * naming the file into error_text and returns false; never allocates more than the file's size
 * justifies. */
bool sample_file_read(const char *path, sample_file *ret_file, char *error_text, size_t error_size);
bool sample_file_write(
    const char *path, const sample_file *file, char *error_text, size_t error_size);
void sample_file_done(sample_file *file);

typedef enum sample_join {
    SAMPLE_JOIN_ONE_WAY, /* topic, startup: t1 from the sender, t4 from the receiver */
    SAMPLE_JOIN_ECHO,    /* topic --echo: t1, t4 from the sender, t2, t3 from the receiver */
    SAMPLE_JOIN_CALL,    /* service, action: all from the client; the server's rows only checked */
    SAMPLE_JOIN_COUNT
} sample_join;

/* The two sides of one round, joined on seq. How arrivals are counted:
 *
 * An arrival is a row of the receiver (one way) or a row of the sender with t4 (echo, call). A
 * warm-up arrival counts in warmup_received only. Otherwise each arrival is exactly one of these:
 *   corrupt     it failed the payload check, has no stamp, or its seq was never sent
 *   received    intact, and the first intact one of its seq
 *   duplicated  intact, and a later one of its seq
 * A received message is also reordered if one with a higher seq was received before it (RFC 4737);
 * "before" is the order of the receiver's rows, or for echo and call the order of t4. Of what was
 * sent, what was not received is lost: a message that arrived only corrupt is lost too.
 */
typedef struct sample_set {
    /* False when that side was not ours (--only): what follows from it is unknown, not 0. */
    bool sent_known, received_known;
    uint64_t sent; /* counted messages that the sending side recorded; sent - received = lost */
    uint64_t received;
    uint64_t duplicated;
    uint64_t reordered;
    uint64_t corrupt;
    uint64_t warmup_sent, warmup_received;
    uint64_t
        missing_rows; /* of both sides: not recorded for want of room, so the counts are short */
    sample_row *rows; /* one per sent seq in seq order, all stamps of both sides; t4 = 0: lost */
    size_t row_count;
    sample_row *warmup_rows; /* likewise; seq without its flag */
    size_t warmup_row_count;
    int64_t first_sent_ns, last_sent_ns; /* least and greatest t1; 0: nothing sent */
    int64_t publish_finished_ns;         /* as the sender said; 0: it did not */
    int64_t last_received_ns;            /* greatest t4; 0: nothing arrived */
    bool last_was_lost;
    bool one_way_valid; /* t1 <= t2 <= t3 <= t4 wherever stamped */
    char one_way_reason[128];
    int64_t clock_error_ns; /* the larger of both sides */
} sample_set;

/* One of the sides may be NULL, when only the other one is a peer of ours. Without a sender, the
 * rows are what the receiver knows: of a one-way round the intact messages with the stamps that
 * their payload carried; of an echo or a call none, only the requests are counted. Returns false
 * with a sentence for impossible input: run ids differ, a seq sent twice, fewer requests served
 * than answered. */
bool sample_set_join(const sample_file *sender, const sample_file *receiver, sample_join kind,
    sample_set *ret_set, char *error_text, size_t error_size);
void sample_set_done(sample_set *set);

#endif
