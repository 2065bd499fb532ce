/* Services over a real master, rclite with rclite, and with the callers that ROS's tools are:
 * probes, requests that come with the header, callers that go away. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "testing/ros1_testing.h"

#include "nav_msgs/srv/GetMap.h"
#include "ros1/header.h"

#define TYPE (&nav_msgs__srv__GetMap__type)

enum behaviour { ANSWER, REFUSE, DEFER };

struct fixture {
    rclite_context *server_context, *client_context;
    rclite_node *server_node, *client_node;
    rclite_service *service;
    rclite_client *client;
    enum behaviour behaviour;
    rclite_service_call *_Atomic deferred;
    atomic_int served;
};

static rclite_result serve(
    rclite_service_call *call, const void *request, void *response, char *error_text, void *user) {
    (void)request;
    struct fixture *fixture = user;
    nav_msgs__srv__GetMap_Response *answer = response;
    atomic_fetch_add(&fixture->served, 1);
    if (fixture->behaviour == REFUSE) {
        snprintf(error_text, 256, "no map today");
        return RCLITE_ERR_REJECTED;
    }
    if (fixture->behaviour == DEFER) {
        atomic_store(&fixture->deferred, call);
        rclite_context_wake(fixture->server_context);
        return RCLITE_EMPTY;
    }
    assert_int_equal(rclite_sequence_resize(&answer->map.data, 1, 1000, NULL), RCLITE_OK);
    answer->map.data.data[999] = 42;
    answer->map.info.width = 7;
    return RCLITE_OK;
}

static void open_fixture(
    struct fixture *fixture, rclite_delivery client_delivery, bool persistent) {
    memset(fixture, 0, sizeof *fixture);
    fixture->server_context = testing_context(RCLITE_DELIVERY_DIRECT);
    fixture->client_context = testing_context(client_delivery);
    fixture->server_node = testing_node(fixture->server_context, "server");
    fixture->client_node = testing_node(fixture->client_context, "client");
    rclite_service_options options = RCLITE_SERVICE_OPTIONS_INIT;
    assert_int_equal(rclite_service_create(fixture->server_node, "/map", TYPE, serve, fixture,
                         &options, &fixture->service, NULL),
        RCLITE_OK);
    rclite_client_options client_options = RCLITE_CLIENT_OPTIONS_INIT;
    client_options.persistent = persistent;
    assert_int_equal(rclite_client_create(fixture->client_node, "/map", TYPE, &client_options,
                         &fixture->client, NULL),
        RCLITE_OK);
}

static void close_fixture(struct fixture *fixture) {
    rclite_client_free(fixture->client);
    rclite_service_free(fixture->service);
    rclite_node_free(fixture->client_node);
    rclite_node_free(fixture->server_node);
    rclite_context_free(fixture->client_context);
    rclite_context_free(fixture->server_context);
}

static rclite_result call_map(
    struct fixture *fixture, int64_t timeout_ns, size_t *ret_bytes, rclite_error *reterr) {
    nav_msgs__srv__GetMap_Request request = {0};
    nav_msgs__srv__GetMap_Response response;
    assert_int_equal(rclite_message_init(TYPE->response, &response, NULL), RCLITE_OK);
    rclite_result result =
        rclite_client_call(fixture->client, &request, &response, timeout_ns, reterr);
    *ret_bytes = response.map.data.size;
    if (result == RCLITE_OK) {
        assert_int_equal(response.map.data.data[999], 42);
        assert_int_equal(response.map.info.width, 7);
    }
    rclite_message_done(TYPE->response, &response, NULL);
    return result;
}

static void check_calls(rclite_delivery delivery, bool persistent) {
    struct fixture fixture;
    size_t bytes;
    rclite_error error = {.text = ""};
    open_fixture(&fixture, delivery, persistent);
    assert_int_equal(rclite_client_wait_for_service(fixture.client, TESTING_TIMEOUT_NS), RCLITE_OK);
    for (int i = 0; i < 10; i++) {
        assert_int_equal(call_map(&fixture, TESTING_TIMEOUT_NS, &bytes, &error), RCLITE_OK);
        assert_int_equal(bytes, 1000);
    }
    fixture.behaviour = REFUSE;
    assert_int_equal(call_map(&fixture, TESTING_TIMEOUT_NS, &bytes, &error), RCLITE_ERR_REJECTED);
    assert_non_null(strstr(error.text, "no map today"));
    fixture.behaviour = ANSWER;
    assert_int_equal(call_map(&fixture, TESTING_TIMEOUT_NS, &bytes, &error), RCLITE_OK);
    assert_int_equal(atomic_load(&fixture.served), 12);
    close_fixture(&fixture);
}

static void test_persistent(void **state) {
    (void)state;
    check_calls(RCLITE_DELIVERY_DIRECT, true);
}

static void test_per_call(void **state) {
    (void)state;
    check_calls(RCLITE_DELIVERY_DIRECT, false);
}

static void test_spin(void **state) {
    (void)state;
    check_calls(RCLITE_DELIVERY_SPIN, true);
    check_calls(RCLITE_DELIVERY_SPIN, false);
}

static void test_nobody_there(void **state) {
    (void)state;
    struct fixture fixture;
    size_t bytes;
    rclite_error error = {.text = ""};
    open_fixture(&fixture, RCLITE_DELIVERY_DIRECT, true);
    fixture.service = rclite_service_free(fixture.service);
    assert_false(rclite_client_is_ready(fixture.client));
    assert_int_equal(rclite_client_wait_for_service(fixture.client, 120000000), RCLITE_ERR_TIMEOUT);
    assert_int_equal(call_map(&fixture, TESTING_TIMEOUT_NS, &bytes, &error), RCLITE_ERR_TRANSPORT);
    assert_non_null(strstr(error.text, "/map"));
    close_fixture(&fixture);
}

/* A persistent client finds the server again after it was restarted. */
static void test_restarted_server(void **state) {
    (void)state;
    struct fixture fixture;
    size_t bytes;
    open_fixture(&fixture, RCLITE_DELIVERY_DIRECT, true);
    assert_int_equal(call_map(&fixture, TESTING_TIMEOUT_NS, &bytes, NULL), RCLITE_OK);
    rclite_service_free(fixture.service);
    rclite_service_options options = RCLITE_SERVICE_OPTIONS_INIT;
    assert_int_equal(rclite_service_create(fixture.server_node, "/map", TYPE, serve, &fixture,
                         &options, &fixture.service, NULL),
        RCLITE_OK);
    assert_int_equal(rclite_client_wait_for_service(fixture.client, TESTING_TIMEOUT_NS), RCLITE_OK);
    rclite_result result = call_map(&fixture, TESTING_TIMEOUT_NS, &bytes, NULL);
    if (result == RCLITE_ERR_TRANSPORT) { /* the end of the old connection was seen only now */
        result = call_map(&fixture, TESTING_TIMEOUT_NS, &bytes, NULL);
    }
    assert_int_equal(result, RCLITE_OK);
    close_fixture(&fixture);
}

