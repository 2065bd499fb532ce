/* Actions over a real master: rclite's server with rclite's client, in both deliveries. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "testing/ros1_testing.h"

#include "actionlib_benchmark/action/Roundtrip.h"

#define TYPE (&actionlib_benchmark__action__Roundtrip__type)

/* What a goal's server side does. */
enum behaviour { SUCCEED, ABORT, HOLD, REJECT };

struct fixture {
    rclite_context *server_context, *client_context;
    rclite_node *server_node, *client_node;
    rclite_action_server *server;
    rclite_action_client *client;
    enum behaviour behaviour;
    rclite_server_goal *held;
    atomic_int accepted_count, canceling_count;
    /* client side */
    atomic_int responses, accepted, results, feedbacks;
    _Atomic int last_status;
    actionlib_benchmark__action__Roundtrip_Result last_result;
};

static bool on_goal(const rclite_goal_id *id, const void *goal, void *user) {
    struct fixture *fixture = user;
    assert_true(id->text[0] == '/');
    assert_true(((const actionlib_benchmark__action__Roundtrip_Goal *)goal)->start.sec > 0);
    return fixture->behaviour != REJECT;
}

static void on_accepted(rclite_server_goal *handle, const void *message, void *user) {
    struct fixture *fixture = user;
    const actionlib_benchmark__action__Roundtrip_Goal *goal = message;
    actionlib_benchmark__action__Roundtrip_Result result = {.received = goal->start};
    actionlib_benchmark__action__Roundtrip_Feedback feedback = {0};
    atomic_fetch_add(&fixture->accepted_count, 1);
    assert_int_equal(rclite_server_goal_feedback(handle, &feedback), RCLITE_OK);
    if (fixture->behaviour == SUCCEED) {
        assert_int_equal(rclite_server_goal_succeed(handle, &result), RCLITE_OK);
        assert_int_equal(rclite_server_goal_abort(handle, &result), RCLITE_ERR_STATE);
    } else if (fixture->behaviour == ABORT) {
        assert_int_equal(rclite_server_goal_abort(handle, &result), RCLITE_OK);
    } else {
        fixture->held = handle;
    }
}

static void on_canceling(rclite_server_goal *handle, void *user) {
    struct fixture *fixture = user;
    actionlib_benchmark__action__Roundtrip_Result result = {.received = {7, 8}};
    atomic_fetch_add(&fixture->canceling_count, 1);
    assert_int_equal(rclite_server_goal_get_status(handle), RCLITE_GOAL_CANCELING);
    assert_int_equal(rclite_server_goal_canceled(handle, &result), RCLITE_OK);
    fixture->held = NULL;
}

static void on_response(rclite_client_goal *handle, bool accepted, void *user) {
    (void)handle;
    struct fixture *fixture = user;
    atomic_fetch_add(&fixture->accepted, accepted ? 1 : 0);
    atomic_fetch_add(&fixture->responses, 1);
    rclite_context_wake(fixture->client_context);
}

static void on_feedback(rclite_client_goal *handle, const void *feedback, void *user) {
    (void)handle;
    (void)feedback;
    struct fixture *fixture = user;
    atomic_fetch_add(&fixture->feedbacks, 1);
    rclite_context_wake(fixture->client_context);
}

static void on_result(
    rclite_client_goal *handle, rclite_goal_status status, const void *message, void *user) {
    struct fixture *fixture = user;
    assert_int_equal(rclite_client_goal_get_status(handle), status);
    memset(&fixture->last_result, 0, sizeof fixture->last_result);
    if (message) {
        fixture->last_result = *(const actionlib_benchmark__action__Roundtrip_Result *)message;
    }
    atomic_store(&fixture->last_status, status);
    atomic_fetch_add(&fixture->results, 1);
    rclite_context_wake(fixture->client_context);
}

static const rclite_goal_callbacks callbacks = {
    .response = on_response, .feedback = on_feedback, .result = on_result};

