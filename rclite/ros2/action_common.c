/* Goal table, UUIDs, wrapper layouts and scratch memory of the actions. */
#include "ros2/action_common.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "core/memory.h"

#define BUCKET_COUNT_FIRST 64u

/* ---- goals by UUID -------------------------------------------------------------------------- */

static void fill_random(void *memory, size_t size_bytes) {
    /* Up to 256 bytes it neither fails nor is interrupted, once the kernel's pool is ready. */
    while (getrandom(memory, size_bytes, 0) != (ssize_t)size_bytes) {
    }
}

void ros2_goal_table_init(ros2_goal_table *table) {
    memset(table, 0, sizeof *table);
    fill_random(&table->seed, sizeof table->seed);
}

void ros2_goal_table_done(ros2_goal_table *table, const rclite_allocator *allocator) {
    table->buckets = rclitei_release(allocator, table->buckets);
    table->bucket_count = 0;
    table->count = 0;
}

static size_t bucket_of(const ros2_goal_table *table, const uint8_t *uuid) {
    uint64_t half[2];
    memcpy(half, uuid, sizeof half);
    uint64_t mixed = (half[0] ^ table->seed) * UINT64_C(0x9e3779b97f4a7c15);
    mixed = (mixed ^ (mixed >> 29) ^ half[1]) * UINT64_C(0xbf58476d1ce4e5b9);
    return (size_t)(mixed >> 32) & (table->bucket_count - 1);
}

ros2_goal_entry *ros2_goal_table_find(const ros2_goal_table *table, const uint8_t *uuid) {
    if (table->bucket_count == 0) {
        return NULL;
    }
    ros2_goal_entry *entry = table->buckets[bucket_of(table, uuid)];
    while (entry && memcmp(entry->uuid, uuid, ROS2_UUID_BYTES) != 0) {
        entry = entry->next;
    }
    return entry;
}

static void put(ros2_goal_table *table, ros2_goal_entry *entry) {
    ros2_goal_entry **bucket = &table->buckets[bucket_of(table, entry->uuid)];
    entry->next = *bucket;
    *bucket = entry;
}

static bool grow(ros2_goal_table *table, const rclite_allocator *allocator) {
    ros2_goal_table old = *table;
    size_t count = old.bucket_count ? 2 * old.bucket_count : BUCKET_COUNT_FIRST;
    table->buckets = rclitei_allocate(allocator, count * sizeof *table->buckets);
    if (!table->buckets) {
        *table = old;
        return false;
    }
    table->bucket_count = count;
    for (size_t i = 0; i < old.bucket_count; i++) {
        for (ros2_goal_entry *entry = old.buckets[i], *next; entry; entry = next) {
            next = entry->next;
            put(table, entry);
        }
    }
    rclitei_release(allocator, old.buckets);
    return true;
}

bool ros2_goal_table_add(
    ros2_goal_table *table, const rclite_allocator *allocator, ros2_goal_entry *entry) {
    if (table->count == table->bucket_count && !grow(table, allocator)) {
        return false;
    }
    put(table, entry);
    table->count += 1;
    return true;
}

void ros2_goal_table_remove(ros2_goal_table *table, ros2_goal_entry *entry) {
    ros2_goal_entry **at = &table->buckets[bucket_of(table, entry->uuid)];
    while (*at != entry) {
        at = &(*at)->next;
    }
    *at = entry->next;
    table->count -= 1;
}

ros2_goal_entry *ros2_goal_table_any(const ros2_goal_table *table) {
    for (size_t i = 0; table->count > 0 && i < table->bucket_count; i++) {
        if (table->buckets[i]) {
            return table->buckets[i];
        }
    }
    return NULL;
}

char *ros2_action_name(const rclite_allocator *allocator, const char *action, const char *which,
    rclite_error *reterr) {
    char *name = rclitei_format(allocator, "%s/_action/%s", action, which);
    if (!name) {
        rclitei_fail(reterr, RCLITE_ERR_NO_MEMORY, 0, "no memory for the name of %s of action %s",
            which, action);
    }
    return name;
}

void ros2_uuid_make(uint8_t *uuid) {
    fill_random(uuid, ROS2_UUID_BYTES);
    uuid[6] = (uint8_t)((uuid[6] & 0x0f) | 0x40);
    uuid[8] = (uint8_t)((uuid[8] & 0x3f) | 0x80);
}

