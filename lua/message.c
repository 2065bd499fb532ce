/* Messages from C to Lua, as tables. Numbers, booleans and strings are what they are; time and
 * duration are {sec=, nanosec=}; arrays are sequences from 1; arrays of uint8 and int8 are strings
 * of bytes, or views (bytes.c). */
#include <stdlib.h>

#include "binding.h"
#include "compat.h"

void *binding_message_new(lua_State *L, const rclite_type *type) {
    void *message = calloc(1, type->size_bytes ? type->size_bytes : 1);
    if (!message || rclite_message_init(type, message, NULL) != RCLITE_OK) {
        free(message);
        luaL_error(L, "out of memory");
    }
    return message;
}

void binding_message_free(const rclite_type *type, void *message) {
    if (message) {
        rclite_message_done(type, message, NULL);
        free(message);
    }
}

const rclite_type_view *binding_type_view(const rclite_type *type, rclite_generation generation) {
    return generation == RCLITE_ROS1 ? type->ros1 : type->ros2;
}

bool binding_is_bytes(const rclite_field *field) {
    return field->kind == RCLITE_FIELD_UINT8 || field->kind == RCLITE_FIELD_INT8;
}

typedef struct pusher {
    lua_State *L;
    rclite_generation generation;
    binding_object *viewed; /* whose message it is, if arrays of bytes are to be views; else NULL */
} pusher;

static void push_struct(const pusher *p, const rclite_type *type, const void *message);

static void push_integer(lua_State *L, int64_t value) {
#if LUA_VERSION_NUM >= 503
    lua_pushinteger(L, value);
#else
    lua_pushnumber(L, (double)value);
#endif
}

static void push_unsigned(lua_State *L, uint64_t value) {
#if LUA_VERSION_NUM >= 503
    lua_pushinteger(L, (lua_Integer)value);
#else
    lua_pushnumber(L, (double)value);
#endif
}

static void push_time(lua_State *L, const rclite_time *time) {
    lua_createtable(L, 0, 2);
    push_integer(L, time->sec);
    lua_setfield(L, -2, "sec");
    push_unsigned(L, time->nanosec);
    lua_setfield(L, -2, "nanosec");
}

static void push_element(const pusher *p, const rclite_field *field, const void *from) {
    lua_State *L = p->L;
    switch (field->kind) {
    case RCLITE_FIELD_BOOL:
        lua_pushboolean(L, *(const bool *)from);
        break;
    case RCLITE_FIELD_INT8:
        push_integer(L, *(const int8_t *)from);
        break;
    case RCLITE_FIELD_UINT8:
        push_integer(L, *(const uint8_t *)from);
        break;
    case RCLITE_FIELD_INT16:
        push_integer(L, *(const int16_t *)from);
        break;
    case RCLITE_FIELD_UINT16:
        push_integer(L, *(const uint16_t *)from);
        break;
    case RCLITE_FIELD_INT32:
        push_integer(L, *(const int32_t *)from);
        break;
    case RCLITE_FIELD_UINT32:
        push_unsigned(L, *(const uint32_t *)from);
        break;
    case RCLITE_FIELD_INT64:
        push_integer(L, *(const int64_t *)from);
        break;
    case RCLITE_FIELD_UINT64:
        push_unsigned(L, *(const uint64_t *)from);
        break;
    case RCLITE_FIELD_FLOAT32:
        lua_pushnumber(L, *(const float *)from);
        break;
    case RCLITE_FIELD_FLOAT64:
        lua_pushnumber(L, *(const double *)from);
        break;
    case RCLITE_FIELD_TIME:
    case RCLITE_FIELD_DURATION:
        push_time(L, from);
        break;
    case RCLITE_FIELD_STRING: {
        const rclite_string *string = from;
        lua_pushlstring(L, string->data ? string->data : "", string->size);
        break;
    }
    case RCLITE_FIELD_MESSAGE:
        push_struct(p, field->type, from);
        break;
    case RCLITE_FIELD_KIND_COUNT:
        lua_pushnil(L);
        break;
    }
}

static void push_array(
    const pusher *p, const rclite_field *field, const void *elements, size_t count) {
    lua_State *L = p->L;
    if (binding_is_bytes(field) && p->viewed) {
        binding_bytes_push_view(L, p->viewed, elements, count);
        return;
    }
    if (binding_is_bytes(field)) {
        lua_pushlstring(L, elements ? elements : "", count);
        return;
    }
    lua_createtable(L, (int)count, 0);
    for (size_t i = 0; i < count; i++) {
        push_element(p, field, (const char *)elements + i * field->element_bytes);
        lua_rawseti(L, -2, (int)i + 1);
    }
}

static void push_struct(const pusher *p, const rclite_type *type, const void *message) {
    lua_State *L = p->L;
    const rclite_type_view *view = binding_type_view(type, p->generation);
    uint32_t count = view ? view->field_count : 0;
    luaL_checkstack(L, 8, "message nested too deeply");
    lua_createtable(L, 0, (int)count);
    for (uint32_t i = 0; i < count; i++) {
        const rclite_field *field = &view->fields[i];
        const void *from = (const char *)message + field->offset_bytes;
        if (field->array == RCLITE_ARRAY_SEQUENCE) {
            const rclite_string *sequence = from;
            push_array(p, field, sequence->data, sequence->size);
        } else if (field->array == RCLITE_ARRAY_FIXED) {
            push_array(p, field, from, field->count);
        } else {
            push_element(p, field, from);
        }
        lua_setfield(L, -2, field->name);
    }
}

void binding_message_push(
    lua_State *L, const rclite_type *type, rclite_generation generation, const void *message) {
    push_struct(&(pusher){L, generation, NULL}, type, message);
}

void binding_message_push_received(
    lua_State *L, binding_object *subscription, const void *message) {
    binding_object *viewed = subscription->as_views ? subscription : NULL;
    push_struct(
        &(pusher){L, binding_generation(subscription), viewed}, subscription->type, message);
}
