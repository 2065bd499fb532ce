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

/* As on disk (docs/peer-protocol.md), in host order. */
typedef struct sample_row {
    uint64_t seq; /* flags in the high bits */
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

/* Reads a file whole. On failure writes one sentence naming the file into error_text and returns
 * false; never allocates more than the file's size justifies. */
bool sample_file_read(const char *path, sample_file *ret_file, char *error_text, size_t error_size);
bool sample_file_write(const char *path, const sample_file *file, char *error_text, size_t error_size);
void sample_file_done(sample_file *file);

/* The two sides of one round, joined on seq. */
typedef struct sample_set {
    uint64_t sent;       /* counted messages that the sending side recorded */
    uint64_t received;   /* distinct ones among them that arrived intact; sent - received = lost */
    uint64_t duplicated; /* further intact arrivals of the same seq */
    uint64_t reordered;  /* arrivals whose seq is below one that arrived before */
    uint64_t corrupt;    /* arrivals that failed the payload check, or with a seq never sent */
    uint64_t warmup_sent, warmup_received;
    sample_row *rows;        /* one per sent seq in seq order, all stamps of both sides; t4 = 0: lost */
    size_t row_count;
    sample_row *warmup_rows; /* likewise */
    size_t warmup_row_count;
    int64_t first_sent_ns, last_sent_ns; /* 0: nothing sent */
    int64_t publish_finished_ns;
    int64_t last_received_ns;  /* 0: nothing arrived */
    bool last_was_lost;
    bool one_way_valid; /* t1 <= t2 <= t3 <= t4 wherever stamped */
    char one_way_reason[128];
    int64_t clock_error_ns; /* the larger of both sides */
} sample_set;

typedef enum sample_join {
    SAMPLE_JOIN_ONE_WAY, /* topic, startup: t1 from the sender, t4 from the receiver */
    SAMPLE_JOIN_ECHO,    /* topic --echo: t1, t4 from the sender, t2, t3 from the receiver */
    SAMPLE_JOIN_CALL,    /* service, action: all from the client; the server's rows only checked */
    SAMPLE_JOIN_COUNT
} sample_join;

/* receiver may be NULL (one side only). Returns false with a sentence for impossible input (run ids
 * differ, a sent seq twice). */
bool sample_set_join(const sample_file *sender, const sample_file *receiver, sample_join kind,
    sample_set *ret_set, char *error_text, size_t error_size);
void sample_set_done(sample_set *set);

#endif
