/* Tests of the public calls over the fake backend: arguments, errors, blocking calls, contract
 * breaches, and allocations that fail. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/endpoint.h"
#include "core/memory.h"
#include "core/testing/failing_allocator.h"
#include "core/testing/fake_backend.h"

#define MS INT64_C(1000000)
#define DEADLINE (20000 * MS)

typedef struct fixture {
    rclite_context *context;
    rclite_node *node;
} fixture;

static fixture make_over(
    const rclitei_backend *backend, rclite_delivery delivery, rclite_generation generation) {
    rclite_context_options options = RCLITE_CONTEXT_OPTIONS_INIT;
    options.delivery = delivery;
    options.generation = generation;
    fixture made = {0};
    assert_int_equal(
        rclitei_context_create_with(backend, &options, &made.context, NULL), RCLITE_OK);
    assert_int_equal(rclite_node_create(made.context, "n", "", &made.node, NULL), RCLITE_OK);
    return made;
}

static fixture make(rclite_delivery delivery) {
    return make_over(&fake_backend, delivery, RCLITE_ROS2);
}

static void end(fixture made) {
    assert_null(rclite_node_free(made.node));
    assert_null(rclite_context_free(made.context));
}

static void on_message(const void *message, const rclite_message_info *info, void *user) {
    (void)message;
    (void)info;
    *(atomic_int *)user += 1;
}

static rclite_result on_request(
    rclite_service_call *call, const void *request, void *response, char *error_text, void *user) {
    (void)call;
    (void)request;
    (void)response;
    (void)error_text;
    (void)user;
    return RCLITE_OK;
}

static void on_goal(rclite_server_goal *handle, const void *goal, void *user) {
    (void)handle;
    (void)goal;
    (void)user;
}

/* All six kinds of endpoints, created one after the other; stops at the first failure. */
typedef struct endpoints {
    rclite_publisher *publisher;
    rclite_subscription *subscription;
    rclite_service *service;
    rclite_client *client;
    rclite_action_server *action_server;
    rclite_action_client *action_client;
} endpoints;

enum { ENDPOINT_KINDS = 6 };

static rclite_result create_endpoint(
    rclite_node *node, int kind, endpoints *made, rclite_error *reterr) {
    static const rclite_action_server_callbacks callbacks = {.accepted = on_goal};
    rclite_publisher_options publisher_options = RCLITE_PUBLISHER_OPTIONS_INIT;
    rclite_subscription_options subscription_options = RCLITE_SUBSCRIPTION_OPTIONS_INIT;
    rclite_service_options service_options = RCLITE_SERVICE_OPTIONS_INIT;
    rclite_client_options client_options = RCLITE_CLIENT_OPTIONS_INIT;
    rclite_action_server_options action_options = RCLITE_ACTION_SERVER_OPTIONS_INIT;
    switch (kind) {
    case 0:
        return rclite_publisher_create(
            node, "p", &fake_type, &publisher_options, &made->publisher, reterr);
    case 1:
        return rclite_subscription_create(
            node, "s", &fake_type, NULL, NULL, &subscription_options, &made->subscription, reterr);
    case 2:
        return rclite_service_create(node, "v", &fake_service_type, on_request, NULL,
            &service_options, &made->service, reterr);
    case 3:
        return rclite_client_create(
            node, "v", &fake_service_type, &client_options, &made->client, reterr);
    case 4:
        return rclite_action_server_create(node, "a", &fake_action_type, &callbacks, NULL,
            &action_options, &made->action_server, reterr);
    default:
        return rclite_action_client_create(
            node, "a", &fake_action_type, &made->action_client, reterr);
    }
}

static void free_endpoints(endpoints *made) {
    assert_null(rclite_publisher_free(made->publisher));
    assert_null(rclite_subscription_free(made->subscription));
    assert_null(rclite_service_free(made->service));
    assert_null(rclite_client_free(made->client));
    assert_null(rclite_action_server_free(made->action_server));
    assert_null(rclite_action_client_free(made->action_client));
}

/* ---- creation ------------------------------------------------------------------------------- */

