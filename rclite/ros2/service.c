/* Service servers: taking requests, and giving them to the user's callback. What goes back is in
 * service_reply.c. */
#include "ros2/service.h"
#include "core/memory.h"
#include "ros2/edges.h"
#include "ros2/graph.h"

static ros2_context *context_of(const ros2_service *service) {
    return ros2_context_of(service->base.node);
}

/* ---- calls ---------------------------------------------------------------------------------- */

static ros2_call *take_call(ros2_service *service) {
    pthread_mutex_lock(&service->lock);
    ros2_call *call = service->free;
    if (call) {
        service->free = call->next_free;
    }
    pthread_mutex_unlock(&service->lock);
    if (call) {
        return call;
    }
    call = rclitei_allocate(&context_of(service)->base.allocator, sizeof *call);
    if (call) {
        call->base.service = &service->base;
        pthread_mutex_lock(&service->lock);
        call->next_made = service->made;
        service->made = call;
        pthread_mutex_unlock(&service->lock);
    }
    return call;
}

static void give_call(ros2_service *service, ros2_call *call) {
    pthread_mutex_lock(&service->lock);
    call->next_free = service->free;
    service->free = call;
    pthread_mutex_unlock(&service->lock);
}

rclite_result ros2_service_respond(
    rclite_service_call *base, rclite_result result, const void *response, const char *error_text) {
    ros2_call *call = (ros2_call *)base;
    ros2_service *service = (ros2_service *)base->service;
    (void)error_text; /* ROS 2 has no way to refuse: the client is left to its own timeout */
    rclite_result sent = RCLITE_OK;
    if (result == RCLITE_OK) {
        sent = ros2_service_send_reply(service, call, response);
    }
    give_call(service, call);
    return sent;
}

/* ---- requests ------------------------------------------------------------------------------- */

/* A client of rmw_fastrtps sends no header; what it sends would be misread. */
static bool speaks_our_dialect(ros2_service *service, dds_instance_handle_t request_writer) {
    dds_instance_handle_t *cached = &service->accepted[ros2_service_cache_index(request_writer)];
    if (*cached == request_writer) {
        return true;
    }
    dds_builtintopic_endpoint_t *endpoint =
        dds_get_matched_publication_data(service->reader.entity, request_writer);
    const bool fastdds = endpoint && ros2_is_fastdds(&endpoint->participant_key);
    if (endpoint) {
        dds_builtintopic_free_endpoint(endpoint);
    }
    if (!fastdds) {
        *cached = request_writer;
    } else if (!atomic_exchange(&service->told_of_fastdds, true)) {
        rclitei_context_log(&context_of(service)->base, RCLITE_LOG_ERROR,
            "service %s: a client of rmw_fastrtps called; its requests carry their identity where "
            "only Fast DDS reads it. Use RMW_IMPLEMENTATION=rmw_cyclonedds_cpp there",
            service->base.name);
    }
    return !fastdds;
}

static void serve_call(ros2_service *service, ros2_call *call) {
    rclite_context *context = &context_of(service)->base;
    if (!rclitei_callback_enter(context)) {
        give_call(service, call);
        return;
    }
    char error_text[256] = "";
    const rclite_result result = service->base.callback(
        &call->base, service->request, service->response, error_text, service->base.user);
    if (result != RCLITE_EMPTY) {
        const rclite_result sent =
            ros2_service_respond(&call->base, result, service->response, error_text);
        if (sent != RCLITE_OK) {
            atomic_fetch_add(&context->send_failures, 1);
            rclitei_context_log(context, RCLITE_LOG_ERROR,
                "service %s: the answer was not sent: %s", service->base.name,
                rclite_result_string(sent));
        }
    }
    rclitei_callback_leave(context);
}

static void serve(
    ros2_service *service, const ros2_serdata *serdata, dds_instance_handle_t request_writer) {
    ros2_context *context = context_of(service);
    if (!speaks_our_dialect(service, request_writer)) {
        return;
    }
    ros2_request_header header;
    rclitei_codec_read_options options = {.origin = sizeof header, .views = true};
    const uint8_t *body = NULL;
    size_t body_bytes = 0;
    rclite_result result = RCLITE_ERR_MALFORMED;
    if (ros2_request_open(serdata, &header, &body, &body_bytes, &options.big_endian)) {
        result = rclitei_codec_read(service->request_codec, body, body_bytes, &options,
            service->request, &context->base.allocator);
    }
    if (result != RCLITE_OK) {
        ros2_unreadable(context, service->base.name, result);
        return;
    }
    ros2_call *call = take_call(service);
    if (!call) {
        atomic_fetch_add(&context->base.dropped, 1);
        return;
    }
    call->header = header;
    call->request_writer = request_writer;
    ros2_service_know_client(service, request_writer);
    serve_call(service, call);
}

static void serve_now(void *user, const ros2_serdata *serdata, const dds_sample_info_t *info) {
    serve(user, serdata, info->publication_handle);
}

static void serve_later(void *user, const ros2_serdata *serdata, const dds_sample_info_t *info) {
    ros2_service *service = user;
    rclite_context *context = &context_of(service)->base;
    if (ros2_inbox_put(&service->inbox, serdata, info->publication_handle)) {
        rclitei_ready_push(context, &service->ready);
    } else {
        atomic_fetch_add(&context->dropped, 1);
    }
}

static void on_data(dds_entity_t reader, void *user) {
    const ros2_service *service = user;
    ros2_enter(service);
    const bool direct = context_of(service)->base.delivery == RCLITE_DELIVERY_DIRECT;
    ros2_reader_drain(reader, direct ? serve_now : serve_later, user);
    ros2_leave(service);
}

