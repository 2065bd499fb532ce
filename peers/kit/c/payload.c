/* Little-endian numbers are written by memcpy after a byte swap that is nothing on x86 and ARM. */
#include "payload.h"

#include <endian.h>
#include <string.h>

#define HEAD_BYTES 32
#define TAIL_BYTES 8
#define MAP_END_ELEMENTS 8

static void put(uint8_t *to, uint64_t value) {
    uint64_t little = htole64(value);
    memcpy(to, &little, sizeof little);
}

static uint64_t get(const uint8_t *from) {
    uint64_t little;
    memcpy(&little, from, sizeof little);
    return le64toh(little);
}

uint64_t peer_seq_make(uint64_t index, uint64_t warmup) {
    return index < warmup ? index | PEER_SEQ_WARMUP : index - warmup;
}

uint64_t peer_seq_index(uint64_t seq, uint64_t warmup) {
    uint64_t number = seq & ~(PEER_SEQ_WARMUP | PEER_SEQ_CORRUPT);
    return (seq & PEER_SEQ_WARMUP) != 0 ? number : number + warmup;
}

void peer_payload_fill(uint8_t *data, size_t size, uint64_t run_id) {
    uint32_t value = (uint32_t)((HEAD_BYTES * 131 + run_id % 251) % 251);
    for (size_t i = HEAD_BYTES; i + TAIL_BYTES < size; i++) {
        data[i] = (uint8_t)value;
        value = (value + 131) % 251;
    }
}

void peer_payload_stamp(
    uint8_t *data, size_t size, uint64_t run_id, uint64_t seq, int64_t planned_ns) {
    put(data, run_id);
    put(data + 8, seq);
    put(data + 16, (uint64_t)planned_ns);
    put(data + size - TAIL_BYTES, seq);
}

void peer_payload_stamp_t1(uint8_t *data, int64_t t1_ns) {
    put(data + 24, (uint64_t)t1_ns);
}

bool peer_payload_read(const uint8_t *data, size_t size, peer_payload_head *ret_head) {
    if (size < PEER_PAYLOAD_BYTES_MIN) {
        return false;
    }
    *ret_head = (peer_payload_head){
        .run_id = get(data),
        .seq = get(data + 8),
        .planned_ns = (int64_t)get(data + 16),
        .t1_ns = (int64_t)get(data + 24),
    };
    return true;
}

bool peer_payload_check(const uint8_t *data, size_t size, uint64_t seq, const uint8_t *body) {
    if (get(data + size - TAIL_BYTES) != seq) {
        return false;
    }
    return !body ||
           memcmp(data + HEAD_BYTES, body + HEAD_BYTES, size - HEAD_BYTES - TAIL_BYTES) == 0;
}

void peer_map_fill(int8_t *data, size_t size) {
    for (size_t i = 0; i < size; i++) {
        data[i] = (int8_t)(i % 100);
    }
}

bool peer_map_check(const int8_t *data, size_t size, uint64_t expected_bytes, peer_verify verify) {
    if (size != expected_bytes) {
        return false;
    }
    for (size_t i = 0; i < size; i++) {
        if (verify == PEER_VERIFY_ENDS && i == MAP_END_ELEMENTS && size > 2 * MAP_END_ELEMENTS) {
            i = size - MAP_END_ELEMENTS;
        }
        if (data[i] != (int8_t)(i % 100)) {
            return false;
        }
    }
    return true;
}
