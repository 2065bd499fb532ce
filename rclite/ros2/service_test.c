/* Services between two contexts of one process, over loopback. */
#include <string.h>

#include "ros2/ros2.h"
#include "ros2/testing/ros2_testing.h"

/* seq = a, b bytes of the value a. */
static void fill(const testing_numbers *request, testing_bytes *response) {
    response->seq = (uint64_t)request->a;
    assert_ok(rclite_sequence_resize(&response->data, 1, (size_t)request->b, NULL));
    if (request->b > 0) {
        memset(response->data.data, (int)request->a, (size_t)request->b);
    }
}

static rclite_result answer(
    rclite_service_call *call, const void *request, void *response, char *error_text, void *user) {
    (void)call;
    (void)error_text;
    fill(request, response);
    if (user) {
        testing_gate_add(user, 1);
    }
    return RCLITE_OK;
}

static rclite_service *serve(
    rclite_node *node, const char *name, rclite_service_callback callback, void *user) {
    const rclite_service_options options = RCLITE_SERVICE_OPTIONS_INIT;
    rclite_service *service = NULL;
    assert_ok(rclite_service_create(
        node, name, &testing_service_type, callback, user, &options, &service, NULL));
    return service;
}

static rclite_client *client_of(rclite_node *node, const char *name) {
    const rclite_client_options options = RCLITE_CLIENT_OPTIONS_INIT;
    rclite_client *client = NULL;
    assert_ok(rclite_client_create(node, name, &testing_service_type, &options, &client, NULL));
    return client;
}

static void check_call(rclite_client *client, int64_t a, int64_t b) {
    const testing_numbers request = {.a = a, .b = b};
    testing_bytes response = {.seq = 0};
    rclite_error error = {.text = ""};
    assert_ok(rclite_client_call(client, &request, &response, TESTING_TIMEOUT_NS, &error));
    assert_int_equal(response.seq, a);
    assert_int_equal(response.data.size, b);
    for (int64_t i = 0; i < b; i++) {
        assert_int_equal(response.data.data[i], (uint8_t)a);
    }
    rclite_message_done(&testing_bytes_type, &response, NULL);
}

static void direct_calls(void **state) {
    (void)state;
    testing_pair pair = testing_pair_open(RCLITE_DELIVERY_DIRECT);
    rclite_client *client = client_of(pair.nodes[1], "/direct");
    assert_false(rclite_client_is_ready(client));
    assert_int_equal(rclite_client_wait_for_service(client, 1000000), RCLITE_ERR_TIMEOUT);
    rclite_service *service = serve(pair.nodes[0], "/direct", answer, NULL);
    assert_ok(rclite_client_wait_for_service(client, TESTING_TIMEOUT_NS));
    for (int64_t i = 1; i < 20; i++) {
        check_call(client, i, i * i);
    }
    check_call(client, 7, 1 << 20);
    rclite_service_free(service);
    rclite_client_free(client);
    testing_pair_close(&pair);
}

static void both_in_one_context(void **state) {
    (void)state;
    testing_pair pair = testing_pair_open(RCLITE_DELIVERY_DIRECT);
    rclite_service *service = serve(pair.nodes[0], "/same", answer, NULL);
    rclite_client *client = client_of(pair.nodes[0], "/same");
    assert_ok(rclite_client_wait_for_service(client, TESTING_TIMEOUT_NS));
    for (int64_t i = 1; i < 20; i++) {
        check_call(client, i, 100);
    }
    rclite_client_free(client);
    rclite_service_free(service);
    testing_pair_close(&pair);
}

typedef struct spin_thread {
    rclite_context *context;
    pthread_t thread;
} spin_thread;

static void *spin(void *user) {
    spin_thread *spinner = user;
    const rclite_result result = rclite_spin(spinner->context);
    assert_int_equal(result, RCLITE_OK);
    return NULL;
}

