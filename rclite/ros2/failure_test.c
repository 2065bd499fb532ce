/* Every allocation of ours may fail, whatever the API is doing: making contexts, nodes and
 * endpoints, publishing, taking, calling, the graph, parameters, types loaded at run time. Actions
 * are in action_failure_test.c. */
#include <stdlib.h>

#include "ros2/testing/failing_stage.h"

/* ---- contexts, nodes, parameters ------------------------------------------------------------ */

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
    rclite_result result = stage_context_create(on, &context, reterr);
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
    stage_play_bare(context_scenario);
}

/* ---- topics --------------------------------------------------------------------------------- */

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
    stage_stop_failing(on);
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
    stage_play(topic_scenario);
}

/* ---- services ------------------------------------------------------------------------------- */

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
            result = rclite_client_wait_for_service(client, STAGE_PATIENCE_NS);
        } while (stage_is_patient(on, result, begun_ns));
    }
    if (result == RCLITE_OK) {
        do {
            result = rclite_client_call(client, &request, &response, STAGE_PATIENCE_NS, reterr);
        } while (stage_is_patient(on, result, begun_ns));
    }
    if (result == RCLITE_OK) {
        assert_int_equal(response.seq, 4);
        assert_int_equal(response.data.size, 100);
    }
    stage_stop_failing(on);
    rclite_message_done(&testing_bytes_type, &response, &on->allocator.base);
    rclite_client_free(client);
    rclite_service_free(service);
    return result;
}

static void services(void **state) {
    (void)state;
    stage_play(service_scenario);
}

/* ---- the graph ------------------------------------------------------------------------------ */

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
    stage_stop_failing(on);
    rclite_publisher_free(publisher);
    const rclite_result removed = rclite_graph_on_change(on->context, NULL, NULL);
    return result == RCLITE_OK ? removed : result;
}

static void the_graph(void **state) {
    (void)state;
    stage_play(graph_scenario);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contexts),
        cmocka_unit_test(topics_of_loaded_types),
        cmocka_unit_test(services),
        cmocka_unit_test(the_graph),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
