/* Server and client of actionlib_benchmark/Roundtrip. rclc's lists of goals have no lock, so
 * everything but creation happens on the executor's thread; see README.md. */
#include <actionlib_benchmark/action/roundtrip.h>
#include <rclc/action_client.h>
#include <rclc/action_server.h>
#include <stdio.h>
#include <stdlib.h>

#include "peer.h"

#define HANDLES_SPARE 64 /* goals that are given up keep theirs */

typedef actionlib_benchmark__action__Roundtrip_SendGoal_Request goal_request;
typedef actionlib_benchmark__action__Roundtrip_GetResult_Response result_response;
typedef actionlib_benchmark__action__Roundtrip_FeedbackMessage feedback_message;

/* One goal: a client's from its asking until its result, a server's from acceptance until the
 * result is sent. */
typedef struct goal {
    bool used;
    bool sent;                         /* client: given to rclc */
    uint64_t token;                    /* client */
    goal_request request;              /* client */
    rclc_action_goal_handle_t *handle; /* server */
    result_response response;          /* server */
} goal;

typedef struct action_state {
    rclc_peer *peer;
    rclc_action_server_t server;
    rclc_action_client_t client;
    bool has_server, has_client;
    result_response result;
    feedback_message feedback;
    goal_request *requests; /* a server's, filled by rclc */
    goal *goals;
    size_t goal_count;
    pthread_mutex_t lock; /* the client's goals: `call` may come from any thread */
} action_state;

static goal *find_free(action_state *state) {
    for (size_t i = 0; i < state->goal_count; i++) {
        if (!state->goals[i].used) {
            return &state->goals[i];
        }
    }
    return NULL;
}

/* ---- server ---- */

static rcl_ret_t on_goal(rclc_action_goal_handle_t *handle, void *context) {
    const int64_t t2 = peer_now_ns();
    action_state *state = context;
    goal *accepted = find_free(state);
    if (accepted == NULL) {
        return RCL_RET_ACTION_GOAL_REJECTED;
    }
    accepted->used = true;
    accepted->handle = handle;
    accepted->response.result.received = rclc_peer_stamp(t2);
    const goal_request *request = (const goal_request *)handle->ros_goal_request;
    peer_kit_served(state->peer->kit, rclc_peer_ns(&request->goal.start), t2, 0);
    return RCL_RET_ACTION_GOAL_ACCEPTED;
}

static bool on_cancel(rclc_action_goal_handle_t *handle, void *context) {
    (void)handle;
    (void)context;
    return false; /* goals end at once */
}

static void send_results(action_state *state) {
    for (size_t i = 0; i < state->goal_count; i++) {
        goal *it = &state->goals[i];
        if (!it->used) {
            continue;
        }
        rcl_ret_t result = rclc_action_send_result(it->handle, GOAL_STATE_SUCCEEDED, &it->response);
        if (result == RCL_RET_OK) {
            it->used = false;
        } else if (result != RCLC_RET_ACTION_WAIT_RESULT_REQUEST) {
            it->used = false;
            rclc_peer_fail(state->peer, "rclc_action_send_result");
        }
    }
}

/* ---- client ---- */

static goal *goal_of(action_state *state, const rclc_action_goal_handle_t *handle) {
    for (size_t i = 0; i < state->goal_count; i++) {
        if (handle->ros_goal_request == (void *)&state->goals[i].request) {
            return &state->goals[i];
        }
    }
    return NULL;
}

static uint64_t release(action_state *state, goal *it) {
    pthread_mutex_lock(&state->lock);
    it->used = false;
    const uint64_t token = it->token;
    pthread_mutex_unlock(&state->lock);
    return token;
}

static void on_goal_response(rclc_action_goal_handle_t *handle, bool accepted, void *context) {
    action_state *state = context;
    goal *it = goal_of(state, handle);
    if (!accepted && it != NULL) {
        peer_kit_unanswered(state->peer->kit, release(state, it));
    }
}

static void on_result(rclc_action_goal_handle_t *handle, void *response, void *context) {
    const int64_t t4 = peer_now_ns();
    action_state *state = context;
    const result_response *result = response;
    goal *it = goal_of(state, handle);
    if (it == NULL) {
        return;
    }
    const uint64_t token = release(state, it);
    if (result->status == GOAL_STATE_SUCCEEDED) {
        const int64_t t2 = rclc_peer_ns(&result->result.received);
        peer_kit_answered(state->peer->kit, token, t2, 0, t4, false);
    } else {
        peer_kit_unanswered(state->peer->kit, token);
    }
}

static bool send_goal(action_state *state, goal *it, char *error) {
    it->sent = true;
    return rclc_action_send_goal_request(&state->client, &it->request, NULL) == RCL_RET_OK ||
           rclc_peer_failed(error, "rclc_action_send_goal_request");
}

