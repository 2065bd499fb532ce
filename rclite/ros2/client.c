/* Service clients. Every client of a service receives every reply and picks its own by the client
 * id; a table of slots, found by sequence number, holds the calls that are outstanding. */
#include "ros2/client.h"
#include "core/memory.h"
#include "ros2/edges.h"
#include "ros2/graph.h"

#define SLOT_COUNT_FIRST 16u
/* 10 ms after its match the reply reader asks for the heartbeat that it has missed; then the answer
 * of a server that replies at once is not dropped. */
#define SETTLE_NS INT64_C(15000000)

static ros2_context *context_of(const ros2_client *client) {
    return ros2_context_of(client->base.node);
}

/* ---- slots; lock held ----------------------------------------------------------------------- */

static ros2_slot *slot_at(ros2_client *client, int64_t sequence) {
    return &client->slots[(uint64_t)sequence & (client->slot_count - 1)];
}

static bool grow_slots(ros2_client *client) {
    const size_t count = client->slot_count ? 2 * client->slot_count : SLOT_COUNT_FIRST;
    const rclite_allocator *allocator = &context_of(client)->base.allocator;
    ros2_slot *slots = rclitei_allocate(allocator, count * sizeof *slots);
    if (!slots) {
        return false;
    }
    for (size_t i = 0; i < client->slot_count; i++) {
        const ros2_slot *slot = &client->slots[i];
        if (slot->sequence != 0) {
            slots[(uint64_t)slot->sequence & (count - 1)] = *slot;
        }
    }
    rclitei_release(allocator, client->slots);
    client->slots = slots;
    client->slot_count = count;
    return true;
}

/* A number whose place is taken by a call that is still outstanding is passed over: numbers have to
 * be fresh, not dense. */
static ros2_slot *new_slot(ros2_client *client) {
    if (client->outstanding == client->slot_count && !grow_slots(client)) {
        return NULL;
    }
    ros2_slot *slot;
    do {
        client->last_sequence++;
        slot = slot_at(client, client->last_sequence);
    } while (slot->sequence != 0);
    slot->sequence = client->last_sequence;
    client->outstanding++;
    return slot;
}

static bool remove_slot(ros2_client *client, int64_t sequence, ros2_slot *ret_slot) {
    if (sequence <= 0 || client->slot_count == 0) {
        return false;
    }
    ros2_slot *slot = slot_at(client, sequence);
    if (slot->sequence != sequence) {
        return false;
    }
    *ret_slot = *slot;
    slot->sequence = 0;
    client->outstanding--;
    return true;
}

/* ---- replies -------------------------------------------------------------------------------- */

static void answer(ros2_client *client, const ros2_slot *slot, const uint8_t *body,
    size_t body_bytes, bool big_endian) {
    ros2_context *context = context_of(client);
    const rclitei_codec_read_options options = {
        .origin = sizeof(ros2_request_header), .big_endian = big_endian, .views = true};
    const rclite_result result = rclitei_codec_read(client->response_codec, body, body_bytes,
        &options, client->response, &context->base.allocator);
    if (result == RCLITE_OK) {
        slot->callback(RCLITE_OK, client->response, "", slot->user);
        return;
    }
    ros2_unreadable(context, client->base.name, result);
    slot->callback(result, NULL,
        result == RCLITE_ERR_NO_MEMORY ? "no memory for the answer"
                                       : "the answer's bytes do not parse",
        slot->user);
}

static void receive(ros2_client *client, const ros2_serdata *serdata) {
    rclite_context *context = &context_of(client)->base;
    ros2_request_header header;
    const uint8_t *body = NULL;
    size_t body_bytes = 0;
    bool big_endian = false;
    if (!ros2_request_open(serdata, &header, &body, &body_bytes, &big_endian)) {
        ros2_unreadable(context_of(client), client->base.name, RCLITE_ERR_MALFORMED);
        return;
    }
    if (header.client != client->writer.handle || !rclitei_callback_enter(context)) {
        return;
    }
    ros2_slot slot;
    pthread_mutex_lock(&client->lock);
    const bool found = remove_slot(client, header.sequence, &slot);
    if (found) {
        client->calling = header.sequence;
        client->calling_thread = pthread_self();
    }
    pthread_mutex_unlock(&client->lock);
    if (found) {
        answer(client, &slot, body, body_bytes, big_endian);
        pthread_mutex_lock(&client->lock);
        client->calling = 0;
        pthread_cond_broadcast(&client->called);
        pthread_mutex_unlock(&client->lock);
    }
    rclitei_callback_leave(context);
}

