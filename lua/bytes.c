/* rclite.bytes: bytes without a Lua string, for messages too large to copy. Either memory of the
 * program's own, which it may change, or a view of an array of a message that a callback is looking
 * at, which it may only read and which ends with the callback. */
#include <string.h>

#include "binding.h"
#include "compat.h"

#define TYPE_NAME "rclite.bytes"

/* Behind it stands the memory, if it is the program's own. */
typedef struct bytes {
    uint8_t *data;
    size_t size;
    binding_object *viewed; /* the subscription whose message it is; NULL: own memory */
    uint64_t delivery;      /* which one, see binding_object */
} bytes;

static bytes *push(lua_State *L, size_t own_bytes) {
    bytes *b = lua_newuserdata(L, sizeof *b + own_bytes);
    *b = (bytes){.data = (uint8_t *)(b + 1), .size = own_bytes};
    luaL_getmetatable(L, TYPE_NAME);
    lua_setmetatable(L, -2);
    return b;
}

static bool is_bytes(lua_State *L, int at) {
    if (lua_type(L, at) != LUA_TUSERDATA || !lua_getmetatable(L, at)) {
        return false;
    }
    luaL_getmetatable(L, TYPE_NAME);
    bool equal = lua_rawequal(L, -1, -2);
    lua_pop(L, 2);
    return equal;
}

static bool is_valid(const bytes *b) {
    return !b->viewed || b->delivery == b->viewed->delivery;
}

static bytes *check(lua_State *L, int at) {
    bytes *b = luaL_checkudata(L, at, TYPE_NAME);
    if (!is_valid(b)) {
        luaL_error(L, "these bytes were valid in the callback only (tostring, sub and "
                      "rclite.bytes make copies that last)");
    }
    return b;
}

void binding_bytes_push_view(
    lua_State *L, binding_object *subscription, const void *data, size_t size) {
    bytes *b = push(L, 0);
    b->viewed = binding_object_reference(subscription);
    b->delivery = subscription->delivery;
    b->data = (uint8_t *)(uintptr_t)(data ? data : ""); /* only read: see set */
    b->size = size;
}

const void *binding_bytes_at(lua_State *L, int at, size_t *ret_size) {
    if (lua_type(L, at) == LUA_TSTRING) {
        return lua_tolstring(L, at, ret_size);
    }
    if (!is_bytes(L, at)) {
        return NULL;
    }
    const bytes *b = check(L, compat_absolute(L, at));
    *ret_size = b->size;
    return b->data;
}

/* ---- functions ---- */

/* rclite.bytes(size): zeros; rclite.bytes(string or bytes): a copy. */
int binding_bytes_new(lua_State *L) {
    size_t size = 0;
    const void *data = binding_bytes_at(L, 1, &size);
    if (data) {
        memcpy(push(L, size)->data, data, size);
        return 1;
    }
    double count = luaL_checknumber(L, 1);
    luaL_argcheck(L, count >= 0 && count <= 2147483647, 1, "a number of bytes, or bytes");
    memset(push(L, (size_t)count)->data, 0, (size_t)count);
    return 1;
}

static int collect(lua_State *L) {
    bytes *b = lua_touserdata(L, 1);
    if (b->viewed) {
        binding_object_unreference(b->viewed);
        b->viewed = NULL;
        b->size = 0;
    }
    return 0;
}

static int length(lua_State *L) {
    lua_pushinteger(L, (lua_Integer)check(L, 1)->size);
    return 1;
}

static int to_string(lua_State *L) {
    const bytes *b = check(L, 1);
    lua_pushlstring(L, (const char *)b->data, b->size);
    return 1;
}

/* A place as string.sub has it: from 1, negative from the end. */
static double place(const bytes *b, double at) {
    return at < 0 ? (double)b->size + at + 1 : at;
}

/* b:sub(first, last): a string. */
static int sub(lua_State *L) {
    const bytes *b = check(L, 1);
    double first = place(b, luaL_checknumber(L, 2));
    double last = place(b, luaL_optnumber(L, 3, -1));
    first = first < 1 ? 1 : first;
    last = last > (double)b->size ? (double)b->size : last;
    if (!(first <= last)) {
        lua_pushliteral(L, "");
        return 1;
    }
    size_t from = (size_t)first - 1;
    lua_pushlstring(L, (const char *)b->data + from, (size_t)last - from);
    return 1;
}

/* b:byte(at): a number from 0 to 255, or nil beyond the end. */
static int byte(lua_State *L) {
    const bytes *b = check(L, 1);
    double at = place(b, luaL_optnumber(L, 2, 1));
    if (!(at >= 1 && at <= (double)b->size)) {
        return 0;
    }
    lua_pushinteger(L, b->data[(size_t)at - 1]);
    return 1;
}

/* b:set(at, string, bytes or number from 0 to 255) */
static int set(lua_State *L) {
    bytes *b = check(L, 1);
    luaL_argcheck(L, !b->viewed, 1, "the bytes of a received message cannot be changed");
    double at = place(b, luaL_checknumber(L, 2));
    luaL_argcheck(L, at >= 1 && at <= (double)b->size + 1, 2, "beyond the bytes");
    size_t size = 1;
    uint8_t number = 0;
    const void *data = lua_type(L, 3) == LUA_TNUMBER ? NULL : binding_bytes_at(L, 3, &size);
    if (!data) {
        double value = luaL_checknumber(L, 3);
        luaL_argcheck(L, value >= 0 && value <= 255, 3, "0 to 255, a string, or bytes");
        number = (uint8_t)value;
        data = &number;
    }
    size_t from = (size_t)at - 1;
    luaL_argcheck(L, size <= b->size - from, 3, "more than there is room for");
    memmove(b->data + from, data, size);
    return 0;
}

/* b:address(): for LuaJIT's ffi.cast and other modules in C; valid as long as b is. */
static int address(lua_State *L) {
    lua_pushlightuserdata(L, check(L, 1)->data);
    return 1;
}

static int valid(lua_State *L) {
    lua_pushboolean(L, is_valid(luaL_checkudata(L, 1, TYPE_NAME)));
    return 1;
}

void binding_bytes_open(lua_State *L) {
    static const luaL_Reg meta[] = {
        {"__gc", collect}, {"__len", length}, {"__tostring", to_string}, {NULL, NULL}};
    static const luaL_Reg methods[] = {{"sub", sub}, {"byte", byte}, {"set", set},
        {"address", address}, {"is_valid", valid}, {NULL, NULL}};
    luaL_newmetatable(L, TYPE_NAME);
    compat_functions(L, meta);
    lua_newtable(L);
    compat_functions(L, methods);
    lua_setfield(L, -2, "__index");
    lua_pop(L, 1);
}
