/* Test support; see random_message.h. */
#include "types/random_message.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "types/buffer.h"
#include "types/message.h"

uint64_t random_next(random_source *source) {
    /* xorshift64* */
    source->state ^= source->state >> 12;
    source->state ^= source->state << 25;
    source->state ^= source->state >> 27;
    return source->state * UINT64_C(2685821657736338717);
}

static rclite_result random_string(random_source *source, const rclite_field *field,
    rclite_string *string, const rclite_allocator *allocator) {
    char text[12];
    size_t bound = field->string_bound && field->string_bound < 11 ? field->string_bound : 11;
    size_t size = random_next(source) % (bound + 1);
    for (size_t i = 0; i < size; i++) {
        text[i] = (char)('!' + random_next(source) % 90);
    }
    text[size] = '\0';
    return rclite_string_assign(string, text, allocator);
}

static rclite_result random_element(random_source *source, const rclite_field *field,
    rclite_generation generation, void *element, const rclite_allocator *allocator) {
    uint64_t value = random_next(source);
    switch (field->kind) {
    case RCLITE_FIELD_MESSAGE:
        return random_message(source, field->type, generation, element, allocator);
    case RCLITE_FIELD_STRING:
        return random_string(source, field, element, allocator);
    case RCLITE_FIELD_BOOL:
        *(bool *)element = value & 1;
        break;
    case RCLITE_FIELD_TIME:
    case RCLITE_FIELD_DURATION:
        *(rclite_time *)element =
            (rclite_time){(int32_t)value, (uint32_t)((value >> 32) % 1000000000)};
        break;
    default:
        memcpy(element, &value, field->element_bytes);
        break;
    }
    return RCLITE_OK;
}

rclite_result random_message(random_source *source, const rclite_type *type,
    rclite_generation generation, void *message, const rclite_allocator *allocator) {
    const rclite_type_view *view = rclitei_type_view(type, generation);
    rclite_allocator memory = rclitei_allocator_or_default(allocator);
    rclite_result result = RCLITE_OK;
    for (uint32_t i = 0; i < view->field_count && result == RCLITE_OK; i++) {
        const rclite_field *field = &view->fields[i];
        char *address = (char *)message + field->offset_bytes;
        size_t count = field->array == RCLITE_ARRAY_FIXED ? field->count : 1;
        if (field->array == RCLITE_ARRAY_SEQUENCE) {
            rclite_uint8_sequence *sequence = (void *)address;
            count = random_next(source) % 5;
            count = field->count && count > field->count ? field->count : count;
            result = rclitei_buffer_reserve(
                sequence, count, field->element_bytes, field->kind >= RCLITE_FIELD_STRING, &memory);
            if (result != RCLITE_OK) {
                break;
            }
            sequence->size = count;
            address = (char *)sequence->data;
        }
        for (size_t n = 0; n < count && result == RCLITE_OK; n++) {
            result = random_element(
                source, field, generation, address + n * field->element_bytes, allocator);
        }
    }
    return result;
}

static size_t each_file(const char *folder, const char *package, const char *kind,
    void (*visit)(const char *name, void *user), void *user) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s/%s", folder, package, kind);
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, alphasort);
    size_t visited = 0;
    for (int i = 0; i < count; i++) {
        char *dot = strrchr(entries[i]->d_name, '.');
        if (dot && strcmp(dot + 1, kind) == 0) {
            *dot = '\0';
            char name[600];
            snprintf(name, sizeof name, "%.200s/%.20s/%.255s", package, kind, entries[i]->d_name);
            visit(name, user);
            visited++;
        }
        free(entries[i]);
    }
    if (count >= 0) {
        free(entries);
    }
    return visited;
}

size_t each_definition(
    const char *folder, const char *kind, void (*visit)(const char *name, void *user), void *user) {
    struct dirent **packages;
    int count = scandir(folder, &packages, NULL, alphasort);
    size_t visited = 0;
    for (int i = 0; i < count; i++) {
        if (packages[i]->d_name[0] != '.') {
            visited += each_file(folder, packages[i]->d_name, kind, visit, user);
        }
        free(packages[i]);
    }
    if (count >= 0) {
        free(packages);
    }
    return visited;
}
