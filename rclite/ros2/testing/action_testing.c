/* The programmable action server and the tracked goals of the action tests. */
#include "ros2/testing/action_testing.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ros2/action_server.h"

const action_setting action_direct = {.delivery = RCLITE_DELIVERY_DIRECT};
const action_setting action_spinning = {.delivery = RCLITE_DELIVERY_SPIN};
const action_setting action_local = {.delivery = RCLITE_DELIVERY_DIRECT, .local = true};

static const rclite_action_type *const type = &rclite_test__action__Count__type;

/* ---- server --------------------------------------------------------------------------------- */

static bool on_goal(const rclite_goal_id *id, const void *message, void *user) {
    (void)user;
    const rclite_test__action__Count_Goal *goal = message;
    return strlen(id->text) == 36 && goal->mode != COUNT_REJECT;
}

/* Called on threads where an assertion would not find its test. */
static void expect_ok(action_fixture *fixture, rclite_result result) {
    if (result != RCLITE_OK) {
        print_error("server: %s\n", rclite_result_string(result));
        fixture->failures += 1;
    }
}

static void end_goal(action_fixture *fixture, rclite_server_goal *handle, rclite_goal_status status,
    int32_t total, const char *note) {
    rclite_test__action__Count_Result result;
    expect_ok(fixture, rclite_message_init(type->result, &result, NULL));
    result.total = total;
    expect_ok(fixture, rclite_string_assign(&result.note, note, NULL));
    switch (status) {
    case RCLITE_GOAL_SUCCEEDED:
        expect_ok(fixture, rclite_server_goal_succeed(handle, &result));
        break;
    case RCLITE_GOAL_ABORTED:
        expect_ok(fixture, rclite_server_goal_abort(handle, &result));
        break;
    default:
        expect_ok(fixture, rclite_server_goal_canceled(handle, &result));
    }
    rclite_message_done(type->result, &result, NULL);
}

static void on_accepted(rclite_server_goal *handle, const void *message, void *user) {
    action_fixture *fixture = user;
    const rclite_test__action__Count_Goal *goal = message;
    if (goal->mode == COUNT_SUCCEED) {
        for (int32_t i = 1; i <= goal->count; i++) {
            const rclite_test__action__Count_Feedback feedback = {.at = i};
            expect_ok(fixture, rclite_server_goal_feedback(handle, &feedback));
        }
        end_goal(fixture, handle, RCLITE_GOAL_SUCCEEDED, goal->count, goal->note.data);
    } else if (goal->mode == COUNT_ABORT) {
        end_goal(fixture, handle, RCLITE_GOAL_ABORTED, -goal->count, "aborted");
    } else {
        pthread_mutex_lock(&fixture->lock);
        assert(fixture->held_count < sizeof fixture->held / sizeof *fixture->held);
        fixture->held_modes[fixture->held_count] = goal->mode;
        fixture->held[fixture->held_count++] = handle;
        pthread_mutex_unlock(&fixture->lock);
        rclite_context_wake(fixture->client_context);
    }
}

static int32_t mode_of(action_fixture *fixture, const rclite_server_goal *handle) {
    int32_t mode = -1;
    pthread_mutex_lock(&fixture->lock);
    for (size_t i = 0; i < fixture->held_count; i++) {
        mode = fixture->held[i] == handle ? fixture->held_modes[i] : mode;
    }
    pthread_mutex_unlock(&fixture->lock);
    return mode;
}

static bool on_cancel(rclite_server_goal *handle, void *user) {
    return mode_of(user, handle) != COUNT_HOLD_FIRMLY;
}

static void on_canceling(rclite_server_goal *handle, void *user) {
    action_fixture *fixture = user;
    if (mode_of(fixture, handle) == COUNT_HOLD_AND_CANCEL) {
        end_goal(fixture, handle, RCLITE_GOAL_CANCELED, 7, "canceled");
    }
    testing_gate_add(&fixture->canceling, 1);
}

void action_fixture_succeed(action_fixture *fixture, size_t held, int32_t total) {
    end_goal(fixture, fixture->held[held], RCLITE_GOAL_SUCCEEDED, total, "held");
}

typedef struct held_wait {
    action_fixture *fixture;
    size_t count;
} held_wait;

