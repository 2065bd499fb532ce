/* Publishers and subscriptions in Lua. */
#include "binding.h"
#include "compat.h"

static const rclite_type *load(lua_State *L, binding_object *node, int at) {
    const rclite_type *type = NULL;
    rclite_error error = {0};
    rclite_result result = rclite_loader_message(
        binding_object_context(node)->loader, luaL_checkstring(L, at), &type, &error);
    if (result != RCLITE_OK) {
        binding_raise(L, result, &error);
    }
    return type;
}

/* node:publisher(topic, type, qos) */
int binding_node_publisher(lua_State *L) {
    binding_object *node = binding_object_check(L, 1, BINDING_NODE);
    const char *topic = luaL_checkstring(L, 2);
    const rclite_type *type = load(L, node, 3);
    rclite_publisher_options options = RCLITE_PUBLISHER_OPTIONS_INIT;
    options.qos = binding_qos(L, 4, NULL, options.qos);
    binding_object *object = binding_object_new(L, BINDING_PUBLISHER, 1);
    rclite_error error = {0};
    rclite_publisher *publisher = NULL;
    rclite_result result =
        rclite_publisher_create(node->handle, topic, type, &options, &publisher, &error);
    if (result != RCLITE_OK) {
        return binding_raise(L, result, &error);
    }
    object->handle = publisher;
    object->type = object->outgoing_type = type;
    object->outgoing = binding_message_new(L, type);
    return 1;
}

/* publisher:publish(message) */
static int publish(lua_State *L) {
    binding_object *object = binding_object_check(L, 1, BINDING_PUBLISHER);
    binding_message_fill(L, 2, object->type, binding_generation(object), object->outgoing);
    rclite_result result = rclite_publisher_publish(object->handle, object->outgoing);
    return result == RCLITE_OK ? 0 : binding_raise(L, result, NULL);
}

static int publisher_matched(lua_State *L) {
    binding_object *object = binding_object_check(L, 1, BINDING_PUBLISHER);
    lua_pushinteger(L, rclite_publisher_matched_count(object->handle));
    return 1;
}

/* publisher:wait_matched(count, seconds): true, or false after the time. */
static int publisher_wait(lua_State *L) {
    binding_object *object = binding_object_check(L, 1, BINDING_PUBLISHER);
    uint32_t count = (uint32_t)luaL_optnumber(L, 2, 1);
    int64_t timeout_ns = binding_timeout_ns(L, 3);
    binding_enter(object, L);
    rclite_result result = rclite_publisher_wait_matched(object->handle, count, timeout_ns);
    binding_leave(object, L);
    lua_pushboolean(L, result == RCLITE_OK);
    return 1;
}

static int publisher_topic(lua_State *L) {
    lua_pushstring(
        L, rclite_publisher_topic(binding_object_check(L, 1, BINDING_PUBLISHER)->handle));
    return 1;
}

static void on_message(const void *message, const rclite_message_info *info, void *user) {
    binding_object *object = user;
    lua_State *L = binding_object_context(object)->state;
    if (!L || !lua_checkstack(L, 8) || !binding_object_push_kept(L, object, "callback")) {
        return;
    }
    binding_message_push_received(L, object, message);
    lua_createtable(L, 0, 2);
    lua_pushnumber(L, (double)info->received_ns / 1e9);
    lua_setfield(L, -2, "received");
    lua_pushstring(L, info->publisher_name ? info->publisher_name : "");
    lua_setfield(L, -2, "publisher");
    binding_call_back(object, L, 2, 0);
    object->delivery++; /* ends the views */
}

/* The option `bytes`: "string" (default) or "view". */
static bool wants_views(lua_State *L, int at) {
    static const char *const forms[] = {"string", "view", NULL};
    if (!lua_istable(L, at)) {
        return false;
    }
    lua_getfield(L, at, "bytes");
    bool views = luaL_checkoption(L, -1, "string", forms) == 1;
    lua_pop(L, 1);
    return views;
}

/* node:subscription(topic, type, function(message, info), qos and bytes) */
int binding_node_subscription(lua_State *L) {
    binding_object *node = binding_object_check(L, 1, BINDING_NODE);
    const char *topic = luaL_checkstring(L, 2);
    const rclite_type *type = load(L, node, 3);
    luaL_checktype(L, 4, LUA_TFUNCTION);
    rclite_subscription_options options = RCLITE_SUBSCRIPTION_OPTIONS_INIT;
    options.qos = binding_qos(L, 5, "bytes", options.qos);
    binding_object *object = binding_object_new(L, BINDING_SUBSCRIPTION, 1);
    object->type = type;
    object->as_views = wants_views(L, 5);
    binding_object_keep(L, -1, "callback", 4);
    rclite_error error = {0};
    rclite_subscription *subscription = NULL;
    rclite_result result = rclite_subscription_create(
        node->handle, topic, type, on_message, object, &options, &subscription, &error);
    if (result != RCLITE_OK) {
        return binding_raise(L, result, &error);
    }
    object->handle = subscription;
    return 1;
}

static int subscription_matched(lua_State *L) {
    binding_object *object = binding_object_check(L, 1, BINDING_SUBSCRIPTION);
    lua_pushinteger(L, rclite_subscription_matched_count(object->handle));
    return 1;
}

static int subscription_wait(lua_State *L) {
    binding_object *object = binding_object_check(L, 1, BINDING_SUBSCRIPTION);
    uint32_t count = (uint32_t)luaL_optnumber(L, 2, 1);
    int64_t timeout_ns = binding_timeout_ns(L, 3);
    binding_enter(object, L);
    rclite_result result = rclite_subscription_wait_matched(object->handle, count, timeout_ns);
    binding_leave(object, L);
    lua_pushboolean(L, result == RCLITE_OK);
    return 1;
}

static int subscription_topic(lua_State *L) {
    lua_pushstring(
        L, rclite_subscription_topic(binding_object_check(L, 1, BINDING_SUBSCRIPTION)->handle));
    return 1;
}

void binding_topic_open(lua_State *L) {
    static const luaL_Reg publisher[] = {{"publish", publish}, {"matched_count", publisher_matched},
        {"wait_matched", publisher_wait}, {"topic", publisher_topic}, {NULL, NULL}};
    static const luaL_Reg subscription[] = {{"matched_count", subscription_matched},
        {"wait_matched", subscription_wait}, {"topic", subscription_topic}, {NULL, NULL}};
    binding_object_methods(L, BINDING_PUBLISHER, publisher);
    binding_object_methods(L, BINDING_SUBSCRIPTION, subscription);
}
