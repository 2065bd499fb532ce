/* Every allocation of ours may fail, whatever the API is doing: making contexts, nodes and
 * endpoints, publishing, taking, calling, goals, the graph, parameters, types loaded at run time.
 * Each time either one allocation fails, or all from one on. What is asked for is then refused or
 * missed, never half done; nothing leaks and nothing crashes. Cyclone's own allocations are not
 * ours to fail. */
#include <stdlib.h>
#include <string.h>

#include "core/testing/failing_allocator.h"
#include "rclite_test/action/Count.h"
#include "ros2/testing/ros2_testing.h"

#define STEPS_MAX 3000
/* A failed allocation may take away an answer: nobody waits for it for long. */
#define PATIENCE_NS INT64_C(50000000)

/* What a scenario works with. Its callbacks run on any thread. */
typedef struct stage {
    failing_allocator allocator;
    rclite_context *context;
    rclite_node *node;
    bool met; /* the allocation that fails was asked for */
    _Atomic uint64_t received;
} stage;

/* Returns what the first call that did not succeed said. */
typedef rclite_result (*scenario)(stage *on, rclite_error *reterr);

static bool is_expected(rclite_result result) {
    return result == RCLITE_ERR_NO_MEMORY || result == RCLITE_ERR_TIMEOUT || result == RCLITE_EMPTY;
}

/* Before what must not be refused memory: to free and to compare. */
static void stop_failing(stage *on) {
    const long fail_at = atomic_exchange(&on->allocator.fail_at, 0);
    on->met = on->met || (fail_at > 0 && on->allocator.calls >= fail_at);
}

/* Whether to go on waiting for what may still come: as long as no allocation has failed. */
static bool is_patient(stage *on, rclite_result result, int64_t begun_ns) {
    return result == RCLITE_ERR_TIMEOUT && !on->met &&
           on->allocator.calls < on->allocator.fail_at &&
           rclite_monotonic_ns() - begun_ns < TESTING_TIMEOUT_NS;
}

/* Plays the scenario until it comes through without meeting the allocation that fails. */
static void play(stage *on, scenario run, bool once) {
    for (long fail_at = 1;; fail_at++) {
        assert_true(fail_at < STEPS_MAX);
        rclite_error error = {.code = RCLITE_OK};
        on->met = false;
        on->allocator.once = once;
        on->allocator.calls = 0;
        on->allocator.fail_at = fail_at;
        const rclite_result result = run(on, &error);
        stop_failing(on);
        if (result != RCLITE_OK && !is_expected(result)) {
            fail_msg("allocation %ld: %s: %s", fail_at, rclite_result_string(result), error.text);
        }
        if (!on->met) {
            assert_int_equal(result, RCLITE_OK);
            return;
        }
    }
}

static rclite_result make_context(stage *on, rclite_context **ret_context, rclite_error *reterr) {
    static const char *const argv[] = {
        "program", "--ros-args", "-r", "a:=/b", "-p", "word:=text", "-p", "number:=3", "--"};
    rclite_context_options options = RCLITE_CONTEXT_OPTIONS_INIT;
    options.domain_id = TESTING_DOMAIN;
    options.dds_config = testing_dds_config();
    options.allocator = &on->allocator.base;
    options.argc = sizeof argv / sizeof *argv;
    options.argv = argv;
    return rclite_context_create(&options, ret_context, reterr);
}

/* ---- contexts, nodes, parameters ---------------------------------------------------------------
 */

static rclite_result get_parameters(rclite_node *node, rclite_error *reterr) {
    static const char *const names[] = {"word", "number", "none"};
    for (size_t i = 0; i < 3; i++) {
        rclite_parameter value;
        const rclite_result result = rclite_parameter_get(node, names[i], &value, reterr);
        if (result == RCLITE_OK) {
            rclite_parameter_done(node, &value);
        } else if (result != RCLITE_EMPTY) {
            return result;
        }
    }
    return RCLITE_OK;
}

