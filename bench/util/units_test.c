/* Units: what is accepted, what it means, what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "util/units.h"

static void sizes_are_powers_of_two_or_ten_as_written(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint64_t bytes;
    } good[] = {
        {"0", 0},
        {"64", 64},
        {"64B", 64},
        {"1KiB", 1024},
        {"1KB", 1000},
        {"1kB", 1000},
        {"1MiB", 1048576},
        {"1MB", 1000000},
        {"1.5MB", 1500000},
        {"0.5KiB", 512},
        {"2 GiB", 2147483648},
        {"18446744073709551615", UINT64_MAX},
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        uint64_t bytes = 7;
        assert_true(units_parse_bytes(good[i].text, &bytes));
        assert_int_equal(bytes, good[i].bytes);
    }
    static const char *const bad[] = {"", "-1", "+1", "1kib", "1X", "KiB", "1.", ".5", "1..5KB",
        "0x10", "1e3", "18446744073709551616", "99999999999GiB", "1KiB ", " 1", "1.0001KB", "1.5"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        uint64_t bytes = 7;
        assert_false(units_parse_bytes(bad[i], &bytes));
        assert_int_equal(bytes, 7);
    }
}

static void durations_need_a_unit(void **state) {
    (void)state;
    int64_t ns = -1;
    assert_true(units_parse_duration("0", &ns));
    assert_int_equal(ns, 0);
    assert_true(units_parse_duration("5ms", &ns));
    assert_int_equal(ns, 5000000);
    assert_true(units_parse_duration("2s", &ns));
    assert_int_equal(ns, 2000000000);
    assert_true(units_parse_duration("1m", &ns));
    assert_int_equal(ns, 60000000000);
    assert_true(units_parse_duration("1.5h", &ns));
    assert_int_equal(ns, 5400000000000);
    assert_true(units_parse_duration("0.25us", &ns));
    assert_int_equal(ns, 250);
    assert_false(units_parse_duration("5", &ns));
    assert_false(units_parse_duration("5 parsecs", &ns));
    assert_false(units_parse_duration("-5ms", &ns));
    assert_false(units_parse_duration("9223372036854775808ns", &ns));
    assert_false(units_parse_duration("99999999999h", &ns));
    assert_int_equal(ns, 250);
}

static void counts_and_rates(void **state) {
    (void)state;
    uint64_t count;
    double hz;
    assert_true(units_parse_count("10k", &count));
    assert_int_equal(count, 10000);
    assert_true(units_parse_count("1M", &count));
    assert_int_equal(count, 1000000);
    assert_false(units_parse_count("1Ki", &count));
    assert_false(units_parse_count("1.5", &count));
    assert_true(units_parse_rate("0.5", &hz));
    assert_true(fabs(hz - 0.5) < 1e-12);
    assert_true(units_parse_rate("1kHz", &hz));
    assert_true(fabs(hz - 1000) < 1e-9);
    assert_false(units_parse_rate("fast", &hz));
    assert_false(units_parse_rate("-3", &hz));
}

static void what_people_read(void **state) {
    (void)state;
    char text[UNITS_TEXT_MAX];
    assert_string_equal(units_format_bytes(64, text), "64 B");
    assert_string_equal(units_format_bytes(1024, text), "1 KiB");
    assert_string_equal(units_format_bytes(1000000, text), "1 MB");
    assert_string_equal(units_format_bytes(1572864, text), "1.5 MiB");
    assert_string_equal(units_format_bytes(1000, text), "1 KB");
    assert_string_equal(units_format_duration(850, text), "850 ns");
    assert_string_equal(units_format_duration(12300, text), "12.3 us");
    assert_string_equal(units_format_duration(4560000, text), "4.56 ms");
    assert_string_equal(units_format_duration(125000000000, text), "2 min 5 s");
    assert_string_equal(units_format_duration(300000000000, text), "5 min");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_powers_of_two_or_ten_as_written),
        cmocka_unit_test(durations_need_a_unit),
        cmocka_unit_test(counts_and_rates),
        cmocka_unit_test(what_people_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