void ros2_uuid_text(const uint8_t *uuid, char *text, size_t capacity) {
    static const char digits[] = "0123456789abcdef";
    char all[2 * ROS2_UUID_BYTES + 5], *to = all;
    for (size_t i = 0; i < ROS2_UUID_BYTES; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10) {
            *to++ = '-';
        }
        *to++ = digits[uuid[i] >> 4];
        *to++ = digits[uuid[i] & 15];
    }
    *to = '\0';
    snprintf(text, capacity, "%s", all);
}

/* ---- wrapper types -------------------------------------------------------------------------- */

/* One field that a wrapper must have. */
typedef struct expected_field {
    const rclite_type *type;
    const char *name;
    rclite_field_kind kind;
    size_t size_bytes; /* of the field in the C struct */
    size_t *ret_offset;
} expected_field;

static bool find_field(const expected_field *expected) {
    const rclite_type_view *view = expected->type->ros2;
    for (uint32_t i = 0; view && i < view->field_count; i++) {
        const rclite_field *field = &view->fields[i];
        if (strcmp(field->name, expected->name) == 0) {
            *expected->ret_offset = field->offset_bytes;
            return field->kind == expected->kind && field->array == RCLITE_ARRAY_NONE &&
                   field->element_bytes == expected->size_bytes;
        }
    }
    return false;
}

rclite_result ros2_action_layout_read(
    const rclite_action_type *type, ros2_action_layout *ret_layout, rclite_error *reterr) {
    const rclite_type *request = type->ros2_send_goal->request;
    const rclite_type *response = type->ros2_send_goal->response;
    const rclite_type *result = type->ros2_get_result->response;
    const rclite_type *feedback = type->ros2_feedback_message;
    ros2_action_layout layout;
    const expected_field fields[] = {
        {request, "goal_id", RCLITE_FIELD_MESSAGE, ROS2_UUID_BYTES, &layout.request_id},
        {request, "goal", RCLITE_FIELD_MESSAGE, type->goal->size_bytes, &layout.request_goal},
        {response, "accepted", RCLITE_FIELD_BOOL, sizeof(bool), &layout.response_accepted},
        {response, "stamp", RCLITE_FIELD_TIME, sizeof(rclite_time), &layout.response_stamp},
        {type->ros2_get_result->request, "goal_id", RCLITE_FIELD_MESSAGE, ROS2_UUID_BYTES,
            &layout.result_request_id},
        {result, "status", RCLITE_FIELD_INT8, sizeof(int8_t), &layout.result_status},
        {result, "result", RCLITE_FIELD_MESSAGE, type->result->size_bytes, &layout.result_result},
        {feedback, "goal_id", RCLITE_FIELD_MESSAGE, ROS2_UUID_BYTES, &layout.feedback_id},
        {feedback, "feedback", RCLITE_FIELD_MESSAGE, type->feedback->size_bytes,
            &layout.feedback_feedback},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (!find_field(&fields[i])) {
            return rclitei_fail(reterr, RCLITE_ERR_TYPE, 0,
                "action type %s: %s has no field %s of the right kind", type->name,
                fields[i].type->name, fields[i].name);
        }
    }
    *ret_layout = layout;
    return RCLITE_OK;
}

/* ---- scratch -------------------------------------------------------------------------------- */

void ros2_scratch_init(ros2_scratch *scratch, const rclite_action_type *type) {
    const size_t sizes[] = {sizeof(void *), type->ros2_send_goal->request->size_bytes,
        type->ros2_get_result->request->size_bytes, type->ros2_feedback_message->size_bytes};
    pthread_mutex_init(&scratch->lock, NULL);
    scratch->free = NULL;
    scratch->size_bytes = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        scratch->size_bytes = sizes[i] > scratch->size_bytes ? sizes[i] : scratch->size_bytes;
    }
}

void ros2_scratch_done(ros2_scratch *scratch, const rclite_allocator *allocator) {
    while (scratch->free) {
        void *memory = scratch->free;
        memcpy(&scratch->free, memory, sizeof scratch->free);
        rclitei_release(allocator, memory);
    }
    pthread_mutex_destroy(&scratch->lock);
}

void *ros2_scratch_take(ros2_scratch *scratch, const rclite_allocator *allocator) {
    pthread_mutex_lock(&scratch->lock);
    void *memory = scratch->free;
    if (memory) {
        memcpy(&scratch->free, memory, sizeof scratch->free);
    }
    pthread_mutex_unlock(&scratch->lock);
    return memory ? memory : rclitei_allocate(allocator, scratch->size_bytes);
}

void ros2_scratch_give(ros2_scratch *scratch, void *memory) {
    pthread_mutex_lock(&scratch->lock);
    memcpy(memory, &scratch->free, sizeof scratch->free);
    scratch->free = memory;
    pthread_mutex_unlock(&scratch->lock);
}
