/* What the parts of the kit for Lua share: one run, and values that go to the peer. */
#ifndef PEER_KIT_LUA_PEER_H
#define PEER_KIT_LUA_PEER_H

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include "peer_kit.h"

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

/* ---- ops.c ---- */

/* Over the table at index, which stays in the registry. */
peer_ops lua_peer_ops(lua_State *L, int table_at);

/* ---- values.c ---- */

/* A field of the table at the top of the stack. */
void lua_peer_set_text(lua_State *L, const char *name, const char *text); /* NULL: nil */
void lua_peer_set_number(lua_State *L, const char *name, double number);
void lua_peer_push_time(lua_State *L, int64_t ns); /* {sec =, nanosec =} */
void lua_peer_push_job(lua_State *L, const peer_job *job);

#endif
