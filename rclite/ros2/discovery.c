/* ros_discovery_info: telling the others of our nodes, and keeping what they tell of theirs. */
#include <string.h>

#include "core/memory.h"
#include "ros2/edges.h"
#include "ros2/graph.h"

static const rclite_allocator *allocator_of(const ros2_graph *graph) {
    return &graph->context->base.allocator;
}

/* ---- our nodes ------------------------------------------------------------------------------ */

/* A view: it owns nothing. Lock held. */
static ros2_node_info node_info_of(const ros2_own_node *own) {
    return (ros2_node_info){
        .node_namespace = {.data = own->node->name_space, .size = strlen(own->node->name_space)},
        .node_name = {.data = own->node->name, .size = strlen(own->node->name)},
        .reader_gid_seq = own->readers,
        .writer_gid_seq = own->writers,
    };
}

static ros2_serdata *serialize_own(ros2_graph *graph) {
    pthread_mutex_lock(&graph->lock);
    size_t count = 0;
    for (const ros2_own_node *own = graph->own; own; own = own->next) {
        count++;
    }
    ros2_node_info *nodes = rclitei_allocate(allocator_of(graph), count * sizeof *nodes);
    ros2_serdata *serdata = NULL;
    if (nodes) {
        size_t filled = 0;
        for (const ros2_own_node *own = graph->own; own; own = own->next) {
            nodes[filled++] = node_info_of(own);
        }
        ros2_participant_info info = {.node_entities_info_seq = {.data = nodes, .size = count}};
        memcpy(info.gid.data, graph->context->guid.v, sizeof info.gid.data);
        if (ros2_writer_serialize(&graph->writer, graph->codec, NULL, 0, &info, &serdata) !=
            RCLITE_OK) {
            serdata = NULL;
        }
    }
    pthread_mutex_unlock(&graph->lock);
    rclitei_release(allocator_of(graph), nodes);
    return serdata;
}

/* On the sender thread, so that many changes in a row are told once. */
static bool tell(ros2_task *task, bool alone) {
    (void)alone;
    ros2_graph *graph = (ros2_graph *)((char *)task - offsetof(ros2_graph, task));
    ros2_serdata *serdata = serialize_own(graph);
    if (!serdata || ros2_writer_offer(&graph->writer, serdata) != RCLITE_OK) {
        rclitei_context_log(&graph->context->base, RCLITE_LOG_ERROR,
            "the nodes of this context could not be announced");
    }
    ros2_graph_changed(graph);
    return false;
}

static void tell_soon(ros2_graph *graph) {
    ros2_sender_push(&graph->context->sender, &graph->task);
}

static bool add_gid(ros2_graph *graph, ros2_gids *gids, const dds_guid_t *guid) {
    ros2_gid *gid =
        rclitei_grow(allocator_of(graph), &gids->data, gids->size, &gids->capacity, sizeof *gid);
    if (!gid) {
        return false;
    }
    memcpy(gid->data, guid->v, sizeof gid->data);
    gids->size++;
    return true;
}

static void remove_gid(ros2_gids *gids, const dds_guid_t *guid) {
    for (size_t i = 0; i < gids->size; i++) {
        if (memcmp(gids->data[i].data, guid->v, sizeof guid->v) == 0) {
            gids->data[i] = gids->data[--gids->size];
            return;
        }
    }
}

rclite_result ros2_node_init(rclite_node *node, rclite_error *reterr) {
    ros2_graph *graph = ros2_context_of(node)->graph;
    ros2_own_node *own = rclitei_allocate(allocator_of(graph), sizeof *own);
    if (!own) {
        return rclitei_fail(reterr, RCLITE_ERR_NO_MEMORY, 0, "no memory for node %s", node->name);
    }
    own->node = node;
    node->impl = own;
    pthread_mutex_lock(&graph->lock);
    ros2_own_node **last = &graph->own;
    while (*last) {
        last = &(*last)->next;
    }
    *last = own;
    pthread_mutex_unlock(&graph->lock);
    tell_soon(graph);
    return RCLITE_OK;
}

