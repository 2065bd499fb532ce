/* Sample files: what was written is read back, and no hostile file gets further than an error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sample/sample.h"

static char path[] = "sample_file_test.XXXXXX";
static char error[256];

static int make_file(void **state) {
    (void)state;
    int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state) {
    (void)state;
    return unlink(path);
}

static void write_two_rows(void) {
    sample_row rows[2] = {
        {.seq = 0 | SAMPLE_FLAG_WARMUP, .planned_ns = 10, .t1_ns = 11, .t4_ns = 15},
        {.seq = 1, .planned_ns = 20, .t1_ns = 21, .t2_ns = 22, .t3_ns = 23, .t4_ns = 24},
    };
    sample_file file = {.run_id = 77,
        .role = 3,
        .endpoint = 2,
        .clock_error_ns = 5,
        .finished_ns = 30,
        .missing_rows = 9,
        .rows = rows,
        .row_count = 2};
    assert_true(sample_file_write(path, &file, error, sizeof(error)));
}

static void put(long offset, const void *bytes, size_t size) {
    FILE *out = fopen(path, "r+b");
    assert_non_null(out);
    assert_int_equal(fseek(out, offset, SEEK_SET), 0);
    assert_int_equal(fwrite(bytes, size, 1, out), 1);
    fclose(out);
}

static void assert_refused(const char *because) {
    sample_file file;
    memset(error, 0, sizeof(error));
    assert_false(sample_file_read(path, &file, error, sizeof(error)));
    if (strstr(error, because) == NULL || strstr(error, path) == NULL) {
        fail_msg("expected \"%s\" in: %s", because, error);
    }
}

static void test_round_trip(void **state) {
    (void)state;
    write_two_rows();
    sample_file file;
    assert_true(sample_file_read(path, &file, error, sizeof(error)));
    assert_int_equal(file.run_id, 77);
    assert_int_equal(file.role, 3);
    assert_int_equal(file.endpoint, 2);
    assert_int_equal(file.clock_error_ns, 5);
    assert_int_equal(file.finished_ns, 30);
    assert_int_equal(file.missing_rows, 9);
    assert_int_equal(file.row_count, 2);
    assert_true(file.rows[0].seq == SAMPLE_FLAG_WARMUP);
    assert_int_equal(file.rows[1].seq, 1);
    assert_int_equal(file.rows[1].planned_ns, 20);
    assert_int_equal(file.rows[1].t2_ns, 22);
    assert_int_equal(file.rows[1].t4_ns, 24);
    sample_file_done(&file);
}

static void test_layout_is_the_protocols(void **state) {
    (void)state;
    write_two_rows();
    unsigned char bytes[64 + 96];
    FILE *in = fopen(path, "rb");
    assert_int_equal(fread(bytes, 1, sizeof(bytes), in), sizeof(bytes));
    assert_int_equal(fgetc(in), EOF);
    fclose(in);
    static const unsigned char start[] = {'R', 'C', 'L', 'B', 'S', 'A', 'M', 'P', 1, 0, 0, 0, 48, 0,
        0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 77, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 5};
    assert_memory_equal(bytes, start, sizeof(start));
    assert_int_equal(bytes[48], 30);
    assert_int_equal(bytes[56], 9);
    assert_int_equal(bytes[64 + 7], 0x40);
    assert_int_equal(bytes[64 + 48 + 16], 21);
}

static void test_empty_run(void **state) {
    (void)state;
    sample_file written = {.run_id = 1, .role = 1};
    assert_true(sample_file_write(path, &written, error, sizeof(error)));
    sample_file file;
    assert_true(sample_file_read(path, &file, error, sizeof(error)));
    assert_int_equal(file.row_count, 0);
    sample_file_done(&file);
}

static void test_truncated_anywhere(void **state) {
    (void)state;
    for (off_t size = 0; size < 64 + 96; size++) {
        write_two_rows();
        assert_int_equal(truncate(path, size), 0);
        assert_refused(size < 64 ? "too short" : "does not fit");
    }
}

static void test_longer_than_announced(void **state) {
    (void)state;
    write_two_rows();
    assert_int_equal(truncate(path, 64 + 96 + 48), 0);
    assert_refused("does not fit");
    assert_int_equal(truncate(path, 64 + 96 + 1), 0);
    assert_refused("does not fit");
}

static void test_hostile_counts_take_no_memory(void **state) {
    (void)state;
    static const uint64_t counts[] = {
        UINT64_MAX, UINT64_MAX / 48, UINT64_MAX / 48 + 3, 1, 3, ((uint64_t)1 << 60) + 2};
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        write_two_rows();
        put(16, &counts[i], 8);
        assert_refused("does not fit");
    }
}

static void test_bad_header_fields(void **state) {
    (void)state;
    static const uint32_t two = 2, five = 5, zero = 0;
    static const int64_t negative = -1;
    write_two_rows();
    put(0, "RCLBSAMQ", 8);
    assert_refused("not a sample file");
    write_two_rows();
    put(8, &two, 4);
    assert_refused("version 2");
    write_two_rows();
    put(12, &zero, 4);
    assert_refused("rows of 0 bytes");
    write_two_rows();
    put(32, &five, 4);
    assert_refused("unknown role 5");
    write_two_rows();
    put(48, &negative, 8);
    assert_refused("time in the header");
}

static void test_bad_rows(void **state) {
    (void)state;
    static const int64_t negative = -5, far = INT64_MAX, handshake = INT64_MIN;
    for (long column = 1; column < 6; column++) {
        write_two_rows();
        put(64 + 48 + column * 8, &negative, 8);
        assert_refused("row 1");
        write_two_rows();
        put(64 + column * 8, &far, 8);
        assert_refused("row 0");
    }
    write_two_rows();
    put(64, &handshake, 8);
    assert_refused("row 0");
}

static void test_not_a_file(void **state) {
    (void)state;
    sample_file file;
    assert_false(sample_file_read("no/such/file", &file, error, sizeof(error)));
    assert_non_null(strstr(error, "no/such/file"));
    assert_false(sample_file_read("/dev/zero", &file, error, sizeof(error)));
    assert_non_null(strstr(error, "not a regular file"));
    assert_false(sample_file_read(".", &file, error, sizeof(error)));
    sample_file out = {.run_id = 1, .role = 1};
    assert_false(sample_file_write("no/such/file", &out, error, sizeof(error)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_layout_is_the_protocols),
        cmocka_unit_test(test_empty_run),
        cmocka_unit_test(test_truncated_anywhere),
        cmocka_unit_test(test_longer_than_announced),
        cmocka_unit_test(test_hostile_counts_take_no_memory),
        cmocka_unit_test(test_bad_header_fields),
        cmocka_unit_test(test_bad_rows),
        cmocka_unit_test(test_not_a_file),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
