/* The graph as the master knows it. Types of services and ids of endpoints are not known to it and
 * stay empty. */
#include "ros1/ros1.h"

#include <stdlib.h>
#include <string.h>

/* The answer being built, and what it is built from. */
struct graph {
    rclite_context *context;
    rclite_graph_list *list;
    size_t capacity;
    xmlrpc_env env;
    xmlrpc_value *state; /* [publishers, subscribers, services], each [[name, [node, ...]], ...] */
    xmlrpc_value *types; /* [[topic, type], ...] */
    bool out_of_memory;
};

enum { PUBLISHERS, SUBSCRIBERS, SERVICES };

/* "std_msgs/String" as "std_msgs/msg/String". */
static char *spell_type(const struct graph *graph, const char *wire_name, const char *middle) {
    const char *slash = strchr(wire_name, '/');
    return slash ? rclitei_format(&graph->context->allocator, "%.*s/%s/%s",
                       (int)(slash - wire_name), wire_name, middle, slash + 1)
                 : rclitei_copy_text(&graph->context->allocator, wire_name);
}

static rclite_graph_entry *append(struct graph *graph, const char *name) {
    rclite_graph_list *list = graph->list;
    rclite_graph_entry *entry = rclitei_grow(
        &graph->context->allocator, &list->entries, list->count, &graph->capacity, sizeof *entry);
    if (entry) {
        list->count++;
        entry->name = rclitei_copy_text(&graph->context->allocator, name);
        entry->node_name = rclitei_copy_text(&graph->context->allocator, "");
        entry->type_hash = rclitei_copy_text(&graph->context->allocator, "");
        entry->qos = rclite_qos_default();
    }
    if (!entry || !entry->name || !entry->node_name || !entry->type_hash) {
        graph->out_of_memory = true;
        return NULL;
    }
    return entry;
}

static rclite_graph_entry *find(const struct graph *graph, const char *name) {
    for (size_t i = 0; i < graph->list->count; i++) {
        if (strcmp(graph->list->entries[i].name, name) == 0) {
            return &graph->list->entries[i];
        }
    }
    return NULL;
}

/* Sets the type, given as rclite spells it; takes over the text. */
static void set_type(struct graph *graph, rclite_graph_entry *entry, char *type) {
    if (entry && entry->type_count == 0 && type) {
        entry->types = rclitei_allocate(&graph->context->allocator, sizeof *entry->types);
        if (entry->types) {
            entry->types[0] = type;
            entry->type_count = 1;
            return;
        }
    }
    graph->out_of_memory = graph->out_of_memory || !type;
    rclitei_release(&graph->context->allocator, type);
}

/* The wire name of a topic's type, to be freed with rclitei_xmlrpc_text_free; NULL: not known. */
static const char *type_of(struct graph *graph, const char *topic) {
    int count = xmlrpc_array_size(&graph->env, graph->types);
    const char *type = NULL;
    for (int i = 0; i < count && !type && !graph->env.fault_occurred; i++) {
        xmlrpc_value *row = NULL;
        const char *name = NULL;
        const char *row_type = NULL;
        xmlrpc_array_read_item(&graph->env, graph->types, (unsigned)i, &row);
        xmlrpc_decompose_value(&graph->env, row, "(ss*)", &name, &row_type);
        xmlrpc_DECREF(row);
        if (graph->env.fault_occurred) {
            break;
        }
        if (strcmp(name, topic) == 0) {
            type = row_type;
        } else {
            rclitei_xmlrpc_text_free(row_type);
        }
        rclitei_xmlrpc_text_free(name);
    }
    return type;
}

/* Calls visit for each name and node of one of the three lists. */
static void walk(struct graph *graph, int which,
    void (*visit)(
        struct graph *graph, const char *name, const char *node, int which, const char *wanted),
    const char *wanted) {
    xmlrpc_env *env = &graph->env;
    xmlrpc_value *rows = NULL;
    xmlrpc_array_read_item(env, graph->state, (unsigned)which, &rows);
    int count = env->fault_occurred ? 0 : xmlrpc_array_size(env, rows);
    for (int i = 0; i < count && !env->fault_occurred; i++) {
        xmlrpc_value *row = NULL;
        xmlrpc_value *nodes = NULL;
        const char *name = NULL;
        xmlrpc_array_read_item(env, rows, (unsigned)i, &row);
        xmlrpc_decompose_value(env, row, "(sA*)", &name, &nodes);
        xmlrpc_DECREF(row);
        if (env->fault_occurred) {
            break;
        }
        int node_count = xmlrpc_array_size(env, nodes);
        for (int j = 0; j < node_count && !env->fault_occurred; j++) {
            xmlrpc_value *item = NULL;
            const char *node = NULL;
            xmlrpc_array_read_item(env, nodes, (unsigned)j, &item);
            xmlrpc_read_string(env, item, &node);
            xmlrpc_DECREF(item);
            if (!env->fault_occurred) {
                visit(graph, name, node, which, wanted);
                rclitei_xmlrpc_text_free(node);
            }
        }
        rclitei_xmlrpc_text_free(name);
        xmlrpc_DECREF(nodes);
    }
    if (rows) {
        xmlrpc_DECREF(rows);
    }
}

static void visit_node(
    struct graph *graph, const char *name, const char *node, int which, const char *wanted) {
    (void)name;
    (void)which;
    (void)wanted;
    if (!find(graph, node)) {
        append(graph, node);
    }
}