void ros2_node_done(rclite_node *node) {
    ros2_graph *graph = ros2_context_of(node)->graph;
    ros2_own_node *own = node->impl;
    pthread_mutex_lock(&graph->lock);
    ros2_own_node **at = &graph->own;
    while (*at != own) {
        at = &(*at)->next;
    }
    *at = own->next;
    pthread_mutex_unlock(&graph->lock);
    rclitei_release(allocator_of(graph), own->readers.data);
    rclitei_release(allocator_of(graph), own->writers.data);
    node->impl = rclitei_release(allocator_of(graph), own);
    tell_soon(graph);
}

rclite_result ros2_graph_add(
    rclite_node *node, const dds_guid_t *reader, const dds_guid_t *writer, rclite_error *reterr) {
    ros2_graph *graph = ros2_context_of(node)->graph;
    ros2_own_node *own = node->impl;
    pthread_mutex_lock(&graph->lock);
    const bool added = (!reader || add_gid(graph, &own->readers, reader)) &&
                       (!writer || add_gid(graph, &own->writers, writer));
    pthread_mutex_unlock(&graph->lock);
    tell_soon(graph);
    return added ? RCLITE_OK
                 : rclitei_fail(reterr, RCLITE_ERR_NO_MEMORY, 0, "no memory for the graph");
}

void ros2_graph_remove(rclite_node *node, const dds_guid_t *reader, const dds_guid_t *writer) {
    ros2_graph *graph = ros2_context_of(node)->graph;
    ros2_own_node *own = node->impl;
    pthread_mutex_lock(&graph->lock);
    if (reader) {
        remove_gid(&own->readers, reader);
    }
    if (writer) {
        remove_gid(&own->writers, writer);
    }
    pthread_mutex_unlock(&graph->lock);
    tell_soon(graph);
}

/* ---- the others' nodes ---------------------------------------------------------------------- */

/* Lock held. */
static ros2_other **find_other(ros2_graph *graph, const uint8_t gid[16]) {
    ros2_other **at = &graph->others;
    while (*at && memcmp((*at)->info.gid.data, gid, 16) != 0) {
        at = &(*at)->next;
    }
    return at;
}

static void free_other(ros2_graph *graph, ros2_other *other) {
    rclite_message_done(
        &rmw_dds_common__msg__ParticipantEntitiesInfo__type, &other->info, allocator_of(graph));
    rclitei_release(allocator_of(graph), other);
}

static void forget_other(ros2_graph *graph, const uint8_t gid[16]) {
    pthread_mutex_lock(&graph->lock);
    ros2_other **at = find_other(graph, gid);
    ros2_other *other = *at;
    if (other) {
        *at = other->next;
    }
    pthread_mutex_unlock(&graph->lock);
    if (other) {
        free_other(graph, other);
    }
}

static bool keep_other(ros2_graph *graph, const ros2_participant_info *info) {
    const rclite_allocator *allocator = allocator_of(graph);
    pthread_mutex_lock(&graph->lock);
    ros2_other **at = find_other(graph, info->gid.data);
    if (!*at) {
        *at = rclitei_allocate(allocator, sizeof **at);
    }
    const bool kept =
        *at && rclite_message_copy(&rmw_dds_common__msg__ParticipantEntitiesInfo__type,
                   &(*at)->info, info, allocator) == RCLITE_OK;
    pthread_mutex_unlock(&graph->lock);
    return kept;
}

/* Humble and older have gids of 24 bytes, whose last 8 are zero: read with ours of 16, that is a
 * participant without nodes and with bytes left over. */
static bool is_of_humble(const ros2_participant_info *info, size_t body_bytes) {
    return info->node_entities_info_seq.size == 0 && body_bytes >= 24 + 4;
}

