/* The slave API: the methods that the master, other nodes and the tools call on a node. All run on
 * the loop's thread with context->lock held. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ros1/slave.h"

/* [1, text, value]; takes the caller's reference of value. */
static xmlrpc_value *success(xmlrpc_env *env, const char *text, xmlrpc_value *value) {
    if (!value) {
        return NULL;
    }
    xmlrpc_value *answer = xmlrpc_build_value(env, "(isV)", (xmlrpc_int32)1, text, value);
    xmlrpc_DECREF(value);
    return answer;
}

static xmlrpc_value *refusal(xmlrpc_env *env, const char *text) {
    return xmlrpc_build_value(env, "(isi)", (xmlrpc_int32)0, text, (xmlrpc_int32)0);
}

static void append(xmlrpc_env *env, xmlrpc_value *array, xmlrpc_value *item) {
    if (item) {
        xmlrpc_array_append_item(env, array, item);
        xmlrpc_DECREF(item);
    }
}

static xmlrpc_value *get_pid(xmlrpc_env *env, xmlrpc_value *params, void *server, void *user) {
    (void)params;
    (void)server;
    (void)user;
    return success(env, "", xmlrpc_int_new(env, (xmlrpc_int32)getpid()));
}

static xmlrpc_value *get_master_uri(
    xmlrpc_env *env, xmlrpc_value *params, void *server, void *user) {
    (void)params;
    (void)server;
    const struct ros1_slave_call *call = user;
    return success(env, "", xmlrpc_string_new(env, call->context->master_uri));
}

static xmlrpc_value *ask_shutdown(xmlrpc_env *env, xmlrpc_value *params, void *server, void *user) {
    (void)server;
    struct ros1_slave_call *call = user;
    const char *caller = NULL;
    const char *why = NULL;
    xmlrpc_decompose_value(env, params, "(ss*)", &caller, &why);
    call->shutdown = true;
    if (env->fault_occurred) { /* obeyed all the same */
        xmlrpc_env_clean(env);
        xmlrpc_env_init(env);
        snprintf(call->reason, sizeof call->reason, "somebody who does not say why");
    } else {
        snprintf(call->reason, sizeof call->reason, "%s: %s", caller, why);
        rclitei_xmlrpc_text_free(caller);
        rclitei_xmlrpc_text_free(why);
    }
    return success(env, "shutdown", xmlrpc_int_new(env, 0));
}

/* rclite reads parameters when it is asked to and caches none. */
static xmlrpc_value *param_update(xmlrpc_env *env, xmlrpc_value *params, void *server, void *user) {
    (void)params;
    (void)server;
    (void)user;
    return success(env, "", xmlrpc_int_new(env, 0));
}

static xmlrpc_value *get_subscriptions(
    xmlrpc_env *env, xmlrpc_value *params, void *server, void *user) {
    (void)params;
    (void)server;
    const struct ros1_slave_call *call = user;
    xmlrpc_value *list = xmlrpc_array_new(env);
    for (struct ros1_subscription *at = call->node->subscriptions; at; at = at->next) {
        append(env, list,
            xmlrpc_build_value(env, "(ss)", at->base.topic, at->base.type->ros1->wire_name));
    }
    return success(env, "subscriptions", list);
}

static xmlrpc_value *get_publications(
    xmlrpc_env *env, xmlrpc_value *params, void *server, void *user) {
    (void)params;
    (void)server;
    const struct ros1_slave_call *call = user;
    xmlrpc_value *list = xmlrpc_array_new(env);
    for (struct ros1_publication *at = call->node->publications; at; at = at->next) {
        append(env, list, xmlrpc_build_value(env, "(ss)", at->topic, at->type->ros1->wire_name));
    }
    return success(env, "publications", list);
}

/* Does the list of protocols [["TCPROS", ...], ...] name ours. */
static bool offers_tcpros(xmlrpc_env *env, xmlrpc_value *protocols) {
    int count = xmlrpc_array_size(env, protocols);
    for (int i = 0; i < count && !env->fault_occurred; i++) {
        xmlrpc_value *protocol = NULL;
        xmlrpc_value *name = NULL;
        const char *text = NULL;
        bool found = false;
        xmlrpc_array_read_item(env, protocols, (unsigned)i, &protocol);
        if (!env->fault_occurred) {
            xmlrpc_array_read_item(env, protocol, 0, &name);
        }
        if (!env->fault_occurred) {
            xmlrpc_read_string(env, name, &text);
        }
        if (text) {
            found = strcmp(text, "TCPROS") == 0;
            rclitei_xmlrpc_text_free(text);
        }
        if (name) {
            xmlrpc_DECREF(name);
        }
        if (protocol) {
            xmlrpc_DECREF(protocol);
        }
        if (found) {
            return true;
        }
    }
    return false;
}

