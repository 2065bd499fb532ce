/* Scale: 128 nodes with 10 endpoints each in 32 processes find each other and talk; and nodes with
 * their endpoints are made and freed ten thousand times, in no more memory than a bare Cyclone
 * program takes for the same. 128 nodes in one process are in growth_test.c. Labelled slow. */
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/testing/endpoint_set.h"
#include "core/testing/failing_allocator.h"
#include "ros2/ros2.h"
#include "ros2/testing/ros2_testing.h"

/* ---- many processes ------------------------------------------------------------------------- */

#define PROCESSES 32
#define NODES_EACH 4
#define NODES (PROCESSES * NODES_EACH)
#define TOPICS 5 /* of each node: a publisher, and a subscription to those of the next node */
#define PATIENCE_NS (6 * TESTING_TIMEOUT_NS)

typedef struct member {
    rclite_node *node;
    rclite_publisher *publishers[TOPICS];
    rclite_subscription *subscriptions[TOPICS];
} member;

static void count_message(const void *message, const rclite_message_info *info, void *user) {
    (void)message;
    (void)info;
    testing_gate_add(user, 1);
}

static bool open_member(rclite_context *context, int number, testing_gate *gate, member *self) {
    const rclite_publisher_options offer = RCLITE_PUBLISHER_OPTIONS_INIT;
    const rclite_subscription_options ask = RCLITE_SUBSCRIPTION_OPTIONS_INIT;
    char name[32];
    snprintf(name, sizeof name, "node_%d", number);
    bool good = rclite_node_create(context, name, "/", &self->node, NULL) == RCLITE_OK;
    for (int i = 0; good && i < TOPICS; i++) {
        snprintf(name, sizeof name, "/of_%d/topic_%d", number, i);
        good = rclite_publisher_create(self->node, name, &testing_bytes_type, &offer,
                   &self->publishers[i], NULL) == RCLITE_OK;
        snprintf(name, sizeof name, "/of_%d/topic_%d", (number + 1) % NODES, i);
        good = good && rclite_subscription_create(self->node, name, &testing_bytes_type,
                           count_message, gate, &ask, &self->subscriptions[i], NULL) == RCLITE_OK;
    }
    return good;
}

/* The publishers know their readers, and the readers their writers. */
static bool is_matched(const member *self) {
    bool good = true;
    for (int i = 0; good && i < TOPICS; i++) {
        good =
            rclite_publisher_wait_matched(self->publishers[i], 1, PATIENCE_NS) == RCLITE_OK &&
            rclite_subscription_wait_matched(self->subscriptions[i], 1, PATIENCE_NS) == RCLITE_OK;
    }
    return good;
}

static size_t count_nodes(rclite_context *context) {
    rclite_graph_list list;
    if (rclite_graph_list_get(context, RCLITE_GRAPH_NODES, NULL, &list, NULL) != RCLITE_OK) {
        return 0;
    }
    const size_t count = list.count;
    rclite_graph_list_done(&list);
    return count;
}

static bool knows_all_nodes(void *user) {
    return count_nodes(user) == NODES;
}

static void close_member(member *self) {
    for (int i = 0; i < TOPICS; i++) {
        rclite_publisher_free(self->publishers[i]);
        rclite_subscription_free(self->subscriptions[i]);
    }
    rclite_node_free(self->node);
}

/* A child. It says m when everything is matched, is told to go on when all are, and says d when
 * every message has come and every node is known; then it waits for the end of the third pipe. */
static int be_process(int number, int said_fd, int go_fd, int end_fd) {
    rclite_context_options options = RCLITE_CONTEXT_OPTIONS_INIT;
    options.domain_id = TESTING_DOMAIN;
    options.dds_config = testing_dds_config();
    rclite_context *context = NULL;
    member members[NODES_EACH];
    testing_gate gate = TESTING_GATE_INIT;
    const testing_bytes bytes = {.seq = 1};
    char byte = 0;
    memset(members, 0, sizeof members);
    bool good = rclite_context_create(&options, &context, NULL) == RCLITE_OK;
    for (int i = 0; good && i < NODES_EACH; i++) {
        good = open_member(context, number * NODES_EACH + i, &gate, &members[i]);
    }
    for (int i = 0; good && i < NODES_EACH; i++) {
        good = is_matched(&members[i]);
    }
    good = good && write(said_fd, "m", 1) == 1 && read(go_fd, &byte, 1) == 1;
    for (int i = 0; good && i < NODES_EACH * TOPICS; i++) {
        good = rclite_publisher_publish(members[i / TOPICS].publishers[i % TOPICS], &bytes) ==
               RCLITE_OK;
    }
    good = good && testing_gate_wait(&gate, NODES_EACH * TOPICS, PATIENCE_NS) &&
           rclite_spin_until(context, knows_all_nodes, context, PATIENCE_NS) == RCLITE_OK;
    good = good && write(said_fd, "d", 1) == 1 && read(end_fd, &byte, 1) == 0;
    for (int i = 0; i < NODES_EACH; i++) {
        close_member(&members[i]);
    }
    rclite_context_free(context);
    return good ? 0 : 1;
}

/* Until every child has said this. false: one has ended instead. */
static bool hear_all(int said_fd, char expected) {
    for (int i = 0; i < PROCESSES; i++) {
        char byte = 0;
        if (read(said_fd, &byte, 1) != 1 || byte != expected) {
            return false;
        }
    }
    return true;
}

