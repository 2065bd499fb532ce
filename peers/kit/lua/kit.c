/* require "peer_kit": the kit in C for peers in Lua 5.1, LuaJIT and 5.4. The peer is a table of
 * functions with the names of peer_ops; everything of the protocol is the C kit's. A Lua program
 * has one thread, so its library works inside the function `pump`, which the kit calls where it
 * would wait. Times are {sec =, nanosec =}; a token is a number. */
#include <stdlib.h>

#include "lua_peer.h"

#if LUA_VERSION_NUM < 502
#define register_functions(L, list) luaL_register(L, NULL, list)
#else
#define register_functions(L, list) luaL_setfuncs(L, list, 0)
#endif

__attribute__((visibility("default"))) int luaopen_peer_kit(lua_State *L);

static const char peer_key = 'p';

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

static int kit_now(lua_State *L) {
    lua_peer_push_time(L, peer_now_ns());
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
    peer_ops ops = lua_peer_ops(L, 1);
    ops.settings = settings;
    lua_pushlightuserdata(L, (void *)&peer_key);
    lua_pushlightuserdata(L, &peer);
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
    lua_peer_set_number(L, "map_width", PEER_MAP_WIDTH);
    lua_peer_set_number(L, "map_height", PEER_MAP_HEIGHT);
    lua_peer_set_number(L, "map_resolution", PEER_MAP_RESOLUTION);
    lua_peer_set_text(L, "map_frame", PEER_MAP_FRAME);
    return 1;
}
