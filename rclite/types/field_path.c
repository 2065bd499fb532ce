/* Finding a field of a message by its path: names divided by dots, indexes in brackets. */
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "types/message.h"

/* Where the walk is. */
typedef struct walk {
    const rclite_type *type;
    char *message;
    const char *path; /* the whole, for errors */
    const char *rest;
    rclite_generation generation;
    rclite_error *reterr;
} walk;

static const rclite_field *find_field(const walk *w, size_t name_size) {
    const rclite_type_view *view = rclitei_type_view(w->type, w->generation);
    for (uint32_t i = 0; view && i < view->field_count; i++) {
        if (strlen(view->fields[i].name) == name_size &&
            memcmp(view->fields[i].name, w->rest, name_size) == 0) {
            return &view->fields[i];
        }
    }
    return NULL;
}

static size_t element_count(const rclite_field *field, const void *address) {
    const rclite_uint8_sequence *sequence = address;
    return field->array == RCLITE_ARRAY_SEQUENCE ? sequence->size
           : field->array == RCLITE_ARRAY_FIXED  ? field->count
                                                 : 0;
}

/* "[n]" behind a field's name: moves address to the element. */
static rclite_result take_index(walk *w, const rclite_field *field, char **address) {
    char *end;
    unsigned long long index = strtoull(w->rest + 1, &end, 10);
    if (w->rest[1] < '0' || w->rest[1] > '9' || *end != ']') {
        return rclitei_fail(w->reterr, RCLITE_ERR_INVALID, 0,
            "the index in '%.120s' is not a number in brackets", w->path);
    }
    size_t count = element_count(field, *address);
    if (index >= count) {
        return rclitei_fail(w->reterr, RCLITE_ERR_INVALID, 0,
            "'%.100s': field '%s' has %zu elements, there is no [%llu]", w->path, field->name,
            count, index);
    }
    if (field->array == RCLITE_ARRAY_SEQUENCE) {
        *address = (char *)((rclite_uint8_sequence *)(void *)*address)->data;
    }
    *address += index * field->element_bytes;
    w->rest = end + 1;
    return RCLITE_OK;
}

rclite_result rclite_message_field(const rclite_type *type, rclite_generation generation,
    void *message, const char *path, const rclite_field **ret_field, void **ret_address,
    rclite_error *reterr) {
    if (!type || !message || !path || !ret_field || !ret_address) {
        return rclitei_fail(reterr, RCLITE_ERR_INVALID, 0, "an argument is NULL");
    }
    if (!rclitei_type_view(type, generation)) {
        return rclitei_fail(reterr, RCLITE_ERR_TYPE, 0, "%s is not known in ROS %d", type->name,
            generation == RCLITE_ROS1 ? 1 : 2);
    }
    walk w = {type, message, path, path, generation, reterr};
    for (;;) {
        size_t name_size = strcspn(w.rest, ".[");
        const rclite_field *field = find_field(&w, name_size);
        if (!field) {
            return rclitei_fail(reterr, RCLITE_ERR_INVALID, 0,
                "%s has no field '%.*s' (in '%.100s')", w.type->name,
                (int)(name_size < 80 ? name_size : 80), w.rest, path);
        }
        char *address = w.message + field->offset_bytes;
        bool indexed = w.rest[name_size] == '[';
        w.rest += name_size;
        if (indexed) {
            rclite_result result = take_index(&w, field, &address);
            if (result != RCLITE_OK) {
                return result;
            }
        }
        if (*w.rest == '\0') {
            *ret_field = field;
            *ret_address = address;
            return RCLITE_OK;
        }
        if (*w.rest != '.' || field->kind != RCLITE_FIELD_MESSAGE ||
            (field->array != RCLITE_ARRAY_NONE && !indexed)) {
            return rclitei_fail(reterr, RCLITE_ERR_INVALID, 0,
                "'%.100s': field '%s' is not one message, nothing is inside it", path, field->name);
        }
        w.type = field->type;
        w.message = address;
        w.rest++;
    }
}
