/* The kit's operations, each a function of the peer's table with the same name. */
#include <stdio.h>
#include <stdlib.h>

#include "lua_peer.h"

static const char table_key = 't';

static void push_token(lua_State *L, uint64_t token) {
    lua_pushnumber(L, token == UINT64_MAX ? -1 : (double)token);
}

/* Pushes a function of the peer's table; false (nothing pushed) if it has none of the name. */
static bool push_function(lua_peer *peer, const char *name) {
    lua_pushlightuserdata(peer->L, (void *)&table_key);
    lua_rawget(peer->L, LUA_REGISTRYINDEX);
    lua_getfield(peer->L, -1, name);
    lua_remove(peer->L, -2);
    if (lua_isfunction(peer->L, -1)) {
        return true;
    }
    lua_pop(peer->L, 1);
    return false;
}

static bool run(lua_peer *peer, int arguments, int results, char *error) {
    if (lua_pcall(peer->L, arguments, results, 0) == 0) {
        return true;
    }
    const char *text = lua_tostring(peer->L, -1);
    snprintf(error, PEER_ERROR_BYTES, "%s", text ? text : "error without a text");
    lua_pop(peer->L, 1);
    return false;
}

static bool missing(const char *name, char *error) {
    snprintf(error, PEER_ERROR_BYTES, "the peer has no function '%s'", name);
    return false;
}

/* The Lua function gets the job and returns the name of a field that it refuses, or nil. */
static const char *ops_refuses(void *self, const peer_job *job) {
    lua_peer *peer = self;
    peer->job = job;
    if (!push_function(peer, "refuses")) {
        return NULL;
    }
    lua_peer_push_job(peer->L, job);
    if (lua_pcall(peer->L, 1, 1, 0) != 0) {
        fprintf(stderr, "%s\n", lua_tostring(peer->L, -1));
        lua_pop(peer->L, 1);
        return "pattern";
    }
    const char *field = lua_tostring(peer->L, -1);
    snprintf(peer->refused, sizeof peer->refused, "%s", field ? field : "");
    lua_pop(peer->L, 1);
    return field ? peer->refused : NULL;
}

/* Where the peer wants the payload to be written, if it has memory for it (an address); otherwise
 * memory of the kit, from which strings are made. */
static bool create_payload(lua_peer *peer, char *error) {
    if (push_function(peer, "payload")) {
        lua_pushnumber(peer->L, (double)peer->job->payload_bytes);
        if (!run(peer, 1, 1, error)) {
            return false;
        }
        peer->payload = lua_touserdata(peer->L, -1);
        peer->payload_is_peers = peer->payload != NULL;
        lua_pop(peer->L, 1);
    }
    if (!peer->payload) {
        peer->payload = malloc(peer->job->payload_bytes);
    }
    if (!peer->payload) {
        snprintf(error, PEER_ERROR_BYTES, "no memory for the payload");
        return false;
    }
    peer_kit_payload(peer->kit, peer->payload);
    return true;
}

static bool ops_create(void *self, peer_kit *kit, const peer_job *job, char *error) {
    lua_peer *peer = self;
    peer->kit = kit;
    peer->job = job;
    if (!push_function(peer, "create")) {
        return missing("create", error);
    }
    lua_peer_push_job(peer->L, job);
    return run(peer, 1, 0, error) && (job->role != PEER_PUBLISHER || create_payload(peer, error));
}

static bool ops_wait_matched(void *self, int64_t timeout_ns, char *error) {
    lua_peer *peer = self;
    if (!push_function(peer, "wait_matched")) {
        return missing("wait_matched", error);
    }
    lua_pushnumber(peer->L, (double)timeout_ns / 1e9);
    return run(peer, 1, 0, error);
}

static bool ops_publish(void *self, char *error) {
    lua_peer *peer = self;
    if (!push_function(peer, "publish")) {
        return missing("publish", error);
    }
    if (peer->payload_is_peers) {
        return run(peer, 0, 0, error);
    }
    lua_pushlstring(peer->L, (const char *)peer->payload, peer->job->payload_bytes);
    return run(peer, 1, 0, error);
}

/* The message is a place on the stack of kit.message. */
static bool ops_echo(void *self, const void *message, char *error) {
    lua_peer *peer = self;
    if (!push_function(peer, "echo")) {
        return missing("echo", error);
    }
    lua_pushvalue(peer->L, *(const int *)message);
    return run(peer, 1, 0, error);
}

static bool ops_call(void *self, uint64_t token, int64_t t1_ns, char *error) {
    lua_peer *peer = self;
    if (!push_function(peer, "call")) {
        return missing("call", error);
    }
    push_token(peer->L, token);
    lua_peer_push_time(peer->L, t1_ns);
    return run(peer, 2, 0, error);
}

static void ops_forget(void *self, uint64_t token) {
    lua_peer *peer = self;
    char error[PEER_ERROR_BYTES];
    if (push_function(peer, "forget")) {
        push_token(peer->L, token);
        if (!run(peer, 1, 0, error)) {
            peer_kit_fail(peer->kit, error);
        }
    }
}

static void ops_pump(void *self, int64_t timeout_ns) {
    lua_peer *peer = self;
    char error[PEER_ERROR_BYTES];
    if (!push_function(peer, "pump")) {
        missing("pump", error);
        peer_kit_fail(peer->kit, error);
        return;
    }
    lua_pushnumber(peer->L, (double)timeout_ns / 1e9);
    if (!run(peer, 1, 0, error)) {
        peer_kit_fail(peer->kit, error);
    }
}

static void ops_destroy(void *self) {
    lua_peer *peer = self;
    char error[PEER_ERROR_BYTES];
    if (push_function(peer, "destroy") && !run(peer, 0, 0, error)) {
        fprintf(stderr, "%s\n", error);
    }
    if (!peer->payload_is_peers) {
        free(peer->payload);
    }
    peer->payload = NULL;
    peer->kit = NULL;
}

peer_ops lua_peer_ops(lua_State *L, int table_at) {
    lua_pushlightuserdata(L, (void *)&table_key);
    lua_pushvalue(L, table_at);
    lua_rawset(L, LUA_REGISTRYINDEX);
    return (peer_ops){.refuses = ops_refuses,
        .create = ops_create,
        .wait_matched = ops_wait_matched,
        .publish = ops_publish,
        .echo = ops_echo,
        .call = ops_call,
        .forget = ops_forget,
        .pump = ops_pump,
        .destroy = ops_destroy};
}
