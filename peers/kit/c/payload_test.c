/* Payloads and sample files against the bytes that docs/peer-protocol.md fixes. */
#include "payload.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "samples.h"

#define SIZE 1000
#define RUN_ID UINT64_C(0x1122334455667788)

static void write_message(uint8_t *data, size_t size) {
    peer_payload_fill(data, size, RUN_ID);
    peer_payload_stamp(data, size, RUN_ID, 5 | PEER_SEQ_WARMUP, 77);
    peer_payload_stamp_t1(data, 88);
}

static void test_bytes_of_a_message(void **state) {
    (void)state;
    uint8_t data[SIZE];
    write_message(data, SIZE);
    assert_memory_equal(data, "\x88\x77\x66\x55\x44\x33\x22\x11\x05\0\0\0\0\0\0\x40", 16);
    assert_memory_equal(data + 16, "\x4d\0\0\0\0\0\0\0\x58\0\0\0\0\0\0\0", 16);
    assert_memory_equal(data + SIZE - 8, "\x05\0\0\0\0\0\0\x40", 8);
    for (size_t i = 32; i < SIZE - 8; i++) {
        assert_int_equal(data[i], (i * 131 + RUN_ID) % 251);
    }
    peer_payload_head head;
    assert_true(peer_payload_read(data, SIZE, &head));
    assert_true(head.run_id == RUN_ID && head.seq == (5 | PEER_SEQ_WARMUP));
    assert_true(head.planned_ns == 77 && head.t1_ns == 88);
    assert_false(peer_payload_read(data, 39, &head));
}

static void test_every_spoilt_byte_is_found(void **state) {
    (void)state;
    uint8_t data[SIZE], body[SIZE];
    write_message(data, SIZE);
    peer_payload_fill(body, SIZE, RUN_ID);
    uint64_t seq = 5 | PEER_SEQ_WARMUP;
    assert_true(peer_payload_check(data, SIZE, seq, body));
    for (size_t i = 32; i < SIZE; i++) {
        data[i] ^= 1;
        assert_false(peer_payload_check(data, SIZE, seq, body));
        assert_int_equal(peer_payload_check(data, SIZE, seq, NULL), i < SIZE - 8);
        data[i] ^= 1;
    }
    /* The smallest has no body. */
    write_message(data, 40);
    assert_true(peer_payload_check(data, 40, seq, body));
}

static void test_numbers(void **state) {
    (void)state;
    assert_true(peer_seq_make(2, 3) == (2 | PEER_SEQ_WARMUP));
    assert_true(peer_seq_make(3, 3) == 0);
    for (uint64_t index = 0; index < 10; index++) {
        uint64_t seq = peer_seq_make(index, 3);
        assert_int_equal(peer_seq_index(seq, 3), index);
        assert_int_equal(peer_seq_index(seq | PEER_SEQ_CORRUPT, 3), index);
    }
}

static void test_map(void **state) {
    (void)state;
    int8_t map[SIZE];
    peer_map_fill(map, SIZE);
    assert_int_equal(map[99], 99);
    assert_int_equal(map[100], 0);
    assert_true(peer_map_check(map, SIZE, SIZE, PEER_VERIFY_FULL));
    assert_false(peer_map_check(map, SIZE - 1, SIZE, PEER_VERIFY_ENDS));
    map[500]++;
    assert_true(peer_map_check(map, SIZE, SIZE, PEER_VERIFY_ENDS));
    assert_false(peer_map_check(map, SIZE, SIZE, PEER_VERIFY_FULL));
    map[500]--;
    map[SIZE - 1]++;
    assert_false(peer_map_check(map, SIZE, SIZE, PEER_VERIFY_ENDS));
    assert_true(peer_map_check(map, 0, 0, PEER_VERIFY_ENDS));
    assert_true(peer_map_check(map, 3, 3, PEER_VERIFY_ENDS));
}

static void test_sample_file(void **state) {
    (void)state;
    char path[] = "/tmp/rclbench-samples-XXXXXX", error[PEER_ERROR_BYTES];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    peer_samples samples;
    assert_true(peer_samples_init(&samples, 3));
    samples.rows[0] = (peer_row){PEER_SEQ_CORRUPT | 7, 1, 2, 3, 4, -1};
    samples.count = 1;
    samples.missing = 9;
    peer_samples_header header = {.run_id = RUN_ID, .role = PEER_SUBSCRIBER, .finished_ns = 6};
    assert_true(peer_samples_write(&samples, &header, path, error));

    uint8_t bytes[200];
    FILE *file = fopen(path, "r");
    assert_int_equal(fread(bytes, 1, sizeof bytes, file), 64 + 48);
    fclose(file);
    static const uint8_t expected[64] = {'R', 'C', 'L', 'B', 'S', 'A', 'M', 'P', 1, 0, 0, 0, 48, 0,
        0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 2, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0};
    assert_memory_equal(bytes, expected, sizeof expected);
    assert_memory_equal(bytes + 64, "\x07\0\0\0\0\0\0\x20\x01\0\0\0\0\0\0\0", 16);
    assert_memory_equal(bytes + 104, "\xff\xff\xff\xff\xff\xff\xff\xff", 8);

    assert_false(peer_samples_write(&samples, &header, "/nowhere/samples", error));
    assert_non_null(strstr(error, "/nowhere/samples"));
    peer_samples_done(&samples);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes_of_a_message),
        cmocka_unit_test(test_every_spoilt_byte_is_found),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_map),
        cmocka_unit_test(test_sample_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