/* The goals that other threads asked for. */
static void send_waiting(action_state *state) {
    for (size_t i = 0; i < state->goal_count; i++) {
        goal *it = &state->goals[i];
        pthread_mutex_lock(&state->lock);
        const bool waits = it->used && !it->sent;
        pthread_mutex_unlock(&state->lock);
        char error[PEER_ERROR_BYTES];
        if (waits && !send_goal(state, it, error)) {
            peer_kit_fail(state->peer->kit, error);
            return;
        }
    }
}

static bool call(rclc_peer *peer, uint64_t token, int64_t t1_ns, char *error) {
    action_state *state = peer->state;
    const bool here = rclc_peer_is_spinner(peer);
    pthread_mutex_lock(&state->lock);
    goal *it = find_free(state);
    if (it != NULL) {
        it->used = true;
        it->sent = here; /* or else the executor's thread may take it up, too */
        it->token = token;
        it->request.goal.start = rclc_peer_stamp(t1_ns);
    }
    pthread_mutex_unlock(&state->lock);
    if (it == NULL) {
        snprintf(error, PEER_ERROR_BYTES, "all of rclc's goal handles are kept by lost goals");
        return false;
    }
    return here ? send_goal(state, it, error) : rclc_peer_wake(peer, error);
}

/* ---- both ---- */

static bool create_server(rclc_peer *peer, action_state *state, char *error) {
    state->requests = calloc(state->goal_count, sizeof *state->requests);
    if (state->requests == NULL) {
        snprintf(error, PEER_ERROR_BYTES, "no memory");
        return false;
    }
    if (rclc_action_server_init_default(&state->server, &peer->node, &peer->support,
            ROSIDL_GET_ACTION_TYPE_SUPPORT(actionlib_benchmark, Roundtrip),
            peer->job->action) != RCL_RET_OK) {
        return rclc_peer_failed(error, "rclc_action_server_init_default");
    }
    state->has_server = true;
    return rclc_executor_add_action_server(&peer->executor, &state->server, state->goal_count,
               state->requests, sizeof *state->requests, on_goal, on_cancel, state) == RCL_RET_OK ||
           rclc_peer_failed(error, "rclc_executor_add_action_server");
}

static bool create_client(rclc_peer *peer, action_state *state, char *error) {
    if (rclc_action_client_init_default(&state->client, &peer->node,
            ROSIDL_GET_ACTION_TYPE_SUPPORT(actionlib_benchmark, Roundtrip),
            peer->job->action) != RCL_RET_OK) {
        return rclc_peer_failed(error, "rclc_action_client_init_default");
    }
    state->has_client = true;
    return rclc_executor_add_action_client(&peer->executor, &state->client, state->goal_count,
               &state->result, &state->feedback, on_goal_response, NULL, on_result, NULL,
               state) == RCL_RET_OK ||
           rclc_peer_failed(error, "rclc_executor_add_action_client");
}

static bool create(rclc_peer *peer, char *error) {
    action_state *state = peer->state = calloc(1, sizeof *state);
    if (state == NULL) {
        snprintf(error, PEER_ERROR_BYTES, "no memory");
        return false;
    }
    state->peer = peer;
    pthread_mutex_init(&state->lock, NULL);
    state->goal_count = peer->job->in_flight + HANDLES_SPARE;
    state->goals = calloc(state->goal_count, sizeof *state->goals);
    if (state->goals == NULL) {
        snprintf(error, PEER_ERROR_BYTES, "no memory for the goals");
        return false;
    }
    return peer->job->role == PEER_SERVER ? create_server(peer, state, error)
                                          : create_client(peer, state, error);
}

static bool is_matched(rclc_peer *peer, bool *ret_matched) {
    action_state *state = peer->state;
    return rcl_action_server_is_available(&peer->node, &state->client.rcl_handle, ret_matched) ==
           RCL_RET_OK;
}

static void after_step(rclc_peer *peer) {
    if (peer->job->role == PEER_SERVER) {
        send_results(peer->state);
    } else {
        send_waiting(peer->state);
    }
}

static void destroy(rclc_peer *peer) {
    action_state *state = peer->state;
    if (state->has_server && rclc_action_server_fini(&state->server, &peer->node) != RCL_RET_OK) {
        rcl_reset_error();
    }
    if (state->has_client && rclc_action_client_fini(&state->client, &peer->node) != RCL_RET_OK) {
        rcl_reset_error();
    }
    free(state->requests);
    free(state->goals);
    pthread_mutex_destroy(&state->lock);
    free(state);
}

const rclc_pattern rclc_action = {.create = create,
    .is_matched = is_matched,
    .call = call,
    .after_step = after_step,
    .destroy = destroy};