static void open_fixture(struct fixture *fixture, rclite_delivery client_delivery) {
    memset(fixture, 0, sizeof *fixture);
    fixture->server_context = testing_context(RCLITE_DELIVERY_DIRECT);
    fixture->client_context = testing_context(client_delivery);
    fixture->server_node = testing_node(fixture->server_context, "server");
    fixture->client_node = testing_node(fixture->client_context, "client");
    const rclite_action_server_callbacks server_callbacks = {
        .goal = on_goal, .accepted = on_accepted, .canceling = on_canceling};
    rclite_action_server_options options = RCLITE_ACTION_SERVER_OPTIONS_INIT;
    assert_int_equal(rclite_action_server_create(fixture->server_node, "/trip", TYPE,
                         &server_callbacks, fixture, &options, &fixture->server, NULL),
        RCLITE_OK);
    assert_int_equal(
        rclite_action_client_create(fixture->client_node, "/trip", TYPE, &fixture->client, NULL),
        RCLITE_OK);
    assert_int_equal(
        rclite_action_client_wait_for_server(fixture->client, TESTING_TIMEOUT_NS), RCLITE_OK);
}

static void close_fixture(struct fixture *fixture) {
    rclite_action_client_free(fixture->client);
    rclite_action_server_free(fixture->server);
    rclite_node_free(fixture->client_node);
    rclite_node_free(fixture->server_node);
    rclite_context_free(fixture->client_context);
    rclite_context_free(fixture->server_context);
}

static rclite_client_goal *send_goal(struct fixture *fixture) {
    actionlib_benchmark__action__Roundtrip_Goal goal = {.start = {1234, 5678}};
    rclite_client_goal *handle = NULL;
    assert_int_equal(
        rclite_action_client_send_goal(fixture->client, &goal, &callbacks, fixture, &handle),
        RCLITE_OK);
    return handle;
}

static bool is_responded(void *user) {
    struct fixture *fixture = user;
    return atomic_load(&fixture->responses) > 0;
}

static bool has_result(void *user) {
    struct fixture *fixture = user;
    return atomic_load(&fixture->results) > 0;
}

static void run_goal(
    struct fixture *fixture, enum behaviour behaviour, rclite_goal_status expected) {
    rclite_goal_status status = RCLITE_GOAL_UNKNOWN;
    fixture->behaviour = behaviour;
    atomic_store(&fixture->results, 0);
    rclite_client_goal *goal = send_goal(fixture);
    assert_int_equal(rclite_client_goal_wait(goal, NULL, TESTING_TIMEOUT_NS, &status), RCLITE_OK);
    assert_int_equal(status, expected);
    testing_wait(fixture->client_context, has_result, fixture);
    assert_int_equal(atomic_load(&fixture->results), 1);
    rclite_client_goal_free(goal);
}

static void test_outcomes(rclite_delivery delivery) {
    struct fixture fixture;
    open_fixture(&fixture, delivery);
    run_goal(&fixture, SUCCEED, RCLITE_GOAL_SUCCEEDED);
    assert_int_equal(fixture.last_result.received.sec, 1234);
    assert_int_equal(fixture.last_result.received.nanosec, 5678);
    assert_int_equal(atomic_load(&fixture.feedbacks), 1);
    assert_int_equal(atomic_load(&fixture.accepted), 1);
    run_goal(&fixture, ABORT, RCLITE_GOAL_ABORTED);
    run_goal(&fixture, REJECT, RCLITE_GOAL_REJECTED);
    assert_int_equal(atomic_load(&fixture.responses), 3);
    assert_int_equal(atomic_load(&fixture.accepted), 2);
    assert_int_equal(atomic_load(&fixture.accepted_count), 2);
    close_fixture(&fixture);
}

static void test_outcomes_direct(void **state) {
    (void)state;
    test_outcomes(RCLITE_DELIVERY_DIRECT);
}

static void test_outcomes_spin(void **state) {
    (void)state;
    test_outcomes(RCLITE_DELIVERY_SPIN);
}

