/* Graph queries: Cyclone's built-in topics joined with the nodes that discovery.c knows. */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "ros2/edges.h"
#include "ros2/graph.h"
#include "ros2/graph_names.h"

static ros2_graph *graph_of(rclite_context *context) {
    return ((ros2_context *)context)->graph;
}

/* ---- the endpoints of the domain ------------------------------------------------------------ */

typedef bool (*endpoint_visitor)(
    const dds_builtintopic_endpoint_t *endpoint, bool is_writer, void *user);

/* What is gone is taken, so that it does not pile up; what is alive stays for queries. Taken as
 * serdata: Cyclone 0.10 fills the whole of a reader's loan even when one sample is asked for. */
static void on_endpoints(dds_entity_t reader, void *user) {
    ros2_enter(user);
    struct ddsi_serdata *taken = NULL;
    dds_sample_info_t info;
    const uint32_t gone = DDS_ANY_SAMPLE_STATE | DDS_ANY_VIEW_STATE |
                          DDS_NOT_ALIVE_DISPOSED_INSTANCE_STATE |
                          DDS_NOT_ALIVE_NO_WRITERS_INSTANCE_STATE;
    while (dds_takecdr(reader, &taken, 1, &info, gone) == 1) {
        ddsi_serdata_unref(taken);
    }
    ros2_graph_changed(user);
    ros2_leave(user);
}

static dds_entity_t create_builtin_reader(ros2_graph *graph, dds_entity_t topic) {
    dds_listener_t *listener = dds_create_listener(graph);
    dds_lset_data_available_arg(listener, on_endpoints, graph, true);
    ros2_leave(graph);
    const dds_entity_t reader =
        dds_create_reader(graph->context->participant, topic, NULL, listener);
    dds_delete_listener(listener);
    return reader;
}

/* Programs that never ask do not pay for these readers. */
static rclite_result need_builtin_readers(ros2_graph *graph, rclite_error *reterr) {
    pthread_mutex_lock(&graph->change_lock);
    if (graph->publications <= 0) {
        graph->publications = create_builtin_reader(graph, DDS_BUILTIN_TOPIC_DCPSPUBLICATION);
    }
    if (graph->subscriptions <= 0) {
        graph->subscriptions = create_builtin_reader(graph, DDS_BUILTIN_TOPIC_DCPSSUBSCRIPTION);
    }
    const bool there = graph->publications > 0 && graph->subscriptions > 0;
    pthread_mutex_unlock(&graph->change_lock);
    return there ? RCLITE_OK
                 : rclitei_fail(reterr, RCLITE_ERR_TRANSPORT, graph->publications,
                       "Cyclone DDS refused the readers of its built-in topics");
}

/* false: no memory, or the visitor stopped. query_lock held. The capacity only grows, and one query
 * reads at a time: Cyclone 0.10 fills as many places as the reader's loan ever had. */
static bool visit_alive(
    ros2_graph *graph, dds_entity_t reader, bool is_writer, endpoint_visitor visit, void *user) {
    const rclite_allocator *allocator = &graph->context->base.allocator;
    const uint32_t alive = DDS_ANY_SAMPLE_STATE | DDS_ANY_VIEW_STATE | DDS_ALIVE_INSTANCE_STATE;
    for (;; graph->query_capacity *= 4) {
        const size_t capacity = graph->query_capacity;
        void **samples = rclitei_allocate(allocator, capacity * sizeof *samples);
        dds_sample_info_t *infos = rclitei_allocate(allocator, capacity * sizeof *infos);
        bool good = samples && infos;
        dds_return_t count = 0;
        if (good) {
            count = dds_read_mask(reader, samples, infos, capacity, (uint32_t)capacity, alive);
        }
        const bool all = count < (dds_return_t)capacity;
        for (dds_return_t i = 0; all && good && i < count; i++) {
            good = !infos[i].valid_data || visit(samples[i], is_writer, user);
        }
        if (count > 0) {
            dds_return_loan(reader, samples, count);
        }
        rclitei_release(allocator, samples);
        rclitei_release(allocator, infos);
        if (all || !good) {
            return good;
        }
    }
}

static bool visit_endpoints(ros2_graph *graph, endpoint_visitor visit, void *user) {
    pthread_mutex_lock(&graph->query_lock);
    const bool good = visit_alive(graph, graph->publications, true, visit, user) &&
                      visit_alive(graph, graph->subscriptions, false, visit, user);
    pthread_mutex_unlock(&graph->query_lock);
    return good;
}

/* ---- answers
 * ------------------------------------------------------------------------------------- */

