/* The status message of an action server, kept ready; see status_list.h. On the wire: header (seq,
 * stamp, frame_id), number of goals, and for each goal its stamp, id, status and text (empty). */
#include "ros1/status_list.h"

#include <string.h>

#include "core/memory.h"
#include "ros1/header.h"

#define HEAD_BYTES ((size_t)20)
#define COUNT_OFFSET ((size_t)16)

static size_t entry_bytes(const struct ros1_goal_entry *entry) {
    return 8 + 4 + (size_t)entry->id_bytes + 1 + 4;
}

static uint32_t hash_of(const char *id, size_t id_bytes) {
    uint32_t hash = UINT32_C(2166136261); /* FNV-1a */
    for (size_t i = 0; i < id_bytes; i++) {
        hash = (hash ^ (uint8_t)id[i]) * UINT32_C(16777619);
    }
    return hash;
}

static void write_time(uint8_t *bytes, rclite_time time) {
    rclitei_u32_write(bytes, (uint32_t)time.sec);
    rclitei_u32_write(bytes + 4, time.nanosec);
}

rclite_result rclitei_ros1_status_init(
    struct ros1_status_list *list, const rclite_allocator *allocator) {
    list->allocator = *allocator;
    list->capacity = 1024;
    list->size = HEAD_BYTES;
    list->bytes = rclitei_allocate(allocator, list->capacity);
    return list->bytes ? RCLITE_OK : RCLITE_ERR_NO_MEMORY;
}

void rclitei_ros1_status_done(struct ros1_status_list *list) {
    for (size_t i = 0; i < list->count; i++) {
        rclitei_release(&list->allocator, list->entries[i]);
    }
    while (list->free_entries) {
        struct ros1_goal_entry *next = list->free_entries->next_free;
        rclitei_release(&list->allocator, list->free_entries);
        list->free_entries = next;
    }
    if (list->allocator.reallocate) {
        rclitei_release(&list->allocator, list->bytes);
        rclitei_release(&list->allocator, list->entries);
        rclitei_release(&list->allocator, list->hashes);
    }
}

static void *resize(struct ros1_status_list *list, void *memory, size_t bytes) {
    return list->allocator.reallocate(list->allocator.state, memory, bytes);
}

static bool reserve(struct ros1_status_list *list, size_t more_bytes) {
    if (list->count == list->entry_capacity) {
        size_t capacity = list->entry_capacity ? 2 * list->entry_capacity : 32;
        void *entries = resize(list, list->entries, capacity * sizeof *list->entries);
        if (!entries) {
            return false;
        }
        list->entries = entries;
        void *hashes = resize(list, list->hashes, capacity * sizeof *list->hashes);
        if (!hashes) {
            return false;
        }
        list->hashes = hashes;
        list->entry_capacity = capacity;
    }
    if (list->capacity - list->size < more_bytes) {
        size_t capacity = 2 * list->capacity + more_bytes;
        void *bytes = resize(list, list->bytes, capacity);
        if (!bytes) {
            return false;
        }
        list->bytes = bytes;
        list->capacity = capacity;
    }
    return true;
}

struct ros1_goal_entry *rclitei_ros1_status_add(struct ros1_status_list *list, rclite_time stamp,
    const char *id, size_t id_bytes, uint8_t status) {
    struct ros1_goal_entry *entry = list->free_entries;
    if (!reserve(list, 8 + 4 + id_bytes + 1 + 4)) {
        return NULL;
    }
    if (entry) {
        list->free_entries = entry->next_free;
    } else {
        entry = rclitei_allocate(&list->allocator, sizeof *entry);
        if (!entry) {
            return NULL;
        }
    }
    *entry = (struct ros1_goal_entry){
        .stamp = stamp, .status = status, .id_bytes = (uint32_t)id_bytes, .offset = list->size};
    uint8_t *at = list->bytes + list->size;
    write_time(at, stamp);
    rclitei_u32_write(at + 8, entry->id_bytes);
    memcpy(at + 12, id, id_bytes);
    at[12 + id_bytes] = status;
    rclitei_u32_write(at + 13 + id_bytes, 0);
    list->size += entry_bytes(entry);
    list->entries[list->count] = entry;
    list->hashes[list->count] = hash_of(id, id_bytes);
    list->count++;
    return entry;
}

const char *rclitei_ros1_status_id(
    const struct ros1_status_list *list, const struct ros1_goal_entry *entry) {
    return (const char *)list->bytes + entry->offset + 12;
}

struct ros1_goal_entry *rclitei_ros1_status_find(
    const struct ros1_status_list *list, const char *id, size_t id_bytes) {
    uint32_t hash = hash_of(id, id_bytes);
    for (size_t i = 0; i < list->count; i++) {
        if (list->hashes[i] == hash) {
            struct ros1_goal_entry *entry = list->entries[i];
            if (entry->id_bytes == id_bytes &&
                memcmp(rclitei_ros1_status_id(list, entry), id, id_bytes) == 0) {
                return entry;
            }
        }
    }
    return NULL;
}

void rclitei_ros1_status_set(
    struct ros1_status_list *list, struct ros1_goal_entry *entry, uint8_t status) {
    entry->status = status;
    list->bytes[entry->offset + 12 + entry->id_bytes] = status;
}

void rclitei_ros1_status_expire(struct ros1_status_list *list, int64_t before_ns) {
    size_t kept = 0;
    size_t size = HEAD_BYTES;
    for (size_t i = 0; i < list->count; i++) {
        struct ros1_goal_entry *entry = list->entries[i];
        if (entry->finished_ns != 0 && entry->finished_ns < before_ns) {
            entry->next_free = list->free_entries;
            list->free_entries = entry;
            continue;
        }
        if (entry->offset != size) {
            memmove(list->bytes + size, list->bytes + entry->offset, entry_bytes(entry));
            entry->offset = size;
        }
        size += entry_bytes(entry);
        list->entries[kept] = entry;
        list->hashes[kept] = list->hashes[i];
        kept++;
    }
    list->count = kept;
    list->size = size;
}

const uint8_t *rclitei_ros1_status_message(
    struct ros1_status_list *list, rclite_time stamp, size_t *ret_size) {
    rclitei_u32_write(list->bytes, list->sequence++);
    write_time(list->bytes + 4, stamp);
    rclitei_u32_write(list->bytes + 12, 0); /* frame_id */
    rclitei_u32_write(list->bytes + COUNT_OFFSET, (uint32_t)list->count);
    *ret_size = list->size;
    return list->bytes;
}
