/* Service server and client over nav_msgs/GetMap. */
#include <string.h>

#include "nav_msgs/srv/GetMap.h"

#include "peer.h"

/* The response is rclite's, the same from call to call: its body is written once. */
static bool prepare_response(const rclite_peer *peer, nav_msgs__srv__GetMap_Response *response) {
    if (response->map.info.width == PEER_MAP_WIDTH) {
        return true;
    }
    response->map.info.resolution = PEER_MAP_RESOLUTION;
    response->map.info.width = PEER_MAP_WIDTH;
    response->map.info.height = PEER_MAP_HEIGHT;
    if (rclite_string_assign(&response->map.header.frame_id, PEER_MAP_FRAME, NULL) != RCLITE_OK ||
        rclite_sequence_resize(&response->map.data, 1, peer->job->payload_bytes, NULL) !=
            RCLITE_OK) {
        return false;
    }
    peer_map_fill(response->map.data.data, response->map.data.size);
    return true;
}

static rclite_result on_request(
    rclite_service_call *call, const void *request, void *response, char *error_text, void *user) {
    int64_t t2 = peer_now_ns();
    (void)call;
    (void)request;
    (void)error_text;
    rclite_peer *peer = user;
    nav_msgs__srv__GetMap_Response *answer = response;
    if (!prepare_response(peer, answer)) {
        peer_kit_fail(peer->kit, "no memory for the response");
        return RCLITE_ERR_NO_MEMORY;
    }
    answer->map.info.map_load_time = rclite_time_from_ns(t2);
    int64_t t3 = peer_now_ns();
    answer->map.header.stamp = rclite_time_from_ns(t3);
    peer_kit_served(peer->kit, 0, t2, t3);
    return RCLITE_OK;
}

static bool create_server(rclite_peer *peer, char *error) {
    rclite_service_options options = RCLITE_SERVICE_OPTIONS_INIT;
    options.qos = rclite_peer_qos(&peer->job->qos);
    rclite_error detail;
    return rclite_service_create(peer->node, peer->job->service, &nav_msgs__srv__GetMap__type,
               on_request, peer, &options, &peer->service, &detail) == RCLITE_OK ||
           rclite_peer_failed(error, "rclite_service_create", &detail);
}

static bool create_client(rclite_peer *peer, char *error) {
    rclite_client_options options = RCLITE_CLIENT_OPTIONS_INIT;
    options.qos = rclite_peer_qos(&peer->job->qos);
    options.persistent =
        strcmp(peer_job_setting(peer->job, "connection", "persistent"), "persistent") == 0;
    rclite_error detail;
    return rclite_client_create(peer->node, peer->job->service, &nav_msgs__srv__GetMap__type,
               &options, &peer->client, &detail) == RCLITE_OK ||
           rclite_peer_failed(error, "rclite_client_create", &detail);
}

bool service_create(rclite_peer *peer, char *error) {
    if (peer->job->role == PEER_SERVER) {
        return create_server(peer, error);
    }
    return slots_create(peer, error) && create_client(peer, error);
}

bool service_wait_matched(rclite_peer *peer, int64_t timeout_ns, char *error) {
    rclite_result result = rclite_client_wait_for_service(peer->client, timeout_ns);
    return result == RCLITE_OK || rclite_peer_failed_with(error, "waiting for the service", result);
}

static void on_response(
    rclite_result result, const void *response, const char *error_text, void *user) {
    int64_t t4 = peer_now_ns();
    (void)error_text;
    call_slot *slot = user;
    peer_kit *kit = slot->peer->kit;
    const peer_job *job = slot->peer->job;
    uint64_t token = slots_release(slot);
    if (result != RCLITE_OK) {
        peer_kit_unanswered(kit, token);
        return;
    }
    const nav_msgs__srv__GetMap_Response *answer = response;
    const nav_msgs__msg__OccupancyGrid *map = &answer->map;
    bool intact = peer_map_check(map->data.data, map->data.size, job->payload_bytes, job->verify);
    peer_kit_answered(kit, token, rclite_time_to_ns(map->info.map_load_time),
        rclite_time_to_ns(map->header.stamp), t4, !intact);
}

bool service_call(rclite_peer *peer, uint64_t token, int64_t t1_ns, char *error) {
    (void)t1_ns; /* GetMap's request is empty */
    nav_msgs__srv__GetMap_Request request = {0};
    call_slot *slot = slots_take(peer, token);
    if (!slot) {
        return rclite_peer_failed_with(error, "too many unanswered calls", RCLITE_ERR_OVERFLOW);
    }
    int64_t id = 0;
    rclite_result result = rclite_client_call_async(peer->client, &request, on_response, slot, &id);
    if (result != RCLITE_OK) {
        slots_release(slot);
        return rclite_peer_failed_with(error, "rclite_client_call_async", result);
    }
    pthread_mutex_lock(&peer->lock);
    if (slot->used && slot->token == token) { /* not answered in the meantime */
        slot->call_id = id;
    }
    pthread_mutex_unlock(&peer->lock);
    return true;
}

void service_forget(rclite_peer *peer, uint64_t token) {
    int64_t id = 0;
    pthread_mutex_lock(&peer->lock);
    for (size_t i = 0; i < peer->slot_count; i++) {
        if (peer->slots[i].used && peer->slots[i].token == token) {
            id = peer->slots[i].call_id;
        }
    }
    pthread_mutex_unlock(&peer->lock);
    if (id != 0) {
        rclite_client_forget(peer->client, id); /* calls on_response, which frees the slot */
    }
}

void service_destroy(rclite_peer *peer) {
    peer->service = rclite_service_free(peer->service);
    peer->client = rclite_client_free(peer->client);
    slots_destroy(peer);
}
