/* require "peer_kit": the kit in C for peers in Lua 5.1, LuaJIT and 5.4. The peer is a table of
 * functions with the names of peer_ops; everything of the protocol is the C kit's. A Lua program
 * has one thread, so its library works inside the function `pump`, which the kit calls where it
 * would wait. Times are {sec =, nanosec =}; a token is a number. */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peer_kit.h"

#if LUA_VERSION_NUM < 502
#define register_functions(L, list) luaL_register(L, NULL, list)
#else
#define register_functions(L, list) luaL_setfuncs(L, list, 0)
#endif

__attribute__((visibility("default"))) int luaopen_peer_kit(lua_State *L);

/* One run. The module's functions reach it, and the peer's table, through the registry. L is the
 * state inside whose call the kit is now, so that its functions are called in the right frame. */
typedef struct lua_peer {
    lua_State *L;
    peer_kit *kit;
    const peer_job *job;
    uint8_t *payload;      /* stamped by the kit before each message */
    bool payload_is_peers; /* its publish has the memory, and gets no string */
    char refused[64];
} lua_peer;

static const char peer_key = 'p';
static const char table_key = 't';

static lua_peer *with_job(lua_State *L) {
    lua_pushlightuserdata(L, (void *)&peer_key);
    lua_rawget(L, LUA_REGISTRYINDEX);
    lua_peer *peer = lua_touserdata(L, -1);
    lua_pop(L, 1);
    if (!peer || !peer->job) {
        luaL_error(L, "peer_kit: no job is there yet");
    }
    return peer;
}

static lua_peer *current(lua_State *L) {
    lua_peer *peer = with_job(L);
    if (!peer->kit) {
        luaL_error(L, "peer_kit: no run has been started");
    }
    return peer;
}

/* The kit may call the peer's functions from inside this call; returns the state to go back to. */
static lua_State *enter(lua_peer *peer, lua_State *L) {
    lua_State *outer = peer->L;
    peer->L = L;
    return outer;
}

/* ---- values ---- */

static void set_text(lua_State *L, const char *name, const char *text) {
    lua_pushstring(L, text); /* NULL becomes nil */
    lua_setfield(L, -2, name);
}

static void set_number(lua_State *L, const char *name, double number) {
    lua_pushnumber(L, number);
    lua_setfield(L, -2, name);
}

static void push_time(lua_State *L, int64_t ns) {
    lua_createtable(L, 0, 2);
    set_number(L, "sec", (double)(ns / 1000000000));
    set_number(L, "nanosec", (double)(ns % 1000000000));
}

/* {sec, nanosec} at index, or nil: 0. */
static int64_t time_at(lua_State *L, int at) {
    if (lua_isnoneornil(L, at)) {
        return 0;
    }
    luaL_checktype(L, at, LUA_TTABLE);
    lua_getfield(L, at, "sec");
    lua_getfield(L, at, "nanosec");
    int64_t ns = (int64_t)lua_tonumber(L, -2) * 1000000000 + (int64_t)lua_tonumber(L, -1);
    lua_pop(L, 2);
    return ns;
}

static uint64_t token_at(lua_State *L, int at) {
    double token = luaL_checknumber(L, at);
    return token < 0 ? UINT64_MAX : (uint64_t)token;
}

static void push_token(lua_State *L, uint64_t token) {
    lua_pushnumber(L, token == UINT64_MAX ? -1 : (double)token);
}

/* ---- the job as a table ---- */

static void push_qos(lua_State *L, const peer_qos *qos) {
    lua_newtable(L);
    set_text(L, "reliability", qos->reliability == PEER_RELIABLE ? "reliable" : "best_effort");
    set_text(L, "durability", qos->durability == PEER_VOLATILE ? "volatile" : "transient_local");
    set_text(L, "history", qos->history == PEER_KEEP_LAST ? "keep_last" : "keep_all");
    set_number(L, "depth", qos->depth);
    set_number(L, "deadline", (double)qos->deadline_ns / 1e9);
    set_number(L, "lifespan", (double)qos->lifespan_ns / 1e9);
}

static void push_job(lua_State *L, const peer_job *job) {
    static const char *const patterns[] = {"topic", "service", "action", "startup"};
    static const char *const roles[] = {"publisher", "subscriber", "client", "server"};
    lua_newtable(L);
    set_number(L, "generation", job->generation);
    set_text(L, "pattern", patterns[job->pattern]);
    set_text(L, "role", roles[job->role]);
    lua_pushboolean(L, job->echo);
    lua_setfield(L, -2, "echo");
    set_text(L, "node", job->node);
    set_text(L, "topic", job->topic);
    set_text(L, "echo_topic", job->echo_topic);
    set_text(L, "service", job->service);
    set_text(L, "action", job->action);
    set_text(L, "type", job->type);
    set_number(L, "payload_bytes", (double)job->payload_bytes);
    set_number(L, "in_flight", job->in_flight);
    set_text(L, "not_plain", peer_job_not_plain(job));
    push_qos(L, &job->qos);
    lua_setfield(L, -2, "qos");
}

/* ---- peer_ops over the table ---- */

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
    push_job(peer->L, job);
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
    push_job(peer->L, job);
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
    push_time(peer->L, t1_ns);
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

/* ---- functions of the module ---- */

static int kit_now(lua_State *L) {
    push_time(L, peer_now_ns());
    return 1;
}

/* message(data, value, arrived): a message arrived, now if it is not said; value is handed to
 * `echo`. data is a string, or an address and then size the fourth argument. */