static void endpoints_are_created_and_freed(void **state) {
    (void)state;
    fixture f = make(RCLITE_DELIVERY_DIRECT);
    endpoints made = {0};
    for (int kind = 0; kind < ENDPOINT_KINDS; kind++) {
        assert_int_equal(create_endpoint(f.node, kind, &made, NULL), RCLITE_OK);
    }
    assert_int_equal(((fake_context *)f.context)->live, 1 + ENDPOINT_KINDS);
    assert_string_equal(rclite_publisher_topic(made.publisher), "/p");
    assert_string_equal(rclite_subscription_topic(made.subscription), "/s");
    assert_string_equal(rclite_service_name(made.service), "/v");
    assert_string_equal(rclite_client_name(made.client), "/v");
    assert_int_equal(rclite_publisher_qos(made.publisher).depth, 10);
    assert_string_equal(rclite_context_describe(f.context), "{\"backend\":\"fake\"}");
    int32_t message = 1;
    assert_int_equal(rclite_publisher_publish(made.publisher, &message), RCLITE_OK);
    assert_int_equal(((fake_publisher *)made.publisher)->published, 1);
    free_endpoints(&made);
    end(f);
}

static void a_backend_that_fails_or_cannot(void **state) {
    (void)state;
    const struct {
        const rclitei_backend *backend;
        rclite_result code;
        const char *text;
    } cases[] = {{&fake_backend_failing, RCLITE_ERR_TRANSPORT, "told to fail"},
        {&fake_backend_empty, RCLITE_ERR_UNSUPPORTED, "backend 'empty' has no"}};
    for (size_t i = 0; i < 2; i++) {
        fixture f = make_over(cases[i].backend, RCLITE_DELIVERY_DIRECT, RCLITE_ROS2);
        endpoints made = {0};
        for (int kind = 0; kind < ENDPOINT_KINDS; kind++) {
            rclite_error error = {0};
            assert_int_equal(create_endpoint(f.node, kind, &made, &error), cases[i].code);
            assert_int_equal(error.code, cases[i].code);
            assert_non_null(strstr(error.text, cases[i].text));
        }
        free_endpoints(&made); /* all NULL: nothing was touched on failure */
        end(f);
    }
}

static void nothing_is_created_after_shutdown(void **state) {
    (void)state;
    fixture f = make(RCLITE_DELIVERY_DIRECT);
    rclite_context_shutdown(f.context);
    endpoints made = {0};
    for (int kind = 0; kind < ENDPOINT_KINDS; kind++) {
        assert_int_equal(create_endpoint(f.node, kind, &made, NULL), RCLITE_ERR_SHUTDOWN);
    }
    rclite_node *node = NULL;
    assert_int_equal(rclite_node_create(f.context, "m", "", &node, NULL), RCLITE_ERR_SHUTDOWN);
    end(f);
}

static void types_must_exist_in_the_generation(void **state) {
    (void)state;
    fixture f = make_over(&fake_backend, RCLITE_DELIVERY_DIRECT, RCLITE_ROS1);
    rclite_publisher_options options = RCLITE_PUBLISHER_OPTIONS_INIT;
    rclite_publisher *publisher = NULL;
    rclite_error error;
    assert_int_equal(
        rclite_publisher_create(f.node, "p", &fake_type_ros2, &options, &publisher, &error),
        RCLITE_ERR_TYPE);
    assert_non_null(strstr(error.text, "fake_msgs/msg/Newer does not exist in ROS 1"));
    endpoints made = {0};
    assert_int_equal(create_endpoint(f.node, 4, &made, &error), RCLITE_ERR_TYPE);
    assert_int_equal(create_endpoint(f.node, 5, &made, &error), RCLITE_ERR_TYPE);
    end(f);
}

/* ---- arguments ------------------------------------------------------------------------------ */

