/* Messages as Lua tables. Numbers, booleans and strings are what they are; time and duration are
 * {sec=, nanosec=}; arrays are sequences from 1; arrays of uint8 and int8 are strings of bytes,
 * or rclite.bytes. A field that a table does not have is zero. */
#include <stdlib.h>
#include <string.h>

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

static const rclite_type_view *view_of(const rclite_type *type, rclite_generation generation) {
    return generation == RCLITE_ROS1 ? type->ros1 : type->ros2;
}

static bool is_bytes(const rclite_field *field) {
    return field->kind == RCLITE_FIELD_UINT8 || field->kind == RCLITE_FIELD_INT8;
}

/* ---- Lua to C ---- */

typedef struct filler {
    lua_State *L;
    rclite_generation generation;
} filler;

static void fill_struct(const filler *f, int at, const rclite_type *type, void *message);

static void wrong(const filler *f, const rclite_field *field, const char *expected) {
    luaL_error(
        f->L, "field '%s': %s expected, got %s", field->name, expected, luaL_typename(f->L, -1));
}

/* The pair {sec, nanosec} on the top of the stack. */
static void fill_time(const filler *f, const rclite_field *field, rclite_time *time) {
    if (!lua_istable(f->L, -1)) {
        wrong(f, field, "{sec=, nanosec=}");
    }
    lua_getfield(f->L, -1, "sec");
    lua_getfield(f->L, -2, "nanosec");
    time->sec = (int32_t)(int64_t)lua_tonumber(f->L, -2);
    time->nanosec = (uint32_t)lua_tonumber(f->L, -1);
    lua_pop(f->L, 2);
}

static int64_t to_integer(const filler *f) {
    if (compat_is_integer(f->L, -1)) {
        return (int64_t)lua_tointeger(f->L, -1);
    }
    double value = lua_tonumber(f->L, -1);
    return value >= 9223372036854775808.0 ? (int64_t)(uint64_t)value : (int64_t)value;
}

static void store_number(const filler *f, rclite_field_kind kind, void *to) {
    double real = lua_tonumber(f->L, -1);
    int64_t integer =
        kind == RCLITE_FIELD_FLOAT32 || kind == RCLITE_FIELD_FLOAT64 ? 0 : to_integer(f);
    switch (kind) {
    case RCLITE_FIELD_FLOAT32:
        *(float *)to = (float)real;
        break;
    case RCLITE_FIELD_FLOAT64:
        *(double *)to = real;
        break;
    case RCLITE_FIELD_INT8:
    case RCLITE_FIELD_UINT8:
        memcpy(to, &(uint8_t){(uint8_t)integer}, 1);
        break;
    case RCLITE_FIELD_INT16:
    case RCLITE_FIELD_UINT16:
        memcpy(to, &(uint16_t){(uint16_t)integer}, 2);
        break;
    case RCLITE_FIELD_INT32:
    case RCLITE_FIELD_UINT32:
        memcpy(to, &(uint32_t){(uint32_t)integer}, 4);
        break;
    default:
        memcpy(to, &integer, 8);
        break;
    }
}

/* A view: capacity 0. */
static void set_view(void *sequence, const void *data, size_t size) {
    rclite_string *view = sequence;
    if (view->capacity) {
        rclite_allocator memory = rclite_allocator_default();
        memory.reallocate(memory.state, view->data, 0);
    }
    *view = (rclite_string){(char *)(uintptr_t)data, size, 0};
}

/* A view on the string at the top of the stack. */
static void fill_view(const filler *f, void *sequence) {
    size_t size = 0;
    const char *data = lua_tolstring(f->L, -1, &size);
    set_view(sequence, data, size);
}

static void fill_element(const filler *f, const rclite_field *field, void *to) {
    switch (field->kind) {
    case RCLITE_FIELD_BOOL:
        *(bool *)to = lua_toboolean(f->L, -1);
        break;
    case RCLITE_FIELD_TIME:
    case RCLITE_FIELD_DURATION:
        fill_time(f, field, to);
        break;
    case RCLITE_FIELD_STRING:
        if (!lua_isstring(f->L, -1)) {
            wrong(f, field, "string");
        }
        fill_view(f, to);
        break;
    case RCLITE_FIELD_MESSAGE:
        if (!lua_istable(f->L, -1)) {
            wrong(f, field, "table");
        }
        fill_struct(f, lua_gettop(f->L), field->type, to);
        break;
    default:
        if (!lua_isnumber(f->L, -1)) {
            wrong(f, field, "number");
        }
        store_number(f, field->kind, to);
        break;
    }
}

