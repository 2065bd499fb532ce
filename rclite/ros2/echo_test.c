/* Publishing from inside direct callbacks never deadlocks or stalls: echoes both ways, of sizes
 * beyond what a reliable writer keeps unacknowledged, at every history; with a reader that is slow,
 * that is not there, that dies. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ros2/testing/ros2_testing.h"

#define ROUNDS 30u

/* Gives back what comes, on another topic, until it has done so often enough. */
typedef struct echo {
    rclite_publisher *publisher;
    testing_gate gate;
    uint64_t stop_after;
    _Atomic uint64_t failures;
    size_t size;
    _Atomic uint64_t wrong_size; /* read between messages: nothing but the network orders that */
} echo;

static void on_ball(const void *message, const rclite_message_info *info, void *user) {
    const testing_bytes *bytes = message;
    echo *side = user;
    (void)info;
    side->wrong_size += bytes->data.size != side->size;
    if (bytes->seq < side->stop_after) {
        const testing_bytes back = {.seq = bytes->seq + 1, .data = bytes->data};
        side->failures += rclite_publisher_publish(side->publisher, &back) != RCLITE_OK;
    }
    testing_gate_add(&side->gate, 1);
}

static rclite_qos qos_of(uint32_t depth) {
    rclite_qos qos = rclite_qos_default();
    qos.depth = depth;
    if (depth == 0) {
        qos.history = RCLITE_QOS_KEEP_ALL;
    }
    return qos;
}

static rclite_publisher *publisher_of(rclite_node *node, const char *topic, uint32_t depth) {
    rclite_publisher_options options = RCLITE_PUBLISHER_OPTIONS_INIT;
    options.qos = qos_of(depth);
    rclite_publisher *publisher = NULL;
    assert_ok(
        rclite_publisher_create(node, topic, &testing_bytes_type, &options, &publisher, NULL));
    return publisher;
}

static rclite_subscription *subscription_of(rclite_node *node, const char *topic, uint32_t depth,
    rclite_subscription_callback callback, void *user) {
    rclite_subscription_options options = RCLITE_SUBSCRIPTION_OPTIONS_INIT;
    options.qos = qos_of(depth);
    rclite_subscription *subscription = NULL;
    assert_ok(rclite_subscription_create(
        node, topic, &testing_bytes_type, callback, user, &options, &subscription, NULL));
    return subscription;
}

static testing_bytes make_bytes(size_t size) {
    testing_bytes bytes = {.seq = 1};
    assert_ok(rclite_sequence_resize(&bytes.data, 1, size, NULL));
    memset(bytes.data.data, 0x33, size);
    return bytes;
}

/* Two nodes play a ball to each other from their callbacks. On topics of their own: on another
 * game's, an endpoint that was freed counts as a match until the others have been told, and a ball
 * thrown then is for nobody. */
static void play(rclite_node *const nodes[2], size_t size, uint32_t depth) {
    char ping[64], pong[64];
    snprintf(ping, sizeof ping, "/ping_%zu_%u", size, depth);
    snprintf(pong, sizeof pong, "/pong_%zu_%u", size, depth);
    echo sides[2] = {{.gate = TESTING_GATE_INIT, .stop_after = ROUNDS, .size = size},
        {.gate = TESTING_GATE_INIT, .stop_after = ROUNDS, .size = size}};
    rclite_subscription *subscriptions[2];
    sides[0].publisher = publisher_of(nodes[0], ping, depth);
    sides[1].publisher = publisher_of(nodes[1], pong, depth);
    subscriptions[0] = subscription_of(nodes[0], pong, depth, on_ball, &sides[0]);
    subscriptions[1] = subscription_of(nodes[1], ping, depth, on_ball, &sides[1]);
    for (int i = 0; i < 2; i++) {
        assert_ok(rclite_publisher_wait_matched(sides[i].publisher, 1, TESTING_TIMEOUT_NS));
        assert_ok(rclite_subscription_wait_matched(subscriptions[i], 1, TESTING_TIMEOUT_NS));
    }
    testing_bytes bytes = make_bytes(size);
    assert_ok(rclite_publisher_publish(sides[0].publisher, &bytes));
    assert_true(testing_gate_wait(&sides[1].gate, ROUNDS / 2, 3 * TESTING_TIMEOUT_NS));
    assert_true(testing_gate_wait(&sides[0].gate, ROUNDS / 2, TESTING_TIMEOUT_NS));
    for (int i = 0; i < 2; i++) {
        assert_int_equal(sides[i].failures, 0);
        assert_int_equal(sides[i].wrong_size, 0);
        rclite_subscription_free(subscriptions[i]);
    }
    for (int i = 0; i < 2; i++) {
        rclite_publisher_free(sides[i].publisher);
    }
    rclite_message_done(&testing_bytes_type, &bytes, NULL);
}

