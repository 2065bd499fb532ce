/* Answering and calling: nav_msgs/GetMap and std_srvs/SetBool. */
#include <stdio.h>

#include "nav_msgs/srv/GetMap.h"
#include "node.h"
#include "std_srvs/srv/SetBool.h"

static rclite_result give_map(
    rclite_service_call *call, const void *request, void *response, char *error_text, void *user) {
    nav_msgs__srv__GetMap_Response *map = response;
    (void)call;
    (void)request;
    (void)error_text;
    rclite_result result = rclite_string_assign(&map->map.header.frame_id, "rclite", NULL);
    if (result == RCLITE_OK) {
        result = rclite_sequence_resize(&map->map.data, 1, 64, NULL);
    }
    map->map.info.width = 8;
    map->map.info.height = 8;
    puts("served");
    node_one_more(user);
    return result;
}

static rclite_result set_flag(
    rclite_service_call *call, const void *request, void *response, char *error_text, void *user) {
    const std_srvs__srv__SetBool_Request *asked = request;
    std_srvs__srv__SetBool_Response *answer = response;
    (void)call;
    (void)error_text;
    answer->success = asked->data;
    puts("served");
    node_one_more(user);
    return rclite_string_assign(&answer->message, asked->data ? "it is on" : "it is off", NULL);
}

static int serve(struct node_program *program, const rclite_service_type *type,
    rclite_service_callback callback) {
    rclite_error error = {.text = ""};
    const rclite_service_options options = RCLITE_SERVICE_OPTIONS_INIT;
    rclite_service *service = NULL;
    if (rclite_service_create(program->node, program->name, type, callback, program, &options,
            &service, &error) != RCLITE_OK) {
        return node_complain(program->name, &error);
    }
    const int status = node_wait(program);
    rclite_service_free(service);
    return status;
}

int node_serve(struct node_program *program) {
    return serve(program, &nav_msgs__srv__GetMap__type, give_map);
}

int node_serve_flag(struct node_program *program) {
    return serve(program, &std_srvs__srv__SetBool__type, set_flag);
}

int node_call(struct node_program *program) {
    rclite_error error = {.text = ""};
    const rclite_client_options options = RCLITE_CLIENT_OPTIONS_INIT;
    rclite_client *client = NULL;
    if (rclite_client_create(program->node, program->name, &nav_msgs__srv__GetMap__type, &options,
            &client, &error) != RCLITE_OK) {
        return node_complain(program->name, &error);
    }
    rclite_result result = rclite_client_wait_for_service(client, NODE_WAIT_NS);
    nav_msgs__srv__GetMap_Request request = {0};
    nav_msgs__srv__GetMap_Response response = {0};
    for (long i = 0; result == RCLITE_OK && i < program->wanted; i++) {
        result = rclite_client_call(client, &request, &response, NODE_WAIT_NS, &error);
        if (result == RCLITE_OK) {
            printf("answer %s %zu\n", response.map.header.frame_id.data, response.map.data.size);
        }
    }
    if (result != RCLITE_OK) {
        fprintf(stderr, "rclite_node: %s: %s. %s\n", program->name, rclite_result_string(result),
            error.text);
    }
    rclite_message_done(nav_msgs__srv__GetMap__type.response, &response, NULL);
    rclite_client_free(client);
    return result == RCLITE_OK ? 0 : 1;
}