static rclite_result context_scenario(stage *on, rclite_error *reterr) {
    rclite_context *context = NULL;
    rclite_node *node = NULL;
    rclite_result result = make_context(on, &context, reterr);
    if (result == RCLITE_OK) {
        result = rclite_node_create(context, "node", "/space", &node, reterr);
    }
    if (result == RCLITE_OK) {
        result = get_parameters(node, reterr);
    }
    rclite_node_free(node);
    rclite_context_free(context);
    return result;
}

static void contexts(void **state) {
    (void)state;
    for (int once = 0; once < 2; once++) {
        stage on = {.context = NULL};
        failing_allocator_init(&on.allocator, 0);
        play(&on, context_scenario, once);
        assert_int_equal(on.allocator.outstanding, 0);
    }
}

/* ---- in one context that stands ----------------------------------------------------------------
 */

static void play_on_stage(scenario run) {
    for (int once = 0; once < 2; once++) {
        stage on = {.context = NULL};
        failing_allocator_init(&on.allocator, 0);
        assert_ok(make_context(&on, &on.context, NULL));
        on.node = testing_node(on.context, "node");
        play(&on, run, once);
        rclite_node_free(on.node);
        rclite_context_free(on.context);
        assert_int_equal(on.allocator.outstanding, 0);
    }
}

static void on_message(const void *message, const rclite_message_info *info, void *user) {
    (void)message;
    (void)info;
    ((stage *)user)->received++;
}

/* A message of a type that exists only at run time: texts, and a sequence of them. */
static rclite_result fill(const rclite_type *type, void *message, const rclite_allocator *allocator,
    rclite_error *reterr) {
    const rclite_field *field = NULL;
    void *address = NULL;
    rclite_result result =
        rclite_message_field(type, RCLITE_ROS2, message, "names", &field, &address, reterr);
    if (result == RCLITE_OK) {
        result = rclite_string_sequence_resize(address, 3, allocator);
    }
    if (result == RCLITE_OK) {
        result = rclite_string_assign(
            &((rclite_string_sequence *)address)->data[1], "a name", allocator);
    }
    return result;
}

static rclite_result exchange(stage *on, const rclite_type *type, void *messages[2],
    rclite_publisher *publisher, rclite_subscription *taking, rclite_error *reterr) {
    const rclite_allocator *allocator = &on->allocator.base;
    rclite_result result = fill(type, messages[0], allocator, reterr);
    for (int i = 0; i < 2 && result == RCLITE_OK; i++) {
        result = rclite_publisher_publish(publisher, messages[0]);
    }
    if (result == RCLITE_OK) {
        result = rclite_subscription_take(taking, messages[1], NULL);
    }
    return result;
}

static rclite_result topic_scenario(stage *on, rclite_error *reterr) {
    const rclite_allocator *allocator = &on->allocator.base;
    const rclite_publisher_options offer = RCLITE_PUBLISHER_OPTIONS_INIT;
    const rclite_subscription_options ask = RCLITE_SUBSCRIPTION_OPTIONS_INIT;
    rclite_loader *loader = NULL;
    const rclite_type *type = NULL;
    rclite_publisher *publisher = NULL;
    rclite_subscription *called = NULL, *taking = NULL;
    void *messages[2] = {NULL, NULL};
    rclite_result result =
        rclite_loader_create(RCLITE_ROS2, INTERFACES, allocator, &loader, reterr);
    if (result == RCLITE_OK) {
        result = rclite_loader_message(loader, "rclite_test/msg/Bounded", &type, reterr);
    }
    for (int i = 0; i < 2 && result == RCLITE_OK; i++) {
        messages[i] = calloc(1, type->size_bytes);
        result = rclite_message_init(type, messages[i], allocator);
    }
    if (result == RCLITE_OK) {
        result = rclite_publisher_create(on->node, "a", type, &offer, &publisher, reterr);
    }
    if (result == RCLITE_OK) {
        result =
            rclite_subscription_create(on->node, "/b", type, on_message, on, &ask, &called, reterr);
    }
    if (result == RCLITE_OK) {
        result =
            rclite_subscription_create(on->node, "/b", type, NULL, NULL, &ask, &taking, reterr);
    }
    if (result == RCLITE_OK) {
        result = exchange(on, type, messages, publisher, taking, reterr);
    }
    stop_failing(on);
    rclite_subscription_free(taking);
    rclite_subscription_free(called);
    rclite_publisher_free(publisher);
    for (int i = 0; i < 2 && messages[i]; i++) {
        rclite_message_done(type, messages[i], allocator);
        free(messages[i]);
    }
    rclite_loader_free(loader);
    return result;
}

