/* Services and clients in Lua. */
#include <stdio.h>
#include <stdlib.h>

#include "binding.h"
#include "compat.h"

static const rclite_service_type *load(lua_State *L, binding_object *node, int at) {
    const rclite_service_type *type = NULL;
    rclite_error error = {0};
    rclite_result result = rclite_loader_service(
        binding_object_context(node)->loader, luaL_checkstring(L, at), &type, &error);
    if (result != RCLITE_OK) {
        binding_raise(L, result, &error);
    }
    return type;
}

/* ---- server ---- */

/* What runs protected: the user's function, and filling the response from what it returned. The
 * response's strings are views into the table, so the table is kept until the next one. */
typedef struct serving {
    binding_object *object;
    const void *request;
    void *response;
} serving;

static int serve(lua_State *L) {
    serving *s = lua_touserdata(L, 1);
    if (!binding_object_push_kept(L, s->object, "callback")) {
        return luaL_error(L, "the service is gone");
    }
    binding_message_push(
        L, s->object->service_type->request, binding_generation(s->object), s->request);
    lua_call(L, 1, 1);
    if (!lua_istable(L, -1)) {
        return luaL_error(L, "the service's function must return a table, the response");
    }
    binding_message_fill(
        L, -1, s->object->service_type->response, binding_generation(s->object), s->response);
    binding_object_push(L, s->object);
    binding_object_keep(L, -1, "response", -2);
    return 0;
}

/* An error in the user's function is the caller's answer on ROS 1, and ends the spin here. */
static rclite_result on_request(
    rclite_service_call *call, const void *request, void *response, char *error_text, void *user) {
    (void)call;
    serving s = {user, request, response};
    lua_State *L = binding_object_context(s.object)->state;
    if (!L || !lua_checkstack(L, 8)) {
        return RCLITE_ERR_SHUTDOWN;
    }
    lua_pushcfunction(L, serve);
    lua_pushlightuserdata(L, &s);
    if (!binding_call_back(s.object, L, 1, 0)) {
        snprintf(error_text, 256, "the service's function failed");
        return RCLITE_ERR_REJECTED;
    }
    return RCLITE_OK;
}

/* node:service(name, type, function(request) return response end, qos) */
int binding_node_service(lua_State *L) {
    binding_object *node = binding_object_check(L, 1, BINDING_NODE);
    const char *name = luaL_checkstring(L, 2);
    const rclite_service_type *type = load(L, node, 3);
    luaL_checktype(L, 4, LUA_TFUNCTION);
    rclite_service_options options = RCLITE_SERVICE_OPTIONS_INIT;
    options.qos = binding_qos(L, 5, NULL, options.qos);
    binding_object *object = binding_object_new(L, BINDING_SERVICE, 1);
    object->service_type = type;
    binding_object_keep(L, -1, "callback", 4);
    rclite_error error = {0};
    rclite_service *service = NULL;
    rclite_result result = rclite_service_create(
        node->handle, name, type, on_request, object, &options, &service, &error);
    if (result != RCLITE_OK) {
        return binding_raise(L, result, &error);
    }
    object->handle = service;
    return 1;
}

static int service_name(lua_State *L) {
    lua_pushstring(L, rclite_service_name(binding_object_check(L, 1, BINDING_SERVICE)->handle));
    return 1;
}

/* ---- client ---- */

/* node:client(name, type, {persistent=}) */
int binding_node_client(lua_State *L) {
    binding_object *node = binding_object_check(L, 1, BINDING_NODE);
    const char *name = luaL_checkstring(L, 2);
    const rclite_service_type *type = load(L, node, 3);
    rclite_client_options options = RCLITE_CLIENT_OPTIONS_INIT;
    options.qos = binding_qos(L, 4, "persistent", options.qos);
    if (lua_istable(L, 4)) {
        lua_getfield(L, 4, "persistent");
        options.persistent = lua_isnil(L, -1) || lua_toboolean(L, -1);
        lua_pop(L, 1);
    }
    binding_object *object = binding_object_new(L, BINDING_CLIENT, 1);
    object->service_type = type;
    rclite_error error = {0};
    rclite_client *client = NULL;
    rclite_result result =
        rclite_client_create(node->handle, name, type, &options, &client, &error);
    if (result != RCLITE_OK) {
        return binding_raise(L, result, &error);
    }
    object->handle = client;
    object->outgoing_type = type->request;
    object->outgoing = binding_message_new(L, type->request);
    return 1;
}

