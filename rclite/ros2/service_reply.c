/* Replies of a service server. A reply goes out at once when the client's reply reader is matched;
 * otherwise it waits until discovery has caught up, since a reply that nobody is matched for is
 * lost. Nothing here waits inside a callback. */
#include <string.h>

#include "ros2/service.h"

/* Replies that wait for a match; beyond that the oldest is dropped. */
#define WAITING_COUNT_MAX 1000u
/* How long the end of a service waits for replies that were given but could not be sent yet. */
#define LINGER_NS INT64_C(200000000)

static ros2_context *context_of(const ros2_service *service) {
    return ros2_context_of(service->base.node);
}

/* ---- whom a reply reaches ------------------------------------------------------------------- */

typedef enum client_state {
    CLIENT_REACHABLE,
    CLIENT_WAITING, /* its reply reader is not matched yet */
    CLIENT_GONE,
} client_state;

typedef struct find_client {
    const char *id;
    bool found;
} find_client;

static bool is_client(const dds_builtintopic_endpoint_t *endpoint, void *user) {
    find_client *find = user;
    char id[ROS2_IDENTITY_CAPACITY];
    find->found =
        ros2_user_data_get(endpoint->qos, "clientid", id, sizeof id) && strcmp(id, find->id) == 0;
    return !find->found;
}

/* service->writer.lock held. */
static client_state look_for_client(ros2_service *service, dds_instance_handle_t request_writer) {
    dds_builtintopic_endpoint_t *endpoint =
        dds_get_matched_publication_data(service->reader.entity, request_writer);
    if (!endpoint) {
        return CLIENT_GONE;
    }
    char id[ROS2_IDENTITY_CAPACITY];
    const bool has_id = ros2_user_data_get(endpoint->qos, "clientid", id, sizeof id);
    dds_builtintopic_free_endpoint(endpoint);
    find_client find = {
        .id = id, .found = !has_id}; /* without an id there is nothing to look for */
    if (has_id) {
        ros2_writer_visit_readers(&service->writer, is_client, &find);
    }
    return find.found ? CLIENT_REACHABLE : CLIENT_WAITING;
}

static bool is_known_reachable(ros2_service *service, dds_instance_handle_t request_writer) {
    pthread_mutex_lock(&service->lock);
    const bool known =
        service->reachable_generation == atomic_load(&service->generation) &&
        service->reachable[ros2_service_cache_index(request_writer)] == request_writer;
    pthread_mutex_unlock(&service->lock);
    return known;
}

static void remember_reachable(
    ros2_service *service, dds_instance_handle_t request_writer, uint64_t generation) {
    pthread_mutex_lock(&service->lock);
    if (service->reachable_generation != generation) {
        memset(service->reachable, 0, sizeof service->reachable);
        service->reachable_generation = generation;
    }
    service->reachable[ros2_service_cache_index(request_writer)] = request_writer;
    pthread_mutex_unlock(&service->lock);
}

static client_state client_state_of(
    ros2_service *service, dds_instance_handle_t request_writer, bool may_wait) {
    if (is_known_reachable(service, request_writer)) {
        return CLIENT_REACHABLE;
    }
    const uint64_t generation = atomic_load(&service->generation);
    if (may_wait) {
        pthread_mutex_lock(&service->writer.lock);
    } else if (pthread_mutex_trylock(&service->writer.lock) != 0) {
        return CLIENT_WAITING; /* the sender thread looks again at once */
    }
    const client_state state = look_for_client(service, request_writer);
    pthread_mutex_unlock(&service->writer.lock);
    if (state == CLIENT_REACHABLE) {
        remember_reachable(service, request_writer, generation);
    }
    return state;
}

/* ---- replies -------------------------------------------------------------------------------- */

/* service->lock held, list not empty. */
static ros2_serdata *pop_waiting(ros2_service *service) {
    ros2_serdata *serdata = service->waiting_first;
    service->waiting_first = serdata->next;
    if (!service->waiting_first) {
        service->waiting_last = NULL;
    }
    service->waiting_count--;
    return serdata;
}

static void push_waiting(ros2_service *service, ros2_serdata *serdata) {
    ros2_serdata *dropped = NULL;
    pthread_mutex_lock(&service->lock);
    if (service->waiting_count == WAITING_COUNT_MAX) {
        dropped = pop_waiting(service);
    }
    serdata->next = NULL;
    if (service->waiting_last) {
        service->waiting_last->next = serdata;
    } else {
        service->waiting_first = serdata;
    }
    service->waiting_last = serdata;
    service->waiting_count++;
    pthread_mutex_unlock(&service->lock);
    if (dropped) {
        ros2_serdata_unref(dropped);
        atomic_fetch_add(&context_of(service)->base.dropped, 1);
    }
}

