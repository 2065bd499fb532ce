/* Rows in memory, and the sample file (docs/peer-protocol.md, "The sample file"). */
#ifndef PEER_KIT_SAMPLES_H
#define PEER_KIT_SAMPLES_H

#include "peer_kit.h"

typedef struct peer_samples {
    peer_row *rows; /* capacity + 1 of them, every page touched */
    size_t count, capacity;
    uint64_t missing; /* rows that did not fit */
} peer_samples;

bool peer_samples_init(peer_samples *samples, size_t capacity);
void peer_samples_done(peer_samples *samples);

typedef struct peer_samples_header {
    uint64_t run_id;
    peer_role role;
    int64_t finished_ns;
} peer_samples_header;
bool peer_samples_write(
    const peer_samples *samples, const peer_samples_header *header, const char *path, char *error);

#endif
