/* One endpoint of each kind, and the callbacks that do nothing. */
#include "core/testing/endpoint_set.h"

void ignore_message(const void *message, const rclite_message_info *info, void *user) {
    (void)message;
    (void)info;
    (void)user;
}

rclite_result ignore_request(
    rclite_service_call *call, const void *request, void *response, char *error_text, void *user) {
    (void)call;
    (void)request;
    (void)response;
    (void)error_text;
    (void)user;
    return RCLITE_OK;
}

void ignore_goal(rclite_server_goal *handle, const void *goal, void *user) {
    (void)handle;
    (void)goal;
    (void)user;
}

rclite_result endpoint_create(rclite_node *node, const endpoint_plan *plan, endpoint_kind kind,
    endpoint_set *made, rclite_error *reterr) {
    static const rclite_action_server_callbacks callbacks = {.accepted = ignore_goal};
    rclite_publisher_options publisher_options = RCLITE_PUBLISHER_OPTIONS_INIT;
    const rclite_subscription_options subscription_options = RCLITE_SUBSCRIPTION_OPTIONS_INIT;
    const rclite_service_options service_options = RCLITE_SERVICE_OPTIONS_INIT;
    const rclite_client_options client_options = RCLITE_CLIENT_OPTIONS_INIT;
    const rclite_action_server_options action_options = RCLITE_ACTION_SERVER_OPTIONS_INIT;
    publisher_options.qos.durability = plan->durability;
    switch (kind) {
    case ENDPOINT_PUBLISHER:
        return rclite_publisher_create(
            node, "~/topic", plan->message, &publisher_options, &made->publisher, reterr);
    case ENDPOINT_SUBSCRIPTION:
        return rclite_subscription_create(node, "~/topic", plan->message, ignore_message, NULL,
            &subscription_options, &made->subscription, reterr);
    case ENDPOINT_SERVICE:
        return rclite_service_create(node, "~/service", plan->service, ignore_request, NULL,
            &service_options, &made->service, reterr);
    case ENDPOINT_CLIENT:
        return rclite_client_create(
            node, "~/service", plan->service, &client_options, &made->client, reterr);
    case ENDPOINT_ACTION_SERVER:
        return rclite_action_server_create(node, "~/action", plan->action, &callbacks, NULL,
            &action_options, &made->action_server, reterr);
    default:
        return rclite_action_client_create(
            node, "~/action", plan->action, &made->action_client, reterr);
    }
}

rclite_result endpoint_set_create(
    rclite_node *node, const endpoint_plan *plan, endpoint_set *made, rclite_error *reterr) {
    rclite_result result = RCLITE_OK;
    for (int kind = 0; result == RCLITE_OK && kind < ENDPOINT_KIND_COUNT; kind++) {
        result = endpoint_create(node, plan, (endpoint_kind)kind, made, reterr);
    }
    return result;
}

void endpoint_set_free(endpoint_set *made) {
    made->action_client = rclite_action_client_free(made->action_client);
    made->action_server = rclite_action_server_free(made->action_server);
    made->client = rclite_client_free(made->client);
    made->service = rclite_service_free(made->service);
    made->subscription = rclite_subscription_free(made->subscription);
    made->publisher = rclite_publisher_free(made->publisher);
}
