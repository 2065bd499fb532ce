/* The n-th allocation fails, for every n: an error, no leak, no crash. */
#include <stdlib.h>
#include <string.h>

#include "testing/ros1_testing.h"

#include "actionlib_benchmark/action/Roundtrip.h"
#include "core/testing/failing_allocator.h"
#include "nav_msgs/srv/GetMap.h"
#include "std_msgs/msg/String.h"

#define STRING (&std_msgs__msg__String__type)
#define MAP (&nav_msgs__srv__GetMap__type)
#define TRIP (&actionlib_benchmark__action__Roundtrip__type)

struct everything {
    rclite_context *context;
    rclite_node *node;
    rclite_publisher *publisher;
    rclite_subscription *subscription;
    rclite_service *service;
    rclite_client *client;
    rclite_action_server *action_server;
    rclite_action_client *action_client;
};

static void on_text(const void *message, const rclite_message_info *info, void *user) {
    (void)message;
    (void)info;
    (void)user;
}

static rclite_result serve(
    rclite_service_call *call, const void *request, void *response, char *error_text, void *user) {
    (void)call;
    (void)request;
    (void)response;
    (void)error_text;
    (void)user;
    return RCLITE_OK;
}

static void on_accepted(rclite_server_goal *handle, const void *goal, void *user) {
    (void)handle;
    (void)goal;
    (void)user;
}

static rclite_result create_topics(struct everything *all) {
    rclite_publisher_options out = RCLITE_PUBLISHER_OPTIONS_INIT;
    rclite_subscription_options in = RCLITE_SUBSCRIPTION_OPTIONS_INIT;
    out.qos.durability = RCLITE_QOS_TRANSIENT_LOCAL;
    rclite_result result =
        rclite_publisher_create(all->node, "/text", STRING, &out, &all->publisher, NULL);
    if (result == RCLITE_OK) {
        static char text[] = "text";
        std_msgs__msg__String message = {.data = {text, 4, 0}};
        result = rclite_publisher_publish(all->publisher, &message);
    }
    return result == RCLITE_OK ? rclite_subscription_create(all->node, "/text", STRING, on_text,
                                     NULL, &in, &all->subscription, NULL)
                               : result;
}

static rclite_result create_services(struct everything *all) {
    rclite_service_options service = RCLITE_SERVICE_OPTIONS_INIT;
    rclite_client_options client = RCLITE_CLIENT_OPTIONS_INIT;
    rclite_result result =
        rclite_service_create(all->node, "/map", MAP, serve, NULL, &service, &all->service, NULL);
    return result == RCLITE_OK
               ? rclite_client_create(all->node, "/map", MAP, &client, &all->client, NULL)
               : result;
}

static rclite_result create_actions(struct everything *all) {
    const rclite_action_server_callbacks callbacks = {.accepted = on_accepted};
    rclite_action_server_options options = RCLITE_ACTION_SERVER_OPTIONS_INIT;
    rclite_result result = rclite_action_server_create(
        all->node, "/trip", TRIP, &callbacks, NULL, &options, &all->action_server, NULL);
    return result == RCLITE_OK
               ? rclite_action_client_create(all->node, "/trip", TRIP, &all->action_client, NULL)
               : result;
}

static rclite_result create_everything(struct everything *all, const failing_allocator *allocator) {
    rclite_context_options options = RCLITE_CONTEXT_OPTIONS_INIT;
    options.generation = RCLITE_ROS1;
    options.allocator = &allocator->base;
    rclite_result result = rclite_context_create(&options, &all->context, NULL);
    if (result == RCLITE_OK) {
        result = rclite_node_create(all->context, "failing", "", &all->node, NULL);
    }
    if (result == RCLITE_OK) {
        result = create_topics(all);
    }
    if (result == RCLITE_OK) {
        result = create_services(all);
    }
    return result == RCLITE_OK ? create_actions(all) : result;
}

static void free_everything(struct everything *all) {
    rclite_action_client_free(all->action_client);
    rclite_action_server_free(all->action_server);
    rclite_client_free(all->client);
    rclite_service_free(all->service);
    rclite_subscription_free(all->subscription);
    rclite_publisher_free(all->publisher);
    rclite_node_free(all->node);
    rclite_context_free(all->context);
}

static void test_every_allocation_may_fail(void **state) {
    (void)state;
    rclite_result result = RCLITE_ERR_NO_MEMORY;
    for (long fail_at = 1; result != RCLITE_OK; fail_at++) {
        failing_allocator allocator;
        struct everything all = {.node = NULL};
        failing_allocator_init(&allocator, fail_at);
        result = create_everything(&all, &allocator);
        assert_true(result == RCLITE_OK || result == RCLITE_ERR_NO_MEMORY);
        assert_true(fail_at < 5000);
        atomic_store(&allocator.fail_at, 0);
        free_everything(&all);
        assert_int_equal(atomic_load(&allocator.outstanding), 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_allocation_may_fail)};
    if (!testing_master_start()) {
        return 77;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    testing_master_stop();
    return failed;
}
