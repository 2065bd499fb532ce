/* Objects of the Lua module: the tree, the userdata that point into it, errors. See binding.h. */
#include <stdlib.h>
#include <string.h>

#include "binding.h"
#include "compat.h"

/* Weak table in the registry: struct -> userdata. */
static const char objects_key = 'o';

static const char *const type_names[BINDING_KIND_COUNT] = {
    [BINDING_CONTEXT] = "rclite.context",
    [BINDING_NODE] = "rclite.node",
    [BINDING_PUBLISHER] = "rclite.publisher",
    [BINDING_SUBSCRIPTION] = "rclite.subscription",
    [BINDING_SERVICE] = "rclite.service",
    [BINDING_CLIENT] = "rclite.client",
    [BINDING_ACTION_SERVER] = "rclite.action_server",
    [BINDING_ACTION_CLIENT] = "rclite.action_client",
    [BINDING_SERVER_GOAL] = "rclite.server_goal",
    [BINDING_CLIENT_GOAL] = "rclite.client_goal",
};

/* ---- the tree ---- */

binding_object *binding_object_reference(binding_object *object) {
    object->references++;
    return object;
}

void binding_object_unreference(binding_object *object) {
    if (--object->references == 0) {
        free(object);
    }
}

static void unlink_from_parent(binding_object *object) {
    if (!object->parent) {
        return;
    }
    binding_object **link = &object->parent->children;
    while (*link && *link != object) {
        link = &(*link)->next;
    }
    if (*link) {
        *link = object->next;
    }
    object->parent = NULL;
    binding_object_unreference(object);
}

static void free_handle(binding_object *object) {
    void *handle = object->handle;
    object->handle = NULL;
    switch (object->kind) {
    case BINDING_CONTEXT:
        rclite_context_free(handle);
        rclite_loader_free(object->loader);
        object->loader = NULL;
        break;
    case BINDING_NODE:
        rclite_node_free(handle);
        break;
    case BINDING_PUBLISHER:
        rclite_publisher_free(handle);
        break;
    case BINDING_SUBSCRIPTION:
        rclite_subscription_free(handle);
        break;
    case BINDING_SERVICE:
        rclite_service_free(handle);
        break;
    case BINDING_CLIENT:
        rclite_client_free(handle);
        break;
    case BINDING_ACTION_SERVER:
        rclite_action_server_free(handle);
        break;
    case BINDING_ACTION_CLIENT:
        rclite_action_client_free(handle);
        break;
    case BINDING_CLIENT_GOAL:
        rclite_client_goal_free(handle);
        break;
    case BINDING_SERVER_GOAL: /* the server's */
    case BINDING_KIND_COUNT:
        break;
    }
    binding_message_free(object->outgoing_type, object->outgoing);
    object->outgoing = NULL;
}

void binding_object_close(binding_object *object) {
    while (object->children) {
        binding_object_close(object->children);
    }
    if (object->handle) {
        free_handle(object);
    }
    unlink_from_parent(object);
}

binding_object *binding_object_context(binding_object *object) {
    while (object->parent) {
        object = object->parent;
    }
    return object;
}

rclite_generation binding_generation(binding_object *object) {
    return rclite_context_generation(binding_object_context(object)->handle);
}

/* ---- userdata ---- */

static int collect(lua_State *L) {
    binding_object **slot = lua_touserdata(L, 1);
    if (*slot) {
        binding_object_close(*slot);
        binding_object_unreference(*slot);
        *slot = NULL;
    }
    return 0;
}

static int close_method(lua_State *L) {
    binding_object **slot = lua_touserdata(L, 1);
    luaL_argcheck(L, slot && *slot, 1, "object expected");
    binding_object *context = binding_object_context(*slot);
    if ((*slot)->handle && context->state) {
        return luaL_error(L, "an object cannot be closed from inside a callback");
    }
    binding_object_close(*slot);
    return 0;
}

static int describe(lua_State *L) {
    binding_object **slot = lua_touserdata(L, 1);
    lua_pushfstring(L, "%s: %p%s", type_names[(*slot)->kind], (void *)*slot,
        (*slot)->handle ? "" : " (closed)");
    return 1;
}

void binding_objects_open(lua_State *L) {
    lua_pushlightuserdata(L, (void *)&objects_key);
    lua_newtable(L);
    lua_newtable(L);
    lua_pushliteral(L, "v");
    lua_setfield(L, -2, "__mode");
    lua_setmetatable(L, -2);
    lua_rawset(L, LUA_REGISTRYINDEX);
}

void binding_object_methods(lua_State *L, binding_kind kind, const luaL_Reg *methods) {
    luaL_newmetatable(L, type_names[kind]);
    lua_pushcfunction(L, collect);
    lua_setfield(L, -2, "__gc");
    lua_pushcfunction(L, describe);
    lua_setfield(L, -2, "__tostring");
    lua_newtable(L);
    compat_functions(L, methods);
    lua_pushcfunction(L, close_method);
    lua_setfield(L, -2, "close");
    lua_setfield(L, -2, "__index");
    lua_pop(L, 1);
}