static xmlrpc_value *request_topic(
    xmlrpc_env *env, xmlrpc_value *params, void *server, void *user) {
    (void)server;
    const struct ros1_slave_call *call = user;
    const char *caller = NULL;
    const char *topic = NULL;
    xmlrpc_value *protocols = NULL;
    xmlrpc_decompose_value(env, params, "(ssA)", &caller, &topic, &protocols);
    if (env->fault_occurred) {
        return NULL;
    }
    xmlrpc_value *answer;
    if (!rclitei_ros1_publication_find(call->node, topic)) {
        answer = refusal(env, "not a publisher of this topic");
    } else if (!offers_tcpros(env, protocols)) {
        answer = env->fault_occurred ? NULL : refusal(env, "no supported protocol: TCPROS only");
    } else {
        answer = success(env, "ready",
            xmlrpc_build_value(env, "(ssi)", "TCPROS", call->context->host,
                (xmlrpc_int32)call->node->tcpros_listener->port));
    }
    rclitei_xmlrpc_text_free(caller);
    rclitei_xmlrpc_text_free(topic);
    xmlrpc_DECREF(protocols);
    return answer;
}

/* The URIs as an array of strings (each to be freed with rclitei_xmlrpc_text_free); NULL on
 * failure. */
static const char **read_uris(
    xmlrpc_env *env, const rclite_allocator *allocator, xmlrpc_value *list, size_t *ret_count) {
    int size = xmlrpc_array_size(env, list);
    const char **uris =
        env->fault_occurred ? NULL : rclitei_allocate(allocator, (size_t)size * sizeof *uris);
    size_t count = 0;
    for (int i = 0; uris && i < size; i++) {
        xmlrpc_value *item = NULL;
        xmlrpc_array_read_item(env, list, (unsigned)i, &item);
        xmlrpc_read_string(env, item, &uris[count]);
        xmlrpc_DECREF(item);
        if (env->fault_occurred) {
            break;
        }
        count++;
    }
    *ret_count = count;
    return uris;
}

void rclitei_ros1_publishers_update_value(
    struct ros1_node *node, const char *topic, bool initial, xmlrpc_env *env, xmlrpc_value *list) {
    const rclite_allocator *allocator = &node->context->base.allocator;
    size_t count = 0;
    const char **uris = read_uris(env, allocator, list, &count);
    struct ros1_subscription *at = env->fault_occurred ? NULL : node->subscriptions;
    for (; uris && at; at = at->next) {
        if (strcmp(at->base.topic, topic) == 0 && !(initial && at->updated)) {
            at->updated = at->updated || !initial;
            rclitei_ros1_publishers_update(at, uris, count);
        }
    }
    for (size_t i = 0; i < count; i++) {
        rclitei_xmlrpc_text_free(uris[i]);
    }
    rclitei_release(allocator, (void *)uris);
}

static xmlrpc_value *publisher_update(
    xmlrpc_env *env, xmlrpc_value *params, void *server, void *user) {
    (void)server;
    const struct ros1_slave_call *call = user;
    const char *caller = NULL;
    const char *topic = NULL;
    xmlrpc_value *list = NULL;
    xmlrpc_decompose_value(env, params, "(ssA)", &caller, &topic, &list);
    if (env->fault_occurred) {
        return NULL;
    }
    rclitei_ros1_publishers_update_value(call->node, topic, false, env, list);
    rclitei_xmlrpc_text_free(caller);
    rclitei_xmlrpc_text_free(topic);
    xmlrpc_DECREF(list);
    return env->fault_occurred ? NULL : success(env, "", xmlrpc_int_new(env, 0));
}

/* ---- statistics ----------------------------------------------------------------------------- */

static xmlrpc_value *connection_info(
    xmlrpc_env *env, unsigned id, const char *other, const char *direction, const char *topic) {
    return xmlrpc_build_value(
        env, "(issssb)", (xmlrpc_int32)id, other, direction, "TCPROS", topic, (xmlrpc_bool)1);
}