static void receive_now(void *user, const ros2_serdata *serdata, const dds_sample_info_t *info) {
    (void)info;
    receive(user, serdata);
}

/* Other clients' answers do not even wake the spinning thread. */
static void receive_later(void *user, const ros2_serdata *serdata, const dds_sample_info_t *info) {
    ros2_client *client = user;
    rclite_context *context = &context_of(client)->base;
    ros2_request_header header;
    const uint8_t *body = NULL;
    size_t body_bytes = 0;
    bool big_endian = false;
    if (ros2_request_open(serdata, &header, &body, &body_bytes, &big_endian) &&
        header.client != client->writer.handle) {
        return;
    }
    if (ros2_inbox_put(&client->inbox, serdata, info->publication_handle)) {
        rclitei_ready_push(context, &client->ready);
    } else {
        atomic_fetch_add(&context->dropped, 1);
    }
}

static void on_data(dds_entity_t reader, void *user) {
    const ros2_client *client = user;
    ros2_enter(client);
    const bool direct = context_of(client)->base.delivery == RCLITE_DELIVERY_DIRECT;
    ros2_reader_drain(reader, direct ? receive_now : receive_later, user);
    ros2_leave(client);
}

static bool run_ready(rclitei_ready *ready) {
    ros2_client *client = (ros2_client *)((char *)ready - offsetof(ros2_client, ready));
    ros2_inbox_item item;
    if (!ros2_inbox_get(&client->inbox, &item)) {
        return false;
    }
    receive(client, item.serdata);
    ros2_serdata_unref(item.serdata);
    return true;
}

/* ---- calls ---------------------------------------------------------------------------------- */

rclite_result ros2_client_call_async(rclite_client *base, const void *request,
    rclite_client_callback callback, void *user, int64_t *ret_id) {
    ros2_client *client = (ros2_client *)base;
    pthread_mutex_lock(&client->lock);
    ros2_slot *slot = new_slot(client);
    int64_t sequence = 0;
    if (slot) {
        slot->callback = callback;
        slot->user = user;
        sequence = slot->sequence;
    }
    pthread_mutex_unlock(&client->lock);
    if (!slot) {
        return RCLITE_ERR_NO_MEMORY;
    }
    if (ret_id) {
        *ret_id = sequence; /* the answer may come before this returns */
    }
    const ros2_request_header header = {.client = client->writer.handle, .sequence = sequence};
    const rclite_result result = ros2_writer_send_message(
        &client->writer, client->request_codec, &header, sizeof header, request);
    if (result == RCLITE_OK) {
        return RCLITE_OK;
    }
    ros2_slot removed;
    pthread_mutex_lock(&client->lock);
    const bool outstanding = remove_slot(client, sequence, &removed);
    pthread_mutex_unlock(&client->lock);
    return outstanding ? result : RCLITE_OK; /* else its callback has come after all */
}

void ros2_client_forget(rclite_client *base, int64_t id) {
    ros2_client *client = (ros2_client *)base;
    ros2_slot slot;
    pthread_mutex_lock(&client->lock);
    const bool outstanding = remove_slot(client, id, &slot);
    while (!outstanding && id != 0 && client->calling == id &&
           !pthread_equal(client->calling_thread, pthread_self())) {
        pthread_cond_wait(&client->called, &client->lock);
    }
    pthread_mutex_unlock(&client->lock);
    if (outstanding) {
        slot.callback(RCLITE_ERR_TIMEOUT, NULL, "no answer came in time", slot.user);
    }
}

/* ---- life ----------------------------------------------------------------------------------- */

static void match_changed(ros2_client *client) {
    atomic_fetch_add(&client->generation, 1);
    rclitei_signal(&context_of(client)->base);
}

static void on_request_reader(
    dds_entity_t writer, const dds_publication_matched_status_t status, void *user) {
    ros2_client *client = user;
    (void)writer;
    ros2_enter(client);
    ros2_settle_match(&client->settle, status.current_count_change);
    match_changed(client);
    ros2_leave(client);
}

static void on_reply_writer(
    dds_entity_t reader, const dds_subscription_matched_status_t status, void *user) {
    ros2_client *client = user;
    (void)reader;
    ros2_enter(client);
    ros2_settle_match(&client->settle, status.current_count_change);
    match_changed(client);
    ros2_leave(client);
}

