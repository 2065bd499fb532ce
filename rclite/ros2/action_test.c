/* Actions between two contexts of one process: success, abort, rejection, cancelling in all its
 * ways, feedback, many goals at once, and the life of handles; each with both
 * deliveries, and with both sides inside one process without a network in between. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "ros2/action_client.h"
#include "ros2/action_server.h"
#include "ros2/testing/action_testing.h"

static void goals_succeed_with_a_result(void **state) {
    action_fixture *f = action_fixture_open(*state, NULL);
    for (int32_t count = 0; count < 6; count++) {
        tracked_goal goal;
        tracked_goal_send(f, &goal, COUNT_SUCCEED, count);
        tracked_goal_expect(&goal, RCLITE_GOAL_SUCCEEDED);
        assert_int_equal(goal.accepted, 1);
        assert_int_equal(goal.total, count);
        assert_string_equal(goal.note, "a note");
        assert_in_range(goal.feedbacks, 0, count); /* the result may overtake it */
        const rclite_goal_id *id = rclite_client_goal_get_id(goal.handle);
        assert_int_equal(strlen(id->text), 36);
        assert_int_equal(id->text[14], '4'); /* UUID version */
        tracked_goal_free(&goal);
    }
    action_fixture_close(f);
}

static void feedback_reaches_its_goal_in_order(void **state) {
    action_fixture *f = action_fixture_open(*state, NULL);
    tracked_goal goals[2];
    for (int i = 0; i < 2; i++) {
        tracked_goal_send(f, &goals[i], COUNT_HOLD, 0);
        action_fixture_wait_held(f, (size_t)i + 1);
    }
    for (int i = 0; i < 2; i++) {
        for (int32_t at = 1; at <= 5 + i; at++) {
            const rclite_test__action__Count_Feedback feedback = {.at = at};
            assert_ok(rclite_server_goal_feedback(f->held[i], &feedback));
            tracked_goal_wait_feedback(&goals[i], at);
            assert_int_equal(goals[i].last_at, at);
        }
    }
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(goals[i].feedbacks, 5 + i);
        action_fixture_succeed(f, i, 1);
        tracked_goal_expect(&goals[i], RCLITE_GOAL_SUCCEEDED);
        tracked_goal_free(&goals[i]);
    }
    action_fixture_close(f);
}

static void goals_are_aborted_and_rejected(void **state) {
    action_fixture *f = action_fixture_open(*state, NULL);
    tracked_goal aborted, rejected;
    tracked_goal_send(f, &aborted, COUNT_ABORT, 3);
    tracked_goal_expect(&aborted, RCLITE_GOAL_ABORTED);
    assert_int_equal(aborted.total, -3);
    assert_string_equal(aborted.note, "aborted");
    tracked_goal_send(f, &rejected, COUNT_REJECT, 3);
    tracked_goal_expect(&rejected, RCLITE_GOAL_REJECTED);
    assert_int_equal(rejected.responses, 1);
    assert_int_equal(rejected.accepted, 0);
    assert_int_equal(rejected.total, 0);
    tracked_goal_free(&aborted);
    tracked_goal_free(&rejected);
    action_fixture_close(f);
}

static void one_goal_is_canceled(void **state) {
    action_fixture *f = action_fixture_open(*state, NULL);
    tracked_goal canceled, held, firm;
    tracked_goal_send(f, &canceled, COUNT_HOLD_AND_CANCEL, 0);
    tracked_goal_send(f, &held, COUNT_HOLD, 0);
    tracked_goal_send(f, &firm, COUNT_HOLD_FIRMLY, 0);
    action_fixture_wait_held(f, 3);
    tracked_goal_wait_response(&canceled);
    assert_ok(rclite_client_goal_cancel(canceled.handle));
    tracked_goal_expect(&canceled, RCLITE_GOAL_CANCELED);
    assert_string_equal(canceled.note, "canceled");
    /* Canceling need not end in canceled. */
    assert_ok(rclite_client_goal_cancel(held.handle));
    tracked_goal_wait_status(&held, RCLITE_GOAL_CANCELING);
    action_fixture_succeed(f, 1, 11);
    tracked_goal_expect(&held, RCLITE_GOAL_SUCCEEDED);
    /* A refusal changes nothing. */
    assert_ok(rclite_client_goal_cancel(firm.handle));
    tracked_goal_wait_status(&firm, RCLITE_GOAL_EXECUTING);
    action_fixture_succeed(f, 2, 12);
    tracked_goal_expect(&firm, RCLITE_GOAL_SUCCEEDED);
    assert_true(testing_gate_wait(&f->canceling, 1, TESTING_TIMEOUT_NS));
    tracked_goal_free(&canceled);
    tracked_goal_free(&held);
    tracked_goal_free(&firm);
    action_fixture_close(f);
}