static void topics_of_loaded_types(void **state) {
    (void)state;
    play_on_stage(topic_scenario);
}

/* ---- services ----------------------------------------------------------------------------------
 */

static rclite_result answer(
    rclite_service_call *call, const void *request, void *response, char *error_text, void *user) {
    stage *on = user;
    testing_bytes *bytes = response;
    (void)call;
    (void)error_text;
    on->received++;
    bytes->seq = (uint64_t)((const testing_numbers *)request)->a;
    return rclite_sequence_resize(&bytes->data, 1, 100, &on->allocator.base);
}

static rclite_result service_scenario(stage *on, rclite_error *reterr) {
    const rclite_service_options offer = RCLITE_SERVICE_OPTIONS_INIT;
    const rclite_client_options ask = RCLITE_CLIENT_OPTIONS_INIT;
    const testing_numbers request = {.a = 4};
    testing_bytes response = {.seq = 0};
    rclite_service *service = NULL;
    rclite_client *client = NULL;
    rclite_result result = rclite_service_create(
        on->node, "service", &testing_service_type, answer, on, &offer, &service, reterr);
    if (result == RCLITE_OK) {
        result =
            rclite_client_create(on->node, "service", &testing_service_type, &ask, &client, reterr);
    }
    const int64_t begun_ns = rclite_monotonic_ns();
    if (result == RCLITE_OK) {
        do {
            result = rclite_client_wait_for_service(client, PATIENCE_NS);
        } while (is_patient(on, result, begun_ns));
    }
    if (result == RCLITE_OK) {
        do {
            result = rclite_client_call(client, &request, &response, PATIENCE_NS, reterr);
        } while (is_patient(on, result, begun_ns));
    }
    if (result == RCLITE_OK) {
        assert_int_equal(response.seq, 4);
        assert_int_equal(response.data.size, 100);
    }
    stop_failing(on);
    rclite_message_done(&testing_bytes_type, &response, &on->allocator.base);
    rclite_client_free(client);
    rclite_service_free(service);
    return result;
}

static void services(void **state) {
    (void)state;
    play_on_stage(service_scenario);
}

/* ---- actions -----------------------------------------------------------------------------------
 */

static void on_accepted(rclite_server_goal *goal, const void *message, void *user) {
    char note[] = "a note";
    const rclite_test__action__Count_Feedback feedback = {.at = 1};
    const rclite_test__action__Count_Result result = {.total = 2, .note = {note, 6, 0}};
    (void)message;
    (void)user;
    rclite_result sent = rclite_server_goal_feedback(goal, &feedback);
    assert_true(sent == RCLITE_OK || sent == RCLITE_ERR_NO_MEMORY);
    sent = rclite_server_goal_succeed(goal, &result);
    if (sent != RCLITE_OK) {
        assert_int_equal(sent, RCLITE_ERR_NO_MEMORY);
    }
}

static void on_feedback(rclite_client_goal *goal, const void *feedback, void *user) {
    (void)goal;
    (void)feedback;
    ((stage *)user)->received++;
}