static bool is_deferred(void *user) {
    struct fixture *fixture = user;
    return atomic_load(&fixture->deferred) != NULL;
}

struct outcome {
    rclite_context *context;
    atomic_int count;
    rclite_result result;
};

static void on_outcome(
    rclite_result result, const void *response, const char *error_text, void *user) {
    struct outcome *outcome = user;
    assert_int_equal(response != NULL, result == RCLITE_OK);
    assert_non_null(error_text);
    outcome->result = result;
    atomic_fetch_add(&outcome->count, 1);
    rclite_context_wake(outcome->context);
}

static bool has_outcome(void *user) {
    struct outcome *outcome = user;
    return atomic_load(&outcome->count) > 0;
}

static void test_deferred(void **state) {
    (void)state;
    struct fixture fixture;
    nav_msgs__srv__GetMap_Request request = {0};
    nav_msgs__srv__GetMap_Response response;
    open_fixture(&fixture, RCLITE_DELIVERY_DIRECT, true);
    struct outcome outcome = {.context = fixture.client_context};
    fixture.behaviour = DEFER;
    assert_int_equal(
        rclite_client_call_async(fixture.client, &request, on_outcome, &outcome, NULL), RCLITE_OK);
    testing_wait(fixture.server_context, is_deferred, &fixture);
    assert_int_equal(atomic_load(&outcome.count), 0);
    assert_int_equal(rclite_message_init(TYPE->response, &response, NULL), RCLITE_OK);
    assert_int_equal(
        rclite_service_respond(fixture.deferred, RCLITE_OK, &response, NULL), RCLITE_OK);
    testing_wait(fixture.client_context, has_outcome, &outcome);
    assert_int_equal(outcome.result, RCLITE_OK);
    /* The next one is refused, and the one after is never answered: the client stops waiting. */
    atomic_store(&fixture.deferred, NULL);
    atomic_store(&outcome.count, 0);
    assert_int_equal(
        rclite_client_call_async(fixture.client, &request, on_outcome, &outcome, NULL), RCLITE_OK);
    testing_wait(fixture.server_context, is_deferred, &fixture);
    assert_int_equal(
        rclite_service_respond(fixture.deferred, RCLITE_ERR_REJECTED, NULL, "later"), RCLITE_OK);
    testing_wait(fixture.client_context, has_outcome, &outcome);
    assert_int_equal(outcome.result, RCLITE_ERR_REJECTED);
    int64_t id;
    atomic_store(&outcome.count, 0);
    assert_int_equal(
        rclite_client_call_async(fixture.client, &request, on_outcome, &outcome, &id), RCLITE_OK);
    rclite_client_forget(fixture.client, id);
    assert_int_equal(atomic_load(&outcome.count), 1);
    assert_int_equal(outcome.result, RCLITE_ERR_TIMEOUT);
    rclite_message_done(TYPE->response, &response, NULL);
    close_fixture(&fixture);
}

