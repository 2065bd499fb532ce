/* The rclite peer: rclite's public API and nothing else of this project. Delivery is a setting:
 * `direct` runs callbacks on the transport's receive thread, `spin` on a thread that spins. */
#include "peer.h"

#include <stdio.h>
#include <string.h>

/* One row per pattern: what its roles do. */
typedef struct pattern_ops {
    bool (*create)(rclite_peer *peer, char *error);
    bool (*wait_matched)(rclite_peer *peer, int64_t timeout_ns, char *error);
    bool (*call)(rclite_peer *peer, uint64_t token, int64_t t1_ns, char *error);
    void (*forget)(rclite_peer *peer, uint64_t token);
    void (*destroy)(rclite_peer *peer);
} pattern_ops;

#define TOPIC_OPS                                                                                  \
    { topic_create, topic_wait_matched, NULL, NULL, topic_destroy }
static const pattern_ops patterns[] = {
    [PEER_TOPIC] = TOPIC_OPS,
    [PEER_STARTUP] = TOPIC_OPS,
    [PEER_SERVICE] = {service_create, service_wait_matched, service_call, service_forget,
        service_destroy},
    [PEER_ACTION] = {action_create, action_wait_matched, action_call, action_forget,
        action_destroy},
};

bool rclite_peer_failed(char *error, const char *call, const rclite_error *detail) {
    snprintf(error, PEER_ERROR_BYTES, "%s: %.200s", call, detail->text);
    return false;
}

bool rclite_peer_failed_with(char *error, const char *call, rclite_result result) {
    snprintf(error, PEER_ERROR_BYTES, "%s: %s", call, rclite_result_string(result));
    return false;
}

/* ---- QoS ---- */

rclite_qos rclite_peer_qos(const peer_qos *qos) {
    return (rclite_qos){
        .reliability =
            qos->reliability == PEER_RELIABLE ? RCLITE_QOS_RELIABLE : RCLITE_QOS_BEST_EFFORT,
        .durability =
            qos->durability == PEER_VOLATILE ? RCLITE_QOS_VOLATILE : RCLITE_QOS_TRANSIENT_LOCAL,
        .history = qos->history == PEER_KEEP_LAST ? RCLITE_QOS_KEEP_LAST : RCLITE_QOS_KEEP_ALL,
        .liveliness = qos->liveliness == PEER_AUTOMATIC ? RCLITE_QOS_LIVELINESS_AUTOMATIC
                                                        : RCLITE_QOS_LIVELINESS_MANUAL_BY_TOPIC,
        .depth = qos->depth,
        .deadline_ns = qos->deadline_ns,
        .lifespan_ns = qos->lifespan_ns,
        .liveliness_lease_ns = qos->liveliness_lease_ns,
    };
}

static peer_qos from_rclite(const rclite_qos *qos) {
    return (peer_qos){
        .reliability = qos->reliability == RCLITE_QOS_RELIABLE ? PEER_RELIABLE : PEER_BEST_EFFORT,
        .durability = qos->durability == RCLITE_QOS_VOLATILE ? PEER_VOLATILE : PEER_TRANSIENT_LOCAL,
        .history = qos->history == RCLITE_QOS_KEEP_LAST ? PEER_KEEP_LAST : PEER_KEEP_ALL,
        .liveliness = qos->liveliness == RCLITE_QOS_LIVELINESS_AUTOMATIC ? PEER_AUTOMATIC
                                                                         : PEER_MANUAL_BY_TOPIC,
        .depth = qos->depth,
        .deadline_ns = qos->deadline_ns,
        .lifespan_ns = qos->lifespan_ns,
        .liveliness_lease_ns = qos->liveliness_lease_ns,
    };
}

/* An action has the QoS that ROS fixes for it. */
static const char *refused_action_qos(const peer_job *job) {
    rclite_qos services = rclite_qos_services();
    peer_qos fixed = from_rclite(&services);
    if (job->qos.reliability != fixed.reliability) {
        return "qos.reliability";
    }
    if (job->qos.durability != fixed.durability) {
        return "qos.durability";
    }
    if (job->qos.history != fixed.history || job->qos.depth != fixed.depth) {
        return "qos.history";
    }
    return NULL;
}

static void say_effective(rclite_peer *peer) {
    peer_qos qos = peer->job->qos;
    if (peer->publisher || peer->subscription) {
        rclite_qos in_force = topic_qos(peer);
        qos = from_rclite(&in_force);
    }
    peer_kit_effective(
        peer->kit, &qos, rclite_context_describe(peer->context), "rclite", RCLITE_VERSION_TEXT);
}

/* ---- the kit's functions ---- */

static bool is_one_of(const char *text, const char *one, const char *other) {
    return strcmp(text, one) == 0 || strcmp(text, other) == 0;
}