static void spun_calls(void **state) {
    (void)state;
    testing_pair pair = testing_pair_open(RCLITE_DELIVERY_SPIN);
    rclite_service *service = serve(pair.nodes[0], "/spun", answer, NULL);
    rclite_client *client = client_of(pair.nodes[1], "/spun");
    spin_thread spinner = {.context = pair.contexts[0]};
    assert_int_equal(pthread_create(&spinner.thread, NULL, spin, &spinner), 0);
    assert_ok(rclite_client_wait_for_service(client, TESTING_TIMEOUT_NS));
    for (int64_t i = 1; i < 20; i++) {
        check_call(client, i, 10);
    }
    rclite_context_shutdown(pair.contexts[0]);
    assert_int_equal(pthread_join(spinner.thread, NULL), 0);
    rclite_service_free(service);
    rclite_client_free(client);
    testing_pair_close(&pair);
}

/* ---- several clients, none gets another's answer -------------------------------------------- */

typedef struct client_state {
    testing_gate gate;
    uint64_t wrong;
    int64_t sum;
    rclite_result last;
} client_state;

static void on_answer(
    rclite_result result, const void *response, const char *error_text, void *user) {
    client_state *state = user;
    assert_non_null(error_text);
    state->last = result;
    if (result == RCLITE_OK) {
        state->sum += (int64_t)((const testing_bytes *)response)->seq;
    } else {
        assert_null(response);
        state->wrong += 1;
    }
    testing_gate_add(&state->gate, 1);
}

static void several_clients(void **state) {
    (void)state;
    enum { CLIENTS = 4, CALLS = 40 };
    testing_pair pair = testing_pair_open(RCLITE_DELIVERY_DIRECT);
    rclite_service *service = serve(pair.nodes[0], "/shared", answer, NULL);
    rclite_client *clients[CLIENTS];
    client_state states[CLIENTS];
    for (int i = 0; i < CLIENTS; i++) {
        clients[i] = client_of(pair.nodes[1], "/shared");
        states[i] = (client_state){.gate = TESTING_GATE_INIT};
        assert_ok(rclite_client_wait_for_service(clients[i], TESTING_TIMEOUT_NS));
    }
    for (int call = 0; call < CALLS; call++) {
        for (int i = 0; i < CLIENTS; i++) {
            const testing_numbers request = {.a = 1000 * i + 1, .b = 4};
            assert_ok(rclite_client_call_async(clients[i], &request, on_answer, &states[i], NULL));
        }
    }
    for (int i = 0; i < CLIENTS; i++) {
        assert_true(testing_gate_wait(&states[i].gate, CALLS, TESTING_TIMEOUT_NS));
        assert_int_equal(states[i].sum, CALLS * (1000 * i + 1));
        assert_int_equal(states[i].wrong, 0);
    }
    for (int i = 0; i < CLIENTS; i++) {
        rclite_client_free(clients[i]);
    }
    rclite_service_free(service);
    testing_pair_close(&pair);
}

/* ---- answers that come later, and in another order ------------------------------------------ */

typedef struct deferred_calls {
    testing_gate gate;
    rclite_service_call *calls[8];
    testing_numbers requests[8];
    int count;
} deferred_calls;

static rclite_result defer(
    rclite_service_call *call, const void *request, void *response, char *error_text, void *user) {
    deferred_calls *deferred = user;
    (void)response;
    (void)error_text;
    deferred->calls[deferred->count] = call;
    deferred->requests[deferred->count++] = *(const testing_numbers *)request;
    testing_gate_add(&deferred->gate, 1);
    return RCLITE_EMPTY;
}