/* What is outstanding when the client goes ends with it. */
static void test_client_end(void **state) {
    (void)state;
    struct fixture fixture;
    nav_msgs__srv__GetMap_Request request = {0};
    open_fixture(&fixture, RCLITE_DELIVERY_DIRECT, true);
    struct outcome outcome = {.context = fixture.client_context};
    fixture.behaviour = DEFER;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(
            rclite_client_call_async(fixture.client, &request, on_outcome, &outcome, NULL),
            RCLITE_OK);
    }
    testing_wait(fixture.server_context, is_deferred, &fixture);
    fixture.client = rclite_client_free(fixture.client);
    assert_int_equal(atomic_load(&outcome.count), 3);
    assert_int_equal(outcome.result, RCLITE_ERR_SHUTDOWN);
    close_fixture(&fixture);
}

/* ---- other callers -------------------------------------------------------------------------- */

static const char *md5_field(void) {
    static char field[64];
    snprintf(field, sizeof field, "md5sum=%s", TYPE->ros1_md5sum);
    return field;
}

/* Reads a header and gives the value of a field in a buffer. */
static const char *receive_field(int fd, const char *name) {
    static char value[256];
    static uint8_t bytes[8192];
    uint8_t length[4];
    assert_true(testing_receive(fd, length, 4));
    size_t size = rclitei_u32_read(length);
    assert_true(size <= sizeof bytes && testing_receive(fd, bytes, size));
    rclitei_header header = {bytes, size};
    assert_true(rclitei_header_is_valid(header));
    rclitei_text text = rclitei_header_get(header, name);
    if (!text.data) {
        return NULL;
    }
    snprintf(value, sizeof value, "%.*s", (int)text.size, text.data);
    return value;
}

static void test_probes(void **state) {
    (void)state;
    struct fixture fixture;
    uint8_t header[1024];
    size_t bytes;
    open_fixture(&fixture, RCLITE_DELIVERY_DIRECT, true);
    uint16_t port = testing_tcpros_port(fixture.server_node);
    /* wait_for_service: a header, and gone without reading. */
    size_t size = testing_header(header, sizeof header, "probe=1", "md5sum=*", "callerid=/probe",
        "service=/map", (char *)NULL);
    for (int i = 0; i < 50; i++) {
        int fd = testing_connect(port);
        testing_send(fd, header, size);
        close(fd);
    }
    /* rosservice type: reads the answer. */
    int fd = testing_connect(port);
    testing_send(fd, header, size);
    assert_string_equal(receive_field(fd, "type"), "nav_msgs/GetMap");
    close(fd);
    /* A service that is not there, and a wrong md5sum: an error field, then the end. */
    size = testing_header(header, sizeof header, "probe=1", "md5sum=*", "callerid=/probe",
        "service=/other", (char *)NULL);
    fd = testing_connect(port);
    testing_send(fd, header, size);
    assert_non_null(strstr(receive_field(fd, "error"), "/other"));
    assert_true(testing_is_closed(fd));
    close(fd);
    size = testing_header(header, sizeof header, "md5sum=00000000000000000000000000000000",
        "callerid=/probe", "service=/map", (char *)NULL);
    fd = testing_connect(port);
    testing_send(fd, header, size);
    assert_non_null(strstr(receive_field(fd, "error"), "md5sum"));
    assert_true(testing_is_closed(fd));
    close(fd);
    assert_int_equal(call_map(&fixture, TESTING_TIMEOUT_NS, &bytes, NULL), RCLITE_OK);
    assert_int_equal(atomic_load(&fixture.served), 1);
    close_fixture(&fixture);
}