/* Topics or services, of all nodes or of the one wanted. */
static void visit_name(
    struct graph *graph, const char *name, const char *node, int which, const char *wanted) {
    if ((wanted && strcmp(node, wanted) != 0) || find(graph, name)) {
        return;
    }
    rclite_graph_entry *entry = append(graph, name);
    const char *type = entry && which != SERVICES ? type_of(graph, name) : NULL;
    if (type) {
        set_type(graph, entry, spell_type(graph, type, "msg"));
    }
    rclitei_xmlrpc_text_free(type);
}

static void visit_endpoint(
    struct graph *graph, const char *name, const char *node, int which, const char *wanted) {
    if (strcmp(name, wanted) != 0) {
        return;
    }
    rclite_graph_entry *entry = append(graph, name);
    if (!entry) {
        return;
    }
    entry->is_publisher = which == PUBLISHERS;
    rclitei_release(&graph->context->allocator, entry->node_name);
    entry->node_name = rclitei_copy_text(&graph->context->allocator, node);
    graph->out_of_memory = graph->out_of_memory || !entry->node_name;
    const char *type = type_of(graph, name);
    if (type) {
        set_type(graph, entry, spell_type(graph, type, "msg"));
    }
    rclitei_xmlrpc_text_free(type);
}

static bool ends_with(const char *text, const char *end) {
    size_t size = strlen(text);
    size_t end_size = strlen(end);
    return size > end_size && strcmp(text + size - end_size, end) == 0;
}

/* An action is where a topic /status of its type is; its own type is that of the topic /goal. */
static void visit_action(
    struct graph *graph, const char *name, const char *node, int which, const char *wanted) {
    (void)node;
    (void)which;
    (void)wanted;
    const rclite_allocator *allocator = &graph->context->allocator;
    const char *type = ends_with(name, "/status") ? type_of(graph, name) : NULL;
    bool is_action = type && strcmp(type, "actionlib_msgs/GoalStatusArray") == 0;
    rclitei_xmlrpc_text_free(type);
    if (!is_action) {
        return;
    }
    char *action = rclitei_format(allocator, "%.*s", (int)(strlen(name) - 7), name);
    char *goal = action ? rclitei_format(allocator, "%s/goal", action) : NULL;
    graph->out_of_memory = graph->out_of_memory || !goal;
    if (goal && !find(graph, action)) {
        rclite_graph_entry *entry = append(graph, action);
        const char *goal_type = type_of(graph, goal);
        if (entry && goal_type && ends_with(goal_type, "ActionGoal")) {
            char *base =
                rclitei_format(allocator, "%.*s", (int)(strlen(goal_type) - 10), goal_type);
            set_type(graph, entry, base ? spell_type(graph, base, "action") : NULL);
            rclitei_release(allocator, base);
        }
        rclitei_xmlrpc_text_free(goal_type);
    }
    rclitei_release(allocator, goal);
    rclitei_release(allocator, action);
}

static int compare_entries(const void *a, const void *b) {
    const rclite_graph_entry *left = a;
    const rclite_graph_entry *right = b;
    int order = strcmp(left->name, right->name);
    return order != 0 ? order : strcmp(left->node_name, right->node_name);
}

static void build(struct graph *graph, rclite_graph_query query, const char *name) {
    switch (query) {
    case RCLITE_GRAPH_NODES:
        for (int which = PUBLISHERS; which <= SERVICES; which++) {
            walk(graph, which, visit_node, NULL);
        }
        break;
    case RCLITE_GRAPH_TOPICS:
        walk(graph, PUBLISHERS, visit_name, name);
        walk(graph, SUBSCRIBERS, visit_name, name);
        break;
    case RCLITE_GRAPH_SERVICES:
        walk(graph, SERVICES, visit_name, name);
        break;
    case RCLITE_GRAPH_ACTIONS:
        walk(graph, PUBLISHERS, visit_action, NULL);
        walk(graph, SUBSCRIBERS, visit_action, NULL);
        break;
    default:
        walk(graph, PUBLISHERS, visit_endpoint, name);
        walk(graph, SUBSCRIBERS, visit_endpoint, name);
    }
}

rclite_result rclitei_ros1_graph_list(rclite_context *base, rclite_graph_query query,
    const char *name, rclite_graph_list *ret_list, rclite_error *reterr) {
    struct ros1_context *context = (struct ros1_context *)base;
    struct graph graph = {.context = base, .list = ret_list};
    rclite_result result = rclitei_rpc_call(context->rpc, context->master_uri, &graph.state, reterr,
        "getSystemState", "(s)", "/rclite");
    if (result == RCLITE_OK) {
        result = rclitei_rpc_call(context->rpc, context->master_uri, &graph.types, reterr,
            "getTopicTypes", "(s)", "/rclite");
    }
    if (result == RCLITE_OK) {
        xmlrpc_env_init(&graph.env);
        build(&graph, query, name);
        if (graph.env.fault_occurred) {
            result = rclitei_fail(reterr, RCLITE_ERR_MALFORMED, 0,
                "the answers of the master at %.100s make no graph", context->master_uri);
        } else if (graph.out_of_memory) {
            result = rclitei_fail(reterr, RCLITE_ERR_NO_MEMORY, 0, "no memory for the graph");
        }
        xmlrpc_env_clean(&graph.env);
    }
    if (result == RCLITE_OK && ret_list->count > 0) {
        qsort(ret_list->entries, ret_list->count, sizeof *ret_list->entries, compare_entries);
    }
    if (graph.state) {
        xmlrpc_DECREF(graph.state);
    }
    if (graph.types) {
        xmlrpc_DECREF(graph.types);
    }
    return result;
}