static void context_options_are_checked(void **state) {
    (void)state;
    rclite_context *context = NULL;
    rclite_error error;
    const rclite_context_options good = RCLITE_CONTEXT_OPTIONS_INIT;
    const char *const argv[] = {"prog", NULL};
    const rclite_allocator nothing = {0};
    rclite_context_options bad[8];
    for (int i = 0; i < 8; i++) {
        bad[i] = good;
    }
    bad[0].size = 1;
    bad[1].generation = (rclite_generation)3;
    bad[2].delivery = RCLITE_DELIVERY_COUNT;
    bad[3].argc = 1;
    bad[4].argc = -1;
    bad[5].argc = 2;
    bad[5].argv = argv;
    bad[6].domain_id = 233;
    bad[7].allocator = &nothing;
    const char *named[] = {
        "size", "generation", "delivery", "argc", "argc", "argv[1]", "domain_id", "allocator"};
    for (int i = 0; i < 8; i++) {
        assert_int_equal(rclite_context_create(&bad[i], &context, &error), RCLITE_ERR_INVALID);
        assert_non_null(strstr(error.text, named[i]));
    }
    assert_int_equal(rclite_context_create(NULL, &context, &error), RCLITE_ERR_INVALID);
    assert_int_equal(rclite_context_create(&good, NULL, &error), RCLITE_ERR_INVALID);
    assert_null(context);
    assert_null(rclite_context_free(NULL));
}

static void qos_and_sizes_are_checked(void **state) {
    (void)state;
    fixture f = make(RCLITE_DELIVERY_DIRECT);
    const rclite_publisher_options good = RCLITE_PUBLISHER_OPTIONS_INIT;
    rclite_publisher_options bad[9];
    for (int i = 0; i < 9; i++) {
        bad[i] = good;
    }
    bad[0].size = 0;
    bad[1].qos.depth = 0;
    bad[2].qos.reliability = RCLITE_QOS_RELIABILITY_COUNT;
    bad[3].qos.durability = (rclite_qos_durability)-1;
    bad[4].qos.history = RCLITE_QOS_HISTORY_COUNT;
    bad[5].qos.liveliness = RCLITE_QOS_LIVELINESS_COUNT;
    bad[6].qos.deadline_ns = -1;
    bad[7].qos.lifespan_ns = -1;
    bad[8].qos.liveliness_lease_ns = -1;
    const char *named[] = {"RCLITE_PUBLISHER_OPTIONS_INIT", "depth", "reliability", "durability",
        "history", "liveliness", "deadline_ns", "lifespan_ns", "liveliness_lease_ns"};
    rclite_publisher *publisher = NULL;
    for (int i = 0; i < 9; i++) {
        rclite_error error;
        assert_int_equal(
            rclite_publisher_create(f.node, "p", &fake_type, &bad[i], &publisher, &error),
            RCLITE_ERR_INVALID);
        assert_non_null(strstr(error.text, named[i]));
    }
    rclite_publisher_options all = good;
    all.qos.history = RCLITE_QOS_KEEP_ALL;
    all.qos.depth = 0; /* means nothing there */
    assert_int_equal(
        rclite_publisher_create(f.node, "p", &fake_type, &all, &publisher, NULL), RCLITE_OK);
    rclite_publisher_free(publisher);
    end(f);
}

static void null_arguments_are_refused(void **state) {
    (void)state;
    fixture f = make(RCLITE_DELIVERY_DIRECT);
    rclite_publisher_options options = RCLITE_PUBLISHER_OPTIONS_INIT;
    rclite_publisher *publisher = NULL;
    assert_int_equal(rclite_publisher_create(NULL, "p", &fake_type, &options, &publisher, NULL),
        RCLITE_ERR_INVALID);
    assert_int_equal(rclite_publisher_create(f.node, NULL, &fake_type, &options, &publisher, NULL),
        RCLITE_ERR_INVALID);
    assert_int_equal(
        rclite_publisher_create(f.node, "p", NULL, &options, &publisher, NULL), RCLITE_ERR_INVALID);
    assert_int_equal(rclite_publisher_create(f.node, "p", &fake_type, NULL, &publisher, NULL),
        RCLITE_ERR_INVALID);
    assert_int_equal(rclite_publisher_publish(NULL, &options), RCLITE_ERR_INVALID);
    assert_int_equal(rclite_publisher_wait_matched(NULL, 1, 0), RCLITE_ERR_INVALID);
    assert_int_equal(rclite_subscription_take(NULL, &options, NULL), RCLITE_ERR_INVALID);
    assert_int_equal(rclite_client_call(NULL, &f, &f, 0, NULL), RCLITE_ERR_INVALID);
    assert_int_equal(rclite_service_respond(NULL, RCLITE_OK, &f, NULL), RCLITE_ERR_INVALID);
    assert_int_equal(rclite_server_goal_succeed(NULL, &f), RCLITE_ERR_INVALID);
    assert_int_equal(rclite_client_goal_cancel(NULL), RCLITE_ERR_INVALID);
    assert_int_equal(rclite_spin(NULL), RCLITE_ERR_INVALID);
    assert_null(rclite_client_goal_free(NULL));
    rclite_action_server *server = NULL;
    rclite_action_server_callbacks none = {0};
    rclite_action_server_options server_options = RCLITE_ACTION_SERVER_OPTIONS_INIT;
    assert_int_equal(rclite_action_server_create(f.node, "a", &fake_action_type, &none, NULL,
                         &server_options, &server, NULL),
        RCLITE_ERR_INVALID);
    end(f);
}

