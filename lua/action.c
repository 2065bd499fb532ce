/* Action servers and clients in Lua. */
#include "binding.h"
#include "compat.h"

static const rclite_action_type *load(lua_State *L, binding_object *node, int at) {
    const rclite_action_type *type = NULL;
    rclite_error error = {0};
    rclite_result result = rclite_loader_action(
        binding_object_context(node)->loader, luaL_checkstring(L, at), &type, &error);
    if (result != RCLITE_OK) {
        binding_raise(L, result, &error);
    }
    return type;
}

static void push_id(lua_State *L, const rclite_goal_id *id) {
    lua_pushstring(L, id->text);
}

/* Keeps the function under `name` of the table at index, if there is one. */
static void keep_function(lua_State *L, int table_at, const char *name, int object_at) {
    object_at = compat_absolute(L, object_at);
    lua_getfield(L, table_at, name);
    if (lua_isfunction(L, -1)) {
        binding_object_keep(L, object_at, name, -1);
    }
    lua_pop(L, 1);
}

/* ---- server ---- */

/* The state to call back in, with the function kept under `name` pushed; NULL: do without. */
static lua_State *callback_of(binding_object *object, const char *name) {
    lua_State *L = binding_object_context(object)->state;
    if (!L || !lua_checkstack(L, 8) || !binding_object_push_kept(L, object, name)) {
        return NULL;
    }
    return L;
}

static bool on_goal(const rclite_goal_id *id, const void *goal, void *user) {
    binding_object *object = user;
    lua_State *L = callback_of(object, "goal");
    if (!L) {
        return true;
    }
    binding_message_push(L, object->action_type->goal, binding_generation(object), goal);
    push_id(L, id);
    if (!binding_call_back(object, L, 2, 1)) {
        return false;
    }
    bool accepted = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return accepted;
}

/* The object of a handle is found again among the server's children. */
static binding_object *goal_object(binding_object *server, rclite_server_goal *handle) {
    binding_object *child = server->children;
    while (child && child->handle != handle) {
        child = child->next;
    }
    return child;
}

static void on_accepted(rclite_server_goal *handle, const void *goal, void *user) {
    binding_object *server = user;
    lua_State *L = callback_of(server, "accepted");
    if (!L) {
        return;
    }
    binding_object_push(L, server);
    binding_object *object = binding_object_new(L, BINDING_SERVER_GOAL, -1);
    lua_remove(L, -2);
    object->handle = handle;
    object->action_type = server->action_type;
    binding_message_push(L, server->action_type->goal, binding_generation(server), goal);
    binding_call_back(server, L, 2, 0);
}

static bool on_cancel(rclite_server_goal *handle, void *user) {
    binding_object *server = user;
    binding_object *object = goal_object(server, handle);
    lua_State *L = object ? callback_of(server, "cancel") : NULL;
    if (!L) {
        return true;
    }
    binding_object_push(L, object);
    if (!binding_call_back(server, L, 1, 1)) {
        return false;
    }
    bool accepted = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return accepted;
}

static void on_canceling(rclite_server_goal *handle, void *user) {
    binding_object *server = user;
    binding_object *object = goal_object(server, handle);
    lua_State *L = object ? callback_of(server, "canceling") : NULL;
    if (L) {
        binding_object_push(L, object);
        binding_call_back(server, L, 1, 0);
    }
}

/* node:action_server(name, type, {goal=, accepted=, cancel=, canceling=, result_timeout=}) */
int binding_node_action_server(lua_State *L) {
    static const char *const names[] = {"goal", "accepted", "cancel", "canceling"};
    static const rclite_action_server_callbacks callbacks = {
        on_goal, on_accepted, on_cancel, on_canceling};
    binding_object *node = binding_object_check(L, 1, BINDING_NODE);
    const char *name = luaL_checkstring(L, 2);
    const rclite_action_type *type = load(L, node, 3);
    luaL_checktype(L, 4, LUA_TTABLE);
    lua_getfield(L, 4, "accepted");
    luaL_argcheck(L, lua_isfunction(L, -1), 4, "a table with the function 'accepted'");
    lua_pop(L, 1);
    rclite_action_server_options options = RCLITE_ACTION_SERVER_OPTIONS_INIT;
    lua_getfield(L, 4, "result_timeout");
    if (!lua_isnil(L, -1)) {
        options.result_timeout_ns = (int64_t)(lua_tonumber(L, -1) * 1e9);
    }
    lua_pop(L, 1);
    binding_object *object = binding_object_new(L, BINDING_ACTION_SERVER, 1);
    object->action_type = type;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        keep_function(L, 4, names[i], -1);
    }
    rclite_error error = {0};
    rclite_action_server *server = NULL;
    rclite_result result = rclite_action_server_create(
        node->handle, name, type, &callbacks, object, &options, &server, &error);
    if (result != RCLITE_OK) {
        return binding_raise(L, result, &error);
    }
    object->handle = server;
    return 1;
}