static bool holds_enough(void *user) {
    held_wait *wait = user;
    pthread_mutex_lock(&wait->fixture->lock);
    bool enough = wait->fixture->held_count >= wait->count;
    pthread_mutex_unlock(&wait->fixture->lock);
    return enough;
}

void action_fixture_wait_held(action_fixture *fixture, size_t count) {
    held_wait wait = {fixture, count};
    assert_ok(rclite_spin_until(fixture->client_context, holds_enough, &wait, TESTING_TIMEOUT_NS));
}

size_t action_asked_count(rclite_action_server *base) {
    ros2_action_server *server = (ros2_action_server *)base;
    size_t count = 0;
    pthread_mutex_lock(&server->lock);
    for (const ros2_server_goal *goal = server->oldest; goal; goal = goal->newer) {
        count += goal->waits != NULL;
    }
    pthread_mutex_unlock(&server->lock);
    return count;
}

/* ---- both sides ----------------------------------------------------------------------------- */

static void print_log(rclite_log_level level, const char *text, void *user) {
    (void)user;
    print_message("[%d] %s\n", (int)level, text);
}

static rclite_context *open_context(action_fixture *fixture, rclite_delivery delivery, int domain) {
    rclite_context_options options = RCLITE_CONTEXT_OPTIONS_INIT;
    options.delivery = delivery;
    options.domain_id = domain;
    options.dds_config = testing_dds_config();
    options.allocator = &fixture->allocator.base;
    options.log = print_log;
    rclite_context *context = NULL;
    assert_ok(rclite_context_create(&options, &context, NULL));
    return context;
}

static void *spin(void *argument) {
    return (void *)(intptr_t)rclite_spin(argument);
}

action_fixture *action_fixture_open(
    const action_setting *setting, const rclite_action_server_options *options) {
    static const rclite_action_server_callbacks callbacks = {
        .goal = on_goal, .accepted = on_accepted, .cancel = on_cancel, .canceling = on_canceling};
    const rclite_action_server_options defaults = RCLITE_ACTION_SERVER_OPTIONS_INIT;
    action_fixture *fixture = malloc(sizeof *fixture);
    assert_non_null(fixture);
    *fixture = (action_fixture){.canceling = TESTING_GATE_INIT};
    pthread_mutex_init(&fixture->lock, NULL);
    failing_allocator_init(&fixture->allocator, 0);
    fixture->server_context = open_context(fixture, setting->delivery, TESTING_DOMAIN);
    fixture->client_context = open_context(
        fixture, setting->delivery, setting->local ? TESTING_DOMAIN : TESTING_DOMAIN_REMOTE);
    fixture->server_node = testing_node(fixture->server_context, "server");
    fixture->client_node = testing_node(fixture->client_context, "client");
    assert_ok(rclite_action_server_create(fixture->server_node, "count", type, &callbacks, fixture,
        options ? options : &defaults, &fixture->server, NULL));
    assert_ok(
        rclite_action_client_create(fixture->client_node, "count", type, &fixture->client, NULL));
    fixture->spins = setting->delivery == RCLITE_DELIVERY_SPIN;
    if (fixture->spins) {
        assert_int_equal(pthread_create(&fixture->spinner, NULL, spin, fixture->server_context), 0);
    }
    assert_ok(rclite_action_client_wait_for_server(fixture->client, TESTING_TIMEOUT_NS));
    /* The server must know the client, too, or its first feedback is lost. */
    assert_ok(rclite_publisher_wait_matched(
        ((ros2_action_server *)fixture->server)->feedback_publisher, 1, TESTING_TIMEOUT_NS));
    return fixture;
}

void action_fixture_close(action_fixture *fixture) {
    if (fixture->spins) {
        rclite_context_shutdown(fixture->server_context);
        pthread_join(fixture->spinner, NULL);
    }
    rclite_action_client_free(fixture->client);
    rclite_action_server_free(fixture->server);
    rclite_node_free(fixture->client_node);
    rclite_node_free(fixture->server_node);
    rclite_context_free(fixture->client_context);
    rclite_context_free(fixture->server_context);
    assert_int_equal(fixture->allocator.outstanding, 0);
    assert_int_equal(fixture->failures, 0);
    pthread_mutex_destroy(&fixture->lock);
    free(fixture);
}

/* ---- goals ---------------------------------------------------------------------------------- */