/* ---- topics --------------------------------------------------------------------------------- */

static void messages_are_delivered_or_taken(void **state) {
    (void)state;
    fixture f = make(RCLITE_DELIVERY_SPIN);
    rclite_subscription_options options = RCLITE_SUBSCRIPTION_OPTIONS_INIT;
    rclite_subscription *called = NULL, *taken = NULL;
    atomic_int count = 0;
    assert_int_equal(rclite_subscription_create(
                         f.node, "s", &fake_type, on_message, &count, &options, &called, NULL),
        RCLITE_OK);
    assert_int_equal(
        rclite_subscription_create(f.node, "s", &fake_type, NULL, NULL, &options, &taken, NULL),
        RCLITE_OK);
    int32_t message = 0;
    assert_int_equal(rclite_subscription_take(called, &message, NULL), RCLITE_ERR_STATE);
    assert_int_equal(rclite_subscription_wait(called, 0), RCLITE_ERR_STATE);
    assert_int_equal(rclite_subscription_wait(taken, 0), RCLITE_ERR_TIMEOUT);
    assert_int_equal(rclite_subscription_take(taken, &message, NULL), RCLITE_EMPTY);
    fake_deliver(called);
    fake_deliver(called);
    fake_deliver(taken);
    assert_int_equal(count, 0); /* only spinning delivers */
    assert_int_equal(rclite_subscription_wait(taken, DEADLINE), RCLITE_OK);
    assert_int_equal(rclite_subscription_take(taken, &message, NULL), RCLITE_OK);
    assert_int_equal(message, 1);
    while (rclite_spin_once(f.context, 0) == RCLITE_OK) {
    }
    assert_int_equal(count, 2);
    fake_deliver(called);
    rclite_subscription_free(called); /* with a message waiting */
    rclite_subscription_free(taken);
    end(f);
}

static void *match_later(void *argument) {
    fake_publisher *publisher = argument;
    publisher->matched = 2;
    rclitei_signal(publisher->base.node->context);
    return NULL;
}

static void waiting_for_matches(void **state) {
    (void)state;
    for (int delivery = 0; delivery < RCLITE_DELIVERY_COUNT; delivery++) {
        fixture f = make((rclite_delivery)delivery);
        endpoints made = {0};
        assert_int_equal(create_endpoint(f.node, 0, &made, NULL), RCLITE_OK);
        assert_int_equal(rclite_publisher_wait_matched(made.publisher, 0, 0), RCLITE_OK);
        assert_int_equal(rclite_publisher_wait_matched(made.publisher, 1, MS), RCLITE_ERR_TIMEOUT);
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, match_later, made.publisher), 0);
        assert_int_equal(rclite_publisher_wait_matched(made.publisher, 2, DEADLINE), RCLITE_OK);
        pthread_join(thread, NULL);
        assert_true(rclitei_callback_enter(f.context));
        assert_int_equal(rclite_publisher_wait_matched(made.publisher, 1, 0), RCLITE_ERR_STATE);
        assert_int_equal(rclite_publisher_wait_sent(made.publisher, 0), RCLITE_ERR_STATE);
        rclitei_callback_leave(f.context);
        free_endpoints(&made);
        end(f);
    }
}

