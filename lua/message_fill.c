/* Messages from Lua tables to C, the other way of message.c. Arrays of uint8 and int8 may be
 * strings, rclite.bytes, or tables of numbers. A field that a table does not have is zero; a number
 * that does not fit its field is an error. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "binding.h"
#include "compat.h"

#define TWO_TO_63 9223372036854775808.0

typedef struct filler {
    lua_State *L;
    rclite_generation generation;
} filler;

static void fill_struct(const filler *f, int at, const rclite_type *type, void *message);

static void wrong(const filler *f, const rclite_field *field, const char *expected) {
    luaL_error(
        f->L, "field '%s': %s expected, got %s", field->name, expected, luaL_typename(f->L, -1));
}

typedef struct integer_range {
    double min, max;
} integer_range;

static integer_range range_of(rclite_field_kind kind) {
    switch (kind) {
    case RCLITE_FIELD_INT8:
        return (integer_range){INT8_MIN, INT8_MAX};
    case RCLITE_FIELD_UINT8:
        return (integer_range){0, UINT8_MAX};
    case RCLITE_FIELD_INT16:
        return (integer_range){INT16_MIN, INT16_MAX};
    case RCLITE_FIELD_UINT16:
        return (integer_range){0, UINT16_MAX};
    case RCLITE_FIELD_INT32:
        return (integer_range){INT32_MIN, INT32_MAX};
    case RCLITE_FIELD_UINT32:
        return (integer_range){0, UINT32_MAX};
    case RCLITE_FIELD_INT64:
        return (integer_range){-TWO_TO_63, TWO_TO_63};
    default:
        return (integer_range){0, 2 * TWO_TO_63};
    }
}

/* Of the number at the top of the stack. An integer of Lua 5.4 that is meant for uint64 may be
 * negative: its bits are taken. A double that stands for the largest 64-bit number, as it came from
 * a message, is one too many; it becomes that number. */
static int64_t to_integer(const filler *f, const char *name, rclite_field_kind kind) {
    bool is_64 = kind == RCLITE_FIELD_INT64 || kind == RCLITE_FIELD_UINT64;
    if (is_64 && compat_is_integer(f->L, -1)) {
        return (int64_t)lua_tointeger(f->L, -1);
    }
    integer_range range = range_of(kind);
    double value = lua_tonumber(f->L, -1);
    bool is_number = lua_isnumber(f->L, -1) || lua_isnil(f->L, -1);
    if (!is_number || !(value >= range.min && value <= range.max) || value != floor(value)) {
        char expected[64];
        snprintf(expected, sizeof expected, "%.0f to %.0f", range.min, range.max);
        luaL_error(f->L, "field '%s': a whole number from %s expected, got %s", name, expected,
            is_number ? lua_tostring(f->L, -1) : luaL_typename(f->L, -1));
    }
    if (kind == RCLITE_FIELD_UINT64) {
        return value == range.max ? -1 : (int64_t)(uint64_t)value;
    }
    return value == TWO_TO_63 ? INT64_MAX : (int64_t)value;
}

/* The pair {sec, nanosec} on the top of the stack; what it lacks is 0. */
static void fill_time(const filler *f, const rclite_field *field, rclite_time *time) {
    if (!lua_istable(f->L, -1)) {
        wrong(f, field, "{sec=, nanosec=}");
    }
    lua_getfield(f->L, -1, "nanosec");
    time->nanosec = (uint32_t)to_integer(f, "nanosec", RCLITE_FIELD_UINT32);
    lua_getfield(f->L, -2, "sec");
    time->sec = (int32_t)to_integer(f, "sec", RCLITE_FIELD_INT32);
    lua_pop(f->L, 2);
}

static void store_number(const filler *f, const rclite_field *field, void *to) {
    rclite_field_kind kind = field->kind;
    if (kind == RCLITE_FIELD_FLOAT32) {
        *(float *)to = (float)lua_tonumber(f->L, -1);
        return;
    }
    if (kind == RCLITE_FIELD_FLOAT64) {
        *(double *)to = lua_tonumber(f->L, -1);
        return;
    }
    int64_t integer = to_integer(f, field->name, kind);
    switch (kind) {
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
        store_number(f, field, to);
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
    const void *data = binding_is_bytes(field) ? binding_bytes_at(f->L, -1, &size) : NULL;
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
    const void *data = binding_is_bytes(field) ? binding_bytes_at(f->L, -1, &size) : NULL;
    if (data) {
        set_view(to, data, size);
        return;
    }
    if (!lua_istable(f->L, -1)) {
        wrong(f, field, binding_is_bytes(field) ? "string, bytes or table" : "table");
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
            const rclite_type_view *view = binding_type_view(field->type, f->generation);
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
    const rclite_type_view *view = binding_type_view(type, f->generation);
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