/* On the sender thread: each waiting reply is looked at once. A match brings it back, and the end
 * of its settling. */
bool ros2_service_look_at_waiting(ros2_task *task, bool alone) {
    (void)alone;
    ros2_service *service = (ros2_service *)((char *)task - offsetof(ros2_service, task));
    const uint64_t generation = atomic_load(&service->generation);
    if (!ros2_settle_is_done(&service->settle)) {
        return false;
    }
    pthread_mutex_lock(&service->lock);
    uint32_t left = service->waiting_count;
    pthread_mutex_unlock(&service->lock);
    for (; left > 0; left--) {
        pthread_mutex_lock(&service->lock);
        ros2_serdata *serdata = service->waiting_first ? pop_waiting(service) : NULL;
        pthread_mutex_unlock(&service->lock);
        if (!serdata) {
            break;
        }
        const client_state state = client_state_of(service, serdata->mark, true);
        if (state == CLIENT_WAITING) {
            push_waiting(service, serdata);
        } else if (state == CLIENT_GONE) {
            ros2_serdata_unref(serdata);
        } else if (ros2_writer_offer(&service->writer, serdata) != RCLITE_OK) {
            atomic_fetch_add(&context_of(service)->base.send_failures, 1);
        }
    }
    /* A match that came meanwhile may have found the list empty. */
    return generation != atomic_load(&service->generation);
}

rclite_result ros2_service_send_reply(
    ros2_service *service, const ros2_call *call, const void *response) {
    ros2_context *context = context_of(service);
    ros2_serdata *serdata = NULL;
    rclite_result result = ros2_writer_serialize(&service->writer, service->response_codec,
        &call->header, sizeof call->header, response, &serdata);
    if (result != RCLITE_OK) {
        return result;
    }
    const bool may_wait = !rclitei_in_callback(&context->base);
    switch (client_state_of(service, call->request_writer, may_wait)) {
    case CLIENT_REACHABLE:
        if (ros2_settle_is_done(&service->settle)) {
            return ros2_writer_send(&service->writer, serdata);
        }
        break;
    case CLIENT_GONE:
        ros2_serdata_unref(serdata);
        return RCLITE_OK; /* nobody waits for it */
    case CLIENT_WAITING:
        break;
    }
    serdata->mark = call->request_writer;
    push_waiting(service, serdata);
    ros2_sender_push(&context->sender, &service->task); /* a match may have come meanwhile */
    return RCLITE_OK;
}

void ros2_service_settled(void *user) {
    ros2_service *service = user;
    ros2_sender_push(&context_of(service)->sender, &service->task);
}

void ros2_service_know_client(ros2_service *service, dds_instance_handle_t request_writer) {
    client_state_of(service, request_writer, false);
}

void ros2_service_match_changed(ros2_service *service) {
    pthread_mutex_lock(&service->lock);
    const bool waiting = service->waiting_count > 0;
    pthread_mutex_unlock(&service->lock);
    if (waiting) {
        ros2_sender_push(&context_of(service)->sender, &service->task);
    }
    rclitei_signal(&context_of(service)->base);
}

static uint32_t count_waiting(ros2_service *service) {
    pthread_mutex_lock(&service->lock);
    const uint32_t count = service->waiting_count;
    pthread_mutex_unlock(&service->lock);
    return count;
}

void ros2_service_end_waiting(ros2_service *service) {
    ros2_sender *sender = &context_of(service)->sender;
    if (!rclitei_in_callback(&context_of(service)->base)) {
        const int64_t until_ns = rclite_monotonic_ns() + LINGER_NS;
        pthread_mutex_lock(&sender->lock);
        while (count_waiting(service) > 0 && ros2_sender_wait_locked(sender, until_ns)) {
        }
        pthread_mutex_unlock(&sender->lock);
    }
    ros2_settle_end(&service->settle);
    ros2_sender_remove(sender, &service->task);
    pthread_mutex_lock(&service->lock);
    while (service->waiting_first) {
        ros2_serdata_unref(pop_waiting(service));
    }
    pthread_mutex_unlock(&service->lock);
}