/* ---- services ------------------------------------------------------------------------------- */

typedef struct answerer {
    rclite_client *client;
    rclite_result result;
    int32_t response;
} answerer;

static void *answer_it(void *argument) {
    answerer *self = argument;
    while (!fake_answer(self->client, self->result, &self->response)) {
    }
    return NULL;
}

static void blocking_calls_get_their_answer(void **state) {
    (void)state;
    for (int delivery = 0; delivery < RCLITE_DELIVERY_COUNT; delivery++) {
        fixture f = make((rclite_delivery)delivery);
        endpoints made = {0};
        assert_int_equal(create_endpoint(f.node, 3, &made, NULL), RCLITE_OK);
        for (int32_t i = 0; i < 100; i++) {
            bool refuse = i % 10 == 9;
            answerer self = {made.client, refuse ? RCLITE_ERR_REJECTED : RCLITE_OK, i};
            pthread_t thread;
            int32_t request = 1, response = -1;
            rclite_error error;
            assert_int_equal(pthread_create(&thread, NULL, answer_it, &self), 0);
            assert_int_equal(rclite_client_call(made.client, &request, &response, DEADLINE, &error),
                self.result);
            pthread_join(thread, NULL);
            assert_int_equal(response, refuse ? -1 : i);
            assert_true(!refuse || strstr(error.text, "refused") != NULL);
        }
        free_endpoints(&made);
        end(f);
    }
}

static void blocking_calls_end_without_answer(void **state) {
    (void)state;
    fixture f = make(RCLITE_DELIVERY_DIRECT);
    endpoints made = {0};
    assert_int_equal(create_endpoint(f.node, 3, &made, NULL), RCLITE_OK);
    int32_t request = 1, response = 0;
    rclite_error error;
    assert_int_equal(
        rclite_client_call(made.client, &request, &response, MS, &error), RCLITE_ERR_TIMEOUT);
    assert_non_null(strstr(error.text, "/v"));
    assert_false(fake_answer(made.client, RCLITE_OK, &response)); /* it was forgotten */
    request = -1;
    assert_int_equal(
        rclite_client_call(made.client, &request, &response, MS, &error), RCLITE_ERR_TRANSPORT);
    request = 1;
    assert_true(rclitei_callback_enter(f.context));
    assert_int_equal(
        rclite_client_call(made.client, &request, &response, MS, &error), RCLITE_ERR_STATE);
    assert_int_equal(rclite_client_wait_for_service(made.client, MS), RCLITE_ERR_STATE);
    rclitei_callback_leave(f.context);
    assert_int_equal(rclite_client_wait_for_service(made.client, MS), RCLITE_ERR_TIMEOUT);
    assert_false(rclite_client_is_ready(made.client));
    ((fake_client *)made.client)->ready = true;
    assert_int_equal(rclite_client_wait_for_service(made.client, 0), RCLITE_OK);
    rclite_context_shutdown(f.context);
    assert_int_equal(rclite_client_call(made.client, &request, &response, DEADLINE, &error),
        RCLITE_ERR_SHUTDOWN);
    free_endpoints(&made);
    end(f);
}

/* ---- actions -------------------------------------------------------------------------------- */

static void goal_steps(void **state) {
    (void)state;
    const rclite_goal_status legal[][2] = {
        {1, 2}, {1, 3}, {2, 3}, {2, 4}, {2, 6}, {3, 4}, {3, 5}, {3, 6}};
    int count = 0;
    for (int from = 0; from < RCLITE_GOAL_STATUS_COUNT; from++) {
        for (int to = 0; to < RCLITE_GOAL_STATUS_COUNT; to++) {
            count += rclitei_goal_step_is_legal((rclite_goal_status)from, (rclite_goal_status)to);
        }
        assert_int_equal(rclitei_goal_is_terminal((rclite_goal_status)from), from >= 4);
    }
    assert_int_equal(count, 8);
    for (int i = 0; i < 8; i++) {
        assert_true(rclitei_goal_step_is_legal(legal[i][0], legal[i][1]));
    }
    assert_string_equal(rclite_goal_status_string(RCLITE_GOAL_CANCELING), "CANCELING");
    assert_string_equal(rclite_goal_status_string((rclite_goal_status)77), "UNKNOWN");
}