/* Remembers the userdata on the top of the stack as the one of its object. */
static void remember(lua_State *L, binding_object *object) {
    lua_pushlightuserdata(L, (void *)&objects_key);
    lua_rawget(L, LUA_REGISTRYINDEX);
    lua_pushlightuserdata(L, object);
    lua_pushvalue(L, -3);
    lua_rawset(L, -3);
    lua_pop(L, 1);
}

/* Child and parent hold each other through their tables; the child is on the top of the stack. */
static void tie(lua_State *L, int parent_at) {
    compat_get_table(L, parent_at);
    lua_pushvalue(L, -2);
    lua_pushboolean(L, 1);
    lua_rawset(L, -3);
    lua_pop(L, 1);
    binding_object_keep(L, -1, "parent", parent_at);
}

binding_object *binding_object_new(lua_State *L, binding_kind kind, int parent_at) {
    parent_at = parent_at ? compat_absolute(L, parent_at) : 0;
    binding_object **slot = lua_newuserdata(L, sizeof *slot);
    *slot = NULL;
    luaL_getmetatable(L, type_names[kind]);
    lua_setmetatable(L, -2);
    lua_newtable(L);
    compat_set_table(L, -2);
    binding_object *object = calloc(1, sizeof *object);
    if (!object) {
        luaL_error(L, "out of memory");
        return NULL;
    }
    *slot = object;
    object->kind = kind;
    object->references = 1;
    remember(L, object);
    if (parent_at) {
        object->parent = *(binding_object **)lua_touserdata(L, parent_at);
        object->next = object->parent->children;
        object->parent->children = object;
        object->references++;
        tie(L, parent_at);
    }
    return object;
}

void binding_object_release(lua_State *L, binding_object *object) {
    binding_object_push(L, object->parent);
    compat_get_table(L, -1);
    binding_object_push(L, object);
    lua_pushnil(L);
    lua_rawset(L, -3);
    lua_pop(L, 2);
}

binding_object *binding_object_check(lua_State *L, int at, binding_kind kind) {
    binding_object **slot = luaL_checkudata(L, at, type_names[kind]);
    if (!*slot || !(*slot)->handle) {
        luaL_error(L, "%s is closed", type_names[kind]);
    }
    return *slot;
}

void binding_object_push(lua_State *L, binding_object *object) {
    lua_pushlightuserdata(L, (void *)&objects_key);
    lua_rawget(L, LUA_REGISTRYINDEX);
    lua_pushlightuserdata(L, object);
    lua_rawget(L, -2);
    lua_remove(L, -2);
}

void binding_object_keep(lua_State *L, int object_at, const char *name, int value_at) {
    value_at = compat_absolute(L, value_at);
    compat_get_table(L, object_at);
    lua_pushvalue(L, value_at);
    lua_setfield(L, -2, name);
    lua_pop(L, 1);
}

bool binding_object_push_kept(lua_State *L, binding_object *object, const char *name) {
    binding_object_push(L, object);
    if (lua_isnil(L, -1)) {
        lua_pop(L, 1);
        return false;
    }
    compat_get_table(L, -1);
    lua_getfield(L, -1, name);
    lua_remove(L, -2);
    lua_remove(L, -2);
    if (lua_isnil(L, -1)) {
        lua_pop(L, 1);
        return false;
    }
    return true;
}

/* ---- calling and failing ---- */

int binding_raise(lua_State *L, rclite_result result, const rclite_error *error) {
    const char *text = error && error->text[0] ? error->text : rclite_result_string(result);
    return luaL_error(L, "%s", text);
}

bool binding_call_back(binding_object *object, lua_State *L, int arguments, int results) {
    binding_object *context = binding_object_context(object);
    if (lua_pcall(L, arguments, results, 0) == 0) {
        return true;
    }
    if (!context->failed) { /* the first error is the one that is told */
        context->failed = true;
        binding_object_push(L, context);
        binding_object_keep(L, -1, "error", -2);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    rclite_context_wake(context->handle);
    return false;
}

void binding_enter(binding_object *object, lua_State *L) {
    binding_object *context = binding_object_context(object);
    if (context->state) {
        luaL_error(L, "a call that waits cannot be made from inside a callback");
    }
    context->state = L;
}

void binding_leave(binding_object *object, lua_State *L) {
    binding_object *context = binding_object_context(object);
    context->state = NULL;
    if (context->failed) {
        context->failed = false;
        if (binding_object_push_kept(L, context, "error")) {
            lua_error(L);
        }
        luaL_error(L, "a callback failed");
    }
}
