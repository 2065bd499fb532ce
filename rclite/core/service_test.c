/* Tests of blocking calls: they end with their answer, and without one. */
#include <string.h>

#include "core/endpoint.h"
#include "core/testing/core_testing.h"

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
        core_fixture f = core_fixture_open((rclite_delivery)delivery);
        endpoint_set made = {0};
        assert_int_equal(
            endpoint_create(f.node, &fake_plan, ENDPOINT_CLIENT, &made, NULL), RCLITE_OK);
        for (int32_t i = 0; i < 100; i++) {
            bool refuse = i % 10 == 9;
            answerer self = {made.client, refuse ? RCLITE_ERR_REJECTED : RCLITE_OK, i};
            pthread_t thread;
            int32_t request = 1, response = -1;
            rclite_error error;
            assert_int_equal(pthread_create(&thread, NULL, answer_it, &self), 0);
            assert_int_equal(
                rclite_client_call(made.client, &request, &response, CORE_DEADLINE_NS, &error),
                self.result);
            pthread_join(thread, NULL);
            assert_int_equal(response, refuse ? -1 : i);
            assert_true(!refuse || strstr(error.text, "refused") != NULL);
        }
        endpoint_set_free(&made);
        core_fixture_close(f);
    }
}

static void blocking_calls_end_without_answer(void **state) {
    (void)state;
    core_fixture f = core_fixture_open(RCLITE_DELIVERY_DIRECT);
    endpoint_set made = {0};
    assert_int_equal(endpoint_create(f.node, &fake_plan, ENDPOINT_CLIENT, &made, NULL), RCLITE_OK);
    int32_t request = 1, response = 0;
    rclite_error error;
    assert_int_equal(
        rclite_client_call(made.client, &request, &response, CORE_MS, &error), RCLITE_ERR_TIMEOUT);
    assert_non_null(strstr(error.text, "/n/service"));
    assert_false(fake_answer(made.client, RCLITE_OK, &response)); /* it was forgotten */
    request = -1;
    assert_int_equal(rclite_client_call(made.client, &request, &response, CORE_MS, &error),
        RCLITE_ERR_TRANSPORT);
    request = 1;
    assert_true(rclitei_callback_enter(f.context));
    assert_int_equal(
        rclite_client_call(made.client, &request, &response, CORE_MS, &error), RCLITE_ERR_STATE);
    assert_int_equal(rclite_client_wait_for_service(made.client, CORE_MS), RCLITE_ERR_STATE);
    rclitei_callback_leave(f.context);
    assert_int_equal(rclite_client_wait_for_service(made.client, CORE_MS), RCLITE_ERR_TIMEOUT);
    assert_false(rclite_client_is_ready(made.client));
    ((fake_client *)made.client)->ready = true;
    assert_int_equal(rclite_client_wait_for_service(made.client, 0), RCLITE_OK);
    rclite_context_shutdown(f.context);
    assert_int_equal(rclite_client_call(made.client, &request, &response, CORE_DEADLINE_NS, &error),
        RCLITE_ERR_SHUTDOWN);
    endpoint_set_free(&made);
    core_fixture_close(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocking_calls_get_their_answer),
        cmocka_unit_test(blocking_calls_end_without_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
