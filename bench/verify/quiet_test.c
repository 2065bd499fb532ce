/* Tests of quiet_judge: what a peer may write while it measures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "verify/quiet.h"

#define MESSAGES 100

static quiet_side silent(void) {
    quiet_side side = {.begin = {.valid = true}, .end = {.valid = true}};
    return side;
}

static void expect(const quiet_side *side, const char *problem) {
    char *said = quiet_judge(side, "server", MESSAGES);
    if (problem == NULL) {
        assert_null(said);
    } else {
        assert_non_null(said);
        assert_non_null(strstr(said, problem));
    }
    free(said);
}

static void test_few_bytes_are_allowed(void **state) {
    (void)state;
    quiet_side side = silent();
    expect(&side, NULL);
    side.end.written_bytes = 8 * MESSAGES; /* an eventfd */
    expect(&side, NULL);
    side.end.printed_bytes = 1;
    expect(&side, "the server printed 1 bytes");
}

static void test_a_line_per_message_is_not(void **state) {
    (void)state;
    quiet_side side = silent();
    side.end.written_bytes = 48 * MESSAGES;
    expect(&side, "the server wrote 4800 bytes to files or pipes");
    side.end.at_ns = 2000000000; /* it waited, and its threads woke each other */
    expect(&side, NULL);
}

static void test_tcp_by_write_is_allowed_but_no_file(void **state) {
    (void)state;
    quiet_side side = silent();
    side.end.speaks_tcp = true;
    side.end.written_bytes = 1000 * MESSAGES;
    expect(&side, NULL);
    side.end.file_bytes = 48 * MESSAGES;
    expect(&side, "the server wrote 4800 bytes to files or pipes");
    side.end.file_bytes = 0;
    side.end.stored_bytes = 8192;
    expect(&side, "the server wrote 8192 bytes to files or pipes");
}

static void test_what_cannot_be_read_is_a_problem(void **state) {
    (void)state;
    quiet_side side = silent();
    side.end.valid = false;
    expect(&side, "of the server cannot be read");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_few_bytes_are_allowed),
        cmocka_unit_test(test_a_line_per_message_is_not),
        cmocka_unit_test(test_tcp_by_write_is_allowed_but_no_file),
        cmocka_unit_test(test_what_cannot_be_read_is_a_problem),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
