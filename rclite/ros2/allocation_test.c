/* After warm-up nothing in rclite allocates: malloc and its kin are replaced here, and count the
 * calls whose caller is this program, which is the library and the test in one image (Cyclone DDS
 * and the C library are shared ones). Under a sanitizer that replaces malloc itself the test is
 * skipped. */
#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rclite_test/action/Count.h"
#include "ros2/testing/action_testing.h"

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

/* Runs rounds until a phase of them was quiet. */
static void expect_quiet(const char *what, void (*run_round)(void *user), void *user) {
    bool quiet = false;
    for (uint32_t phase = 0; !quiet && phase < PHASES_MAX; phase++) {
        start_counting();
        for (uint32_t i = 0; i < PHASE_ROUNDS; i++) {
            run_round(user);
        }
        quiet = was_quiet();
    }
    if (!quiet) {
        fail_loud(what);
    }
}

/* Two contexts; with spin delivery the second one is spun by a thread of its own, and the first by
 * the test while it waits. */
typedef struct arena {
    testing_pair pair;
    rclite_delivery delivery;
    pthread_t spinner;
    testing_gate gate; /* what has come back to the first context */
    uint64_t expected;
} arena;

static void *spin(void *context) {
    return (void *)(intptr_t)rclite_spin(context);
}

static arena arena_open(rclite_delivery delivery) {
    if (SKIPPED) {
        skip();
    }
    arena self = {.pair = testing_pair_open(delivery), .delivery = delivery};
    self.gate = (testing_gate)TESTING_GATE_INIT;
    if (delivery == RCLITE_DELIVERY_SPIN) {
        assert_int_equal(pthread_create(&self.spinner, NULL, spin, self.pair.contexts[1]), 0);
    }
    return self;
}

/* The spinning ends before the endpoints do. */
static void arena_stop(arena *self) {
    if (self->delivery == RCLITE_DELIVERY_SPIN) {
        rclite_context_shutdown(self->pair.contexts[1]);
        assert_int_equal(pthread_join(self->spinner, NULL), 0);
    }
}

static void await(arena *self) {
    self->expected++;
    assert_true(self->delivery == RCLITE_DELIVERY_SPIN
                    ? testing_gate_spin(
                          &self->gate, self->pair.contexts[0], self->expected, TESTING_TIMEOUT_NS)
                    : testing_gate_wait(&self->gate, self->expected, TESTING_TIMEOUT_NS));
}

/* ---- topics --------------------------------------------------------------------------------- */

typedef struct game {
    arena arena;
    rclite_publisher *ping, *pong;
    testing_bytes bytes;
} game;

static void send_back(const void *message, const rclite_message_info *info, void *user) {
    (void)info;
    assert_ok(rclite_publisher_publish(((game *)user)->pong, message));
}

static void count_back(const void *message, const rclite_message_info *info, void *user) {
    (void)message;
    (void)info;
    testing_gate_add(&((game *)user)->arena.gate, 1);
}

static void there_and_back(void *user) {
    game *self = user;
    self->bytes.seq++;
    assert_ok(rclite_publisher_publish(self->ping, &self->bytes));
    await(&self->arena);
}

static void topics_with(rclite_delivery delivery) {
    game self = {.arena = arena_open(delivery)};
    rclite_node *const *nodes = self.arena.pair.nodes;
    const rclite_publisher_options offer = RCLITE_PUBLISHER_OPTIONS_INIT;
    const rclite_subscription_options ask = RCLITE_SUBSCRIPTION_OPTIONS_INIT;
    rclite_subscription *on_ping = NULL, *on_pong = NULL;
    assert_ok(
        rclite_publisher_create(nodes[0], "/ping", &testing_bytes_type, &offer, &self.ping, NULL));
    assert_ok(
        rclite_publisher_create(nodes[1], "/pong", &testing_bytes_type, &offer, &self.pong, NULL));
    assert_ok(rclite_subscription_create(
        nodes[1], "/ping", &testing_bytes_type, send_back, &self, &ask, &on_ping, NULL));
    assert_ok(rclite_subscription_create(
        nodes[0], "/pong", &testing_bytes_type, count_back, &self, &ask, &on_pong, NULL));
    assert_ok(rclite_publisher_wait_matched(self.ping, 1, TESTING_TIMEOUT_NS));
    assert_ok(rclite_subscription_wait_matched(on_ping, 1, TESTING_TIMEOUT_NS));
    assert_ok(rclite_publisher_wait_matched(self.pong, 1, TESTING_TIMEOUT_NS));
    assert_ok(rclite_subscription_wait_matched(on_pong, 1, TESTING_TIMEOUT_NS));
    const size_t sizes[] = {64, 4096, 65536};
    for (size_t i = 0; i < 3; i++) {
        assert_ok(rclite_sequence_resize(&self.bytes.data, 1, sizes[i], NULL));
        expect_quiet("publishing and delivering", there_and_back, &self);
    }
    arena_stop(&self.arena);
    rclite_message_done(&testing_bytes_type, &self.bytes, NULL);
    rclite_subscription_free(on_ping);
    rclite_subscription_free(on_pong);
    rclite_publisher_free(self.ping);
    rclite_publisher_free(self.pong);
    testing_pair_close(&self.arena.pair);
}

/* ---- services ------------------------------------------------------------------------------- */

typedef struct calling {
    arena arena;
    rclite_client *client;
    testing_bytes response;
} calling;

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

static void call_later(void *user) {
    calling *self = user;
    const testing_numbers request = {.a = 3, .b = 1000};
    assert_ok(rclite_client_call_async(self->client, &request, on_answer, &self->arena.gate, NULL));
    await(&self->arena);
}

