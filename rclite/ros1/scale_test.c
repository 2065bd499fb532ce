/* A hundred publishers, each in a node of its own, and a hundred subscriptions of the same topic,
 * in two processes: ten thousand connections, and every message arrives everywhere. */
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "testing/ros1_testing.h"

#include "std_msgs/msg/String.h"

#define STRING (&std_msgs__msg__String__type)
#define COUNT 100
#define LONG_NS INT64_C(120000000000)

static rclite_publisher *publishers[COUNT];
static rclite_node *nodes[COUNT];

static void require(bool good, const char *what) {
    if (!good) {
        fprintf(stderr, "publishing process: %s failed\n", what);
        _exit(1);
    }
}

/* The other process: publishes once all are connected, and waits until its standard input ends. */
static void publish_all(int input) {
    rclite_context_options options = RCLITE_CONTEXT_OPTIONS_INIT;
    rclite_publisher_options out = RCLITE_PUBLISHER_OPTIONS_INIT;
    rclite_context *context = NULL;
    char name[32];
    char text[32];
    options.generation = RCLITE_ROS1;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    require(rclite_context_create(&options, &context, NULL) == RCLITE_OK, "context");
    for (int i = 0; i < COUNT; i++) {
        snprintf(name, sizeof name, "out_%d", i);
        require(rclite_node_create(context, name, "", &nodes[i], NULL) == RCLITE_OK, "node");
        require(rclite_publisher_create(nodes[i], "/many", STRING, &out, &publishers[i], NULL) ==
                    RCLITE_OK,
            "publisher");
    }
    for (int i = 0; i < COUNT; i++) {
        require(rclite_publisher_wait_matched(publishers[i], COUNT, LONG_NS) == RCLITE_OK, "match");
    }
    for (int i = 0; i < COUNT; i++) {
        int size = snprintf(text, sizeof text, "%d", i);
        std_msgs__msg__String message = {.data = {text, (size_t)size, 0}};
        require(rclite_publisher_publish(publishers[i], &message) == RCLITE_OK, "publish");
    }
    char byte;
    require(read(input, &byte, 1) == 0, "waiting");
    for (int i = 0; i < COUNT; i++) {
        rclite_publisher_free(publishers[i]);
        rclite_node_free(nodes[i]);
    }
    rclite_context_free(context);
    _exit(0);
}

struct tally {
    rclite_context *context;
    atomic_int total;
    unsigned char seen[COUNT][COUNT]; /* by subscription and publisher */
};

struct subscriber {
    struct tally *tally;
    int index;
};

static void on_text(const void *message, const rclite_message_info *info, void *user) {
    (void)info;
    struct subscriber *subscriber = user;
    struct tally *tally = subscriber->tally;
    int publisher = atoi(((const std_msgs__msg__String *)message)->data.data);
    assert_in_range(publisher, 0, COUNT - 1);
    tally->seen[subscriber->index][publisher]++;
    if (atomic_fetch_add(&tally->total, 1) + 1 == COUNT * COUNT) {
        rclite_context_wake(tally->context);
    }
}

static bool has_all(void *user) {
    struct tally *tally = user;
    return atomic_load(&tally->total) == COUNT * COUNT;
}

static void test_hundred_by_hundred(void **state) {
    int control = *(int *)*state;
    static struct tally tally;
    static struct subscriber subscribers[COUNT];
    static rclite_subscription *subscriptions[COUNT];
    rclite_subscription_options in = RCLITE_SUBSCRIPTION_OPTIONS_INIT;
    tally.context = testing_context(RCLITE_DELIVERY_DIRECT);
    rclite_node *node = testing_node(tally.context, "in");
    for (int i = 0; i < COUNT; i++) {
        subscribers[i] = (struct subscriber){&tally, i};
        assert_int_equal(rclite_subscription_create(node, "/many", STRING, on_text, &subscribers[i],
                             &in, &subscriptions[i], NULL),
            RCLITE_OK);
    }
    assert_int_equal(rclite_spin_until(tally.context, has_all, &tally, LONG_NS), RCLITE_OK);
    for (int i = 0; i < COUNT; i++) {
        for (int j = 0; j < COUNT; j++) {
            assert_int_equal(tally.seen[i][j], 1);
        }
    }
    close(control); /* the publishers go, all at once */
    for (int i = 0; i < COUNT; i++) {
        rclite_subscription_free(subscriptions[i]);
    }
    rclite_node_free(node);
    rclite_context_free(tally.context);
}

int main(void) {
    struct rlimit files;
    int control[2];
    if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_max < 12000 ||
        !testing_master_start()) {
        return 77;
    }
    files.rlim_cur = files.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &files) != 0 || pipe(control) != 0) {
        return 1;
    }
    pid_t child = fork();
    if (child == 0) {
        close(control[1]);
        publish_all(control[0]);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_hundred_by_hundred, &control[1])};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    int status = 1;
    waitpid(child, &status, 0);
    testing_master_stop();
    return failed + (status != 0);
}
