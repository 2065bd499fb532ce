/* Recording is a store into the next row, done by the caller under the kit's lock; this file owns
 * the memory and the bytes on disk. */
#include "samples.h"

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_VERSION 1
#define ROW_BYTES 48
#define HEADER_BYTES 64
_Static_assert(sizeof(peer_row) == ROW_BYTES, "a row in memory is a row on disk");

bool peer_samples_init(peer_samples *samples, size_t capacity) {
    memset(samples, 0, sizeof *samples);
    samples->rows = malloc((capacity + 1) * sizeof *samples->rows);
    if (!samples->rows) {
        return false;
    }
    /* Not calloc: its pages would be faulted in while measuring. */
    memset(samples->rows, 0xff, (capacity + 1) * sizeof *samples->rows);
    samples->capacity = capacity;
    return true;
}

void peer_samples_done(peer_samples *samples) {
    free(samples->rows);
    memset(samples, 0, sizeof *samples);
}

static void put32(uint8_t *to, uint32_t value) {
    uint32_t little = htole32(value);
    memcpy(to, &little, sizeof little);
}

static void put64(uint8_t *to, uint64_t value) {
    uint64_t little = htole64(value);
    memcpy(to, &little, sizeof little);
}

static bool write_row(FILE *file, const peer_row *row) {
    const uint64_t members[] = {row->seq, (uint64_t)row->planned_ns, (uint64_t)row->t1_ns,
        (uint64_t)row->t2_ns, (uint64_t)row->t3_ns, (uint64_t)row->t4_ns};
    uint8_t bytes[ROW_BYTES];
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        put64(bytes + 8 * i, members[i]);
    }
    return fwrite(bytes, sizeof bytes, 1, file) == 1;
}

bool peer_samples_write(
    const peer_samples *samples, const peer_samples_header *header, const char *path, char *error) {
    uint8_t bytes[HEADER_BYTES] = "RCLBSAMP";
    put32(bytes + 8, FILE_VERSION);
    put32(bytes + 12, ROW_BYTES);
    put64(bytes + 16, samples->count);
    put64(bytes + 24, header->run_id);
    put32(bytes + 32, (uint32_t)header->role + 1);
    put64(bytes + 48, (uint64_t)header->finished_ns);
    put64(bytes + 56, samples->missing);

    FILE *file = fopen(path, "we");
    if (!file) {
        snprintf(error, PEER_ERROR_BYTES, "cannot write the sample file %.180s: %m", path);
        return false;
    }
    bool good = fwrite(bytes, sizeof bytes, 1, file) == 1;
    for (size_t i = 0; good && i < samples->count; i++) {
        good = write_row(file, &samples->rows[i]);
    }
    if (fclose(file) != 0 || !good) {
        snprintf(error, PEER_ERROR_BYTES, "cannot write the sample file %.180s: %m", path);
        return false;
    }
    return true;
}