static void many_processes(void **state) {
    int said[2], go[2], end[2];
    pid_t children[PROCESSES];
    (void)state;
    assert_int_equal(pipe(said), 0);
    assert_int_equal(pipe(go), 0);
    assert_int_equal(pipe(end), 0);
    assert_non_null(testing_dds_config()); /* the children shall have the same */
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0) {
            close(said[0]);
            close(end[1]);
            _exit(be_process(i, said[1], go[0], end[0]));
        }
    }
    close(said[1]);
    close(end[0]);
    const bool matched = hear_all(said[0], 'm');
    const char go_on[PROCESSES] = {0};
    const bool told_all = matched && write(go[1], go_on, sizeof go_on) == (ssize_t)sizeof go_on;
    const bool done = told_all && hear_all(said[0], 'd');
    close(end[1]);
    close(go[0]);
    close(go[1]);
    int failures = 0;
    for (int i = 0; i < PROCESSES; i++) {
        int status = 0;
        if (!done) {
            kill(children[i], SIGKILL);
        }
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        failures += status != 0;
    }
    close(said[0]);
    assert_true(matched);
    assert_true(done);
    assert_int_equal(failures, 0);
}

/* ---- made and freed ------------------------------------------------------------------------- */

#define ROUNDS 10000
#define WARM_UP 500
#define ENDPOINTS 6 /* of a round: a topic's two ends, and two at each end of a service */

static void make_and_free(rclite_context *context) {
    static const endpoint_plan plan = {
        .message = &testing_bytes_type, .service = &testing_service_type};
    rclite_node *node = testing_node(context, "node");
    endpoint_set made = {.publisher = NULL};
    for (int kind = 0; kind < ENDPOINT_ACTION_SERVER; kind++) {
        assert_ok(endpoint_create(node, &plan, (endpoint_kind)kind, &made, NULL));
    }
    endpoint_set_free(&made);
    rclite_node_free(node);
}

static dds_entity_t bare_endpoint(dds_entity_t participant, struct ddsi_sertype *type,
    const char *topic_name, bool writes, const dds_qos_t *qos) {
    struct ddsi_sertype *given = ddsi_sertype_ref(type);
    const dds_entity_t topic =
        dds_create_topic_sertype(participant, topic_name, &given, NULL, NULL, NULL);
    assert_true(topic > 0);
    const dds_entity_t endpoint = writes ? dds_create_writer(participant, topic, qos, NULL)
                                         : dds_create_reader(participant, topic, qos, NULL);
    assert_true(endpoint > 0);
    dds_delete(topic);
    return endpoint;
}

/* The same endpoints with Cyclone's calls alone. */
static void make_and_free_bare(
    dds_entity_t participant, struct ddsi_sertype *type, const dds_qos_t *qos) {
    static const struct {
        const char *topic;
        bool writes;
    } plans[ENDPOINTS] = {{"rt/bare", true}, {"rt/bare", false}, {"rq/bareRequest", true},
        {"rq/bareRequest", false}, {"rr/bareReply", true}, {"rr/bareReply", false}};
    dds_entity_t endpoints[ENDPOINTS];
    for (int i = 0; i < ENDPOINTS; i++) {
        endpoints[i] = bare_endpoint(participant, type, plans[i].topic, plans[i].writes, qos);
    }
    for (int i = ENDPOINTS - 1; i >= 0; i--) {
        dds_delete(endpoints[i]);
    }
}

static size_t heap_bytes(void) {
    return mallinfo2().uordblks;
}

/* Bytes of the heap that stay behind per round. */
static double bare_growth(const ros2_context *context) {
    const rclite_qos ros_qos = rclite_qos_default();
    const ros2_qos_extra extra = {.user_data = "typehash=RIHS01_0;", .writer = false};
    dds_qos_t *qos = ros2_qos_create(&ros_qos, &extra);
    struct ddsi_sertype *type = ros2_sertype_create(context->pool, "testing::msg::dds_::Bare_");
    assert_non_null(qos);
    assert_non_null(type);
    size_t before = 0;
    for (int i = 0; i < WARM_UP + ROUNDS / 4; i++) {
        before = i == WARM_UP ? heap_bytes() : before;
        make_and_free_bare(context->participant, type, qos);
    }
    const size_t after = heap_bytes();
    ddsi_sertype_unref(type);
    dds_delete_qos(qos);
    return after > before ? (double)(after - before) / (ROUNDS / 4) : 0;
}

static void ten_thousand_times(void **state) {
    (void)state;
    failing_allocator *allocator = malloc(sizeof *allocator);
    assert_non_null(allocator);
    failing_allocator_init(allocator, 0);
    rclite_context *context = testing_context_allocating(&allocator->base);
    const double bare = bare_growth((ros2_context *)context);
    size_t before = 0;
    long outstanding = 0;
    for (int i = 0; i < WARM_UP + ROUNDS; i++) {
        if (i == WARM_UP) {
            before = heap_bytes();
            outstanding = allocator->outstanding;
        }
        make_and_free(context);
    }
    const size_t after = heap_bytes();
    const double ours = after > before ? (double)(after - before) / ROUNDS : 0;
    print_message("heap per round of %d endpoints: %.0f bytes, bare Cyclone %.0f; blocks of ours "
                  "%+ld in %d rounds\n",
        ENDPOINTS, ours, bare, allocator->outstanding - outstanding, ROUNDS);
    /* Buffers of the pool that come back late are as many at any time. */
    assert_true(allocator->outstanding - outstanding < ROUNDS / 100);
    assert_true(ours < 1.5 * bare + 512);
    rclite_context_free(context);
    assert_int_equal(allocator->outstanding, 0);
    free(allocator);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_processes), /* first: it forks before there are threads */
        cmocka_unit_test(ten_thousand_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