static void fill_elements(const filler *f, const rclite_field *field, void *to, size_t count) {
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(f->L, -1, (int)i + 1);
        fill_element(f, field, (char *)to + i * field->element_bytes);
        lua_pop(f->L, 1);
    }
}

static void fill_fixed(const filler *f, const rclite_field *field, void *to) {
    size_t size = 0;
    const void *data = is_bytes(field) ? binding_bytes_at(f->L, -1, &size) : NULL;
    if (data) {
        if (size != field->count) {
            luaL_error(f->L, "field '%s': %d bytes expected, got %d", field->name,
                (int)field->count, (int)size);
        }
        memcpy(to, data, size);
        return;
    }
    if (!lua_istable(f->L, -1) || compat_length(f->L, -1) != field->count) {
        luaL_error(
            f->L, "field '%s': table of %d elements expected", field->name, (int)field->count);
    }
    fill_elements(f, field, to, field->count);
}

static rclite_result resize(const rclite_field *field, void *sequence, size_t count) {
    /* A view of an earlier message must not be taken for memory of ours. */
    rclite_string *raw = sequence;
    if (raw->capacity == 0) {
        *raw = (rclite_string){0};
    }
    if (field->kind == RCLITE_FIELD_MESSAGE) {
        return rclite_message_sequence_resize(field->type, sequence, count, NULL);
    }
    if (field->kind == RCLITE_FIELD_STRING) {
        return rclite_string_sequence_resize(sequence, count, NULL);
    }
    return rclite_sequence_resize(sequence, field->element_bytes, count, NULL);
}

static void fill_sequence(const filler *f, const rclite_field *field, void *to) {
    size_t size = 0;
    const void *data = is_bytes(field) ? binding_bytes_at(f->L, -1, &size) : NULL;
    if (data) {
        set_view(to, data, size);
        return;
    }
    if (!lua_istable(f->L, -1)) {
        wrong(f, field, is_bytes(field) ? "string, bytes or table" : "table");
    }
    size_t count = compat_length(f->L, -1);
    if (resize(field, to, count) != RCLITE_OK) {
        luaL_error(f->L, "field '%s': out of memory", field->name);
    }
    fill_elements(f, field, ((rclite_string *)to)->data, count);
}

/* What a table does not have: zero; sequences and strings keep their memory for the next message.
 */
static void clear_field(const filler *f, const rclite_field *field, void *to) {
    if (field->array == RCLITE_ARRAY_SEQUENCE) {
        if (resize(field, to, 0) != RCLITE_OK) {
            luaL_error(f->L, "out of memory");
        }
        return;
    }
    size_t count = field->array == RCLITE_ARRAY_FIXED ? field->count : 1;
    for (size_t i = 0; i < count; i++) {
        char *element = (char *)to + i * field->element_bytes;
        if (field->kind == RCLITE_FIELD_MESSAGE) {
            const rclite_type_view *view = view_of(field->type, f->generation);
            for (uint32_t j = 0; view && j < view->field_count; j++) {
                clear_field(f, &view->fields[j], element + view->fields[j].offset_bytes);
            }
        } else if (field->kind == RCLITE_FIELD_STRING) {
            lua_pushliteral(f->L, "");
            fill_view(f, element);
            lua_pop(f->L, 1);
        } else {
            memset(element, 0, field->element_bytes);
        }
    }
}

static void fill_struct(const filler *f, int at, const rclite_type *type, void *message) {
    const rclite_type_view *view = view_of(type, f->generation);
    luaL_checkstack(f->L, 8, "message nested too deeply");
    for (uint32_t i = 0; view && i < view->field_count; i++) {
        const rclite_field *field = &view->fields[i];
        void *to = (char *)message + field->offset_bytes;
        lua_getfield(f->L, at, field->name);
        if (lua_isnil(f->L, -1)) {
            clear_field(f, field, to);
        } else if (field->array == RCLITE_ARRAY_SEQUENCE) {
            fill_sequence(f, field, to);
        } else if (field->array == RCLITE_ARRAY_FIXED) {
            fill_fixed(f, field, to);
        } else {
            fill_element(f, field, to);
        }
        lua_pop(f->L, 1);
    }
}

void binding_message_fill(
    lua_State *L, int at, const rclite_type *type, rclite_generation generation, void *message) {
    at = compat_absolute(L, at);
    luaL_checktype(L, at, LUA_TTABLE);
    fill_struct(&(filler){L, generation}, at, type, message);
}

/* ---- C to Lua ---- */

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
    if (is_bytes(field) && p->viewed) {
        binding_bytes_push_view(L, p->viewed, elements, count);
        return;
    }
    if (is_bytes(field)) {
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
    const rclite_type_view *view = view_of(type, p->generation);
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