static void deferred_answers(void **state) {
    (void)state;
    testing_pair pair = testing_pair_open(RCLITE_DELIVERY_DIRECT);
    deferred_calls deferred = {.gate = TESTING_GATE_INIT};
    rclite_service *service = serve(pair.nodes[0], "/deferred", defer, &deferred);
    rclite_client *client = client_of(pair.nodes[1], "/deferred");
    assert_ok(rclite_client_wait_for_service(client, TESTING_TIMEOUT_NS));
    client_state results[4];
    for (int i = 0; i < 4; i++) {
        results[i] = (client_state){.gate = TESTING_GATE_INIT};
        const testing_numbers request = {.a = 10 + i, .b = i};
        assert_ok(rclite_client_call_async(client, &request, on_answer, &results[i], NULL));
    }
    assert_true(testing_gate_wait(&deferred.gate, 4, TESTING_TIMEOUT_NS));
    for (int i = 3; i >= 1; i--) { /* the first one stays unanswered */
        testing_bytes response = {.seq = 0};
        fill(&deferred.requests[i], &response);
        assert_ok(rclite_service_respond(deferred.calls[i], RCLITE_OK, &response, NULL));
        assert_true(testing_gate_wait(&results[i].gate, 1, TESTING_TIMEOUT_NS));
        assert_int_equal(results[i].sum, 10 + i);
        rclite_message_done(&testing_bytes_type, &response, NULL);
    }
    assert_int_equal(testing_gate_count(&results[0].gate), 0);
    rclite_client_free(client); /* what is outstanding gets its end */
    assert_int_equal(testing_gate_count(&results[0].gate), 1);
    assert_int_equal(results[0].last, RCLITE_ERR_SHUTDOWN);
    rclite_service_free(service);
    testing_pair_close(&pair);
}

static void forgetting(void **state) {
    (void)state;
    testing_pair pair = testing_pair_open(RCLITE_DELIVERY_DIRECT);
    deferred_calls deferred = {.gate = TESTING_GATE_INIT};
    rclite_service *service = serve(pair.nodes[0], "/forget", defer, &deferred);
    rclite_client *client = client_of(pair.nodes[1], "/forget");
    assert_ok(rclite_client_wait_for_service(client, TESTING_TIMEOUT_NS));
    client_state result = {.gate = TESTING_GATE_INIT};
    const testing_numbers request = {.a = 1};
    int64_t id = 0;
    assert_ok(rclite_client_call_async(client, &request, on_answer, &result, &id));
    rclite_client_forget(client, id);
    assert_int_equal(testing_gate_count(&result.gate), 1);
    assert_int_equal(result.last, RCLITE_ERR_TIMEOUT);
    rclite_client_forget(client, id); /* a second time is nothing */
    assert_int_equal(testing_gate_count(&result.gate), 1);
    testing_bytes response = {.seq = 0};
    assert_int_equal(
        rclite_client_call(client, &request, &response, 20000000, NULL), RCLITE_ERR_TIMEOUT);
    assert_true(testing_gate_wait(&deferred.gate, 2, TESTING_TIMEOUT_NS));
    rclite_client_free(client);
    rclite_service_free(service);
    testing_pair_close(&pair);
}

/* ---- a service that is freed while it answers ----------------------------------------------- */

typedef struct last_call {
    testing_gate entered, freeing;
} last_call;

static rclite_result answer_while_freed(
    rclite_service_call *call, const void *request, void *response, char *error_text, void *user) {
    last_call *last = user;
    (void)call;
    (void)error_text;
    testing_gate_add(&last->entered, 1);
    testing_gate_wait(&last->freeing, 1, TESTING_TIMEOUT_NS);
    testing_gate_wait(&last->freeing, 2, 20000000); /* never: the other thread is in the free now */
    fill(request, response);
    return RCLITE_OK;
}

static void freed_while_answering(void **state) {
    (void)state;
    testing_pair pair = testing_pair_open(RCLITE_DELIVERY_DIRECT);
    last_call last = {.entered = TESTING_GATE_INIT, .freeing = TESTING_GATE_INIT};
    rclite_service *service = serve(pair.nodes[0], "/last", answer_while_freed, &last);
    rclite_client *client = client_of(pair.nodes[1], "/last");
    assert_ok(rclite_client_wait_for_service(client, TESTING_TIMEOUT_NS));
    client_state result = {.gate = TESTING_GATE_INIT};
    const testing_numbers request = {.a = 6, .b = 2};
    assert_ok(rclite_client_call_async(client, &request, on_answer, &result, NULL));
    assert_true(testing_gate_wait(&last.entered, 1, TESTING_TIMEOUT_NS));
    testing_gate_add(&last.freeing, 1);
    rclite_service_free(service);
    assert_true(testing_gate_wait(&result.gate, 1, TESTING_TIMEOUT_NS));
    assert_int_equal(result.last, RCLITE_OK);
    assert_int_equal(result.sum, 6);
    rclite_client_free(client);
    testing_pair_close(&pair);
}

