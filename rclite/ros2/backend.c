/* The ROS 2 backend's table. */
#include "ros2/action_client.h"
#include "ros2/action_server.h"
#include "ros2/client.h"
#include "ros2/graph.h"
#include "ros2/service.h"

/* On ROS 2 parameters come from the arguments only, which is core's affair: those entries stay
 * NULL. */
const rclitei_backend rclitei_ros2_backend = {
    .name = "ros2",
    .context_bytes = sizeof(ros2_context),
    .context_init = ros2_context_init,
    .context_done = ros2_context_done,
    .node_init = ros2_node_init,
    .node_done = ros2_node_done,
    .publisher_bytes = sizeof(ros2_publisher),
    .subscription_bytes = sizeof(ros2_subscription),
    .service_bytes = sizeof(ros2_service),
    .client_bytes = sizeof(ros2_client),
    .publisher_init = ros2_publisher_init,
    .publisher_done = ros2_publisher_done,
    .publisher_publish = ros2_publisher_publish,
    .publisher_publish_serialized = ros2_publisher_publish_serialized,
    .publisher_matched = ros2_publisher_matched,
    .publisher_wait_sent = ros2_publisher_wait_sent,
    .subscription_init = ros2_subscription_init,
    .subscription_done = ros2_subscription_done,
    .subscription_take = ros2_subscription_take,
    .subscription_has_data = ros2_subscription_has_data,
    .subscription_matched = ros2_subscription_matched,
    .service_init = ros2_service_init,
    .service_done = ros2_service_done,
    .service_respond = ros2_service_respond,
    .client_init = ros2_client_init,
    .client_done = ros2_client_done,
    .client_ready = ros2_client_ready,
    .client_call_async = ros2_client_call_async,
    .client_forget = ros2_client_forget,
    .action_server_bytes = sizeof(ros2_action_server),
    .action_client_bytes = sizeof(ros2_action_client),
    .action_server_init = ros2_action_server_init,
    .action_server_done = ros2_action_server_done,
    .server_goal_step = ros2_server_goal_step,
    .server_goal_feedback = ros2_server_goal_feedback,
    .action_client_init = ros2_action_client_init,
    .action_client_done = ros2_action_client_done,
    .action_client_ready = ros2_action_client_ready,
    .action_client_send = ros2_action_client_send,
    .action_client_cancel = ros2_action_client_cancel,
    .client_goal_free = ros2_client_goal_free,
    .graph_list = ros2_graph_list,
    .graph_on_change = ros2_graph_on_change,
};