typedef struct graph_query {
    ros2_graph *graph;
    rclite_graph_query kind;
    const char *node;  /* only what this node has; NULL: everything */
    const char *topic; /* RCLITE_GRAPH_ENDPOINTS */
    ros2_gids gids;    /* of the node */
    bool node_found;
    bool failed; /* no memory, while nodes were visited */
    rclite_graph_list *list;
    size_t capacity;
} graph_query;

static const rclite_allocator *allocator_of(const graph_query *query) {
    return &query->graph->context->base.allocator;
}

static rclite_graph_entry *append_entry(graph_query *query, const char *name) {
    rclite_graph_entry *entry = rclitei_grow(allocator_of(query), &query->list->entries,
        query->list->count, &query->capacity, sizeof *entry);
    if (!entry) {
        return NULL;
    }
    query->list->count++;
    entry->name = rclitei_copy_text(allocator_of(query), name);
    return entry->name ? entry : NULL;
}

static rclite_graph_entry *entry_named(graph_query *query, const char *name) {
    for (size_t i = 0; i < query->list->count; i++) {
        if (strcmp(query->list->entries[i].name, name) == 0) {
            return &query->list->entries[i];
        }
    }
    return append_entry(query, name);
}

static bool add_type(graph_query *query, rclite_graph_entry *entry, const char *type) {
    for (size_t i = 0; i < entry->type_count; i++) {
        if (strcmp(entry->types[i], type) == 0) {
            return true;
        }
    }
    const rclite_allocator *allocator = allocator_of(query);
    char **types = allocator->reallocate(
        allocator->state, entry->types, (entry->type_count + 1) * sizeof *types);
    if (!types) {
        return false;
    }
    entry->types = types;
    types[entry->type_count] = rclitei_copy_text(allocator, type);
    return types[entry->type_count] && ++entry->type_count;
}

static bool full_name_is(const ros2_node_info *node, const char *full_name) {
    const char *space = node->node_namespace.data ? node->node_namespace.data : "";
    const size_t size = strcmp(space, "/") == 0 ? 0 : strlen(space);
    return strncmp(full_name, space, size) == 0 && full_name[size] == '/' &&
           strcmp(full_name + size + 1, node->node_name.data ? node->node_name.data : "") == 0;
}

static char *full_name_of(const graph_query *query, const ros2_node_info *node) {
    const char *space = node->node_namespace.data ? node->node_namespace.data : "";
    return rclitei_format(allocator_of(query), "%s/%s", strcmp(space, "/") == 0 ? "" : space,
        node->node_name.data ? node->node_name.data : "");
}

static bool has_gid(const ros2_gids *gids, const uint8_t gid[16]) {
    for (size_t i = 0; i < gids->size; i++) {
        if (memcmp(gids->data[i].data, gid, 16) == 0) {
            return true;
        }
    }
    return false;
}

/* ---- nodes
 * ---------------------------------------------------------------------------------------- */

static bool list_node(const ros2_node_info *node, void *user) {
    graph_query *query = user;
    char *name = full_name_of(query, node);
    query->failed = !name || !append_entry(query, name);
    rclitei_release(allocator_of(query), name);
    return !query->failed;
}

static bool collect_gids(graph_query *query, const ros2_gids *from) {
    for (size_t i = 0; i < from->size; i++) {
        ros2_gid *gid = rclitei_grow(allocator_of(query), &query->gids.data, query->gids.size,
            &query->gids.capacity, sizeof *gid);
        if (!gid) {
            return false;
        }
        *gid = from->data[i];
        query->gids.size++;
    }
    return true;
}

static bool find_node(const ros2_node_info *node, void *user) {
    graph_query *query = user;
    if (!full_name_is(node, query->node)) {
        return true;
    }
    query->node_found = true;
    query->failed =
        !collect_gids(query, &node->reader_gid_seq) || !collect_gids(query, &node->writer_gid_seq);
    return !query->failed;
}

/* ---- endpoints
 * ------------------------------------------------------------------------------------ */

typedef struct owner_search {
    graph_query *query;
    const uint8_t *gid;
    char *name;
} owner_search;

static bool find_owner(const ros2_node_info *node, void *user) {
    owner_search *search = user;
    if (!has_gid(&node->reader_gid_seq, search->gid) &&
        !has_gid(&node->writer_gid_seq, search->gid)) {
        return true;
    }
    search->name = full_name_of(search->query, node);
    search->query->failed = search->name == NULL;
    return false;
}