static const char *ops_refuses(void *self, const peer_job *job) {
    const char *not_plain = peer_job_not_plain(job);
    bool any_type = job->pattern == PEER_TOPIC || job->pattern == PEER_STARTUP;
    if (not_plain && !(any_type && strcmp(not_plain, "type") == 0)) {
        return not_plain;
    }
    if (any_type && !topic_find_type(self, job)) {
        return "type";
    }
    if (!is_one_of(peer_job_setting(job, "delivery", "direct"), "direct", "spin")) {
        return "settings.delivery";
    }
    if (!is_one_of(peer_job_setting(job, "connection", "persistent"), "persistent", "per_call")) {
        return "settings.connection";
    }
    return job->pattern == PEER_ACTION ? refused_action_qos(job) : NULL;
}

static void log_problem(rclite_log_level level, const char *text, void *user) {
    (void)user;
    if (level >= RCLITE_LOG_WARN) {
        fprintf(stderr, "rclite: %s\n", text);
    }
}

static bool create_context(rclite_peer *peer, bool spin, char *error) {
    rclite_context_options options = RCLITE_CONTEXT_OPTIONS_INIT;
    options.generation = peer->job->generation == 1 ? RCLITE_ROS1 : RCLITE_ROS2;
    options.delivery = spin ? RCLITE_DELIVERY_SPIN : RCLITE_DELIVERY_DIRECT;
    options.log = log_problem;
    rclite_error detail;
    return rclite_context_create(&options, &peer->context, &detail) == RCLITE_OK ||
           rclite_peer_failed(error, "rclite_context_create", &detail);
}

/* The job has the full name: /a/b/name. */
static bool create_node(rclite_peer *peer, char *error) {
    char name_space[256];
    const char *full = peer->job->node;
    const char *slash = strrchr(full, '/');
    size_t length = slash ? (size_t)(slash - full) : 0;
    if (length >= sizeof name_space) {
        return rclite_peer_failed_with(error, "the node's name", RCLITE_ERR_NAME);
    }
    memcpy(name_space, full, length);
    name_space[length] = '\0';
    rclite_error detail;
    return rclite_node_create(peer->context, slash ? slash + 1 : full, name_space, &peer->node,
               &detail) == RCLITE_OK ||
           rclite_peer_failed(error, "rclite_node_create", &detail);
}

static void *spin_main(void *argument) {
    rclite_peer *peer = argument;
    rclite_result result = rclite_spin(peer->context);
    if (result != RCLITE_OK) {
        peer_kit_fail(peer->kit, rclite_result_string(result));
    }
    return NULL;
}

static bool start_spinning(rclite_peer *peer, char *error) {
    if (pthread_create(&peer->spinner, NULL, spin_main, peer) != 0) {
        return rclite_peer_failed_with(error, "starting a thread", RCLITE_ERR_SYSTEM);
    }
    peer->spinning = true;
    return true;
}

static bool ops_create(void *self, peer_kit *kit, const peer_job *job, char *error) {
    rclite_peer *peer = self;
    peer->kit = kit;
    peer->job = job;
    bool spin = strcmp(peer_job_setting(job, "delivery", "direct"), "spin") == 0;
    if (!create_context(peer, spin, error) || !create_node(peer, error) ||
        !patterns[job->pattern].create(peer, error)) {
        return false;
    }
    say_effective(peer);
    return !spin || start_spinning(peer, error);
}

static bool ops_wait_matched(void *self, int64_t timeout_ns, char *error) {
    rclite_peer *peer = self;
    return patterns[peer->job->pattern].wait_matched(peer, timeout_ns, error);
}

static bool ops_publish(void *self, char *error) {
    return topic_publish(self, error);
}

static bool ops_echo(void *self, const void *message, char *error) {
    return topic_echo(self, message, error);
}

static bool ops_call(void *self, uint64_t token, int64_t t1_ns, char *error) {
    rclite_peer *peer = self;
    return patterns[peer->job->pattern].call(peer, token, t1_ns, error);
}

static void ops_forget(void *self, uint64_t token) {
    rclite_peer *peer = self;
    patterns[peer->job->pattern].forget(peer, token);
}

static void ops_destroy(void *self) {
    rclite_peer *peer = self;
    if (peer->spinning) {
        rclite_context_shutdown(peer->context);
        pthread_join(peer->spinner, NULL);
    }
    if (peer->job) {
        patterns[peer->job->pattern].destroy(peer);
    }
    rclite_node_free(peer->node);
    rclite_context_free(peer->context);
}

static const char *const settings[] = {"delivery", "connection", NULL};

static const peer_ops ops = {
    .settings = settings,
    .refuses = ops_refuses,
    .create = ops_create,
    .wait_matched = ops_wait_matched,
    .publish = ops_publish,
    .echo = ops_echo,
    .call = ops_call,
    .forget = ops_forget,
    .destroy = ops_destroy,
};

int main(int argc, char **argv) {
    rclite_peer peer = {.lock = PTHREAD_MUTEX_INITIALIZER};
    return peer_main(argc, argv, &ops, &peer);
}