static void all_goals_are_canceled(void **state) {
    action_fixture *f = action_fixture_open(*state, NULL);
    tracked_goal goals[5];
    for (int i = 0; i < 5; i++) {
        tracked_goal_send(f, &goals[i], i == 2 ? COUNT_HOLD_FIRMLY : COUNT_HOLD_AND_CANCEL, 0);
    }
    action_fixture_wait_held(f, 5);
    assert_ok(rclite_action_client_cancel_all(f->client));
    for (int i = 0; i < 5; i++) {
        if (i == 2) {
            continue;
        }
        tracked_goal_expect(&goals[i], RCLITE_GOAL_CANCELED);
        tracked_goal_free(&goals[i]);
    }
    action_fixture_succeed(f, 2, 1);
    tracked_goal_expect(&goals[2], RCLITE_GOAL_SUCCEEDED);
    tracked_goal_free(&goals[2]);
    action_fixture_close(f);
}

static void goals_are_canceled_by_time(void **state) {
    action_fixture *f = action_fixture_open(*state, NULL);
    tracked_goal goals[3];
    for (int i = 0; i < 3; i++) {
        tracked_goal_send(f, &goals[i], COUNT_HOLD_AND_CANCEL, 0);
        tracked_goal_wait_response(&goals[i]);
        action_fixture_wait_held(f, (size_t)i + 1);
    }
    assert_ok(rclite_action_client_cancel_before(
        f->client, rclite_client_goal_get_id(goals[1].handle)->stamp));
    tracked_goal_expect(&goals[0], RCLITE_GOAL_CANCELED);
    tracked_goal_expect(&goals[1], RCLITE_GOAL_CANCELED);
    action_fixture_succeed(f, 2, 1);
    tracked_goal_expect(&goals[2], RCLITE_GOAL_SUCCEEDED);
    for (int i = 0; i < 3; i++) {
        tracked_goal_free(&goals[i]);
    }
    action_fixture_close(f);
}

static void a_hundred_goals_at_once(void **state) {
    enum { COUNT = 100 };
    action_fixture *f = action_fixture_open(*state, NULL);
    tracked_goal *goals = calloc(COUNT, sizeof *goals);
    for (int i = 0; i < COUNT; i++) {
        tracked_goal_send(f, &goals[i], COUNT_HOLD, 0);
        action_fixture_wait_held(f, (size_t)i + 1); /* so that places and goals agree */
    }
    for (int i = COUNT - 1; i >= 0; i--) {
        action_fixture_succeed(f, (size_t)i, i * i);
    }
    for (int i = 0; i < COUNT; i++) {
        tracked_goal_expect(&goals[i], RCLITE_GOAL_SUCCEEDED);
        assert_int_equal(goals[i].total, i * i);
        tracked_goal_free(&goals[i]);
    }
    free(goals);
    action_fixture_close(f);
}

static void execution_may_be_deferred(void **state) {
    rclite_action_server_options options = RCLITE_ACTION_SERVER_OPTIONS_INIT;
    options.defer_execution = true;
    action_fixture *f = action_fixture_open(*state, &options);
    tracked_goal goal;
    tracked_goal_send(f, &goal, COUNT_HOLD, 0);
    action_fixture_wait_held(f, 1);
    tracked_goal_wait_status(&goal, RCLITE_GOAL_ACCEPTED);
    rclite_test__action__Count_Result result = {.total = 1};
    assert_int_equal(rclite_server_goal_succeed(f->held[0], &result), RCLITE_ERR_STATE);
    assert_ok(rclite_server_goal_execute(f->held[0]));
    assert_int_equal(rclite_server_goal_execute(f->held[0]), RCLITE_ERR_STATE);
    tracked_goal_wait_status(&goal, RCLITE_GOAL_EXECUTING);
    assert_int_equal(rclite_server_goal_canceled(f->held[0], &result), RCLITE_ERR_STATE);
    action_fixture_succeed(f, 0, 5);
    tracked_goal_expect(&goal, RCLITE_GOAL_SUCCEEDED);
    tracked_goal_free(&goal);
    action_fixture_close(f);
}

/* ---- ends that nobody asked for ------------------------------------------------------------- */

typedef struct asked_wait {
    rclite_action_server *server;
    size_t count;
} asked_wait;

static bool are_asked(void *user) {
    const asked_wait *wait = user;
    return action_asked_count(wait->server) >= wait->count;
}