static void hear(void *user, const ros2_serdata *serdata, const dds_sample_info_t *info) {
    ros2_graph *graph = user;
    (void)info;
    rclitei_codec_read_options options = {.views = false};
    const uint8_t *body = NULL;
    size_t body_bytes = 0;
    rclite_result result = RCLITE_ERR_MALFORMED;
    if (ros2_serdata_open(serdata, &body, &body_bytes, &options.big_endian)) {
        result = rclitei_codec_read(
            graph->codec, body, body_bytes, &options, graph->received, allocator_of(graph));
    }
    if (result == RCLITE_OK && is_of_humble(graph->received, body_bytes)) {
        if (!graph->told_of_humble) {
            rclitei_context_log(&graph->context->base, RCLITE_LOG_ERROR,
                "a participant of ROS 2 Humble or older is here; its graph cannot be read: Iron "
                "and "
                "later are supported");
        }
        graph->told_of_humble = true;
    } else if (result == RCLITE_OK && keep_other(graph, graph->received)) {
        ros2_graph_changed(graph);
    } else {
        ros2_unreadable(graph->context, "ros_discovery_info",
            result == RCLITE_OK ? RCLITE_ERR_NO_MEMORY : result);
    }
}

static void on_info(dds_entity_t reader, void *user) {
    ros2_enter(user);
    ros2_reader_drain(reader, hear, user);
    ros2_leave(user);
}

/* A participant that is gone takes its nodes along. */
static void on_participants(dds_entity_t reader, void *user) {
    ros2_graph *graph = user;
    ros2_enter(graph);
    void *sample = NULL;
    dds_sample_info_t info;
    while (dds_take(reader, &sample, &info, 1, 1) == 1) {
        const dds_builtintopic_participant_t *participant = sample;
        if (info.instance_state != DDS_IST_ALIVE) {
            forget_other(graph, participant->key.v);
        }
        dds_return_loan(reader, &sample, 1);
    }
    ros2_graph_changed(graph);
    ros2_leave(graph);
}

void ros2_graph_visit_nodes(ros2_graph *graph, ros2_node_visitor visit, void *user) {
    pthread_mutex_lock(&graph->lock);
    bool go_on = true;
    for (const ros2_own_node *own = graph->own; own && go_on; own = own->next) {
        const ros2_node_info info = node_info_of(own);
        go_on = visit(&info, user);
    }
    for (const ros2_other *other = graph->others; other && go_on; other = other->next) {
        for (size_t i = 0; i < other->info.node_entities_info_seq.size && go_on; i++) {
            go_on = visit(&other->info.node_entities_info_seq.data[i], user);
        }
    }
    pthread_mutex_unlock(&graph->lock);
}

/* ---- life ----------------------------------------------------------------------------------- */

static rclite_result create_endpoints(ros2_graph *graph, rclite_error *reterr) {
    rclite_qos qos = rclite_qos_action_status(); /* reliable, transient local, keep last 1 */
    ros2_endpoint_options options = {.prefix = "",
        .name = "ros_discovery_info",
        .suffix = "",
        .type = &rmw_dds_common__msg__ParticipantEntitiesInfo__type,
        .qos = &qos,
        .identity = ""};
    rclite_result result = ros2_writer_init(&graph->writer, graph->context, &options, reterr);
    if (result != RCLITE_OK) {
        return result;
    }
    dds_listener_t *listener = dds_create_listener(graph);
    dds_lset_data_available_arg(listener, on_info, graph, true);
    qos.history = RCLITE_QOS_KEEP_ALL;
    options.ignore_local = true;
    options.listener = listener;
    options.owner = graph;
    result = ros2_reader_init(&graph->reader, graph->context, &options, reterr);
    if (result == RCLITE_OK) {
        dds_lset_data_available_arg(listener, on_participants, graph, true);
        graph->participants = dds_create_reader(
            graph->context->participant, DDS_BUILTIN_TOPIC_DCPSPARTICIPANT, NULL, listener);
        if (graph->participants < 0) {
            result = rclitei_fail(reterr, RCLITE_ERR_TRANSPORT, graph->participants,
                "Cyclone DDS refused the reader of participants: %s",
                dds_strretcode(graph->participants));
        }
    }
    dds_delete_listener(listener);
    return result;
}

