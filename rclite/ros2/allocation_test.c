/* After warm-up nothing in rclite allocates: malloc and its kin are replaced here, and count the
 * calls whose caller is this program, which is the library and the test in one image (Cyclone DDS
 * and the C library are shared ones). Under a sanitizer that replaces malloc itself the test is
 * skipped. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ros2/testing/ros2_testing.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SKIPPED 1
#else
#define SKIPPED 0
#endif
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#undef SKIPPED
#define SKIPPED 1
#endif
#endif

/* Warm is when a phase goes by without allocation: how many samples are unacknowledged, and so in
 * use, at the worst moment is up to Cyclone. An allocation for each message would never let that
 * come. */
#define PHASE_ROUNDS 300u
#define PHASES_MAX 20u

static _Atomic bool armed;
static _Atomic uint64_t count_of_ours;
static void *first_caller; /* for the message of a failure */

#if !SKIPPED
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);

static void note(void *caller) {
    Dl_info here, there;
    if (armed && dladdr((void *)&count_of_ours, &here) != 0 && dladdr(caller, &there) != 0 &&
        here.dli_fbase == there.dli_fbase) {
        if (count_of_ours++ == 0) {
            first_caller = caller;
        }
    }
}

void *malloc(size_t size) {
    note(__builtin_return_address(0));
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    note(__builtin_return_address(0));
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
    note(__builtin_return_address(0));
    return __libc_realloc(memory, size);
}
#endif

static void start_counting(void) {
    count_of_ours = 0;
    armed = true;
}

/* Ends a phase: true when nothing was allocated in it. */
static bool was_quiet(void) {
    armed = false;
    return count_of_ours == 0;
}

static void fail_loud(const char *what) {
    Dl_info at = {.dli_fbase = NULL};
    dladdr(first_caller, &at);
    fail_msg("%s: %llu allocations in %u rounds, one at offset 0x%zx of the program", what,
        (unsigned long long)count_of_ours, PHASE_ROUNDS,
        (size_t)((const char *)first_caller - (const char *)at.dli_fbase));
}

typedef struct side {
    rclite_publisher *publisher;
    testing_gate gate;
} side;

static void send_back(const void *message, const rclite_message_info *info, void *user) {
    side *here = user;
    (void)info;
    if (here->publisher && rclite_publisher_publish(here->publisher, message) != RCLITE_OK) {
        return;
    }
    testing_gate_add(&here->gate, 1);
}

static rclite_result answer(
    rclite_service_call *call, const void *request, void *response, char *error_text, void *user) {
    const testing_numbers *numbers = request;
    testing_bytes *bytes = response;
    (void)call;
    (void)error_text;
    (void)user;
    bytes->seq = (uint64_t)numbers->a;
    return rclite_sequence_resize(&bytes->data, 1, (size_t)numbers->b, NULL);
}

static void on_answer(
    rclite_result result, const void *response, const char *error_text, void *user) {
    (void)response;
    (void)error_text;
    if (result == RCLITE_OK) {
        testing_gate_add(user, 1);
    }
}

static void topics(void **state) {
    (void)state;
    if (SKIPPED) {
        skip();
    }
    testing_pair pair = testing_pair_open(RCLITE_DELIVERY_DIRECT);
    side near = {.gate = TESTING_GATE_INIT}, far = {.gate = TESTING_GATE_INIT};
    const rclite_publisher_options offer = RCLITE_PUBLISHER_OPTIONS_INIT;
    const rclite_subscription_options ask = RCLITE_SUBSCRIPTION_OPTIONS_INIT;
    rclite_publisher *ping = NULL;
    rclite_subscription *on_ping = NULL, *on_pong = NULL;
    assert_ok(
        rclite_publisher_create(pair.nodes[0], "/ping", &testing_bytes_type, &offer, &ping, NULL));
    assert_ok(rclite_publisher_create(
        pair.nodes[1], "/pong", &testing_bytes_type, &offer, &far.publisher, NULL));
    assert_ok(rclite_subscription_create(
        pair.nodes[1], "/ping", &testing_bytes_type, send_back, &far, &ask, &on_ping, NULL));
    assert_ok(rclite_subscription_create(
        pair.nodes[0], "/pong", &testing_bytes_type, send_back, &near, &ask, &on_pong, NULL));
    assert_ok(rclite_publisher_wait_matched(ping, 1, TESTING_TIMEOUT_NS));
    assert_ok(rclite_subscription_wait_matched(on_ping, 1, TESTING_TIMEOUT_NS));
    assert_ok(rclite_publisher_wait_matched(far.publisher, 1, TESTING_TIMEOUT_NS));
    assert_ok(rclite_subscription_wait_matched(on_pong, 1, TESTING_TIMEOUT_NS));
    const size_t sizes[] = {64, 4096, 65536};
    uint64_t sent = 0;
    for (size_t i = 0; i < 3; i++) {
        testing_bytes bytes = {.seq = 1};
        assert_ok(rclite_sequence_resize(&bytes.data, 1, sizes[i], NULL));
        bool quiet = false;
        for (uint32_t phase = 0; !quiet && phase < PHASES_MAX; phase++) {
            start_counting();
            for (uint32_t round = 0; round < PHASE_ROUNDS; round++) {
                bytes.seq++;
                assert_ok(rclite_publisher_publish(ping, &bytes));
                assert_true(testing_gate_wait(&near.gate, ++sent, TESTING_TIMEOUT_NS));
            }
            quiet = was_quiet();
        }
        if (!quiet) {
            fail_loud("publishing and delivering");
        }
        rclite_message_done(&testing_bytes_type, &bytes, NULL);
    }
    rclite_subscription_free(on_ping);
    rclite_subscription_free(on_pong);
    rclite_publisher_free(ping);
    rclite_publisher_free(far.publisher);
    testing_pair_close(&pair);
}

static void services(void **state) {
    (void)state;
    if (SKIPPED) {
        skip();
    }
    testing_pair pair = testing_pair_open(RCLITE_DELIVERY_DIRECT);
    testing_gate gate = TESTING_GATE_INIT;
    const rclite_service_options offer = RCLITE_SERVICE_OPTIONS_INIT;
    const rclite_client_options ask = RCLITE_CLIENT_OPTIONS_INIT;
    rclite_service *service = NULL;
    rclite_client *client = NULL;
    assert_ok(rclite_service_create(
        pair.nodes[0], "/make", &testing_service_type, answer, NULL, &offer, &service, NULL));
    assert_ok(
        rclite_client_create(pair.nodes[1], "/make", &testing_service_type, &ask, &client, NULL));
    assert_ok(rclite_client_wait_for_service(client, TESTING_TIMEOUT_NS));
    const testing_numbers request = {.a = 3, .b = 1000};
    uint64_t called = 0;
    bool quiet = false;
    for (uint32_t phase = 0; !quiet && phase < PHASES_MAX; phase++) {
        start_counting();
        for (uint32_t round = 0; round < PHASE_ROUNDS; round++) {
            assert_ok(rclite_client_call_async(client, &request, on_answer, &gate, NULL));
            assert_true(testing_gate_wait(&gate, ++called, TESTING_TIMEOUT_NS));
        }
        quiet = was_quiet();
    }
    if (!quiet) {
        fail_loud("calling and answering");
    }
    rclite_client_free(client);
    rclite_service_free(service);
    testing_pair_close(&pair);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(topics),
        cmocka_unit_test(services),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