/* A client is told of the end only when its question for the result has reached the server. */
static void goals_end_with_their_server(void **state) {
    action_fixture *f = action_fixture_open(*state, NULL);
    tracked_goal goals[3];
    for (int i = 0; i < 3; i++) {
        tracked_goal_send(f, &goals[i], COUNT_HOLD, 0);
        tracked_goal_wait_response(&goals[i]);
    }
    action_fixture_wait_held(f, 3);
    asked_wait wait = {.server = f->server, .count = 3};
    assert_ok(rclite_spin_until(f->client_context, are_asked, &wait, TESTING_TIMEOUT_NS));
    f->server = rclite_action_server_free(f->server);
    for (int i = 0; i < 3; i++) {
        tracked_goal_expect(&goals[i], RCLITE_GOAL_ABORTED);
        assert_int_equal(goals[i].total, 0);
        tracked_goal_free(&goals[i]);
    }
    action_fixture_close(f);
}

/* As if the server were killed: it answers nothing more, and discovery takes its endpoints away. */
static void kill_server(ros2_action_server *server) {
    server->result_service =
        rclite_service_free(server->result_service); /* its calls are void now */
    for (ros2_server_goal *goal = server->oldest; goal; goal = goal->newer) {
        while (goal->waits) {
            ros2_result_wait *wait = goal->waits;
            goal->waits = wait->next;
            wait->next = server->free_waits;
            server->free_waits = wait;
        }
    }
    server->feedback_publisher = rclite_publisher_free(server->feedback_publisher);
}

static void goals_are_lost_without_their_server(void **state) {
    action_fixture *f = action_fixture_open(*state, NULL);
    tracked_goal goals[3];
    for (int i = 0; i < 3; i++) {
        tracked_goal_send(f, &goals[i], COUNT_HOLD, 0);
        tracked_goal_wait_response(&goals[i]);
    }
    kill_server((ros2_action_server *)f->server);
    for (int i = 0; i < 3; i++) {
        tracked_goal_expect(&goals[i], RCLITE_GOAL_LOST);
        tracked_goal_free(&goals[i]);
    }
    assert_int_equal(rclite_action_client_wait_for_server(f->client, 0), RCLITE_ERR_TIMEOUT);
    action_fixture_close(f);
}

static void goals_are_lost_with_their_client(void **state) {
    action_fixture *f = action_fixture_open(*state, NULL);
    tracked_goal goal;
    tracked_goal_send(f, &goal, COUNT_HOLD, 0);
    tracked_goal_wait_response(&goal);
    f->client = rclite_action_client_free(f->client);
    assert_int_equal(goal.results, 1);
    assert_int_equal(goal.status, RCLITE_GOAL_LOST);
    action_fixture_close(f);
}

/* ---- handles -------------------------------------------------------------------------------- */

typedef struct self_freeing {
    rclite_context *context;
    atomic_int freed, later;
    bool in_response;
} self_freeing;

static void free_in_response(rclite_client_goal *handle, bool accepted, void *user) {
    self_freeing *self = user;
    (void)accepted;
    self->later += self->freed;
    if (self->in_response) {
        rclite_client_goal_free(handle);
        self->freed = 1;
        rclite_context_wake(self->context);
    }
}

static void free_in_result(
    rclite_client_goal *handle, rclite_goal_status status, const void *message, void *user) {
    self_freeing *self = user;
    (void)status;
    (void)message;
    self->later += self->freed;
    rclite_client_goal_free(handle);
    self->freed = 1;
    rclite_context_wake(self->context);
}

static bool is_freed(void *user) {
    return ((self_freeing *)user)->freed != 0;
}

static void handles_may_be_freed_in_their_callbacks(void **state) {
    action_fixture *f = action_fixture_open(*state, NULL);
    const rclite_goal_callbacks callbacks = {
        .response = free_in_response, .result = free_in_result};
    for (int i = 0; i < 20; i++) {
        self_freeing self = {.context = f->client_context, .in_response = i % 2 == 0};
        rclite_test__action__Count_Goal message = {.mode = COUNT_SUCCEED};
        rclite_client_goal *handle = NULL;
        assert_ok(rclite_action_client_send_goal(f->client, &message, &callbacks, &self, &handle));
        assert_ok(rclite_spin_until(f->client_context, is_freed, &self, TESTING_TIMEOUT_NS));
        assert_int_equal(self.later, 0);
    }
    action_fixture_close(f);
}

static void freed_handles_are_silent(void **state) {
    action_fixture *f = action_fixture_open(*state, NULL);
    for (int i = 0; i < 50; i++) {
        tracked_goal goal, after;
        tracked_goal_send(f, &goal, COUNT_SUCCEED, 3);
        tracked_goal_free(&goal);
        int seen = goal.responses + goal.feedbacks + goal.results;
        tracked_goal_send(f, &after, COUNT_SUCCEED, 0); /* when it is over, the first is, too */
        tracked_goal_expect(&after, RCLITE_GOAL_SUCCEEDED);
        tracked_goal_free(&after);
        assert_int_equal(goal.responses + goal.feedbacks + goal.results, seen);
    }
    action_fixture_close(f);
}