static void receive_answer(int fd) {
    uint8_t head[5];
    uint8_t body[4096];
    assert_true(testing_receive(fd, head, 5));
    assert_int_equal(head[0], 1);
    size_t size = rclitei_u32_read(head + 1);
    assert_true(size > 1000 && size <= sizeof body);
    assert_true(testing_receive(fd, body, size));
}

/* Requests that follow the header at once, several in one piece, and byte by byte. */
static void test_eager_caller(void **state) {
    (void)state;
    struct fixture fixture;
    uint8_t bytes[1024];
    open_fixture(&fixture, RCLITE_DELIVERY_DIRECT, true);
    uint16_t port = testing_tcpros_port(fixture.server_node);
    size_t size = testing_header(bytes, sizeof bytes, "callerid=/eager", md5_field(),
        "service=/map", "persistent=true", (char *)NULL);
    memset(bytes + size, 0, 12); /* three empty requests */
    int fd = testing_connect(port);
    testing_send(fd, bytes, size + 12);
    assert_string_equal(receive_field(fd, "service"), "/map");
    for (int i = 0; i < 3; i++) {
        receive_answer(fd);
    }
    close(fd);
    size = testing_header(
        bytes, sizeof bytes, "service=/map", "callerid=/slow", md5_field(), (char *)NULL);
    memset(bytes + size, 0, 4);
    fd = testing_connect(port);
    for (size_t i = 0; i < size + 4; i++) {
        testing_send(fd, bytes + i, 1);
    }
    assert_string_equal(receive_field(fd, "callerid"), "/server");
    receive_answer(fd);
    assert_true(testing_is_closed(fd)); /* it was not persistent */
    close(fd);
    assert_int_equal(atomic_load(&fixture.served), 4);
    close_fixture(&fixture);
}

/* A caller that goes before its answer: answering is then an error, and no crash. */
static void test_impatient_caller(void **state) {
    (void)state;
    struct fixture fixture;
    uint8_t bytes[1024];
    open_fixture(&fixture, RCLITE_DELIVERY_DIRECT, true);
    fixture.behaviour = DEFER;
    size_t size = testing_header(bytes, sizeof bytes, "callerid=/impatient", md5_field(),
        "service=/map", "persistent=1", (char *)NULL);
    memset(bytes + size, 0, 4);
    for (int i = 0; i < 5; i++) {
        int fd = testing_connect(testing_tcpros_port(fixture.server_node));
        testing_send(fd, bytes, size + 4);
        testing_wait(fixture.server_context, is_deferred, &fixture);
        close(fd); /* unread bytes make this a reset */
        testing_wait_inbounds(fixture.server_node, 0);
        rclite_service_call *call = atomic_exchange(&fixture.deferred, NULL);
        assert_int_equal(
            rclite_service_respond(call, RCLITE_ERR_REJECTED, NULL, "late"), RCLITE_ERR_TRANSPORT);
    }
    close_fixture(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_persistent),
        cmocka_unit_test(test_per_call),
        cmocka_unit_test(test_spin),
        cmocka_unit_test(test_nobody_there),
        cmocka_unit_test(test_restarted_server),
        cmocka_unit_test(test_deferred),
        cmocka_unit_test(test_client_end),
        cmocka_unit_test(test_probes),
        cmocka_unit_test(test_eager_caller),
        cmocka_unit_test(test_impatient_caller),
    };
    if (!testing_master_start()) {
        return 77;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    testing_master_stop();
    return failed;
}
