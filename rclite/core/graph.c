/* Graph queries: checks, and the life of the answer. */
#include <string.h>

#include "core/endpoint.h"
#include "core/memory.h"

rclite_result rclite_graph_list_get(rclite_context *context, rclite_graph_query query,
    const char *name, rclite_graph_list *ret_list, rclite_error *reterr) {
    if (!context || !ret_list) {
        return rclitei_fail(reterr, RCLITE_ERR_INVALID, 0, "context or ret_list is NULL");
    }
    if ((unsigned)query >= RCLITE_GRAPH_QUERY_COUNT) {
        return rclitei_fail(reterr, RCLITE_ERR_INVALID, 0, "query is %d", (int)query);
    }
    if (query == RCLITE_GRAPH_ENDPOINTS && !name) {
        return rclitei_fail(
            reterr, RCLITE_ERR_INVALID, 0, "name is NULL; RCLITE_GRAPH_ENDPOINTS needs a topic");
    }
    if (!context->backend->graph_list) {
        return rclitei_fail(reterr, RCLITE_ERR_UNSUPPORTED, 0, "backend '%s' has no graph queries",
            context->backend->name);
    }
    rclite_graph_list list = {.allocator = context->allocator};
    rclite_result result = context->backend->graph_list(context, query, name, &list, reterr);
    if (result != RCLITE_OK) {
        rclite_graph_list_done(&list);
        return result;
    }
    *ret_list = list;
    return RCLITE_OK;
}

void rclite_graph_list_done(rclite_graph_list *list) {
    if (!list) {
        return;
    }
    for (size_t i = 0; i < list->count; i++) {
        rclite_graph_entry *entry = &list->entries[i];
        for (size_t j = 0; j < entry->type_count; j++) {
            rclitei_release(&list->allocator, entry->types[j]);
        }
        rclitei_release(&list->allocator, entry->types);
        rclitei_release(&list->allocator, entry->name);
        rclitei_release(&list->allocator, entry->node_name);
        rclitei_release(&list->allocator, entry->type_hash);
    }
    if (list->entries) {
        rclitei_release(&list->allocator, list->entries);
    }
    list->entries = NULL;
    list->count = 0;
}

rclite_result rclite_graph_count(rclite_context *context, const char *topic,
    uint32_t *ret_publishers, uint32_t *ret_subscriptions) {
    if (!topic) {
        return RCLITE_ERR_INVALID;
    }
    rclite_graph_list list;
    rclite_result result =
        rclite_graph_list_get(context, RCLITE_GRAPH_ENDPOINTS, topic, &list, NULL);
    if (result != RCLITE_OK) {
        return result;
    }
    uint32_t publishers = 0;
    for (size_t i = 0; i < list.count; i++) {
        publishers += list.entries[i].is_publisher;
    }
    if (ret_publishers) {
        *ret_publishers = publishers;
    }
    if (ret_subscriptions) {
        *ret_subscriptions = (uint32_t)list.count - publishers;
    }
    rclite_graph_list_done(&list);
    return RCLITE_OK;
}

rclite_result rclite_graph_on_change(
    rclite_context *context, void (*callback)(void *user), void *user) {
    if (!context) {
        return RCLITE_ERR_INVALID;
    }
    if (!context->backend->graph_on_change) {
        return RCLITE_ERR_UNSUPPORTED;
    }
    return context->backend->graph_on_change(context, callback, user);
}