static void call_and_wait(void *user) {
    calling *self = user;
    const testing_numbers request = {.a = 3, .b = 1000};
    assert_ok(
        rclite_client_call(self->client, &request, &self->response, TESTING_TIMEOUT_NS, NULL));
    assert_int_equal(self->response.data.size, 1000);
}

static void services_with(rclite_delivery delivery) {
    calling self = {.arena = arena_open(delivery)};
    const rclite_service_options offer = RCLITE_SERVICE_OPTIONS_INIT;
    const rclite_client_options ask = RCLITE_CLIENT_OPTIONS_INIT;
    rclite_service *service = NULL;
    assert_ok(rclite_service_create(self.arena.pair.nodes[1], "/make", &testing_service_type,
        answer, NULL, &offer, &service, NULL));
    assert_ok(rclite_client_create(
        self.arena.pair.nodes[0], "/make", &testing_service_type, &ask, &self.client, NULL));
    assert_ok(rclite_client_wait_for_service(self.client, TESTING_TIMEOUT_NS));
    expect_quiet("calling and answering", call_later, &self);
    expect_quiet("calling and waiting", call_and_wait, &self);
    arena_stop(&self.arena);
    rclite_message_done(&testing_bytes_type, &self.response, NULL);
    rclite_client_free(self.client);
    rclite_service_free(service);
    testing_pair_close(&self.arena.pair);
}

/* ---- actions -------------------------------------------------------------------------------- */

typedef struct acting {
    arena arena;
    rclite_action_server *server;
    rclite_action_client *client;
    _Atomic(rclite_server_goal *) running;
    rclite_test__action__Count_Result result; /* the client's, reused */
} acting;

static void on_accepted(rclite_server_goal *goal, const void *message, void *user) {
    const rclite_test__action__Count_Feedback feedback = {.at = 1};
    (void)message;
    assert_ok(rclite_server_goal_feedback(goal, &feedback));
    ((acting *)user)->running = goal;
}

/* The goal is forgotten as soon as it has ended, so it ends when the client has asked. */
static void end_goal(acting *self) {
    char note[] = "a note";
    const rclite_test__action__Count_Result result = {.total = 2, .note = {note, 6, 0}};
    const int64_t until_ns = rclite_monotonic_ns() + TESTING_TIMEOUT_NS;
    while (!self->running || action_asked_count(self->server) == 0) {
        assert_true(rclite_monotonic_ns() < until_ns);
        if (self->arena.delivery == RCLITE_DELIVERY_SPIN) {
            assert_true(rclite_spin_once(self->arena.pair.contexts[0], 100000) >= 0);
        } else {
            sched_yield();
        }
    }
    assert_ok(rclite_server_goal_succeed(atomic_exchange(&self->running, NULL), &result));
}

static void on_feedback(rclite_client_goal *goal, const void *feedback, void *user) {
    (void)goal;
    (void)feedback;
    (void)user;
}

static void do_goal(void *user) {
    static const rclite_goal_callbacks callbacks = {.feedback = on_feedback};
    acting *self = user;
    char note[] = "do it";
    const rclite_test__action__Count_Goal goal = {.count = 1, .note = {note, 5, 0}};
    rclite_client_goal *handle = NULL;
    rclite_goal_status status = RCLITE_GOAL_UNKNOWN;
    assert_ok(rclite_action_client_send_goal(self->client, &goal, &callbacks, self, &handle));
    end_goal(self);
    assert_ok(rclite_client_goal_wait(handle, &self->result, TESTING_TIMEOUT_NS, &status));
    assert_int_equal(status, RCLITE_GOAL_SUCCEEDED);
    rclite_client_goal_free(handle);
}

static void actions_with(rclite_delivery delivery) {
    acting self = {.arena = arena_open(delivery)};
    static const rclite_action_server_callbacks callbacks = {.accepted = on_accepted};
    rclite_action_server_options options = RCLITE_ACTION_SERVER_OPTIONS_INIT;
    options.result_timeout_ns = 0; /* else each goal is remembered for 10 s, in memory of its own */
    const rclite_action_type *type = &rclite_test__action__Count__type;
    assert_ok(rclite_action_server_create(
        self.arena.pair.nodes[1], "count", type, &callbacks, &self, &options, &self.server, NULL));
    assert_ok(
        rclite_action_client_create(self.arena.pair.nodes[0], "count", type, &self.client, NULL));
    assert_ok(rclite_action_client_wait_for_server(self.client, TESTING_TIMEOUT_NS));
    expect_quiet("goals and their results", do_goal, &self);
    arena_stop(&self.arena);
    rclite_message_done(type->result, &self.result, NULL);
    rclite_action_client_free(self.client);
    rclite_action_server_free(self.server);
    testing_pair_close(&self.arena.pair);
}

/* ---- all of them, with both deliveries ------------------------------------------------------ */

static void topics(void **state) {
    topics_with(*(const rclite_delivery *)*state);
}

static void services(void **state) {
    services_with(*(const rclite_delivery *)*state);
}

static void actions(void **state) {
    actions_with(*(const rclite_delivery *)*state);
}

static const rclite_delivery direct = RCLITE_DELIVERY_DIRECT, spinning = RCLITE_DELIVERY_SPIN;

#define BOTH(test)                                                                                 \
    {#test " (direct)", test, NULL, NULL, (void *)&direct}, {                                      \
#test " (spin)", test, NULL, NULL, (void *)&spinning                                       \
    }

int main(void) {
    const struct CMUnitTest tests[] = {BOTH(topics), BOTH(services), BOTH(actions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