static int kit_message(lua_State *L) {
    int64_t now = peer_now_ns();
    int64_t arrived_ns = lua_isnoneornil(L, 3) ? now : time_at(L, 3);
    lua_peer *peer = current(L);
    size_t size = 0;
    const char *data;
    if (lua_islightuserdata(L, 1)) {
        data = lua_touserdata(L, 1);
        size = (size_t)luaL_checknumber(L, 4);
    } else {
        data = luaL_checklstring(L, 1, &size);
    }
    lua_settop(L, 2);
    lua_State *outer = enter(peer, L);
    peer_kit_message_at(peer->kit, arrived_ns, (const uint8_t *)data, size, &(int){2});
    peer->L = outer;
    return 0;
}

/* served(t1, t2, t3) */
static int kit_served(lua_State *L) {
    peer_kit_served(current(L)->kit, time_at(L, 1), time_at(L, 2), time_at(L, 3));
    return 0;
}

/* answered(token, t2, t3, corrupt, t4) */
static int kit_answered(lua_State *L) {
    int64_t now = peer_now_ns();
    int64_t t4 = lua_isnoneornil(L, 5) ? now : time_at(L, 5);
    uint64_t token = token_at(L, 1);
    int64_t t2 = time_at(L, 2), t3 = time_at(L, 3);
    lua_peer *peer = current(L);
    lua_State *outer = enter(peer, L);
    peer_kit_answered(peer->kit, token, t2, t3, t4, lua_toboolean(L, 4));
    peer->L = outer;
    return 0;
}

static int kit_unanswered(lua_State *L) {
    uint64_t token = token_at(L, 1);
    lua_peer *peer = current(L);
    lua_State *outer = enter(peer, L);
    peer_kit_unanswered(peer->kit, token);
    peer->L = outer;
    return 0;
}

/* effective(transport, library, version): with the QoS that was asked for. */
static int kit_effective(lua_State *L) {
    lua_peer *peer = current(L);
    peer_kit_effective(peer->kit, &peer->job->qos, luaL_checkstring(L, 1), luaL_checkstring(L, 2),
        luaL_checkstring(L, 3));
    return 0;
}

/* map(bytes): map.data of a response, as a string. */
static int kit_map(lua_State *L) {
    size_t size = (size_t)luaL_checknumber(L, 1);
    int8_t *data = malloc(size + 1);
    if (!data) {
        return luaL_error(L, "out of memory");
    }
    peer_map_fill(data, size);
    lua_pushlstring(L, (const char *)data, size);
    free(data);
    return 1;
}

/* map_is_intact(data) */
static int kit_map_is_intact(lua_State *L) {
    lua_peer *peer = current(L);
    size_t size = 0;
    const char *data = luaL_checklstring(L, 1, &size);
    lua_pushboolean(
        L, peer_map_check((const int8_t *)data, size, peer->job->payload_bytes, peer->job->verify));
    return 1;
}

/* setting(name, otherwise): a text of the job's settings. */
static int kit_setting(lua_State *L) {
    lua_peer *peer = with_job(L);
    lua_pushstring(
        L, peer_job_setting(peer->job, luaL_checkstring(L, 1), luaL_optstring(L, 2, "")));
    return 1;
}

/* main(peer, job file): the exit status. peer.settings is a list of names. */
static int kit_main(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    const char *job = luaL_optstring(L, 2, "-");
    const char *settings[17] = {NULL};
    lua_getfield(L, 1, "settings");
    for (int i = 0; i < 16 && lua_istable(L, -1); i++) {
        lua_rawgeti(L, -1, i + 1);
        settings[i] = lua_tostring(L, -1); /* the table keeps it */
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    lua_peer peer = {.L = L};
    peer_ops ops = {.settings = settings,
        .refuses = ops_refuses,
        .create = ops_create,
        .wait_matched = ops_wait_matched,
        .publish = ops_publish,
        .echo = ops_echo,
        .call = ops_call,
        .forget = ops_forget,
        .pump = ops_pump,
        .destroy = ops_destroy};
    lua_pushlightuserdata(L, (void *)&peer_key);
    lua_pushlightuserdata(L, &peer);
    lua_rawset(L, LUA_REGISTRYINDEX);
    lua_pushlightuserdata(L, (void *)&table_key);
    lua_pushvalue(L, 1);
    lua_rawset(L, LUA_REGISTRYINDEX);
    char program[] = "peer.lua";
    char *argv[] = {program, (char *)job, NULL};
    int status = peer_main(2, argv, &ops, &peer);
    lua_pushlightuserdata(L, (void *)&peer_key);
    lua_pushnil(L);
    lua_rawset(L, LUA_REGISTRYINDEX);
    lua_pushnumber(L, status);
    return 1;
}

int luaopen_peer_kit(lua_State *L) {
    static const luaL_Reg functions[] = {{"main", kit_main}, {"now", kit_now},
        {"message", kit_message}, {"served", kit_served}, {"answered", kit_answered},
        {"unanswered", kit_unanswered}, {"effective", kit_effective}, {"map", kit_map},
        {"map_is_intact", kit_map_is_intact}, {"setting", kit_setting}, {NULL, NULL}};
    lua_newtable(L);
    register_functions(L, functions);
    set_number(L, "map_width", PEER_MAP_WIDTH);
    set_number(L, "map_height", PEER_MAP_HEIGHT);
    set_number(L, "map_resolution", PEER_MAP_RESOLUTION);
    set_text(L, "map_frame", PEER_MAP_FRAME);
    return 1;
}
