/* For tests: one endpoint of each kind on a node. They are there to be made, counted and freed;
 * their callbacks do nothing, so tests of what arrives bring endpoints of their own. */
#ifndef RCLITE_CORE_TESTING_ENDPOINT_SET_H
#define RCLITE_CORE_TESTING_ENDPOINT_SET_H

#include "rclite/rclite.h"

typedef enum endpoint_kind {
    ENDPOINT_PUBLISHER,
    ENDPOINT_SUBSCRIPTION,
    ENDPOINT_SERVICE,
    ENDPOINT_CLIENT,
    ENDPOINT_ACTION_SERVER,
    ENDPOINT_ACTION_CLIENT,
    ENDPOINT_KIND_COUNT
} endpoint_kind;

typedef struct endpoint_plan {
    const rclite_type *message;
    const rclite_service_type *service;
    const rclite_action_type *action;
    rclite_qos_durability durability; /* of the publisher */
} endpoint_plan;

typedef struct endpoint_set {
    rclite_publisher *publisher; /* ~/topic, both ends */
    rclite_subscription *subscription;
    rclite_service *service; /* ~/service */
    rclite_client *client;
    rclite_action_server *action_server; /* ~/action */
    rclite_action_client *action_client;
} endpoint_set;

/* On failure its field of made is untouched. */
rclite_result endpoint_create(rclite_node *node, const endpoint_plan *plan, endpoint_kind kind,
    endpoint_set *made, rclite_error *reterr);
/* All, in the order of their kinds; ends at the first failure. */
rclite_result endpoint_set_create(
    rclite_node *node, const endpoint_plan *plan, endpoint_set *made, rclite_error *reterr);
/* Those that are there; made is all NULL afterwards. */
void endpoint_set_free(endpoint_set *made);

/* The callbacks, for endpoints that a test makes itself. */
void ignore_message(const void *message, const rclite_message_info *info, void *user);
rclite_result ignore_request(
    rclite_service_call *call, const void *request, void *response, char *error_text, void *user);
void ignore_goal(rclite_server_goal *handle, const void *goal, void *user);

#endif