static void server_goals_follow_the_steps(void **state) {
    (void)state;
    fixture f = make(RCLITE_DELIVERY_DIRECT);
    endpoints made = {0};
    assert_int_equal(create_endpoint(f.node, 4, &made, NULL), RCLITE_OK);
    rclite_server_goal goal = {.server = made.action_server, .status = RCLITE_GOAL_ACCEPTED};
    int32_t result = 0;
    assert_int_equal(rclite_server_goal_succeed(&goal, &result), RCLITE_ERR_STATE);
    assert_int_equal(rclite_server_goal_canceled(&goal, &result), RCLITE_ERR_STATE);
    assert_int_equal(rclite_server_goal_execute(&goal), RCLITE_OK);
    assert_int_equal(rclite_server_goal_execute(&goal), RCLITE_ERR_STATE);
    assert_int_equal(rclite_server_goal_succeed(&goal, &result), RCLITE_OK);
    assert_int_equal(rclite_server_goal_abort(&goal, &result), RCLITE_ERR_STATE);
    free_endpoints(&made);
    end(f);
}

static void *finish_goal(void *argument) {
    rclite_client_goal *goal = argument;
    goal->status = RCLITE_GOAL_ABORTED;
    rclitei_signal(goal->client->node->context);
    return NULL;
}

static void client_goals_are_waited_for(void **state) {
    (void)state;
    fixture f = make(RCLITE_DELIVERY_DIRECT);
    endpoints made = {0};
    assert_int_equal(create_endpoint(f.node, 5, &made, NULL), RCLITE_OK);
    rclite_goal_callbacks callbacks = {0};
    rclite_client_goal *goal = NULL;
    int32_t message = 42, result = 0;
    assert_int_equal(
        rclite_action_client_send_goal(made.action_client, &message, &callbacks, NULL, &goal),
        RCLITE_OK);
    rclite_goal_status status = RCLITE_GOAL_UNKNOWN;
    assert_int_equal(rclite_client_goal_wait(goal, &result, MS, &status), RCLITE_ERR_TIMEOUT);
    assert_int_equal(status, RCLITE_GOAL_UNKNOWN);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, finish_goal, goal), 0);
    assert_int_equal(rclite_client_goal_wait(goal, &result, DEADLINE, &status), RCLITE_OK);
    pthread_join(thread, NULL);
    assert_int_equal(status, RCLITE_GOAL_ABORTED);
    assert_int_equal(result, 42);
    assert_int_equal(rclite_client_goal_wait(goal, NULL, 0, NULL), RCLITE_OK);

    fake_action_client *fake = (fake_action_client *)made.action_client;
    assert_int_equal(rclite_client_goal_cancel(goal), RCLITE_OK);
    assert_ptr_equal(fake->cancel_goal, goal);
    assert_int_equal(rclite_action_client_cancel_all(made.action_client), RCLITE_OK);
    assert_null(fake->cancel_goal);
    rclite_time stamp = {5, 6};
    assert_int_equal(rclite_action_client_cancel_before(made.action_client, stamp), RCLITE_OK);
    assert_int_equal(fake->cancel_stamp.nanosec, 6);
    assert_int_equal(rclite_action_client_cancel_before(made.action_client, (rclite_time){0, 0}),
        RCLITE_ERR_INVALID); /* would cancel all */
    assert_int_equal(fake->cancels, 3);
    assert_int_equal(
        rclite_action_client_wait_for_server(made.action_client, 0), RCLITE_ERR_TIMEOUT);
    fake->ready = true;
    assert_int_equal(rclite_action_client_wait_for_server(made.action_client, 0), RCLITE_OK);
    rclite_client_goal_free(goal);
    free_endpoints(&made);
    end(f);
}

/* ---- breaches and memory -------------------------------------------------------------------- */