/* ---- a client whose reply reader comes after its request ------------------------------------ */

static void on_reply(dds_entity_t reader, void *user) {
    (void)reader;
    testing_gate_add(user, 1);
}

static void reply_before_match(void **state) {
    (void)state;
    testing_pair pair = testing_pair_open(RCLITE_DELIVERY_DIRECT);
    testing_gate served = TESTING_GATE_INIT, replied = TESTING_GATE_INIT;
    rclite_service *service = serve(pair.nodes[0], "/early", answer, &served);
    ros2_context *context = (ros2_context *)pair.contexts[1];
    const rclite_qos qos = rclite_qos_services();
    ros2_endpoint_options options = {.prefix = "rq",
        .name = "/early",
        .suffix = "Request",
        .type = &testing_numbers_type,
        .qos = &qos,
        .identity = "clientid=1.2.3;"};
    ros2_writer writer = {.entity = 0};
    assert_ok(ros2_writer_init(&writer, context, &options, NULL));
    const int64_t end_ns = rclite_monotonic_ns() + TESTING_TIMEOUT_NS;
    while (dds_get_matched_subscriptions(writer.entity, NULL, 0) < 1) {
        assert_true(rclite_monotonic_ns() < end_ns);
        dds_sleepfor(DDS_MSECS(1));
    }
    rclitei_codec *codec = NULL;
    assert_ok(
        rclitei_codec_create(&testing_numbers_type, RCLITE_ROS2, &context->base.allocator, &codec));
    const ros2_request_header header = {.client = writer.handle, .sequence = 77};
    const testing_numbers request = {.a = 5, .b = 3};
    assert_ok(ros2_writer_send_message(&writer, codec, &header, sizeof header, &request));
    assert_true(testing_gate_wait(&served, 1, TESTING_TIMEOUT_NS)); /* answered, to nobody yet */

    dds_listener_t *listener = dds_create_listener(&replied);
    dds_lset_data_available(listener, on_reply);
    options.prefix = "rr";
    options.suffix = "Reply";
    options.type = &testing_bytes_type;
    options.listener = listener;
    ros2_reader reader = {.entity = 0};
    assert_ok(ros2_reader_init(&reader, context, &options, NULL));
    dds_delete_listener(listener);
    assert_true(testing_gate_wait(&replied, 1, TESTING_TIMEOUT_NS));
    dds_sample_info_t info;
    ros2_serdata *serdata = ros2_reader_take(reader.entity, &info);
    assert_non_null(serdata);
    ros2_request_header got;
    const uint8_t *body = NULL;
    size_t body_bytes = 0;
    bool big_endian = false;
    assert_true(ros2_request_open(serdata, &got, &body, &body_bytes, &big_endian));
    assert_int_equal(got.client, header.client);
    assert_int_equal(got.sequence, 77);
    assert_int_equal(body[0], 5);
    ros2_serdata_unref(serdata);
    ros2_reader_done(&reader);
    ros2_writer_done(&writer);
    rclitei_codec_free(codec);
    rclite_service_free(service);
    testing_pair_close(&pair);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(direct_calls),
        cmocka_unit_test(both_in_one_context),
        cmocka_unit_test(spun_calls),
        cmocka_unit_test(several_clients),
        cmocka_unit_test(deferred_answers),
        cmocka_unit_test(forgetting),
        cmocka_unit_test(freed_while_answering),
        cmocka_unit_test(reply_before_match),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
