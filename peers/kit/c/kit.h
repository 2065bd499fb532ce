/* What the files of the kit share: the state of one run. Everything that a callback's thread and
 * main's thread both touch is under `lock`; that lock is never held while the library is called. */
#ifndef PEER_KIT_KIT_H
#define PEER_KIT_KIT_H

#include <pthread.h>

#include "job.h"
#include "payload.h"
#include "samples.h"

typedef struct peer_effective {
    bool given;
    peer_qos qos;
    char transport[2048], library[64], version[64];
} peer_effective;

/* The side that sends or calls. Rows stand at the index of their message, warm-up first. */
typedef struct peer_sending {
    uint64_t next, total;         /* total: UINT64_MAX when a duration ends the run */
    uint64_t outstanding, window; /* window 0: answers are not waited for before the next */
    uint64_t oldest;              /* nothing below it is open */
    int64_t *open_since_ns; /* per row, monotonic; 0: answered, given up, or no answer expected */
    bool answers;           /* echo, service, action */
    bool chained;           /* back to back: the callback sends the next */
    int64_t start_ns;       /* monotonic: when message 0 is due */
    int64_t realtime_offset_ns;
    int64_t counted_start_ns; /* monotonic: first one that is not warm-up; 0 before */
} peer_sending;

struct peer_kit {
    const peer_ops *ops;
    void *self;
    peer_job job;

    pthread_mutex_t lock;
    pthread_cond_t control;  /* go, stop or a failure came */
    pthread_cond_t progress; /* an answer or the handshake came; control events too */
    bool go;
    uint32_t stops;
    int64_t stopped_ns; /* monotonic */
    bool handshaken;
    bool closed; /* the measured part is over: record nothing more */
    bool failed;
    char error[PEER_ERROR_BYTES];

    peer_samples samples;
    int64_t finished_ns;
    int64_t last_arrival_ns; /* monotonic */
    uint64_t arrivals;
    uint64_t in_order;          /* intact arrivals, each the follower of the one before */
    pthread_mutex_t publishing; /* of the payload, while it is written and sent */
    uint8_t *payload;           /* the peer's */
    uint8_t *body;              /* what a payload's body must be; NULL: not checked */
    peer_sending sending;
    peer_effective effective;
};

/* ---- kit.c: the parts everything needs ---- */

bool peer_kit_init(peer_kit *kit, const peer_ops *ops, void *self, char *error);
void peer_kit_done(peer_kit *kit);
int64_t peer_monotonic_ns(void);
/* Waits on a condition under the lock until a monotonic time (INT64_MAX: no end). False: it is
 * that late. */
bool peer_kit_wait(peer_kit *kit, pthread_cond_t *condition, int64_t until_ns);
void peer_kit_stage(peer_kit *kit, peer_stage stage);
bool peer_kit_has_failed(peer_kit *kit);

/* ---- channel.c ---- */

/* Starts the thread that listens on descriptor 3. At its end the process exits. */
bool peer_channel_start(peer_kit *kit, char *error);
/* From here on the end of descriptor 3 means nothing. */
void peer_channel_finish(void);
void peer_channel_say(peer_kit *kit, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- send.c: publisher and client ---- */

bool peer_send_init(peer_kit *kit, char *error);
void peer_send_done(peer_kit *kit);
/* Handshake: until the first one is answered (or, one-way, sent). */
bool peer_send_handshake(peer_kit *kit, char *error);
/* Handshake messages go on until `go`. */
bool peer_send_await_go(peer_kit *kit, char *error);
void peer_send_run(peer_kit *kit);
/* An echo came back: the row with this sequence number. */
void peer_send_echoed(peer_kit *kit, int64_t arrived_ns, uint64_t seq, bool corrupt);

/* ---- receive.c: subscriber and server ---- */

void peer_receive_run(peer_kit *kit);

#endif