static void keep_text(rclite_log_level level, const char *text, void *user) {
    (void)level;
    strncpy(user, text, 255);
}

/* In a debug build the breach is an assertion; otherwise the parent is kept and the log says so. */
static void parents_outlive_children(void **state) {
    (void)state;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (!freopen("/dev/null", "w", stderr)) {
            _exit(9);
        }
        char text[256] = "";
        rclite_context_options options = RCLITE_CONTEXT_OPTIONS_INIT;
        options.log = keep_text;
        options.log_user = text;
        rclite_context *context = fake_context_create(&options);
        rclite_node *node = NULL;
        if (rclite_node_create(context, "n", "", &node, NULL) != RCLITE_OK) {
            _exit(8);
        }
        rclite_context_free(context);
        bool said = strstr(text, "the context was freed before 1 of its children") != NULL;
        rclite_node_free(node); /* still possible */
        rclite_context_free(context);
        _exit(said ? 0 : 7);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
#ifdef NDEBUG
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
#else
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGABRT);
#endif
}

static void must_not_run(void *user) {
    (void)user;
    abort();
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    bool succeeded = false;
    for (long fail_at = 1; !succeeded; fail_at++) {
        assert_true(fail_at < 1000);
        failing_allocator allocator;
        failing_allocator_init(&allocator, fail_at);
        rclite_context_options options = RCLITE_CONTEXT_OPTIONS_INIT;
        options.allocator = &allocator.base;
        rclite_context *context = NULL;
        rclite_node *node = NULL;
        rclite_timer *timer = NULL;
        endpoints made = {0};
        rclite_error error = {0};
        rclite_result result =
            rclitei_context_create_with(&fake_backend, &options, &context, &error);
        if (result == RCLITE_OK) {
            result = rclite_node_create(context, "n", "/s", &node, &error);
        }
        for (int kind = 0; kind < ENDPOINT_KINDS && result == RCLITE_OK; kind++) {
            result = create_endpoint(node, kind, &made, &error);
        }
        if (result == RCLITE_OK) {
            result = rclite_timer_create(context, DEADLINE, must_not_run, NULL, &timer, &error);
        }
        succeeded = result == RCLITE_OK;
        assert_true(succeeded || error.code == RCLITE_ERR_NO_MEMORY);
        assert_true(succeeded || result == RCLITE_ERR_NO_MEMORY);
        rclite_timer_free(timer);
        free_endpoints(&made);
        rclite_node_free(node);
        rclite_context_free(context);
        assert_int_equal(allocator.outstanding, 0);
    }
}

static void log_level_is_obeyed(void **state) {
    (void)state;
    char text[256] = "";
    const char *const argv[] = {"prog", "--ros-args", "--log-level", "error"};
    rclite_context_options options = RCLITE_CONTEXT_OPTIONS_INIT;
    options.log = keep_text;
    options.log_user = text;
    options.argc = 4;
    options.argv = argv;
    rclite_context *context = fake_context_create(&options);
    rclitei_context_log(context, RCLITE_LOG_WARN, "number %d", 1);
    assert_string_equal(text, "");
    rclitei_context_log(context, RCLITE_LOG_ERROR, "number %d", 2);
    assert_string_equal(text, "number 2");
    rclite_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(endpoints_are_created_and_freed),
        cmocka_unit_test(a_backend_that_fails_or_cannot),
        cmocka_unit_test(nothing_is_created_after_shutdown),
        cmocka_unit_test(types_must_exist_in_the_generation),
        cmocka_unit_test(context_options_are_checked),
        cmocka_unit_test(qos_and_sizes_are_checked),
        cmocka_unit_test(null_arguments_are_refused),
        cmocka_unit_test(messages_are_delivered_or_taken),
        cmocka_unit_test(waiting_for_matches),
        cmocka_unit_test(blocking_calls_get_their_answer),
        cmocka_unit_test(blocking_calls_end_without_answer),
        cmocka_unit_test(goal_steps),
        cmocka_unit_test(server_goals_follow_the_steps),
        cmocka_unit_test(client_goals_are_waited_for),
        cmocka_unit_test(parents_outlive_children),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(log_level_is_obeyed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
