/* Whether a client has a server: one whose request reader and whose reply writer are both matched,
 * and have settled (settle.h). */
#include <string.h>

#include "core/memory.h"
#include "ros2/client.h"

static ros2_context *context_of(const ros2_client *client) {
    return ros2_context_of(client->base.node);
}

/* The servers that serve: those whose request reader and whose reply writer are both matched. */
typedef struct find_server {
    ros2_client *client;
    char (*ids)[ROS2_IDENTITY_CAPACITY]; /* of the request readers */
    size_t id_count, id_capacity;
    bool anonymous_reader, anonymous_writer; /* endpoints without an id */
    bool found;
} find_server;

static bool is_usable(ros2_client *client, const dds_builtintopic_endpoint_t *endpoint) {
    if (!ros2_is_fastdds(&endpoint->participant_key)) {
        return true;
    }
    if (!atomic_exchange(&client->told_of_fastdds, true)) {
        rclitei_context_log(&context_of(client)->base, RCLITE_LOG_ERROR,
            "service %s is offered by rmw_fastrtps, which carries a request's identity where only "
            "Fast DDS reads it; services work with RMW_IMPLEMENTATION=rmw_cyclonedds_cpp there",
            client->base.name);
    }
    return false;
}

static bool see_request_reader(const dds_builtintopic_endpoint_t *endpoint, void *user) {
    find_server *find = user;
    char id[ROS2_IDENTITY_CAPACITY];
    if (!is_usable(find->client, endpoint)) {
        return true;
    }
    if (!ros2_user_data_get(endpoint->qos, "serviceid", id, sizeof id)) {
        find->anonymous_reader = true;
        return true;
    }
    void *place = rclitei_grow(&context_of(find->client)->base.allocator, &find->ids,
        find->id_count, &find->id_capacity, sizeof *find->ids);
    if (place) {
        memcpy(place, id, sizeof id);
        find->id_count++;
    }
    return place != NULL;
}

static bool see_reply_writer(const dds_builtintopic_endpoint_t *endpoint, void *user) {
    find_server *find = user;
    char id[ROS2_IDENTITY_CAPACITY];
    if (!is_usable(find->client, endpoint)) {
        return true;
    }
    if (!ros2_user_data_get(endpoint->qos, "serviceid", id, sizeof id)) {
        find->anonymous_writer = true;
        return true;
    }
    for (size_t i = 0; i < find->id_count; i++) {
        find->found = find->found || strcmp(find->ids[i], id) == 0;
    }
    return !find->found;
}

/* writer.lock held. */
static bool look_for_server(ros2_client *client) {
    const rclite_allocator *allocator = &context_of(client)->base.allocator;
    find_server find = {.client = client};
    ros2_writer_visit_readers(&client->writer, see_request_reader, &find);
    ros2_reader_visit_writers(&client->reader, allocator, see_reply_writer, &find);
    rclitei_release(allocator, find.ids);
    return find.found || (find.id_count == 0 && find.anonymous_reader && find.anonymous_writer);
}

bool ros2_client_ready(rclite_client *base) {
    ros2_client *client = (ros2_client *)base;
    if (!rclitei_in_callback(&context_of(client)->base)) {
        pthread_mutex_lock(&client->writer.lock);
    } else if (pthread_mutex_trylock(&client->writer.lock) != 0) {
        return false; /* in the middle of a write of its own: asked again later */
    }
    const uint64_t generation = atomic_load(&client->generation);
    if (client->checked_generation != generation) {
        client->server_ready = look_for_server(client);
        client->checked_generation = generation;
    }
    const bool ready = client->server_ready && ros2_settle_is_done(&client->settle);
    pthread_mutex_unlock(&client->writer.lock);
    return ready;
}
