/* The threads of the backend: turns are given in order, helpers are bounded, and a busy connection
 * may be ended, paused and given back like any other. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "testing/ping_pong.h"

#include "ros1/helpers.h"
#include "ros1/ros1.h"
#include "ros1/turn.h"
#include "std_msgs/msg/String.h"

#define STRING (&std_msgs__msg__String__type)
#define GAMES 12 /* more than there are helpers */

/* Polls; the test fails after TESTING_TIMEOUT_NS. */
static void wait_for(bool (*done)(void *user), void *user) {
    int64_t deadline = rclite_monotonic_ns() + TESTING_TIMEOUT_NS;
    while (!done(user)) {
        assert_true(rclite_monotonic_ns() < deadline);
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
}

/* ---- turns ---------------------------------------------------------------------------------- */

struct queueing {
    rclitei_turn turn;
    bool had_it; /* guarded by the turn */
};

static void *take_once(void *argument) {
    struct queueing *queueing = argument;
    rclitei_turn_take(&queueing->turn);
    queueing->had_it = true;
    rclitei_turn_pass(&queueing->turn);
    return NULL;
}

static bool is_queued(void *user) {
    struct queueing *queueing = user;
    pthread_mutex_lock(&queueing->turn.mutex);
    bool queued = queueing->turn.next == queueing->turn.now + 2;
    pthread_mutex_unlock(&queueing->turn.mutex);
    return queued;
}

/* Who passes the turn and asks again at once comes behind who waits. */
static void test_turns_in_order(void **state) {
    (void)state;
    struct queueing queueing = {.had_it = false};
    pthread_t thread;
    rclitei_turn_init(&queueing.turn);
    assert_false(rclitei_turn_is_mine(&queueing.turn));
    rclitei_turn_take(&queueing.turn);
    assert_true(rclitei_turn_is_mine(&queueing.turn));
    assert_int_equal(pthread_create(&thread, NULL, take_once, &queueing), 0);
    wait_for(is_queued, &queueing);
    rclitei_turn_pass(&queueing.turn);
    assert_false(rclitei_turn_is_mine(&queueing.turn));
    rclitei_turn_take(&queueing.turn);
    assert_true(queueing.had_it);
    rclitei_turn_pass(&queueing.turn);
    pthread_join(thread, NULL);
    rclitei_turn_done(&queueing.turn);
}

/* ---- helpers -------------------------------------------------------------------------------- */

struct work {
    rclitei_job job; /* first */
    pthread_mutex_t *gate;
    atomic_int *finished;
};

static void wait_at_gate(rclitei_job *job) {
    struct work *work = (struct work *)job;
    pthread_mutex_lock(work->gate);
    pthread_mutex_unlock(work->gate);
    atomic_fetch_add(work->finished, 1);
}

static bool all_finished(void *user) {
    return atomic_load((atomic_int *)user) == RCLITEI_HELPERS_MAX;
}

static void test_helpers_are_bounded(void **state) {
    (void)state;
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    atomic_int finished = 0;
    struct work works[RCLITEI_HELPERS_MAX + 1];
    const rclite_allocator allocator = rclite_allocator_default();
    rclitei_helpers *helpers = rclitei_helpers_create(&allocator);
    assert_non_null(helpers);
    pthread_mutex_lock(&gate);
    for (int i = 0; i <= RCLITEI_HELPERS_MAX; i++) {
        works[i] = (struct work){{wait_at_gate}, &gate, &finished};
        assert_int_equal(rclitei_helpers_start(helpers, &works[i].job), i < RCLITEI_HELPERS_MAX);
    }
    pthread_mutex_unlock(&gate);
    wait_for(all_finished, &finished);
    rclitei_helpers_free(helpers);
    assert_int_equal(atomic_load(&finished), RCLITEI_HELPERS_MAX);
}

/* ---- busy connections ----------------------------------------------------------------------- */

static int count_lent(rclite_node *node) {
    struct ros1_context *context = rclitei_ros1_context(node);
    int count = 0;
    pthread_mutex_lock(&context->lock);
    for (struct ros1_subscription *at = rclitei_ros1_node(node)->subscriptions; at; at = at->next) {
        for (struct ros1_link *link = at->links; link; link = link->next) {
            if (link->open) {
                pthread_mutex_lock(&link->stream.mutex);
                count += link->stream.is_lent;
                pthread_mutex_unlock(&link->stream.mutex);
            }
        }
    }
    pthread_mutex_unlock(&context->lock);
    return count;
}

static bool is_nothing_lent(void *user) {
    return count_lent(user) == 0;
}

static void test_lent_and_given_back(void **state) {
    (void)state;
    struct ping_pong game = {.left = 0};
    rclite_context *context = testing_context(RCLITE_DELIVERY_DIRECT);
    ping_pong_open(&game, context, "", 64);
    for (int i = 0; i < 2; i++) {
        int64_t deadline = rclite_monotonic_ns() + TESTING_TIMEOUT_NS;
        do { /* on a busy machine several things may always happen at once for a while */
            ping_pong_play(&game, 50);
            assert_true(rclite_monotonic_ns() < deadline);
        } while (count_lent(game.node) != 2);
        wait_for(is_nothing_lent, game.node); /* nothing comes any more */
    }
    ping_pong_play(&game, 50);
    ping_pong_close(&game); /* while they are lent */
    rclite_context_free(context);
}

static bool are_all_done(void *user) {
    struct ping_pong *games = user;
    for (int i = 0; i < GAMES; i++) {
        if (!ping_pong_is_done(&games[i])) {
            return false;
        }
    }
    return true;
}

/* More busy connections than helpers, by turns and all at the same time. */
static void test_many_busy(void **state) {
    (void)state;
    static struct ping_pong games[GAMES];
    rclite_context *context = testing_context(RCLITE_DELIVERY_DIRECT);
    for (int i = 0; i < GAMES; i++) {
        char suffix[16];
        snprintf(suffix, sizeof suffix, "%d", i);
        ping_pong_open(&games[i], context, suffix, 64);
        ping_pong_play(&games[i], 100);
    }
    for (int i = 0; i < GAMES; i++) {
        ping_pong_start(&games[i], 500);
    }
    testing_wait(context, are_all_done, games);
    for (int i = 0; i < GAMES; i++) {
        ping_pong_close(&games[i]);
    }
    rclite_context_free(context);
}

/* ---- freed by a callback of another one ----------------------------------------------------- */

struct leaver {
    rclite_context *context;
    rclite_subscription *busy;
    atomic_bool gone;
};

static void on_busy(const void *message, const rclite_message_info *info, void *user) {
    (void)message;
    (void)info;
    struct leaver *leaver = user;
    assert_false(atomic_load(&leaver->gone));
}

static void on_end(const void *message, const rclite_message_info *info, void *user) {
    (void)message;
    (void)info;
    struct leaver *leaver = user;
    leaver->busy = rclite_subscription_free(leaver->busy);
    atomic_store(&leaver->gone, true);
    rclite_context_wake(leaver->context);
}

static bool is_gone(void *user) {
    struct leaver *leaver = user;
    return atomic_load(&leaver->gone);
}

static rclite_publisher *advertise(rclite_node *node, const char *topic) {
    rclite_publisher_options options = RCLITE_PUBLISHER_OPTIONS_INIT;
    rclite_publisher *publisher = NULL;
    options.qos.history = RCLITE_QOS_KEEP_ALL;
    assert_int_equal(
        rclite_publisher_create(node, topic, STRING, &options, &publisher, NULL), RCLITE_OK);
    return publisher;
}

static void publish(rclite_publisher *publisher, int count) {
    static char text[] = "text";
    const std_msgs__msg__String message = {.data = {text, 4, 0}};
    for (int i = 0; i < count; i++) {
        assert_int_equal(rclite_publisher_publish(publisher, &message), RCLITE_OK);
    }
}

static void test_freed_by_callback(void **state) {
    (void)state;
    rclite_context *context = testing_context(RCLITE_DELIVERY_DIRECT);
    rclite_node *node = testing_node(context, "leaving");
    rclite_subscription_options options = RCLITE_SUBSCRIPTION_OPTIONS_INIT;
    rclite_publisher *busy = advertise(node, "/busy");
    rclite_publisher *end = advertise(node, "/end");
    rclite_subscription *ender = NULL;
    struct leaver leaver = {.context = context};
    assert_int_equal(rclite_subscription_create(
                         node, "/busy", STRING, on_busy, &leaver, &options, &leaver.busy, NULL),
        RCLITE_OK);
    assert_int_equal(
        rclite_subscription_create(node, "/end", STRING, on_end, &leaver, &options, &ender, NULL),
        RCLITE_OK);
    assert_int_equal(rclite_publisher_wait_matched(busy, 1, TESTING_TIMEOUT_NS), RCLITE_OK);
    assert_int_equal(rclite_publisher_wait_matched(end, 1, TESTING_TIMEOUT_NS), RCLITE_OK);
    publish(busy, 500);
    publish(end, 1);
    publish(busy, 500);
    testing_wait(context, is_gone, &leaver);
    rclite_subscription_free(ender);
    rclite_publisher_free(busy);
    rclite_publisher_free(end);
    rclite_node_free(node);
    rclite_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_turns_in_order),
        cmocka_unit_test(test_helpers_are_bounded),
        cmocka_unit_test(test_lent_and_given_back),
        cmocka_unit_test(test_many_busy),
        cmocka_unit_test(test_freed_by_callback),
    };
    if (!testing_master_start()) {
        return 77;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    testing_master_stop();
    return failed;
}