static void test_cancel(void **state) {
    (void)state;
    struct fixture fixture;
    open_fixture(&fixture, RCLITE_DELIVERY_DIRECT);
    fixture.behaviour = HOLD;
    rclite_client_goal *goal = send_goal(&fixture);
    testing_wait(fixture.client_context, is_responded, &fixture);
    assert_int_equal(rclite_client_goal_get_status(goal), RCLITE_GOAL_EXECUTING);
    assert_int_equal(rclite_client_goal_cancel(goal), RCLITE_OK);
    testing_wait(fixture.client_context, has_result, &fixture);
    assert_int_equal(atomic_load(&fixture.last_status), RCLITE_GOAL_CANCELED);
    assert_int_equal(fixture.last_result.received.sec, 7);
    rclite_client_goal_free(goal);
    close_fixture(&fixture);
}

static bool has_three_responses(void *user) {
    struct fixture *fixture = user;
    return atomic_load(&fixture->responses) == 3;
}

static bool has_three_results(void *user) {
    struct fixture *fixture = user;
    return atomic_load(&fixture->results) == 3;
}

static void test_cancel_all(void **state) {
    (void)state;
    struct fixture fixture;
    rclite_client_goal *goals[3];
    open_fixture(&fixture, RCLITE_DELIVERY_DIRECT);
    fixture.behaviour = HOLD;
    for (int i = 0; i < 3; i++) {
        goals[i] = send_goal(&fixture);
    }
    testing_wait(fixture.client_context, has_three_responses, &fixture);
    assert_int_equal(rclite_action_client_cancel_all(fixture.client), RCLITE_OK);
    testing_wait(fixture.client_context, has_three_results, &fixture);
    assert_int_equal(atomic_load(&fixture.canceling_count), 3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(rclite_client_goal_get_status(goals[i]), RCLITE_GOAL_CANCELED);
        rclite_client_goal_free(goals[i]);
    }
    close_fixture(&fixture);
}

/* A server that goes away aborts what it was doing. */
static void test_server_end(void **state) {
    (void)state;
    struct fixture fixture;
    open_fixture(&fixture, RCLITE_DELIVERY_DIRECT);
    fixture.behaviour = HOLD;
    rclite_client_goal *goal = send_goal(&fixture);
    testing_wait(fixture.client_context, is_responded, &fixture);
    fixture.server = rclite_action_server_free(fixture.server);
    testing_wait(fixture.client_context, has_result, &fixture);
    assert_int_equal(atomic_load(&fixture.last_status), RCLITE_GOAL_ABORTED);
    rclite_client_goal_free(goal);
    close_fixture(&fixture);
}

/* Freed from inside the result callback, and many goals one after the other from there. */
struct chain {
    struct fixture fixture;
    atomic_int done;
    int wanted;
};

static void send_next(struct chain *chain);

static void on_chain_result(
    rclite_client_goal *handle, rclite_goal_status status, const void *message, void *user) {
    (void)message;
    struct chain *chain = user;
    assert_int_equal(status, RCLITE_GOAL_SUCCEEDED);
    rclite_client_goal_free(handle);
    if (atomic_fetch_add(&chain->done, 1) + 1 < chain->wanted) {
        send_next(chain);
    } else {
        rclite_context_wake(chain->fixture.client_context);
    }
}

static void send_next(struct chain *chain) {
    const rclite_goal_callbacks only_result = {.result = on_chain_result};
    actionlib_benchmark__action__Roundtrip_Goal goal = {.start = {1, 1}};
    rclite_client_goal *handle;
    assert_int_equal(
        rclite_action_client_send_goal(chain->fixture.client, &goal, &only_result, chain, &handle),
        RCLITE_OK);
}

static bool chain_is_done(void *user) {
    struct chain *chain = user;
    return atomic_load(&chain->done) == chain->wanted;
}

static void test_chain(void **state) {
    (void)state;
    struct chain chain = {.wanted = 500};
    open_fixture(&chain.fixture, RCLITE_DELIVERY_DIRECT);
    chain.fixture.behaviour = SUCCEED;
    send_next(&chain);
    testing_wait(chain.fixture.client_context, chain_is_done, &chain);
    assert_int_equal(atomic_load(&chain.fixture.accepted_count), 500);
    close_fixture(&chain.fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_outcomes_direct),
        cmocka_unit_test(test_outcomes_spin),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_cancel_all),
        cmocka_unit_test(test_server_end),
        cmocka_unit_test(test_chain),
    };
    if (!testing_master_start()) {
        return 77;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    testing_master_stop();
    return failed;
}