static void play_all(rclite_node *const nodes[2]) {
    const size_t sizes[] = {64, 65536, 1 << 20};
    const uint32_t depths[] = {1, 10, 0};
    for (size_t i = 0; i < 3; i++) {
        for (size_t j = 0; j < 3; j++) {
            play(nodes, sizes[i], depths[j]);
        }
    }
}

static void over_the_network(void **state) {
    (void)state;
    testing_pair pair = testing_pair_open(RCLITE_DELIVERY_DIRECT);
    play_all(pair.nodes);
    testing_pair_close(&pair);
}

/* The reader is served inside the write, so each echo is a publish within a publish. */
static void in_one_context(void **state) {
    (void)state;
    rclite_context *context = testing_context(RCLITE_DELIVERY_DIRECT, TESTING_DOMAIN);
    rclite_node *nodes[2] = {testing_node(context, "left"), testing_node(context, "right")};
    play_all(nodes);
    rclite_node_free(nodes[0]);
    rclite_node_free(nodes[1]);
    rclite_context_free(context);
}

/* Two plain threads and two callbacks use the same two publishers at once. */
typedef struct burst {
    rclite_publisher *publisher;
    _Atomic uint64_t failures;
} burst;

static void *publish_burst(void *user) {
    burst *burst_of = user;
    testing_bytes bytes = make_bytes(20000);
    bytes.seq = 1;
    for (int i = 0; i < 50; i++) {
        burst_of->failures += rclite_publisher_publish(burst_of->publisher, &bytes) != RCLITE_OK;
    }
    rclite_message_done(&testing_bytes_type, &bytes, NULL);
    return NULL;
}

static void crossing_publishers(void **state) {
    (void)state;
    rclite_context *context = testing_context(RCLITE_DELIVERY_DIRECT, TESTING_DOMAIN);
    rclite_node *node = testing_node(context, "node");
    echo sides[2] = {{.gate = TESTING_GATE_INIT, .stop_after = 2, .size = 20000},
        {.gate = TESTING_GATE_INIT, .stop_after = 2, .size = 20000}};
    sides[0].publisher = publisher_of(node, "/a", 0);
    sides[1].publisher = publisher_of(node, "/b", 0);
    rclite_subscription *on_b = subscription_of(node, "/b", 0, on_ball, &sides[0]);
    rclite_subscription *on_a = subscription_of(node, "/a", 0, on_ball, &sides[1]);
    pthread_t threads[2];
    burst bursts[2] = {{.publisher = sides[0].publisher}, {.publisher = sides[1].publisher}};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, publish_burst, &bursts[i]), 0);
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(bursts[i].failures, 0);
    }
    /* Each of the 50 comes to the other side, which sends it back once. */
    for (int i = 0; i < 2; i++) {
        assert_true(testing_gate_wait(&sides[i].gate, 100, TESTING_TIMEOUT_NS));
        assert_int_equal(sides[i].failures, 0);
    }
    rclite_subscription_free(on_a);
    rclite_subscription_free(on_b);
    rclite_publisher_free(sides[0].publisher);
    rclite_publisher_free(sides[1].publisher);
    rclite_node_free(node);
    rclite_context_free(context);
}

