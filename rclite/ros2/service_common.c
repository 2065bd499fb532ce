/* What service servers and clients share: identities, the request header, matched endpoints. */
#include <string.h>

#include "core/memory.h"
#include "ros2/ros2.h"

char *ros2_identity(ros2_context *context, const char *key) {
    /* The participant's GUID with a counter in place of the entity id; only its uniqueness counts,
     * but rmw_cyclonedds writes it in this form. */
    uint8_t id[16];
    memcpy(id, context->guid.v, 12);
    const uint32_t count = atomic_fetch_add(&context->service_id_count, 1) + 1;
    for (size_t i = 0; i < 4; i++) {
        id[12 + i] = (uint8_t)(count >> (24 - 8 * i));
    }
    ros2_text text = {.allocator = &context->base.allocator};
    ros2_text_add(&text, "%s=%2x", key, id[0]);
    for (size_t i = 1; i < sizeof id; i++) {
        ros2_text_add(&text, ".%x", id[i]);
    }
    ros2_text_add(&text, ";");
    if (text.failed) {
        ros2_text_done(&text);
    }
    return text.data;
}

static uint64_t read_u64(const uint8_t *bytes, bool big_endian) {
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
    const bool swap = big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
    return swap ? __builtin_bswap64(value) : value;
}

bool ros2_request_open(const ros2_serdata *serdata, ros2_request_header *ret_header,
    const uint8_t **ret_body, size_t *ret_body_bytes, bool *ret_big_endian) {
    const uint8_t *body = NULL;
    size_t body_bytes = 0;
    if (!ros2_serdata_open(serdata, &body, &body_bytes, ret_big_endian) ||
        body_bytes < sizeof *ret_header) {
        return false;
    }
    ret_header->client = read_u64(body, *ret_big_endian);
    ret_header->sequence = (int64_t)read_u64(body + 8, *ret_big_endian);
    *ret_body = body + sizeof *ret_header;
    *ret_body_bytes = body_bytes - sizeof *ret_header;
    return true;
}

bool ros2_is_fastdds(const dds_guid_t *participant) {
    return participant->v[0] == 0x01 && participant->v[1] == 0x0f; /* eProsima's vendor id */
}

/* ---- matched endpoints ---------------------------------------------------------------------- */

typedef dds_return_t (*matched_handles)(dds_entity_t, dds_instance_handle_t *, size_t);
typedef dds_builtintopic_endpoint_t *(*matched_data)(dds_entity_t, dds_instance_handle_t);

static void visit_matched(dds_entity_t entity, matched_handles handles_of, matched_data data_of,
    const rclite_allocator *allocator, ros2_endpoint_visitor visit, void *user) {
    const dds_return_t expected = handles_of(entity, NULL, 0);
    if (expected <= 0) {
        return;
    }
    dds_instance_handle_t *handles =
        rclitei_allocate(allocator, (size_t)expected * sizeof *handles);
    if (!handles) {
        return;
    }
    dds_return_t count = handles_of(entity, handles, (size_t)expected);
    count = count < expected ? count : expected;
    bool go_on = true;
    for (dds_return_t i = 0; go_on && i < count; i++) {
        dds_builtintopic_endpoint_t *endpoint = data_of(entity, handles[i]);
        if (endpoint) {
            go_on = visit(endpoint, user);
            dds_builtintopic_free_endpoint(endpoint);
        }
    }
    rclitei_release(allocator, handles);
}

void ros2_writer_visit_readers(ros2_writer *writer, ros2_endpoint_visitor visit, void *user) {
    visit_matched(writer->entity, dds_get_matched_subscriptions, dds_get_matched_subscription_data,
        &writer->context->base.allocator, visit, user);
}

void ros2_reader_visit_writers(ros2_reader *reader, const rclite_allocator *allocator,
    ros2_endpoint_visitor visit, void *user) {
    visit_matched(reader->entity, dds_get_matched_publications, dds_get_matched_publication_data,
        allocator, visit, user);
}

/* ---- inbox ---------------------------------------------------------------------------------- */

void ros2_inbox_init(ros2_inbox *inbox, const rclite_allocator *allocator) {
    *inbox = (ros2_inbox){.allocator = allocator};
    pthread_mutex_init(&inbox->lock, NULL);
}

void ros2_inbox_done(ros2_inbox *inbox) {
    if (!inbox->allocator) {
        return;
    }
    for (ros2_inbox_item item; ros2_inbox_get(inbox, &item);) {
        ros2_serdata_unref(item.serdata);
    }
    rclitei_release(inbox->allocator, inbox->items);
    pthread_mutex_destroy(&inbox->lock);
    inbox->allocator = NULL;
}

/* lock held */
static bool grow_inbox(ros2_inbox *inbox) {
    const size_t capacity = inbox->capacity ? 2 * inbox->capacity : 16;
    ros2_inbox_item *items = rclitei_allocate(inbox->allocator, capacity * sizeof *items);
    if (!items) {
        return false;
    }
    for (size_t i = 0; i < inbox->count; i++) {
        items[i] = inbox->items[(inbox->start + i) % inbox->capacity];
    }
    rclitei_release(inbox->allocator, inbox->items);
    inbox->items = items;
    inbox->capacity = capacity;
    inbox->start = 0;
    return true;
}

bool ros2_inbox_put(ros2_inbox *inbox, const ros2_serdata *serdata, dds_instance_handle_t writer) {
    pthread_mutex_lock(&inbox->lock);
    const bool room = inbox->count < inbox->capacity || grow_inbox(inbox);
    if (room) {
        inbox->items[(inbox->start + inbox->count) % inbox->capacity] = (ros2_inbox_item){
            .serdata = (ros2_serdata *)ddsi_serdata_ref(&serdata->base), .writer = writer};
        inbox->count++;
    }
    pthread_mutex_unlock(&inbox->lock);
    return room;
}

bool ros2_inbox_get(ros2_inbox *inbox, ros2_inbox_item *ret_item) {
    pthread_mutex_lock(&inbox->lock);
    const bool there = inbox->count > 0;
    if (there) {
        *ret_item = inbox->items[inbox->start];
        inbox->start = (inbox->start + 1) % inbox->capacity;
        inbox->count--;
    }
    pthread_mutex_unlock(&inbox->lock);
    return there;
}
