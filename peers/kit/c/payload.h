/* The bytes of a topic message, and its number: writing them at the sender, checking them at the
 * receiver (docs/peer-protocol.md, "Payload of a topic message"). Pure. */
#ifndef PEER_KIT_PAYLOAD_H
#define PEER_KIT_PAYLOAD_H

#include "peer_kit.h"

/* The number that goes with a message or call, the index-th from the first of the warm-up; and the
 * way back, whatever flags the number has. */
uint64_t peer_seq_make(uint64_t index, uint64_t warmup);
uint64_t peer_seq_index(uint64_t seq, uint64_t warmup);

/* The body, once for all messages of a run. size >= PEER_PAYLOAD_BYTES_MIN, here and below. */
void peer_payload_fill(uint8_t *data, size_t size, uint64_t run_id);
/* Head and tail of one message. t1 has a function of its own, since it is written last. */
void peer_payload_stamp(
    uint8_t *data, size_t size, uint64_t run_id, uint64_t seq, int64_t planned_ns);
void peer_payload_stamp_t1(uint8_t *data, int64_t t1_ns);

typedef struct peer_payload_head {
    uint64_t run_id, seq;
    int64_t planned_ns, t1_ns;
} peer_payload_head;
/* False if there is no room for a head. */
bool peer_payload_read(const uint8_t *data, size_t size, peer_payload_head *ret_head);
/* True if the tail repeats seq and, where `body` (a payload filled likewise) is given, every byte
 * between head and tail equals it. */
bool peer_payload_check(const uint8_t *data, size_t size, uint64_t seq, const uint8_t *body);

#endif