static size_t remembered_count(ros2_action_server *server) {
    pthread_mutex_lock(&server->lock);
    size_t count = server->table.count;
    pthread_mutex_unlock(&server->lock);
    return count;
}

/* The handles and all that hangs on them are used again: the transport's own buffers, whose number
 * depends on how fast the other side acknowledges, have their test elsewhere. */
static void handles_are_used_again(void **state) {
    rclite_action_server_options options = RCLITE_ACTION_SERVER_OPTIONS_INIT;
    options.result_timeout_ns = 0;
    action_fixture *f = action_fixture_open(*state, &options);
    ros2_action_server *server = (ros2_action_server *)f->server;
    const ros2_action_client *client = (ros2_action_client *)f->client;
    for (int i = 0; i < 50; i++) {
        tracked_goal goal;
        tracked_goal_send(f, &goal, COUNT_SUCCEED, i);
        tracked_goal_wait_response(&goal);
        assert_ok(rclite_client_goal_wait(goal.handle, NULL, TESTING_TIMEOUT_NS, NULL));
        tracked_goal_free(&goal);
        const int64_t until = rclite_monotonic_ns() + TESTING_TIMEOUT_NS;
        while (remembered_count(server) > 0 && rclite_monotonic_ns() < until) {
            sched_yield();
        }
        assert_int_equal(remembered_count(server), 0);
    }
    assert_non_null(client->made);
    assert_null(client->made->next_made);
    assert_non_null(server->made);
    assert_null(server->made->next_made);
    action_fixture_close(f);
}

static void never_called(rclite_server_goal *handle, const void *goal, void *user) {
    (void)handle;
    (void)goal;
    (void)user;
    abort();
}

static rclite_result create_both(
    action_fixture *f, rclite_action_server **server, rclite_action_client **client) {
    static const rclite_action_server_callbacks callbacks = {.accepted = never_called};
    const rclite_action_server_options options = RCLITE_ACTION_SERVER_OPTIONS_INIT;
    const rclite_action_type *type = &rclite_test__action__Count__type;
    rclite_error error = {.code = RCLITE_OK};
    rclite_result result = rclite_action_server_create(
        f->server_node, "other", type, &callbacks, NULL, &options, server, &error);
    if (result == RCLITE_OK) {
        result = rclite_action_client_create(f->client_node, "other", type, client, &error);
    }
    assert_int_equal(error.code, result);
    return result;
}

static void every_allocation_may_fail(void **state) {
    action_fixture *f = action_fixture_open(*state, NULL);
    rclite_result result = RCLITE_ERR_NO_MEMORY;
    for (long fail_at = 1; result != RCLITE_OK; fail_at++) {
        assert_int_equal(result, RCLITE_ERR_NO_MEMORY);
        assert_true(fail_at < 2000);
        rclite_action_server *server = NULL;
        rclite_action_client *client = NULL;
        f->allocator.calls = 0;
        f->allocator.fail_at = fail_at;
        result = create_both(f, &server, &client);
        f->allocator.fail_at = 0;
        rclite_action_client_free(client);
        rclite_action_server_free(server);
    }
    action_fixture_close(f); /* checks that nothing is outstanding */
}

static const action_setting direct = {.delivery = RCLITE_DELIVERY_DIRECT};
static const action_setting spinning = {.delivery = RCLITE_DELIVERY_SPIN};
static const action_setting local = {.delivery = RCLITE_DELIVERY_DIRECT, .local = true};

#define EACH(test)                                                                                 \
    {#test " (direct)", test, NULL, NULL, (void *)&direct},                                        \
        {#test " (spin)", test, NULL, NULL, (void *)&spinning}, {                                  \
#test " (local)", test, NULL, NULL, (void *)&local                                         \
    }

int main(void) {
    const struct CMUnitTest tests[] = {
        EACH(goals_succeed_with_a_result),
        EACH(feedback_reaches_its_goal_in_order),
        EACH(goals_are_aborted_and_rejected),
        EACH(one_goal_is_canceled),
        EACH(all_goals_are_canceled),
        EACH(goals_are_canceled_by_time),
        EACH(a_hundred_goals_at_once),
        EACH(execution_may_be_deferred),
        EACH(goals_end_with_their_server),
        EACH(goals_are_lost_without_their_server),
        EACH(goals_are_lost_with_their_client),
        EACH(handles_may_be_freed_in_their_callbacks),
        EACH(freed_handles_are_silent),
        EACH(handles_are_used_again),
        EACH(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
