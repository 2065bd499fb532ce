/* ROS 1's md5sum and message_definition, as genmsg makes them. */
#include <string.h>

#include "types/describe.h"
#include "types/digest.h"

#define SEPARATOR                                                                                  \
    "================================================================================\n"

/* Constants, then fields; a nested type is replaced by its md5sum, array or not. */
static void add_md5_text(rclitei_text *text, const rclitei_section *section) {
    size_t begin = text->size;
    for (uint32_t i = 0; i < section->constant_count; i++) {
        const rclitei_constant *constant = &section->constants[i];
        rclitei_text_format(
            text, "%s %s=%s\n", constant->type_text, constant->name, constant->value);
    }
    for (uint32_t i = 0; i < section->member_count; i++) {
        const rclitei_member *member = &section->members[i];
        rclitei_text_format(text, "%s %s\n",
            member->spec ? member->spec->fingerprint : member->type_text, member->name);
    }
    if (!text->failed && text->size > begin) {
        text->data[--text->size] = '\0';
    }
}

static const char *finish_md5(rclitei_text *text, rclitei_arena *arena) {
    char hex[33];
    rclitei_md5_hex(text->data ? text->data : "", text->size, hex);
    return text->failed ? NULL : rclitei_arena_copy(arena, hex, 32);
}

typedef struct spec_list {
    const rclitei_spec **items;
    size_t count;
} spec_list;

static void collect(spec_list *list, const rclitei_spec *spec, size_t capacity) {
    for (uint32_t i = 0; i < spec->section.member_count; i++) {
        const rclitei_spec *nested = spec->section.members[i].spec;
        size_t known = 0;
        while (nested && known < list->count && list->items[known] != nested) {
            known++;
        }
        if (nested && known == list->count && list->count < capacity) {
            list->items[list->count++] = nested;
            collect(list, nested, capacity);
        }
    }
}

static void add_definition(rclitei_text *text, const rclitei_spec *spec, spec_list *list) {
    collect(list, spec, RCLITEI_MEMBERS_MAX);
    rclitei_text_add(text, spec->section.text);
    for (size_t i = 0; i < list->count; i++) {
        rclitei_text_format(text, "\n" SEPARATOR "MSG: %s\n%s", list->items[i]->wire_name,
            list->items[i]->section.text);
    }
}

rclite_result rclitei_describe_ros1(rclitei_spec *spec, rclitei_arena *arena) {
    rclitei_text text;
    rclitei_text_init(&text, &arena->memory);
    add_md5_text(&text, &spec->section);
    spec->fingerprint = finish_md5(&text, arena);
    rclitei_text_done(&text);

    spec_list list = {.items = arena->memory.reallocate(
                          arena->memory.state, NULL, RCLITEI_MEMBERS_MAX * sizeof *list.items)};
    if (!list.items) {
        return RCLITE_ERR_NO_MEMORY;
    }
    add_definition(&text, spec, &list);
    if (!text.failed) {
        spec->definition = rclitei_arena_copy(arena, text.data ? text.data : "", text.size);
    }
    rclitei_text_done(&text);
    arena->memory.reallocate(arena->memory.state, list.items, 0);
    return spec->fingerprint && spec->definition ? RCLITE_OK : RCLITE_ERR_NO_MEMORY;
}

rclite_result rclitei_describe_ros1_service(rclitei_service_spec *service, rclitei_arena *arena) {
    rclitei_text text;
    rclitei_text_init(&text, &arena->memory);
    add_md5_text(&text, &service->request->section);
    add_md5_text(&text, &service->response->section);
    service->fingerprint = finish_md5(&text, arena);
    rclitei_text_done(&text);
    return service->fingerprint ? RCLITE_OK : RCLITE_ERR_NO_MEMORY;
}
