/* See core_testing.h. */
#include "core/testing/core_testing.h"

#include "core/endpoint.h"

const endpoint_plan fake_plan = {
    .message = &fake_type, .service = &fake_service_type, .action = &fake_action_type};

rclite_context *core_context_open(rclite_delivery delivery) {
    rclite_context_options options = RCLITE_CONTEXT_OPTIONS_INIT;
    options.delivery = delivery;
    rclite_context *context = fake_context_create(&options);
    assert_non_null(context);
    return context;
}

void *core_spin_until_shutdown(void *context) {
    rclite_result result = rclite_spin(context);
    return (void *)(intptr_t)result;
}

core_fixture core_fixture_open_over(
    const rclitei_backend *backend, rclite_delivery delivery, rclite_generation generation) {
    rclite_context_options options = RCLITE_CONTEXT_OPTIONS_INIT;
    options.delivery = delivery;
    options.generation = generation;
    core_fixture fixture = {.context = NULL};
    assert_int_equal(
        rclitei_context_create_with(backend, &options, &fixture.context, NULL), RCLITE_OK);
    assert_int_equal(rclite_node_create(fixture.context, "n", "", &fixture.node, NULL), RCLITE_OK);
    return fixture;
}

core_fixture core_fixture_open(rclite_delivery delivery) {
    return core_fixture_open_over(&fake_backend, delivery, RCLITE_ROS2);
}

void core_fixture_close(core_fixture fixture) {
    assert_null(rclite_node_free(fixture.node));
    assert_null(rclite_context_free(fixture.context));
}