static rclite_result create_endpoints(
    ros2_client *client, const char *identity, rclite_error *reterr) {
    ros2_context *context = context_of(client);
    dds_listener_t *listener = dds_create_listener(client);
    if (!listener || !identity) {
        dds_delete_listener(listener);
        return rclitei_fail(reterr, RCLITE_ERR_NO_MEMORY, 0, "no memory");
    }
    dds_lset_publication_matched(listener, on_request_reader);
    dds_lset_subscription_matched(listener, on_reply_writer);
    dds_lset_data_available_arg(listener, on_data, client, true);
    ros2_endpoint_options options = {.prefix = "rr",
        .name = client->base.name,
        .suffix = "Reply",
        .type = client->base.type->response,
        .qos = &client->base.options.qos,
        .identity = identity,
        .listener = listener,
        .owner = client};
    rclite_result result = ros2_reader_init(&client->reader, context, &options, reterr);
    /* Before the server has matched this writer, nothing is acknowledged; a short history would
     * give up the first requests of a burst. */
    rclite_qos keep_all = client->base.options.qos;
    keep_all.history = RCLITE_QOS_KEEP_ALL;
    if (result == RCLITE_OK) {
        options.qos = &keep_all;
        options.prefix = "rq";
        options.suffix = "Request";
        options.type = client->base.type->request;
        result = ros2_writer_init(&client->writer, context, &options, reterr);
    }
    dds_delete_listener(listener);
    return result;
}

static void on_settled(void *user) {
    rclitei_signal(&context_of(user)->base); /* for who waits for the service */
}

static rclite_result create_messages(ros2_client *client, rclite_error *reterr) {
    const rclite_service_type *type = client->base.type;
    const rclite_allocator *allocator = &context_of(client)->base.allocator;
    rclite_result result =
        rclitei_codec_create(type->request, RCLITE_ROS2, allocator, &client->request_codec);
    if (result == RCLITE_OK) {
        result =
            rclitei_codec_create(type->response, RCLITE_ROS2, allocator, &client->response_codec);
    }
    if (result == RCLITE_OK) {
        client->response = rclitei_message_create(type->response, allocator);
        result = client->response ? RCLITE_OK : RCLITE_ERR_NO_MEMORY;
    }
    return result == RCLITE_OK ? result
                               : rclitei_fail(reterr, result, 0, "client of %s: type %s: %s",
                                     client->base.name, type->name, rclite_result_string(result));
}

rclite_result ros2_client_init(rclite_client *base, rclite_error *reterr) {
    ros2_client *client = (ros2_client *)base;
    client->ready.run = run_ready;
    client->generation = 1;
    pthread_mutex_init(&client->lock, NULL);
    pthread_cond_init(&client->called, NULL);
    client->lock_ready = true;
    ros2_inbox_init(&client->inbox, &base->node->context->allocator);
    ros2_settle_init(&client->settle, &context_of(client)->sender, SETTLE_NS, on_settled, client);
    rclite_result result = create_messages(client, reterr);
    if (result == RCLITE_OK) {
        char *identity = ros2_identity(context_of(client), "clientid");
        result = create_endpoints(client, identity, reterr);
        if (result == RCLITE_OK) {
            ros2_settle_start(&client->settle, &client->writer);
        }
        rclitei_release(&context_of(client)->base.allocator, identity);
    }
    if (result == RCLITE_OK) {
        result = ros2_graph_add(base->node, &client->reader.guid, &client->writer.guid, reterr);
    }
    if (result != RCLITE_OK) {
        ros2_client_done(base);
    }
    return result;
}

void ros2_client_done(rclite_client *base) {
    ros2_client *client = (ros2_client *)base;
    ros2_context *context = context_of(client);
    const rclite_allocator *allocator = &context->base.allocator;
    if (!client->lock_ready) {
        return;
    }
    if (client->writer.lock_ready) {
        ros2_graph_remove(base->node, &client->reader.guid, &client->writer.guid);
    }
    ros2_reader_done(&client->reader);
    rclitei_ready_remove(&context->base, &client->ready);
    ros2_inbox_done(&client->inbox);
    for (size_t i = 0; i < client->slot_count; i++) {
        const ros2_slot slot = client->slots[i];
        if (slot.sequence != 0) {
            client->slots[i].sequence = 0;
            slot.callback(RCLITE_ERR_SHUTDOWN, NULL, "the client was freed", slot.user);
        }
    }
    ros2_settle_end(&client->settle);
    ros2_writer_done(&client->writer);
    /* A match that came until then has set it going again. */
    ros2_settle_end(&client->settle);
    client->slots = rclitei_release(allocator, client->slots);
    client->response = rclitei_message_free(base->type->response, client->response, allocator);
    client->request_codec = rclitei_codec_free(client->request_codec);
    client->response_codec = rclitei_codec_free(client->response_codec);
    pthread_cond_destroy(&client->called);
    pthread_mutex_destroy(&client->lock);
    client->lock_ready = false;
}