static rclite_result do_goal(stage *on, rclite_action_client *client, rclite_error *reterr) {
    static const rclite_goal_callbacks callbacks = {.feedback = on_feedback};
    char note[] = "do it";
    const rclite_test__action__Count_Goal goal = {.count = 1, .note = {note, 5, 0}};
    const rclite_type *type = rclite_test__action__Count__type.result;
    rclite_test__action__Count_Result result = {.total = 0};
    rclite_client_goal *handle = NULL;
    rclite_goal_status status = RCLITE_GOAL_UNKNOWN;
    (void)reterr;
    rclite_result code = rclite_action_client_send_goal(client, &goal, &callbacks, on, &handle);
    const int64_t begun_ns = rclite_monotonic_ns();
    if (code == RCLITE_OK) {
        do {
            code = rclite_client_goal_wait(handle, &result, PATIENCE_NS, &status);
        } while (is_patient(on, code, begun_ns));
    }
    if (code == RCLITE_OK && status != RCLITE_GOAL_SUCCEEDED) {
        assert_true(status == RCLITE_GOAL_LOST || status == RCLITE_GOAL_REJECTED);
        code = RCLITE_ERR_NO_MEMORY;
    }
    if (code == RCLITE_OK) {
        assert_int_equal(result.total, 2);
    }
    stop_failing(on);
    rclite_message_done(type, &result, &on->allocator.base);
    rclite_client_goal_free(handle);
    return code;
}

static rclite_result action_scenario(stage *on, rclite_error *reterr) {
    static const rclite_action_server_callbacks callbacks = {.accepted = on_accepted};
    const rclite_action_server_options options = RCLITE_ACTION_SERVER_OPTIONS_INIT;
    const rclite_action_type *type = &rclite_test__action__Count__type;
    rclite_action_server *server = NULL;
    rclite_action_client *client = NULL;
    rclite_result result = rclite_action_server_create(
        on->node, "action", type, &callbacks, on, &options, &server, reterr);
    if (result == RCLITE_OK) {
        result = rclite_action_client_create(on->node, "action", type, &client, reterr);
    }
    const int64_t begun_ns = rclite_monotonic_ns();
    if (result == RCLITE_OK) {
        do {
            result = rclite_action_client_wait_for_server(client, PATIENCE_NS);
        } while (is_patient(on, result, begun_ns));
    }
    if (result == RCLITE_OK) {
        result = do_goal(on, client, reterr);
    }
    stop_failing(on);
    rclite_action_client_free(client);
    rclite_action_server_free(server);
    return result;
}

static void actions(void **state) {
    (void)state;
    play_on_stage(action_scenario);
}

/* ---- the graph ---------------------------------------------------------------------------------
 */

static void on_change(void *user) {
    ((stage *)user)->received++;
}

static rclite_result ask_graph(stage *on, rclite_error *reterr) {
    static const struct {
        rclite_graph_query query;
        const char *name;
    } questions[] = {{RCLITE_GRAPH_NODES, NULL}, {RCLITE_GRAPH_TOPICS, NULL},
        {RCLITE_GRAPH_TOPICS, "/node"}, {RCLITE_GRAPH_SERVICES, NULL}, {RCLITE_GRAPH_ACTIONS, NULL},
        {RCLITE_GRAPH_ENDPOINTS, "/topic"}};
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        rclite_graph_list list;
        const rclite_result result = rclite_graph_list_get(
            on->context, questions[i].query, questions[i].name, &list, reterr);
        if (result != RCLITE_OK) {
            return result;
        }
        rclite_graph_list_done(&list);
    }
    uint32_t publishers = 0, subscriptions = 0;
    return rclite_graph_count(on->context, "/topic", &publishers, &subscriptions);
}

static rclite_result graph_scenario(stage *on, rclite_error *reterr) {
    const rclite_publisher_options offer = RCLITE_PUBLISHER_OPTIONS_INIT;
    rclite_publisher *publisher = NULL;
    rclite_result result = rclite_graph_on_change(on->context, on_change, on);
    if (result == RCLITE_OK) {
        result = rclite_publisher_create(
            on->node, "topic", &testing_bytes_type, &offer, &publisher, reterr);
    }
    if (result == RCLITE_OK) {
        result = ask_graph(on, reterr);
    }
    stop_failing(on);
    rclite_publisher_free(publisher);
    const rclite_result removed = rclite_graph_on_change(on->context, NULL, NULL);
    return result == RCLITE_OK ? removed : result;
}

static void the_graph(void **state) {
    (void)state;
    play_on_stage(graph_scenario);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contexts),
        cmocka_unit_test(topics_of_loaded_types),
        cmocka_unit_test(services),
        cmocka_unit_test(actions),
        cmocka_unit_test(the_graph),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