static bool run_ready(rclitei_ready *ready) {
    ros2_service *service = (ros2_service *)((char *)ready - offsetof(ros2_service, ready));
    ros2_inbox_item item;
    if (!ros2_inbox_get(&service->inbox, &item)) {
        return false;
    }
    serve(service, item.serdata, item.writer);
    ros2_serdata_unref(item.serdata);
    return true;
}

/* ---- life ----------------------------------------------------------------------------------- */

static void on_request_writer(
    dds_entity_t reader, const dds_subscription_matched_status_t status, void *user) {
    (void)reader;
    (void)status;
    ros2_enter(user);
    ros2_service_match_changed(user);
    ros2_leave(user);
}

static void on_reply_reader(
    dds_entity_t writer, const dds_publication_matched_status_t status, void *user) {
    ros2_service *service = user;
    (void)writer;
    ros2_enter(service);
    atomic_fetch_add(&service->generation, 1);
    ros2_settle_match(&service->settle, status.current_count_change);
    ros2_service_match_changed(service);
    ros2_leave(service);
}

static rclite_result create_endpoints(
    ros2_service *service, const char *identity, rclite_error *reterr) {
    ros2_context *context = context_of(service);
    dds_listener_t *listener = dds_create_listener(service);
    if (!listener || !identity) {
        dds_delete_listener(listener);
        return rclitei_fail(reterr, RCLITE_ERR_NO_MEMORY, 0, "no memory");
    }
    dds_lset_publication_matched(listener, on_reply_reader);
    dds_lset_subscription_matched(listener, on_request_writer);
    dds_lset_data_available_arg(listener, on_data, service, true);
    ros2_endpoint_options options = {.prefix = "rr",
        .name = service->base.name,
        .suffix = "Reply",
        .type = service->base.type->response,
        .qos = &service->base.options.qos,
        .identity = identity,
        .listener = listener,
        .owner = service};
    rclite_result result = ros2_writer_init(&service->writer, context, &options, reterr);
    if (result == RCLITE_OK) {
        service->writer.depth = 0; /* no answer gives way to a later one */
        options.prefix = "rq";
        options.suffix = "Request";
        options.type = service->base.type->request;
        result = ros2_reader_init(&service->reader, context, &options, reterr);
    }
    dds_delete_listener(listener);
    return result;
}

static rclite_result create_messages(ros2_service *service, rclite_error *reterr) {
    const rclite_service_type *type = service->base.type;
    const rclite_allocator *allocator = &context_of(service)->base.allocator;
    rclite_result result =
        rclitei_codec_create(type->request, RCLITE_ROS2, allocator, &service->request_codec);
    if (result == RCLITE_OK) {
        result =
            rclitei_codec_create(type->response, RCLITE_ROS2, allocator, &service->response_codec);
    }
    if (result == RCLITE_OK) {
        service->request = rclitei_message_create(type->request, allocator);
        service->response = rclitei_message_create(type->response, allocator);
        result = service->request && service->response ? RCLITE_OK : RCLITE_ERR_NO_MEMORY;
    }
    return result == RCLITE_OK ? result
                               : rclitei_fail(reterr, result, 0, "service %s: type %s: %s",
                                     service->base.name, type->name, rclite_result_string(result));
}

rclite_result ros2_service_init(rclite_service *base, rclite_error *reterr) {
    ros2_service *service = (ros2_service *)base;
    service->ready.run = run_ready;
    service->task.run = ros2_service_look_at_waiting;
    pthread_mutex_init(&service->lock, NULL);
    service->lock_ready = true;
    ros2_inbox_init(&service->inbox, &base->node->context->allocator);
    ros2_settle_init(
        &service->settle, &context_of(service)->sender, 0, ros2_service_settled, service);
    rclite_result result = create_messages(service, reterr);
    if (result == RCLITE_OK) {
        char *identity = ros2_identity(context_of(service), "serviceid");
        result = create_endpoints(service, identity, reterr);
        if (result == RCLITE_OK) {
            ros2_settle_start(&service->settle, &service->writer);
        }
        rclitei_release(&context_of(service)->base.allocator, identity);
    }
    if (result == RCLITE_OK) {
        result = ros2_graph_add(base->node, &service->reader.guid, &service->writer.guid, reterr);
    }
    if (result != RCLITE_OK) {
        ros2_service_done(base);
    }
    return result;
}

void ros2_service_done(rclite_service *base) {
    ros2_service *service = (ros2_service *)base;
    ros2_context *context = context_of(service);
    const rclite_allocator *allocator = &context->base.allocator;
    if (!service->lock_ready) {
        return;
    }
    if (service->reader.entity > 0) {
        ros2_graph_remove(base->node, &service->reader.guid, &service->writer.guid);
    }
    ros2_reader_done(&service->reader);
    rclitei_ready_remove(&context->base, &service->ready);
    ros2_inbox_done(&service->inbox);
    if (service->writer.lock_ready) {
        ros2_service_end_waiting(
            service); /* nothing waits then, so no match brings the task back */
    }
    ros2_writer_done(&service->writer);
    /* A match that came until then has set them going again. */
    ros2_settle_end(&service->settle);
    ros2_sender_remove(&context->sender, &service->task);
    while (service->made) {
        ros2_call *call = service->made;
        service->made = call->next_made;
        rclitei_release(allocator, call);
    }
    service->request = rclitei_message_free(base->type->request, service->request, allocator);
    service->response = rclitei_message_free(base->type->response, service->response, allocator);
    service->request_codec = rclitei_codec_free(service->request_codec);
    service->response_codec = rclitei_codec_free(service->response_codec);
    pthread_mutex_destroy(&service->lock);
    service->lock_ready = false;
}
