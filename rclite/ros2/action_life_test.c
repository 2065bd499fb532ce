/* The life of goals and their handles: they end with their server and their client, are lost with a
 * server that is killed, are freed inside callbacks, and are used again. */
#include <sched.h>

#include "ros2/action_client.h"
#include "ros2/action_server.h"
#include "ros2/testing/action_testing.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {
        ACTION_TESTS(goals_end_with_their_server),
        ACTION_TESTS(goals_are_lost_without_their_server),
        ACTION_TESTS(goals_are_lost_with_their_client),
        ACTION_TESTS(handles_may_be_freed_in_their_callbacks),
        ACTION_TESTS(freed_handles_are_silent),
        ACTION_TESTS(handles_are_used_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
