/* What the files of the Lua module share: objects and how they live, errors, messages.
 *
 * Lifetime. Every object of rclite (context, node, endpoint, goal) is a heap struct in a tree that
 * follows rclite's rule "children before parents"; its userdata only points to it. Closing an
 * object, or collecting its userdata, closes what is below it first. A parent's userdata holds its
 * children and a child holds its parent, so an endpoint lives as long as its node, and nothing is
 * collected that the library still uses. Callbacks are kept in the userdata's own table and not in
 * the registry, so that a cycle through them can be collected.
 *
 * Threads. The module uses spin delivery only: callbacks come inside spin and call functions, on
 * the caller's thread. An error in a callback ends that function and is raised from it. */
#ifndef RCLITE_LUA_BINDING_H
#define RCLITE_LUA_BINDING_H

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include "rclite/rclite.h"

typedef enum binding_kind {
    BINDING_CONTEXT,
    BINDING_NODE,
    BINDING_PUBLISHER,
    BINDING_SUBSCRIPTION,
    BINDING_SERVICE,
    BINDING_CLIENT,
    BINDING_ACTION_SERVER,
    BINDING_ACTION_CLIENT,
    BINDING_SERVER_GOAL,
    BINDING_CLIENT_GOAL,
    BINDING_KIND_COUNT
} binding_kind;

typedef struct binding_object {
    binding_kind kind;
    struct binding_object *parent, *children, *next; /* the tree */
    int references;                                  /* userdata, tree */
    void *handle;                                    /* rclite's object; NULL: closed */

    /* context only */
    lua_State *state; /* whoever is inside a call of ours now */
    rclite_loader *loader;
    bool failed; /* a callback raised; the error is in the context's table */

    /* endpoints only */
    const rclite_type *type;
    const rclite_service_type *service_type;
    const rclite_action_type *action_type;
    bool as_views;     /* subscription: arrays of bytes come as views, not as strings */
    uint64_t delivery; /* subscription: how many callbacks have returned */
    void *outgoing;    /* one initialised message of what this endpoint sends, or NULL */
    const rclite_type *outgoing_type;
} binding_object;

/* ---- object.c ---- */

/* Makes the metatables; methods[kind] may hold NULL. */
void binding_objects_open(lua_State *L);
void binding_object_methods(lua_State *L, binding_kind kind, const luaL_Reg *methods);
/* Pushes the userdata of a new object below the parent at index parent_at (0: none). */
binding_object *binding_object_new(lua_State *L, binding_kind kind, int parent_at);
/* The open object at index, or a Lua error that says what was expected. */
binding_object *binding_object_check(lua_State *L, int at, binding_kind kind);
binding_object *binding_object_context(binding_object *object);
rclite_generation binding_generation(binding_object *object);
/* The struct stays as long as someone holds it. */
binding_object *binding_object_reference(binding_object *object);
void binding_object_unreference(binding_object *object);
/* Frees the handle and everything below; the struct stays until its userdata goes. */
void binding_object_close(binding_object *object);
/* Keeps the value at index in the object's own table, which the userdata at object_at holds. */
void binding_object_keep(lua_State *L, int object_at, const char *name, int value_at);
/* Pushes what was kept under name; false (and nothing pushed) if there is nothing. */
bool binding_object_push_kept(lua_State *L, binding_object *object, const char *name);
/* The parent does not hold the object any more: it lives as long as the program keeps it. */
void binding_object_release(lua_State *L, binding_object *object);
/* Pushes the userdata of an object. */
void binding_object_push(lua_State *L, binding_object *object);

/* Raises the detail text. */
int binding_raise(lua_State *L, rclite_result result, const rclite_error *error);
/* In a callback: calls the function below `arguments` values; an error is kept for binding_leave.
 */
bool binding_call_back(binding_object *object, lua_State *L, int arguments, int results);
/* Bracket every call into rclite that may call back. leave raises what a callback raised. */
void binding_enter(binding_object *object, lua_State *L);
void binding_leave(binding_object *object, lua_State *L);

/* ---- options.c ---- */

/* Seconds at index to ns; nil or none: forever. */
int64_t binding_timeout_ns(lua_State *L, int at);
/* The table of options at index, if there is one, has no other names than these ({..., NULL}). */
void binding_options(lua_State *L, int at, const char *what, const char *const *names);
/* {reliability=, durability=, history=, depth=, ...} at index over the given profile; more: the
 * name of an option that the caller reads from the same table, or NULL. */
rclite_qos binding_qos(lua_State *L, int at, const char *more, rclite_qos qos);

/* ---- bytes.c ---- */

void binding_bytes_open(lua_State *L);
int binding_bytes_new(lua_State *L);
/* Pushes a view of a message's array; it ends with subscription->delivery. */
void binding_bytes_push_view(
    lua_State *L, binding_object *subscription, const void *data, size_t size);
/* Of a string or of bytes at index, valid as long as the value is; NULL if it is neither. Raises if
 * the bytes are a view that has ended. */
const void *binding_bytes_at(lua_State *L, int at, size_t *ret_size);

/* ---- message.c, message_fill.c ---- */

const rclite_type_view *binding_type_view(const rclite_type *type, rclite_generation generation);
bool binding_is_bytes(const rclite_field *field); /* uint8 or int8 */

/* Fills an initialised message from the table at index. Byte arrays and texts become views into the
 * Lua strings and bytes: use the message before anything of the table can change. Raises on a wrong
 * value, naming the field. */
void binding_message_fill(
    lua_State *L, int at, const rclite_type *type, rclite_generation generation, void *message);
/* Pushes a message as a table. */
void binding_message_push(
    lua_State *L, const rclite_type *type, rclite_generation generation, const void *message);
/* The same for a message of a subscription, with its arrays of bytes as the subscription wants. */
void binding_message_push_received(lua_State *L, binding_object *subscription, const void *message);
/* Heap, initialised; raises when there is no memory. */
void *binding_message_new(lua_State *L, const rclite_type *type);
void binding_message_free(const rclite_type *type, void *message);

/* ---- topic.c, service.c, action.c: methods of a node, and of what they make ---- */

void binding_topic_open(lua_State *L);
void binding_service_open(lua_State *L);
void binding_action_open(lua_State *L);
int binding_node_publisher(lua_State *L);
int binding_node_subscription(lua_State *L);
int binding_node_service(lua_State *L);
int binding_node_client(lua_State *L);
int binding_node_action_server(lua_State *L);
int binding_node_action_client(lua_State *L);

#endif
