/* What a program passes beside the objects: time-outs, and tables of options with QoS. */
#include <string.h>

#include "binding.h"

int64_t binding_timeout_ns(lua_State *L, int at) {
    if (lua_isnoneornil(L, at)) {
        return RCLITE_FOREVER;
    }
    double seconds = luaL_checknumber(L, at);
    luaL_argcheck(L, seconds >= 0 && seconds < 9e9, at, "a time-out in seconds, not negative");
    return (int64_t)(seconds * 1e9);
}

/* ---- options ---- */

void binding_options(lua_State *L, int at, const char *what, const char *const *names) {
    if (lua_isnoneornil(L, at)) {
        return;
    }
    luaL_checktype(L, at, LUA_TTABLE);
    lua_pushnil(L);
    while (lua_next(L, at)) {
        const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "?";
        const char *const *known = names;
        while (*known && strcmp(name, *known) != 0) {
            known++;
        }
        if (!*known) {
            luaL_error(L, "%s has no '%s'", what, name);
        }
        lua_pop(L, 1);
    }
}

/* The place of the text under `name` in the list, or otherwise when it is not given. */
static int choice(lua_State *L, int at, const char *name, const char *const *list, int otherwise) {
    lua_getfield(L, at, name);
    if (!lua_isnil(L, -1)) {
        const char *text = lua_tostring(L, -1);
        otherwise = -1;
        for (int i = 0; text && list[i]; i++) {
            if (strcmp(text, list[i]) == 0) {
                otherwise = i;
            }
        }
        if (otherwise < 0) {
            luaL_error(
                L, "qos.%s: '%s' is not one of %s, %s", name, text ? text : "?", list[0], list[1]);
        }
    }
    lua_pop(L, 1);
    return otherwise;
}

static double number(lua_State *L, int at, const char *name, double otherwise) {
    lua_getfield(L, at, name);
    double value = lua_isnil(L, -1) ? otherwise : lua_tonumber(L, -1);
    if (!(value >= 0 && value < 4e9)) {
        luaL_error(L, "qos.%s is not a number in range", name);
    }
    lua_pop(L, 1);
    return value;
}

rclite_qos binding_qos(lua_State *L, int at, const char *more, rclite_qos qos) {
    const char *const names[] = {
        "reliability", "durability", "history", "depth", "deadline", "lifespan", more, NULL};
    static const char *const reliability[] = {"reliable", "best_effort", NULL};
    static const char *const durability[] = {"volatile", "transient_local", NULL};
    static const char *const history[] = {"keep_last", "keep_all", NULL};
    if (lua_isnoneornil(L, at)) {
        return qos;
    }
    binding_options(L, at, "qos", names);
    qos.reliability =
        (rclite_qos_reliability)choice(L, at, "reliability", reliability, (int)qos.reliability);
    qos.durability =
        (rclite_qos_durability)choice(L, at, "durability", durability, (int)qos.durability);
    qos.history = (rclite_qos_history)choice(L, at, "history", history, (int)qos.history);
    qos.depth = (uint32_t)number(L, at, "depth", qos.depth);
    qos.deadline_ns = (int64_t)(number(L, at, "deadline", (double)qos.deadline_ns / 1e9) * 1e9);
    qos.lifespan_ns = (int64_t)(number(L, at, "lifespan", (double)qos.lifespan_ns / 1e9) * 1e9);
    return qos;
}