static bool run_ready(rclitei_ready *ready);

rclite_result ros2_graph_create(ros2_context *context, rclite_error *reterr) {
    const rclite_allocator *allocator = &context->base.allocator;
    ros2_graph *graph = rclitei_allocate(allocator, sizeof *graph);
    if (!graph) {
        return rclitei_fail(reterr, RCLITE_ERR_NO_MEMORY, 0, "no memory for the graph");
    }
    context->graph = graph;
    graph->context = context;
    graph->task.run = tell;
    graph->ready.run = run_ready;
    graph->query_capacity = 64;
    pthread_mutex_init(&graph->lock, NULL);
    pthread_mutex_init(&graph->query_lock, NULL);
    pthread_mutexattr_t recursive; /* on_change may ask for the graph */
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&graph->change_lock, &recursive);
    pthread_mutexattr_destroy(&recursive);
    const rclite_type *type = &rmw_dds_common__msg__ParticipantEntitiesInfo__type;
    graph->received = rclitei_message_create(type, allocator);
    rclite_result result = graph->received
                               ? rclitei_codec_create(type, RCLITE_ROS2, allocator, &graph->codec)
                               : RCLITE_ERR_NO_MEMORY;
    if (result != RCLITE_OK) {
        return rclitei_fail(reterr, result, 0, "no memory for the graph");
    }
    return create_endpoints(graph, reterr); /* the caller frees it on failure too */
}

void ros2_graph_free(ros2_context *context) {
    ros2_graph *graph = context->graph;
    if (!graph) {
        return;
    }
    const rclite_allocator *allocator = &context->base.allocator;
    const dds_entity_t builtin[] = {graph->participants, graph->publications, graph->subscriptions};
    for (size_t i = 0; i < sizeof builtin / sizeof *builtin; i++) {
        if (builtin[i] > 0) {
            dds_delete(builtin[i]);
            ros2_enter(graph);
        }
    }
    ros2_reader_done(&graph->reader);
    ros2_sender_remove(&context->sender, &graph->task);
    rclitei_ready_remove(&context->base, &graph->ready);
    ros2_writer_done(&graph->writer);
    while (graph->others) {
        ros2_other *other = graph->others;
        graph->others = other->next;
        free_other(graph, other);
    }
    rclitei_message_free(
        &rmw_dds_common__msg__ParticipantEntitiesInfo__type, graph->received, allocator);
    rclitei_codec_free(graph->codec);
    pthread_mutex_destroy(&graph->change_lock);
    pthread_mutex_destroy(&graph->query_lock);
    pthread_mutex_destroy(&graph->lock);
    context->graph = rclitei_release(allocator, graph);
}

/* ---- changes -------------------------------------------------------------------------------- */

static bool run_ready(rclitei_ready *ready) {
    ros2_graph *graph = (ros2_graph *)((char *)ready - offsetof(ros2_graph, ready));
    if (!rclitei_callback_enter(&graph->context->base)) {
        return false;
    }
    pthread_mutex_lock(&graph->change_lock);
    if (graph->on_change) {
        graph->on_change(graph->on_change_user);
    }
    pthread_mutex_unlock(&graph->change_lock);
    rclitei_callback_leave(&graph->context->base);
    return false;
}

void ros2_graph_changed(ros2_graph *graph) {
    rclitei_signal(&graph->context->base);
    if (!atomic_load(&graph->watched)) {
        return;
    }
    if (graph->context->base.delivery == RCLITE_DELIVERY_DIRECT) {
        run_ready(&graph->ready);
    } else {
        rclitei_ready_push(&graph->context->base, &graph->ready);
    }
}