/* client:wait(seconds): true, or false after the time. */
static int client_wait(lua_State *L) {
    binding_object *object = binding_object_check(L, 1, BINDING_CLIENT);
    int64_t timeout_ns = binding_timeout_ns(L, 2);
    binding_enter(object, L);
    rclite_result result = rclite_client_wait_for_service(object->handle, timeout_ns);
    binding_leave(object, L);
    lua_pushboolean(L, result == RCLITE_OK);
    return 1;
}

/* The Lua function of a call lives in the client's own table until the answer came. */
typedef struct call {
    binding_object *object;
    int reference;
} call;

static void on_response(
    rclite_result result, const void *response, const char *error_text, void *user) {
    call waiting = *(call *)user;
    free(user);
    binding_object *object = waiting.object;
    lua_State *L = binding_object_context(object)->state;
    if (!L || !lua_checkstack(L, 8)) {
        return; /* being collected: nobody is left to tell */
    }
    binding_object_push(L, object);
    compat_get_table(L, -1);
    lua_rawgeti(L, -1, waiting.reference);
    luaL_unref(L, -2, waiting.reference);
    if (result == RCLITE_OK) {
        binding_message_push(
            L, object->service_type->response, binding_generation(object), response);
        lua_pushnil(L);
    } else {
        lua_pushnil(L);
        lua_pushstring(L, error_text[0] ? error_text : rclite_result_string(result));
    }
    binding_call_back(object, L, 2, 0);
    lua_pop(L, 2);
}

/* client:call_async(request, function(response, error)) */
static int client_call_async(lua_State *L) {
    binding_object *object = binding_object_check(L, 1, BINDING_CLIENT);
    luaL_checktype(L, 3, LUA_TFUNCTION);
    binding_message_fill(L, 2, object->outgoing_type, binding_generation(object), object->outgoing);
    call *waiting = malloc(sizeof *waiting);
    if (!waiting) {
        return luaL_error(L, "out of memory");
    }
    compat_get_table(L, 1);
    lua_pushvalue(L, 3);
    *waiting = (call){object, luaL_ref(L, -2)};
    int reference = waiting->reference;
    rclite_result result =
        rclite_client_call_async(object->handle, object->outgoing, on_response, waiting, NULL);
    if (result != RCLITE_OK) {
        luaL_unref(L, -1, reference);
        free(waiting);
        return binding_raise(L, result, NULL);
    }
    return 0;
}

/* client:call(request, seconds): the response; an error, with the server's text, is raised. */
static int client_call(lua_State *L) {
    binding_object *object = binding_object_check(L, 1, BINDING_CLIENT);
    int64_t timeout_ns = binding_timeout_ns(L, 3);
    binding_message_fill(L, 2, object->outgoing_type, binding_generation(object), object->outgoing);
    const rclite_type *type = object->service_type->response;
    void *response = binding_message_new(L, type);
    rclite_error error = {0};
    binding_object *context = binding_object_context(object);
    if (context->state) {
        binding_message_free(type, response);
        return luaL_error(L, "client:call waits, and cannot be used in a callback; use call_async");
    }
    binding_enter(object, L);
    rclite_result result =
        rclite_client_call(object->handle, object->outgoing, response, timeout_ns, &error);
    if (result == RCLITE_OK && !context->failed) {
        binding_message_push(L, type, binding_generation(object), response);
    }
    binding_message_free(type, response);
    binding_leave(object, L);
    return result == RCLITE_OK ? 1 : binding_raise(L, result, &error);
}

static int client_is_ready(lua_State *L) {
    lua_pushboolean(L, rclite_client_is_ready(binding_object_check(L, 1, BINDING_CLIENT)->handle));
    return 1;
}

void binding_service_open(lua_State *L) {
    static const luaL_Reg service[] = {{"name", service_name}, {NULL, NULL}};
    static const luaL_Reg client[] = {{"wait", client_wait}, {"call", client_call},
        {"call_async", client_call_async}, {"is_ready", client_is_ready}, {NULL, NULL}};
    binding_object_methods(L, BINDING_SERVICE, service);
    binding_object_methods(L, BINDING_CLIENT, client);
}
