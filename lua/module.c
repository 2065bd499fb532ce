/* require "rclite": contexts, nodes, spinning, time. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "binding.h"
#include "compat.h"

RCLITE_API int luaopen_rclite(lua_State *L);

/* ---- context ---- */

static const char *text_field(lua_State *L, int at, const char *name) {
    lua_getfield(L, at, name);
    const char *text = lua_tostring(L, -1); /* the table keeps it */
    lua_pop(L, 1);
    return text;
}

static rclite_generation generation_field(lua_State *L, int at) {
    lua_getfield(L, at, "ros");
    int generation = lua_isnil(L, -1) ? 2 : (int)lua_tonumber(L, -1);
    lua_pop(L, 1);
    if (generation != 1 && generation != 2) {
        luaL_error(L, "rclite.context: ros must be 1 or 2");
    }
    return (rclite_generation)generation;
}

/* The global `arg`, so that every Lua program takes ROS arguments. At most 64 of them. */
static int collect_arguments(lua_State *L, const char **argv) {
    int count = 0;
    lua_getglobal(L, "arg");
    for (int i = 0; lua_istable(L, -1) && i < 64; i++) {
        lua_rawgeti(L, -1, i);
        if (!lua_isstring(L, -1)) {
            lua_pop(L, 1);
            break;
        }
        argv[count++] = lua_tostring(L, -1);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return count;
}

/* rclite.context{ros=2, domain_id=, dds_config=, master_uri=, path=} */
static int new_context(lua_State *L) {
    if (lua_isnoneornil(L, 1)) {
        lua_settop(L, 0);
        lua_newtable(L);
    }
    static const char *const names[] = {
        "ros", "domain_id", "dds_config", "master_uri", "path", NULL};
    binding_options(L, 1, "rclite.context", names);
    const char *argv[64];
    rclite_context_options options = RCLITE_CONTEXT_OPTIONS_INIT;
    options.generation = generation_field(L, 1);
    options.delivery = RCLITE_DELIVERY_SPIN;
    options.argc = collect_arguments(L, argv);
    options.argv = argv;
    options.dds_config = text_field(L, 1, "dds_config");
    options.master_uri = text_field(L, 1, "master_uri");
    lua_getfield(L, 1, "domain_id");
    options.domain_id =
        lua_isnil(L, -1) ? RCLITE_DOMAIN_FROM_ENVIRONMENT : (int)lua_tonumber(L, -1);
    lua_pop(L, 1);

    binding_object *object = binding_object_new(L, BINDING_CONTEXT, 0);
    rclite_error error = {0};
    rclite_context *context = NULL;
    rclite_result result = rclite_loader_create(
        options.generation, text_field(L, 1, "path"), NULL, &object->loader, &error);
    if (result == RCLITE_OK) {
        result = rclite_context_create(&options, &context, &error);
    }
    if (result != RCLITE_OK) {
        object->loader = rclite_loader_free(object->loader);
        return binding_raise(L, result, &error);
    }
    object->handle = context;
    return 1;
}

/* context:node(name, namespace) */
static int new_node(lua_State *L) {
    binding_object *context = binding_object_check(L, 1, BINDING_CONTEXT);
    const char *name = luaL_checkstring(L, 2);
    const char *name_space = luaL_optstring(L, 3, "/");
    binding_object *object = binding_object_new(L, BINDING_NODE, 1);
    rclite_error error = {0};
    rclite_node *node = NULL;
    rclite_result result = rclite_node_create(context->handle, name, name_space, &node, &error);
    if (result != RCLITE_OK) {
        return binding_raise(L, result, &error);
    }
    object->handle = node;
    return 1;
}

typedef struct until {
    binding_object *context;
    lua_State *L;
    int function_at; /* 0: only an error ends it */
} until;

static bool is_done(void *user) {
    until *u = user;
    if (u->context->failed) {
        return true;
    }
    if (!u->function_at) {
        return false;
    }
    lua_pushvalue(u->L, u->function_at);
    if (!binding_call_back(u->context, u->L, 0, 1)) {
        return true;
    }
    bool done = lua_toboolean(u->L, -1);
    lua_pop(u->L, 1);
    return done;
}

static int spin(lua_State *L, int function_at, int64_t timeout_ns) {
    binding_object *context = binding_object_check(L, 1, BINDING_CONTEXT);
    until u = {context, L, function_at};
    binding_enter(context, L);
    rclite_result result = rclite_spin_until(context->handle, is_done, &u, timeout_ns);
    binding_leave(context, L);
    lua_pushboolean(L, result == RCLITE_OK);
    return 1;
}

/* context:spin(): until context:shutdown(). */
static int context_spin(lua_State *L) {
    return spin(L, 0, RCLITE_FOREVER);
}

/* context:spin_until(function, seconds): true, or false after the time. */
static int context_spin_until(lua_State *L) {
    luaL_checktype(L, 2, LUA_TFUNCTION);
    return spin(L, 2, binding_timeout_ns(L, 3));
}

/* context:spin_once(seconds): true if something ran. */
static int context_spin_once(lua_State *L) {
    binding_object *context = binding_object_check(L, 1, BINDING_CONTEXT);
    int64_t timeout_ns = binding_timeout_ns(L, 2);
    binding_enter(context, L);
    rclite_result result = rclite_spin_once(context->handle, timeout_ns);
    binding_leave(context, L);
    lua_pushboolean(L, result == RCLITE_OK);
    return 1;
}

static int context_shutdown(lua_State *L) {
    rclite_context_shutdown(binding_object_check(L, 1, BINDING_CONTEXT)->handle);
    return 0;
}

static int context_is_shutdown(lua_State *L) {
    binding_object *context = binding_object_check(L, 1, BINDING_CONTEXT);
    lua_pushboolean(L, rclite_context_is_shutdown(context->handle));
    return 1;
}

static int context_describe(lua_State *L) {
    lua_pushstring(L, rclite_context_describe(binding_object_check(L, 1, BINDING_CONTEXT)->handle));
    return 1;
}

static int node_name(lua_State *L) {
    lua_pushstring(L, rclite_node_full_name(binding_object_check(L, 1, BINDING_NODE)->handle));
    return 1;
}

/* ---- time ---- */

/* rclite.now(): {sec=, nanosec=}, as it stands in messages. */
static int now(lua_State *L) {
    rclite_time time = rclite_time_from_ns(rclite_now_ns());
    lua_createtable(L, 0, 2);
    lua_pushinteger(L, time.sec);
    lua_setfield(L, -2, "sec");
    lua_pushinteger(L, time.nanosec);
    lua_setfield(L, -2, "nanosec");
    return 1;
}

/* rclite.monotonic(): seconds, for intervals. */
static int monotonic(lua_State *L) {
    lua_pushnumber(L, (double)rclite_monotonic_ns() / 1e9);
    return 1;
}

static int sleep_for(lua_State *L) {
    double seconds = luaL_checknumber(L, 1);
    luaL_argcheck(L, seconds >= 0 && seconds < 1e6, 1, "seconds, not negative");
    struct timespec rest = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    while (nanosleep(&rest, &rest) != 0 && errno == EINTR) {
    }
    return 0;
}

int luaopen_rclite(lua_State *L) {
    static const luaL_Reg context_methods[] = {{"node", new_node}, {"spin", context_spin},
        {"spin_once", context_spin_once}, {"spin_until", context_spin_until},
        {"shutdown", context_shutdown}, {"is_shutdown", context_is_shutdown},
        {"describe", context_describe}, {NULL, NULL}};
    static const luaL_Reg node_methods[] = {{"name", node_name},
        {"publisher", binding_node_publisher}, {"subscription", binding_node_subscription},
        {"service", binding_node_service}, {"client", binding_node_client},
        {"action_server", binding_node_action_server},
        {"action_client", binding_node_action_client}, {NULL, NULL}};
    static const luaL_Reg functions[] = {{"context", new_context}, {"now", now},
        {"monotonic", monotonic}, {"sleep", sleep_for}, {"bytes", binding_bytes_new}, {NULL, NULL}};
    binding_objects_open(L);
    binding_object_methods(L, BINDING_CONTEXT, context_methods);
    binding_object_methods(L, BINDING_NODE, node_methods);
    binding_bytes_open(L);
    binding_topic_open(L);
    binding_service_open(L);
    binding_action_open(L);
    lua_newtable(L);
    compat_functions(L, functions);
    lua_pushliteral(L, RCLITE_VERSION_TEXT);
    lua_setfield(L, -2, "version");
    return 1;
}