typedef rclite_result (*end_function)(rclite_server_goal *, const void *);

/* A terminal call: the handle is the server's no more afterwards, so the object closes. */
static int end_goal(lua_State *L, end_function end) {
    binding_object *object = binding_object_check(L, 1, BINDING_SERVER_GOAL);
    const rclite_type *type = object->action_type->result;
    if (lua_isnoneornil(L, 2)) {
        lua_settop(L, 1);
        lua_newtable(L);
    }
    luaL_checktype(L, 2, LUA_TTABLE);
    binding_object *server = object->parent;
    if (!server->outgoing) {
        server->outgoing_type = type;
        server->outgoing = binding_message_new(L, type);
    }
    binding_message_fill(L, 2, type, binding_generation(object), server->outgoing);
    rclite_result result = end(object->handle, server->outgoing);
    if (result != RCLITE_OK) {
        return binding_raise(L, result, NULL);
    }
    binding_object_release(L, object);
    binding_object_close(object);
    return 0;
}

static int goal_succeed(lua_State *L) {
    return end_goal(L, rclite_server_goal_succeed);
}

static int goal_abort(lua_State *L) {
    return end_goal(L, rclite_server_goal_abort);
}

static int goal_canceled(lua_State *L) {
    return end_goal(L, rclite_server_goal_canceled);
}

static int goal_feedback(lua_State *L) {
    binding_object *object = binding_object_check(L, 1, BINDING_SERVER_GOAL);
    const rclite_type *type = object->action_type->feedback;
    if (!object->outgoing) {
        object->outgoing_type = type;
        object->outgoing = binding_message_new(L, type);
    }
    binding_message_fill(L, 2, type, binding_generation(object), object->outgoing);
    rclite_result result = rclite_server_goal_feedback(object->handle, object->outgoing);
    return result == RCLITE_OK ? 0 : binding_raise(L, result, NULL);
}

static int goal_id(lua_State *L) {
    push_id(L, rclite_server_goal_get_id(binding_object_check(L, 1, BINDING_SERVER_GOAL)->handle));
    return 1;
}

static int goal_status(lua_State *L) {
    binding_object *object = binding_object_check(L, 1, BINDING_SERVER_GOAL);
    lua_pushstring(L, rclite_goal_status_string(rclite_server_goal_get_status(object->handle)));
    return 1;
}

/* ---- client ---- */

/* node:action_client(name, type) */
int binding_node_action_client(lua_State *L) {
    binding_object *node = binding_object_check(L, 1, BINDING_NODE);
    const char *name = luaL_checkstring(L, 2);
    const rclite_action_type *type = load(L, node, 3);
    binding_object *object = binding_object_new(L, BINDING_ACTION_CLIENT, 1);
    object->action_type = type;
    rclite_error error = {0};
    rclite_action_client *client = NULL;
    rclite_result result = rclite_action_client_create(node->handle, name, type, &client, &error);
    if (result != RCLITE_OK) {
        return binding_raise(L, result, &error);
    }
    object->handle = client;
    object->outgoing_type = type->goal;
    object->outgoing = binding_message_new(L, type->goal);
    return 1;
}

static int client_wait(lua_State *L) {
    binding_object *object = binding_object_check(L, 1, BINDING_ACTION_CLIENT);
    int64_t timeout_ns = binding_timeout_ns(L, 2);
    binding_enter(object, L);
    rclite_result result = rclite_action_client_wait_for_server(object->handle, timeout_ns);
    binding_leave(object, L);
    lua_pushboolean(L, result == RCLITE_OK);
    return 1;
}

static void on_answer(rclite_client_goal *handle, bool accepted, void *user) {
    (void)handle;
    lua_State *L = callback_of(user, "response");
    if (L) {
        lua_pushboolean(L, accepted);
        binding_call_back(user, L, 1, 0);
    }
}

static void on_feedback(rclite_client_goal *handle, const void *feedback, void *user) {
    (void)handle;
    binding_object *object = user;
    lua_State *L = callback_of(object, "feedback");
    if (L) {
        binding_message_push(
            L, object->action_type->feedback, binding_generation(object), feedback);
        binding_call_back(object, L, 1, 0);
    }
}

