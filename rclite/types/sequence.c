/* Strings and sequences of messages: assigning and resizing. */
#include <string.h>

#include "rclite/type.h"

static rclite_allocator allocator_or_default(const rclite_allocator *allocator) {
    return allocator ? *allocator : rclite_allocator_default();
}

rclite_result rclite_string_assign(
    rclite_string *string, const char *text, const rclite_allocator *allocator) {
    if (!string || !text) {
        return RCLITE_ERR_INVALID;
    }
    size_t size = strlen(text);
    if (string->capacity < size + 1) {
        rclite_allocator memory = allocator_or_default(allocator);
        char *owned = string->capacity ? string->data : NULL;
        char *data = memory.reallocate(memory.state, owned, size + 1);
        if (!data) {
            return RCLITE_ERR_NO_MEMORY;
        }
        string->data = data;
        string->capacity = size + 1;
    }
    memcpy(string->data, text, size + 1);
    string->size = size;
    return RCLITE_OK;
}