static void on_response(rclite_client_goal *handle, bool accepted, void *user) {
    tracked_goal *goal = user;
    (void)handle;
    goal->accepted = accepted;
    goal->disorder += goal->responses != 0 || goal->results != 0;
    goal->responses += 1;
    rclite_context_wake(goal->fixture->client_context);
}

static void on_feedback(rclite_client_goal *handle, const void *message, void *user) {
    tracked_goal *goal = user;
    const rclite_test__action__Count_Feedback *feedback = message;
    (void)handle;
    goal->disorder += feedback->at <= goal->last_at;
    goal->last_at = feedback->at;
    goal->feedbacks += 1;
    rclite_context_wake(goal->fixture->client_context);
}

static void on_result(
    rclite_client_goal *handle, rclite_goal_status status, const void *message, void *user) {
    tracked_goal *goal = user;
    const rclite_test__action__Count_Result *result = message;
    goal->disorder += goal->results != 0;
    goal->disorder += rclite_client_goal_get_status(handle) != status;
    goal->status = (int)status;
    if (result) {
        goal->total = result->total;
        snprintf(goal->note, sizeof goal->note, "%s", result->note.data);
    }
    goal->results += 1;
    rclite_context_wake(goal->fixture->client_context);
}

void tracked_goal_send(
    action_fixture *fixture, tracked_goal *goal, enum count_mode mode, int32_t count) {
    static const rclite_goal_callbacks callbacks = {
        .response = on_response, .feedback = on_feedback, .result = on_result};
    char note[] = "a note";
    rclite_test__action__Count_Goal message = {
        .mode = mode, .count = count, .note = {note, strlen(note), 0}};
    *goal = (tracked_goal){.fixture = fixture};
    assert_ok(
        rclite_action_client_send_goal(fixture->client, &message, &callbacks, goal, &goal->handle));
}

typedef struct feedback_wait {
    tracked_goal *goal;
    int count;
} feedback_wait;

static bool has_feedback(void *user) {
    feedback_wait *wait = user;
    return wait->goal->feedbacks >= wait->count;
}

void tracked_goal_wait_feedback(tracked_goal *goal, int count) {
    feedback_wait wait = {goal, count};
    assert_ok(
        rclite_spin_until(goal->fixture->client_context, has_feedback, &wait, TESTING_TIMEOUT_NS));
}

static bool has_result(void *user) {
    return ((tracked_goal *)user)->results > 0;
}

void tracked_goal_expect(tracked_goal *goal, rclite_goal_status status) {
    rclite_test__action__Count_Result result;
    rclite_goal_status told = RCLITE_GOAL_UNKNOWN;
    const rclite_allocator *allocator = &goal->fixture->allocator.base; /* as the context's */
    assert_ok(rclite_message_init(type->result, &result, allocator));
    assert_ok(rclite_client_goal_wait(goal->handle, &result, TESTING_TIMEOUT_NS, &told));
    assert_int_equal(told, status);
    assert_int_equal(rclite_client_goal_get_status(goal->handle), status);
    assert_ok(
        rclite_spin_until(goal->fixture->client_context, has_result, goal, TESTING_TIMEOUT_NS));
    assert_int_equal(goal->status, status);
    assert_int_equal(goal->results, 1);
    assert_int_equal(goal->disorder, 0);
    assert_int_equal(result.total, goal->total);
    rclite_message_done(type->result, &result, allocator);
}

static bool has_response(void *user) {
    return ((tracked_goal *)user)->responses > 0;
}

void tracked_goal_wait_response(tracked_goal *goal) {
    assert_ok(
        rclite_spin_until(goal->fixture->client_context, has_response, goal, TESTING_TIMEOUT_NS));
}

typedef struct status_wait {
    tracked_goal *goal;
    rclite_goal_status status;
} status_wait;

static bool has_status(void *user) {
    status_wait *wait = user;
    return rclite_client_goal_get_status(wait->goal->handle) == wait->status;
}

void tracked_goal_wait_status(tracked_goal *goal, rclite_goal_status status) {
    status_wait wait = {goal, status};
    assert_ok(
        rclite_spin_until(goal->fixture->client_context, has_status, &wait, TESTING_TIMEOUT_NS));
}

void tracked_goal_free(tracked_goal *goal) {
    goal->handle = rclite_client_goal_free(goal->handle);
}
