/* Server and client of nav_msgs/GetMap. */
#include <nav_msgs/srv/get_map.h>
#include <rosidl_runtime_c/primitives_sequence_functions.h>
#include <rosidl_runtime_c/string_functions.h>
#include <stdio.h>
#include <stdlib.h>

#include "peer.h"

#define CALLS_MAX 16384 /* more than can be in flight */

typedef struct service_state {
    rclc_peer *peer;
    nav_msgs__srv__GetMap_Request request;
    nav_msgs__srv__GetMap_Response response; /* a server's: the map it holds */
    rcl_service_t service;
    rcl_client_t client;
    bool has_service, has_client;
    pthread_mutex_t lock; /* a response may come before rcl_send_request has told its number */
    uint64_t tokens[CALLS_MAX];
} service_state;

/* rclc's client callbacks get no pointer of the user's, so the one client of this process is here.
 */
static service_state *the_client;

static void on_request(const void *request, void *response, void *context) {
    (void)request;
    const int64_t t2 = peer_now_ns();
    service_state *state = context;
    nav_msgs__msg__OccupancyGrid *map = &((nav_msgs__srv__GetMap_Response *)response)->map;
    map->info.map_load_time = rclc_peer_stamp(t2);
    const int64_t t3 = peer_now_ns();
    map->header.stamp = rclc_peer_stamp(t3);
    peer_kit_served(state->peer->kit, 0, t2, t3);
}

static void on_response(const void *response, rmw_request_id_t *id) {
    const int64_t t4 = peer_now_ns();
    service_state *state = the_client;
    const peer_job *job = state->peer->job;
    const nav_msgs__msg__OccupancyGrid *map =
        &((const nav_msgs__srv__GetMap_Response *)response)->map;
    pthread_mutex_lock(&state->lock);
    const uint64_t token = state->tokens[(uint64_t)id->sequence_number % CALLS_MAX];
    pthread_mutex_unlock(&state->lock);
    const bool intact =
        peer_map_check(map->data.data, map->data.size, job->payload_bytes, job->verify);
    peer_kit_answered(state->peer->kit, token, rclc_peer_ns(&map->info.map_load_time),
        rclc_peer_ns(&map->header.stamp), t4, !intact);
}

static bool fill_map(nav_msgs__msg__OccupancyGrid *map, size_t bytes) {
    map->info.resolution = PEER_MAP_RESOLUTION;
    map->info.width = PEER_MAP_WIDTH;
    map->info.height = PEER_MAP_HEIGHT;
    if (!rosidl_runtime_c__String__assign(&map->header.frame_id, PEER_MAP_FRAME) ||
        !rosidl_runtime_c__int8__Sequence__init(&map->data, bytes)) {
        return false;
    }
    peer_map_fill(map->data.data, bytes);
    return true;
}

static bool create_server(rclc_peer *peer, service_state *state, char *error) {
    const rmw_qos_profile_t qos = rclc_peer_qos(&peer->job->qos);
    if (!fill_map(&state->response.map, peer->job->payload_bytes)) {
        snprintf(error, PEER_ERROR_BYTES, "no memory for the map");
        return false;
    }
    if (rclc_service_init(&state->service, &peer->node,
            ROSIDL_GET_SRV_TYPE_SUPPORT(nav_msgs, srv, GetMap), peer->job->service,
            &qos) != RCL_RET_OK) {
        return rclc_peer_failed(error, "rclc_service_init");
    }
    state->has_service = true;
    return rclc_executor_add_service_with_context(&peer->executor, &state->service, &state->request,
               &state->response, on_request, state) == RCL_RET_OK ||
           rclc_peer_failed(error, "rclc_executor_add_service_with_context");
}

static bool create_client(rclc_peer *peer, service_state *state, char *error) {
    const rmw_qos_profile_t qos = rclc_peer_qos(&peer->job->qos);
    if (rclc_client_init(&state->client, &peer->node,
            ROSIDL_GET_SRV_TYPE_SUPPORT(nav_msgs, srv, GetMap), peer->job->service,
            &qos) != RCL_RET_OK) {
        return rclc_peer_failed(error, "rclc_client_init");
    }
    state->has_client = true;
    the_client = state;
    return rclc_executor_add_client_with_request_id(
               &peer->executor, &state->client, &state->response, on_response) == RCL_RET_OK ||
           rclc_peer_failed(error, "rclc_executor_add_client_with_request_id");
}

static bool create(rclc_peer *peer, char *error) {
    service_state *state = peer->state = calloc(1, sizeof *state);
    if (state == NULL) {
        snprintf(error, PEER_ERROR_BYTES, "no memory");
        return false;
    }
    state->peer = peer;
    pthread_mutex_init(&state->lock, NULL);
    state->service = rcl_get_zero_initialized_service();
    state->client = rcl_get_zero_initialized_client();
    if (!nav_msgs__srv__GetMap_Request__init(&state->request) ||
        !nav_msgs__srv__GetMap_Response__init(&state->response)) {
        snprintf(error, PEER_ERROR_BYTES, "no memory for request and response");
        return false;
    }
    return peer->job->role == PEER_SERVER ? create_server(peer, state, error)
                                          : create_client(peer, state, error);
}

static bool is_matched(rclc_peer *peer, bool *ret_matched) {
    service_state *state = peer->state;
    return rcl_service_server_is_available(&peer->node, &state->client, ret_matched) == RCL_RET_OK;
}

static bool call(rclc_peer *peer, uint64_t token, int64_t t1_ns, char *error) {
    (void)t1_ns;
    service_state *state = peer->state;
    int64_t number = 0;
    pthread_mutex_lock(&state->lock);
    const rcl_ret_t result = rcl_send_request(&state->client, &state->request, &number);
    state->tokens[(uint64_t)number % CALLS_MAX] = token;
    pthread_mutex_unlock(&state->lock);
    return result == RCL_RET_OK || rclc_peer_failed(error, "rcl_send_request");
}

static void destroy(rclc_peer *peer) {
    service_state *state = peer->state;
    if (state->has_service && rcl_service_fini(&state->service, &peer->node) != RCL_RET_OK) {
        rcl_reset_error();
    }
    if (state->has_client && rcl_client_fini(&state->client, &peer->node) != RCL_RET_OK) {
        rcl_reset_error();
    }
    nav_msgs__srv__GetMap_Request__fini(&state->request);
    nav_msgs__srv__GetMap_Response__fini(&state->response);
    pthread_mutex_destroy(&state->lock);
    free(state);
}

const rclc_pattern rclc_service = {
    .create = create, .is_matched = is_matched, .call = call, .destroy = destroy};