static void on_result(
    rclite_client_goal *handle, rclite_goal_status status, const void *message, void *user) {
    (void)handle;
    binding_object *object = user;
    lua_State *L = binding_object_context(object)->state;
    if (!L || !lua_checkstack(L, 8)) {
        return;
    }
    binding_object_push(L, object); /* it may be collected after this call, not during it */
    binding_object_release(L, object);
    if (callback_of(object, "result")) {
        lua_pushstring(L, rclite_goal_status_string(status));
        if (message) {
            binding_message_push(
                L, object->action_type->result, binding_generation(object), message);
        } else {
            lua_pushnil(L);
        }
        binding_call_back(object, L, 2, 0);
    }
    lua_pop(L, 1);
}

/* client:send_goal(goal, {response=, feedback=, result=function(status, result)}): the goal */
static int client_send(lua_State *L) {
    static const char *const names[] = {"response", "feedback", "result"};
    static const rclite_goal_callbacks callbacks = {on_answer, on_feedback, on_result};
    binding_object *client = binding_object_check(L, 1, BINDING_ACTION_CLIENT);
    binding_message_fill(L, 2, client->outgoing_type, binding_generation(client), client->outgoing);
    binding_object *object = binding_object_new(L, BINDING_CLIENT_GOAL, 1);
    object->action_type = client->action_type;
    for (size_t i = 0; lua_istable(L, 3) && i < sizeof names / sizeof names[0]; i++) {
        keep_function(L, 3, names[i], -1);
    }
    rclite_client_goal *handle = NULL;
    rclite_result result = rclite_action_client_send_goal(
        client->handle, client->outgoing, &callbacks, object, &handle);
    if (result != RCLITE_OK) {
        return binding_raise(L, result, NULL);
    }
    object->handle = handle;
    return 1;
}

static int client_cancel_all(lua_State *L) {
    binding_object *object = binding_object_check(L, 1, BINDING_ACTION_CLIENT);
    rclite_result result = rclite_action_client_cancel_all(object->handle);
    return result == RCLITE_OK ? 0 : binding_raise(L, result, NULL);
}

/* goal:wait(seconds): status, result; nil after the time. */
static int sent_wait(lua_State *L) {
    binding_object *object = binding_object_check(L, 1, BINDING_CLIENT_GOAL);
    int64_t timeout_ns = binding_timeout_ns(L, 2);
    const rclite_type *type = object->action_type->result;
    rclite_goal_status status = RCLITE_GOAL_UNKNOWN;
    binding_enter(object, L);
    rclite_result result = rclite_client_goal_wait(object->handle, NULL, timeout_ns, &status);
    binding_leave(object, L);
    if (result == RCLITE_ERR_TIMEOUT) {
        lua_pushnil(L);
        return 1;
    }
    if (result != RCLITE_OK) {
        return binding_raise(L, result, NULL);
    }
    lua_pushstring(L, rclite_goal_status_string(status));
    void *message = binding_message_new(L, type);
    if (rclite_client_goal_wait(object->handle, message, 0, &status) == RCLITE_OK) {
        binding_message_push(L, type, binding_generation(object), message);
    } else {
        lua_pushnil(L);
    }
    binding_message_free(type, message);
    return 2;
}

static int sent_cancel(lua_State *L) {
    binding_object *object = binding_object_check(L, 1, BINDING_CLIENT_GOAL);
    rclite_result result = rclite_client_goal_cancel(object->handle);
    return result == RCLITE_OK ? 0 : binding_raise(L, result, NULL);
}

static int sent_id(lua_State *L) {
    push_id(L, rclite_client_goal_get_id(binding_object_check(L, 1, BINDING_CLIENT_GOAL)->handle));
    return 1;
}

static int sent_status(lua_State *L) {
    binding_object *object = binding_object_check(L, 1, BINDING_CLIENT_GOAL);
    lua_pushstring(L, rclite_goal_status_string(rclite_client_goal_get_status(object->handle)));
    return 1;
}

void binding_action_open(lua_State *L) {
    static const luaL_Reg none[] = {{NULL, NULL}};
    static const luaL_Reg client[] = {{"wait_for_server", client_wait}, {"send_goal", client_send},
        {"cancel_all", client_cancel_all}, {NULL, NULL}};
    static const luaL_Reg server_goal[] = {{"succeed", goal_succeed}, {"abort", goal_abort},
        {"canceled", goal_canceled}, {"feedback", goal_feedback}, {"id", goal_id},
        {"status", goal_status}, {NULL, NULL}};
    static const luaL_Reg client_goal[] = {{"wait", sent_wait}, {"cancel", sent_cancel},
        {"id", sent_id}, {"status", sent_status}, {NULL, NULL}};
    binding_object_methods(L, BINDING_ACTION_SERVER, none);
    binding_object_methods(L, BINDING_ACTION_CLIENT, client);
    binding_object_methods(L, BINDING_SERVER_GOAL, server_goal);
    binding_object_methods(L, BINDING_CLIENT_GOAL, client_goal);
}