static bool describe_endpoint(graph_query *query, const dds_builtintopic_endpoint_t *endpoint,
    bool is_writer, rclite_graph_entry *entry) {
    char hash[128];
    owner_search search = {.query = query, .gid = endpoint->key.v};
    ros2_graph_visit_nodes(query->graph, find_owner, &search);
    entry->node_name = search.name ? search.name : rclitei_copy_text(allocator_of(query), "");
    entry->type_hash = rclitei_copy_text(allocator_of(query),
        ros2_user_data_get(endpoint->qos, "typehash", hash, sizeof hash) ? hash : "");
    memcpy(entry->gid, endpoint->key.v, sizeof entry->gid);
    entry->is_publisher = is_writer;
    entry->qos = ros2_qos_read(endpoint->qos);
    return !query->failed && entry->node_name && entry->type_hash;
}

static bool list_endpoint(const dds_builtintopic_endpoint_t *endpoint, bool is_writer, void *user) {
    graph_query *query = user;
    char name[ROS2_NAME_CAPACITY], type[ROS2_NAME_CAPACITY];
    bool listed = false;
    switch (query->kind) {
    case RCLITE_GRAPH_TOPICS:
        listed = ros2_name_of_topic(endpoint->topic_name, "rt", "", name) &&
                 ros2_name_of_type(endpoint->type_name, "", type);
        break;
    case RCLITE_GRAPH_SERVICES: /* those that are offered: a server reads requests */
        listed = !is_writer && ros2_name_of_topic(endpoint->topic_name, "rq", "Request", name) &&
                 ros2_name_of_type(endpoint->type_name, "_Request", type);
        break;
    case RCLITE_GRAPH_ACTIONS:
        listed =
            !is_writer &&
            ros2_name_of_topic(endpoint->topic_name, "rq", "/_action/send_goalRequest", name) &&
            ros2_name_of_type(endpoint->type_name, "_SendGoal_Request", type);
        break;
    default:
        listed = ros2_name_of_topic(endpoint->topic_name, "rt", "", name) &&
                 strcmp(name, query->topic) == 0 &&
                 ros2_name_of_type(endpoint->type_name, "", type);
    }
    if (!listed || (query->node && !has_gid(&query->gids, endpoint->key.v))) {
        return true;
    }
    if (query->kind != RCLITE_GRAPH_ENDPOINTS) {
        rclite_graph_entry *entry = entry_named(query, name);
        return entry && add_type(query, entry, type);
    }
    rclite_graph_entry *entry = append_entry(query, name);
    return entry && add_type(query, entry, type) &&
           describe_endpoint(query, endpoint, is_writer, entry);
}

static int by_name(const void *left, const void *right) {
    const rclite_graph_entry *a = left, *b = right;
    const int order = strcmp(a->name, b->name);
    return order != 0 ? order : memcmp(a->gid, b->gid, sizeof a->gid);
}

rclite_result ros2_graph_list(rclite_context *context, rclite_graph_query kind, const char *name,
    rclite_graph_list *ret_list, rclite_error *reterr) {
    ros2_graph *graph = graph_of(context);
    graph_query query = {.graph = graph, .kind = kind, .list = ret_list};
    *(kind == RCLITE_GRAPH_ENDPOINTS ? &query.topic : &query.node) = name;
    rclite_result result = RCLITE_OK;
    bool good = true;
    if (kind == RCLITE_GRAPH_NODES) {
        ros2_graph_visit_nodes(graph, list_node, &query);
    } else {
        result = need_builtin_readers(graph, reterr);
        if (result == RCLITE_OK && query.node) {
            ros2_graph_visit_nodes(graph, find_node, &query);
            if (!query.node_found) {
                result = rclitei_fail(reterr, RCLITE_ERR_NAME, 0, "no node %s is known", name);
            }
        }
        if (result == RCLITE_OK && !query.failed) {
            good = visit_endpoints(graph, list_endpoint, &query);
        }
    }
    good = good && !query.failed;
    rclitei_release(&context->allocator, query.gids.data);
    if (!good) {
        result = rclitei_fail(reterr, RCLITE_ERR_NO_MEMORY, 0, "no memory for the graph's answer");
    }
    if (result == RCLITE_OK && ret_list->count > 1) {
        qsort(ret_list->entries, ret_list->count, sizeof *ret_list->entries, by_name);
    }
    return result;
}

rclite_result ros2_graph_on_change(
    rclite_context *context, void (*callback)(void *user), void *user) {
    ros2_graph *graph = graph_of(context);
    pthread_mutex_lock(&graph->change_lock);
    graph->on_change = callback;
    graph->on_change_user = user;
    atomic_store(&graph->watched, callback != NULL);
    pthread_mutex_unlock(&graph->change_lock);
    return callback ? need_builtin_readers(graph, NULL) : RCLITE_OK;
}
