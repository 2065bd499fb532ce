/* The ROS 1 backend's table. */
#include "ros1/action_client.h"
#include "ros1/action_server.h"
#include "ros1/services.h"

const rclitei_backend rclitei_ros1_backend = {
    .name = "ros1",
    .context_bytes = sizeof(struct ros1_context),
    .context_init = rclitei_ros1_context_init,
    .context_done = rclitei_ros1_context_done,
    .context_interrupt = rclitei_ros1_context_interrupt,
    .node_init = rclitei_ros1_node_init,
    .node_done = rclitei_ros1_node_done,

    .publisher_bytes = sizeof(struct ros1_publisher),
    .publisher_init = rclitei_ros1_publisher_init,
    .publisher_done = rclitei_ros1_publisher_done,
    .publisher_publish = rclitei_ros1_publish,
    .publisher_publish_serialized = rclitei_ros1_publish_serialized,
    .publisher_matched = rclitei_ros1_publisher_matched,
    .publisher_wait_sent = rclitei_ros1_publisher_wait_sent,

    .subscription_bytes = sizeof(struct ros1_subscription),
    .subscription_init = rclitei_ros1_subscription_init,
    .subscription_done = rclitei_ros1_subscription_done,
    .subscription_take = rclitei_ros1_subscription_take,
    .subscription_has_data = rclitei_ros1_subscription_has_data,
    .subscription_matched = rclitei_ros1_subscription_matched,

    .service_bytes = sizeof(struct ros1_service),
    .service_init = rclitei_ros1_service_init,
    .service_done = rclitei_ros1_service_done,
    .service_respond = rclitei_ros1_service_respond,

    .client_bytes = sizeof(struct ros1_client),
    .client_init = rclitei_ros1_client_init,
    .client_done = rclitei_ros1_client_done,
    .client_ready = rclitei_ros1_client_ready,
    .client_call_async = rclitei_ros1_client_call_async,
    .client_forget = rclitei_ros1_client_forget,

    .action_server_bytes = sizeof(struct ros1_action_server),
    .action_server_init = rclitei_ros1_action_server_init,
    .action_server_done = rclitei_ros1_action_server_done,
    .server_goal_step = rclitei_ros1_server_goal_step,
    .server_goal_feedback = rclitei_ros1_server_goal_feedback,

    .action_client_bytes = sizeof(struct ros1_action_client),
    .action_client_init = rclitei_ros1_action_client_init,
    .action_client_done = rclitei_ros1_action_client_done,
    .action_client_ready = rclitei_ros1_action_client_ready,
    .action_client_send = rclitei_ros1_action_client_send,
    .action_client_cancel = rclitei_ros1_action_client_cancel,
    .client_goal_free = rclitei_ros1_client_goal_free,

    .graph_list = rclitei_ros1_graph_list,
    .graph_on_change = rclitei_ros1_graph_on_change,
    .parameter_get = rclitei_ros1_parameter_get,
    .parameter_set = rclitei_ros1_parameter_set,
    .parameter_search = rclitei_ros1_parameter_search,
};