static xmlrpc_value *get_bus_info(xmlrpc_env *env, xmlrpc_value *params, void *server, void *user) {
    (void)params;
    (void)server;
    const struct ros1_slave_call *call = user;
    xmlrpc_value *list = xmlrpc_array_new(env);
    for (struct ros1_publication *at = call->node->publications; at; at = at->next) {
        pthread_mutex_lock(&at->mutex);
        for (struct ros1_inbound *to = at->subscribers; to; to = to->next_subscriber) {
            append(env, list, connection_info(env, to->id, to->caller, "o", at->topic));
        }
        pthread_mutex_unlock(&at->mutex);
    }
    for (struct ros1_subscription *at = call->node->subscriptions; at; at = at->next) {
        for (struct ros1_link *from = at->links; from; from = from->next) {
            if (from->open) {
                append(env, list, connection_info(env, from->id, from->uri, "i", at->base.topic));
            }
        }
    }
    return success(env, "bus info", list);
}

/* XML-RPC numbers have 32 bits. */
static xmlrpc_int32 clip(uint64_t value) {
    return value > INT32_MAX ? INT32_MAX : (xmlrpc_int32)value;
}

static xmlrpc_value *publication_stats(xmlrpc_env *env, struct ros1_publication *publication) {
    xmlrpc_value *connections = xmlrpc_array_new(env);
    uint64_t bytes = 0;
    pthread_mutex_lock(&publication->mutex);
    for (struct ros1_inbound *to = publication->subscribers; to; to = to->next_subscriber) {
        bytes += to->sent_bytes;
        append(env, connections,
            xmlrpc_build_value(env, "(iiib)", (xmlrpc_int32)to->id, clip(to->sent_bytes),
                clip(to->sent_messages), (xmlrpc_bool)1));
    }
    pthread_mutex_unlock(&publication->mutex);
    xmlrpc_value *stats =
        xmlrpc_build_value(env, "(siV)", publication->topic, clip(bytes), connections);
    xmlrpc_DECREF(connections);
    return stats;
}

static xmlrpc_value *subscription_stats(xmlrpc_env *env, struct ros1_subscription *subscription) {
    xmlrpc_value *connections = xmlrpc_array_new(env);
    for (struct ros1_link *from = subscription->links; from; from = from->next) {
        if (from->open) {
            append(env, connections,
                xmlrpc_build_value(env, "(iiiib)", (xmlrpc_int32)from->id,
                    clip(from->received_bytes), clip(from->received_messages), (xmlrpc_int32)-1,
                    (xmlrpc_bool)1));
        }
    }
    xmlrpc_value *stats = xmlrpc_build_value(env, "(sV)", subscription->base.topic, connections);
    xmlrpc_DECREF(connections);
    return stats;
}

static xmlrpc_value *get_bus_stats(
    xmlrpc_env *env, xmlrpc_value *params, void *server, void *user) {
    (void)params;
    (void)server;
    const struct ros1_slave_call *call = user;
    xmlrpc_value *publish = xmlrpc_array_new(env);
    xmlrpc_value *subscribe = xmlrpc_array_new(env);
    for (struct ros1_publication *at = call->node->publications; at; at = at->next) {
        append(env, publish, publication_stats(env, at));
    }
    for (struct ros1_subscription *at = call->node->subscriptions; at; at = at->next) {
        append(env, subscribe, subscription_stats(env, at));
    }
    xmlrpc_value *stats = xmlrpc_build_value(
        env, "(VV(iii))", publish, subscribe, (xmlrpc_int32)0, (xmlrpc_int32)0, (xmlrpc_int32)0);
    xmlrpc_DECREF(publish);
    xmlrpc_DECREF(subscribe);
    return success(env, "bus stats", stats);
}

rclite_result rclitei_ros1_slave_registry_create(
    struct ros1_context *context, xmlrpc_registry **ret_registry) {
    static const struct {
        const char *name;
        xmlrpc_method2 method;
    } methods[] = {
        {"getBusStats", get_bus_stats},
        {"getBusInfo", get_bus_info},
        {"getMasterUri", get_master_uri},
        {"shutdown", ask_shutdown},
        {"getPid", get_pid},
        {"getSubscriptions", get_subscriptions},
        {"getPublications", get_publications},
        {"paramUpdate", param_update},
        {"publisherUpdate", publisher_update},
        {"requestTopic", request_topic},
    };
    (void)context;
    xmlrpc_env env;
    xmlrpc_env_init(&env);
    xmlrpc_registry *registry = xmlrpc_registry_new(&env);
    for (size_t i = 0; i < sizeof methods / sizeof *methods && !env.fault_occurred; i++) {
        xmlrpc_registry_add_method2(
            &env, registry, methods[i].name, methods[i].method, NULL, NULL, NULL);
    }
    bool good = !env.fault_occurred;
    if (!good && registry) {
        xmlrpc_registry_free(registry);
    }
    xmlrpc_env_clean(&env);
    if (!good) {
        return RCLITE_ERR_NO_MEMORY;
    }
    *ret_registry = registry;
    return RCLITE_OK;
}
