/* Tests of what is read from the kernel: a process's resources, and the host. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "run/environment.h"
#include "run/resources.h"
#include "util/memory.h"

/* Work whose size is known at least from below. */
static void the_measured_part_is_what_lies_between(void **state) {
    (void)state;
    run_reading begin = run_resources_begin(getpid());
    assert_true(begin.so_far.valid);
    size_t size = 32 * 1024 * 1024;
    volatile char *memory = util_alloc(size, 1);
    for (size_t i = 0; i < size; i += 1024) {
        memory[i] = (char)i;
    }
    run_reading end = run_resources_read(getpid());
    run_resources part = run_resources_between(&begin, &end);
    free((void *)memory);
    assert_true(part.valid);
    assert_true(part.max_rss_bytes >= (int64_t)size);
    assert_true(part.minor_faults > 0);
    assert_true(part.cpu_user_ns + part.cpu_system_ns > 100000);
    run_reading nothing = {0};
    assert_false(run_resources_between(&nothing, &end).valid);
    run_resources gone = run_resources_read(0x3ffffffe).so_far;
    assert_false(gone.valid);
}

static void the_host_is_known(void **state) {
    (void)state;
    run_environment environment;
    run_environment_capture(&environment);
    assert_non_null(strstr(environment.kernel, "Linux"));
    assert_true(environment.cpu_count > 0);
    assert_true(environment.clock_read_ns >= 0 && environment.clock_read_ns < 1000000);
    assert_non_null(environment.build_type);
    run_environment_done(&environment);
    assert_true(run_load_1min() >= 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_measured_part_is_what_lies_between),
        cmocka_unit_test(the_host_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
