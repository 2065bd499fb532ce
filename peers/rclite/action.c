/* Action server and client over actionlib_benchmark/Roundtrip. */
#include "actionlib_benchmark/action/Roundtrip.h"

#include "peer.h"

/* ---- server ---- */

static void on_accepted(rclite_server_goal *handle, const void *goal, void *user) {
    int64_t t2 = peer_now_ns();
    rclite_peer *peer = user;
    const actionlib_benchmark__action__Roundtrip_Goal *asked = goal;
    int64_t t1 = rclite_time_to_ns(asked->start);
    actionlib_benchmark__action__Roundtrip_Result answer = {.received = rclite_time_from_ns(t2)};
    peer_kit_served(peer->kit, t1, t2, 0);
    rclite_result result = rclite_server_goal_succeed(handle, &answer);
    if (result != RCLITE_OK) {
        peer_kit_fail(peer->kit, rclite_result_string(result));
    }
}

static bool create_server(rclite_peer *peer, char *error) {
    static const rclite_action_server_callbacks callbacks = {.accepted = on_accepted};
    rclite_action_server_options options = RCLITE_ACTION_SERVER_OPTIONS_INIT;
    rclite_error detail;
    return rclite_action_server_create(peer->node, peer->job->action,
               &actionlib_benchmark__action__Roundtrip__type, &callbacks, peer, &options,
               &peer->action_server, &detail) == RCLITE_OK ||
           rclite_peer_failed(error, "rclite_action_server_create", &detail);
}

/* ---- client ---- */

static bool create_client(rclite_peer *peer, char *error) {
    rclite_error detail;
    return rclite_action_client_create(peer->node, peer->job->action,
               &actionlib_benchmark__action__Roundtrip__type, &peer->action_client,
               &detail) == RCLITE_OK ||
           rclite_peer_failed(error, "rclite_action_client_create", &detail);
}

bool action_create(rclite_peer *peer, char *error) {
    if (peer->job->role == PEER_SERVER) {
        return create_server(peer, error);
    }
    return slots_create(peer, error) && create_client(peer, error);
}

bool action_wait_matched(rclite_peer *peer, int64_t timeout_ns, char *error) {
    rclite_result result = rclite_action_client_wait_for_server(peer->action_client, timeout_ns);
    return result == RCLITE_OK || rclite_peer_failed_with(error, "waiting for the server", result);
}

static void on_result(
    rclite_client_goal *handle, rclite_goal_status status, const void *message, void *user) {
    int64_t t4 = peer_now_ns();
    call_slot *slot = user;
    peer_kit *kit = slot->peer->kit;
    uint64_t token = slots_release(slot);
    const actionlib_benchmark__action__Roundtrip_Result *answer = message;
    int64_t t2 = answer ? rclite_time_to_ns(answer->received) : 0;
    rclite_client_goal_free(handle);
    if (status != RCLITE_GOAL_SUCCEEDED || !answer) {
        peer_kit_unanswered(kit, token);
        return;
    }
    peer_kit_answered(kit, token, t2, 0, t4, false);
}

bool action_call(rclite_peer *peer, uint64_t token, int64_t t1_ns, char *error) {
    static const rclite_goal_callbacks callbacks = {.result = on_result};
    actionlib_benchmark__action__Roundtrip_Goal goal = {.start = rclite_time_from_ns(t1_ns)};
    call_slot *slot = slots_take(peer, token);
    if (!slot) {
        return rclite_peer_failed_with(error, "too many unanswered goals", RCLITE_ERR_OVERFLOW);
    }
    rclite_client_goal *handle = NULL;
    rclite_result result =
        rclite_action_client_send_goal(peer->action_client, &goal, &callbacks, slot, &handle);
    if (result != RCLITE_OK) {
        slots_release(slot);
        return rclite_peer_failed_with(error, "rclite_action_client_send_goal", result);
    }
    pthread_mutex_lock(&peer->lock);
    if (slot->used && slot->token == token) { /* no result in the meantime */
        slot->goal = handle;
    }
    pthread_mutex_unlock(&peer->lock);
    return true;
}

void action_forget(rclite_peer *peer, uint64_t token) {
    rclite_client_goal *handle = NULL;
    pthread_mutex_lock(&peer->lock);
    for (size_t i = 0; i < peer->slot_count; i++) {
        call_slot *slot = &peer->slots[i];
        if (slot->used && slot->token == token && slot->goal) {
            handle = slot->goal;
            slot->used = false;
        }
    }
    pthread_mutex_unlock(&peer->lock);
    rclite_client_goal_free(handle);
}

void action_destroy(rclite_peer *peer) {
    for (size_t i = 0; i < peer->slot_count && peer->slots; i++) {
        if (peer->slots[i].used) {
            rclite_client_goal_free(peer->slots[i].goal);
        }
    }
    peer->action_server = rclite_action_server_free(peer->action_server);
    peer->action_client = rclite_action_client_free(peer->action_client);
    slots_destroy(peer);
}