static void no_reader(void **state) {
    (void)state;
    rclite_context *context = testing_context(RCLITE_DELIVERY_DIRECT, TESTING_DOMAIN);
    rclite_node *node = testing_node(context, "alone");
    rclite_publisher *publisher = publisher_of(node, "/alone", 1);
    testing_bytes bytes = make_bytes(1 << 20);
    for (int i = 0; i < 100; i++) {
        assert_ok(rclite_publisher_publish(publisher, &bytes));
    }
    assert_ok(rclite_publisher_wait_sent(publisher, 0));
    rclite_message_done(&testing_bytes_type, &bytes, NULL);
    rclite_publisher_free(publisher);
    rclite_node_free(node);
    rclite_context_free(context);
}

/* ---- a reader that stops reading, and one that dies ----------------------------------------- */

/* The child: says that it is matched, and will be stopped, so that it acknowledges nothing. */
static void child_reader(int ready_fd) {
    rclite_context *context = testing_context(RCLITE_DELIVERY_DIRECT, TESTING_DOMAIN);
    rclite_node *node = testing_node(context, "child");
    rclite_subscription *subscription = subscription_of(node, "/pong", 1, NULL, NULL);
    if (rclite_subscription_wait_matched(subscription, 1, TESTING_TIMEOUT_NS) == RCLITE_OK) {
        (void)!write(ready_fd, "x", 1);
    }
    pause();
}

/* The echo side publishes to a healthy reader and to one that is stopped: callbacks still return at
 * once, and what is sent waits. When the stopped one is killed, nothing hangs either. */
static void stopped_and_killed_reader(void **state) {
    (void)state;
    int ready[2];
    assert_int_equal(pipe(ready), 0);
    assert_non_null(testing_dds_config()); /* the child shall have the same */
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        child_reader(ready[1]);
        _exit(0);
    }
    testing_pair pair = testing_pair_open(RCLITE_DELIVERY_DIRECT);
    echo side = {.gate = TESTING_GATE_INIT, .stop_after = UINT64_MAX, .size = 1 << 20};
    /* Keep all: the one history for which Cyclone makes a writer wait. */
    side.publisher = publisher_of(pair.nodes[1], "/pong", 0);
    rclite_subscription *subscription = subscription_of(pair.nodes[1], "/ping", 1, on_ball, &side);
    rclite_publisher *publisher = publisher_of(pair.nodes[0], "/ping", 1);
    char byte = 0;
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_ok(rclite_publisher_wait_matched(publisher, 1, TESTING_TIMEOUT_NS));
    assert_ok(rclite_subscription_wait_matched(subscription, 1, TESTING_TIMEOUT_NS));
    assert_ok(rclite_publisher_wait_matched(side.publisher, 1, TESTING_TIMEOUT_NS));
    kill(child, SIGSTOP);
    testing_bytes bytes = make_bytes(1 << 20);
    uint64_t sent = 0;
    for (int i = 0; i < 6; i++) {
        assert_ok(rclite_publisher_publish(publisher, &bytes));
        assert_true(testing_gate_wait(&side.gate, ++sent, TESTING_TIMEOUT_NS));
    }
    assert_int_equal(side.failures, 0);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    for (int i = 0; i < 3; i++) {
        assert_ok(rclite_publisher_publish(publisher, &bytes));
        assert_true(testing_gate_wait(&side.gate, ++sent, TESTING_TIMEOUT_NS));
    }
    assert_int_equal(side.failures, 0);
    /* What the dead one has not acknowledged is known not to have arrived. */
    assert_int_equal(rclite_publisher_wait_sent(side.publisher, 50000000), RCLITE_ERR_TIMEOUT);
    rclite_message_done(&testing_bytes_type, &bytes, NULL);
    rclite_publisher_free(publisher);
    rclite_subscription_free(subscription);
    rclite_publisher_free(side.publisher);
    testing_pair_close(&pair);
    close(ready[0]);
    close(ready[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stopped_and_killed_reader), /* first: it forks before there are threads */
        cmocka_unit_test(over_the_network),
        cmocka_unit_test(in_one_context),
        cmocka_unit_test(crossing_publishers),
        cmocka_unit_test(no_reader),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
