/* One source for Lua 5.1, LuaJIT and 5.4: what they name differently. */
#ifndef RCLITE_LUA_COMPAT_H
#define RCLITE_LUA_COMPAT_H

#include <lauxlib.h>
#include <lua.h>

#if LUA_VERSION_NUM < 502
/* A userdata's own table is its environment. */
#define compat_set_table(L, at) lua_setfenv(L, at)
#define compat_get_table(L, at) lua_getfenv(L, at)
#define compat_length(L, at) lua_objlen(L, at)
#define compat_functions(L, list) luaL_register(L, NULL, list)
#define compat_absolute(L, at)                                                                     \
    ((at) > 0 || (at) <= LUA_REGISTRYINDEX ? (at) : lua_gettop(L) + (at) + 1)
#define compat_is_integer(L, at) 0
#else
#define compat_set_table(L, at) lua_setuservalue(L, at)
#define compat_get_table(L, at) lua_getuservalue(L, at)
#define compat_length(L, at) lua_rawlen(L, at)
#define compat_functions(L, list) luaL_setfuncs(L, list, 0)
#define compat_absolute(L, at) lua_absindex(L, at)
#define compat_is_integer(L, at) lua_isinteger(L, at)
#endif

#endif
