/* Changes of the graph: the master tells nobody of them, so it is asked again and again for the
 * whole, and what it says is compared with what it said before. */
#include "ros1/ros1.h"

#define PERIOD_NS INT64_C(500000000)

static uint64_t fingerprint(xmlrpc_env *env, xmlrpc_value *value) {
    uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */
    xmlrpc_mem_block *text = xmlrpc_mem_block_new(env, 0);
    if (!env->fault_occurred) {
        xmlrpc_serialize_value(env, text, value);
        const uint8_t *bytes = xmlrpc_mem_block_contents(text);
        for (size_t i = 0; i < xmlrpc_mem_block_size(text); i++) {
            hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
        }
        xmlrpc_mem_block_free(text);
    }
    return hash;
}

static void call_user(struct ros1_context *context, void (*callback)(void *user), void *user) {
    if (callback && rclitei_callback_enter(&context->base)) {
        callback(user);
        rclitei_callback_leave(&context->base);
    }
}

static void tell(struct ros1_context *context) {
    struct ros1_graph_watch *watch = &context->graph_watch;
    pthread_mutex_lock(&context->lock);
    void (*callback)(void *user) = watch->callback;
    void *user = watch->user;
    watch->running = true;
    pthread_mutex_unlock(&context->lock);
    call_user(context, callback, user);
    pthread_mutex_lock(&context->lock);
    watch->running = false;
    pthread_cond_broadcast(&context->changed);
    pthread_mutex_unlock(&context->lock);
}

static bool run_ready(rclitei_ready *ready) {
    tell((struct ros1_context *)(void *)((char *)ready -
                                         offsetof(struct ros1_context, graph_watch.ready)));
    return false;
}

static void on_answer(void *user, const rclitei_rpc_answer *answer) {
    struct ros1_context *context = user;
    struct ros1_graph_watch *watch = &context->graph_watch;
    uint64_t now = watch->known;
    watch->asking = false;
    if (answer->result == RCLITE_OK) {
        xmlrpc_env env;
        xmlrpc_env_init(&env);
        now = fingerprint(&env, answer->value);
        xmlrpc_env_clean(&env);
    }
    pthread_mutex_lock(&context->lock);
    bool wanted = watch->callback != NULL;
    bool changed = wanted && answer->result == RCLITE_OK && (watch->is_new || now != watch->known);
    watch->is_new = watch->is_new && !changed;
    watch->known = now;
    pthread_mutex_unlock(&context->lock);
    if (changed && context->base.delivery == RCLITE_DELIVERY_SPIN) {
        rclitei_ready_push(&context->base, &watch->ready);
    } else if (changed) {
        tell(context);
    }
    if (wanted && answer->result != RCLITE_ERR_SHUTDOWN) {
        rclitei_loop_timer_start(context->loop, &watch->timer, PERIOD_NS);
    }
}

static void on_due(rclitei_loop_timer *timer) {
    struct ros1_context *context =
        (struct ros1_context *)(void *)((char *)timer -
                                        offsetof(struct ros1_context, graph_watch.timer));
    struct ros1_graph_watch *watch = &context->graph_watch;
    pthread_mutex_lock(&context->lock);
    bool wanted = watch->callback != NULL;
    pthread_mutex_unlock(&context->lock);
    if (wanted && !watch->asking) { /* else the answer goes on */
        watch->asking = rclitei_rpc_start(context->rpc, context->master_uri, RCLITEI_RPC_TIMEOUT_NS,
                            on_answer, context, "getSystemState", "(s)", "/rclite") == RCLITE_OK;
        if (!watch->asking && !atomic_load(&context->base.shutdown)) {
            rclitei_loop_timer_start(context->loop, timer, PERIOD_NS);
        }
    }
}

rclite_result rclitei_ros1_graph_on_change(
    rclite_context *base, void (*callback)(void *user), void *user) {
    struct ros1_context *context = (struct ros1_context *)base;
    struct ros1_graph_watch *watch = &context->graph_watch;
    pthread_mutex_lock(&context->lock);
    watch->callback = callback;
    watch->is_new = true;
    watch->user = user;
    while (watch->running && !rclitei_in_callback(base)) { /* with the one before */
        pthread_cond_wait(&context->changed, &context->lock);
    }
    pthread_mutex_unlock(&context->lock);
    if (!callback) {
        return RCLITE_OK;
    }
    watch->timer.on_due = on_due;
    watch->ready.run = run_ready;
    return rclitei_loop_timer_start(context->loop, &watch->timer, 0);
}

void rclitei_ros1_graph_watch_done(struct ros1_context *context) {
    struct ros1_graph_watch *watch = &context->graph_watch;
    pthread_mutex_lock(&context->lock);
    watch->callback = NULL;
    pthread_mutex_unlock(&context->lock);
    if (watch->ready.run) {
        rclitei_ready_remove(&context->base, &watch->ready);
        rclitei_loop_timer_stop(context->loop, &watch->timer);
    }
}
