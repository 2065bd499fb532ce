/* The rclc peer: an rclc program behind the C kit. One node, and an executor that a thread of its
 * own steps; the patterns are in their own files. What is timed is in README.md. */
#include "peer.h"

#include <rcl/error_handling.h>
#include <rmw/rmw.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define STEP_NS 1000000000 /* only an upper limit: data and the guard condition end a step */
#define MATCH_POLL_NS 1000000

bool rclc_peer_failed(char *error, const char *what) {
    snprintf(error, PEER_ERROR_BYTES, "%s: %.200s", what, rcl_get_error_string().str);
    rcl_reset_error();
    return false;
}

void rclc_peer_fail(rclc_peer *peer, const char *what) {
    char error[PEER_ERROR_BYTES];
    rclc_peer_failed(error, what);
    peer_kit_fail(peer->kit, error);
}

bool rclc_peer_is_spinner(const rclc_peer *peer) {
    return peer->spins && pthread_equal(peer->spinner, pthread_self());
}

bool rclc_peer_wake(rclc_peer *peer, char *error) {
    return rcl_trigger_guard_condition(&peer->wake) == RCL_RET_OK ||
           rclc_peer_failed(error, "rcl_trigger_guard_condition");
}

static const rclc_pattern *pattern_of(peer_pattern pattern) {
    switch (pattern) {
    case PEER_SERVICE:
        return &rclc_service;
    case PEER_ACTION:
        return &rclc_action;
    default:
        return &rclc_topic;
    }
}

static const char *refuses(void *self, const peer_job *job) {
    (void)self;
    return job->generation != 2 ? "generation" : peer_job_not_plain(job);
}

/* Waking is all that it is for. */
static void on_wake(void) {
}

static void *spin(void *argument) {
    rclc_peer *peer = argument;
    while (!atomic_load(&peer->ends)) {
        rcl_ret_t result = rclc_executor_spin_some(&peer->executor, STEP_NS);
        if (result != RCL_RET_OK && result != RCL_RET_TIMEOUT) {
            rclc_peer_fail(peer, "rclc_executor_spin_some");
            break;
        }
        if (peer->pattern->after_step != NULL) {
            peer->pattern->after_step(peer);
        }
    }
    return NULL;
}

static bool create_node(rclc_peer *peer, char *error) {
    char namespace[PEER_ERROR_BYTES];
    const char *slash = strrchr(peer->job->node, '/');
    const char *name = slash == NULL ? peer->job->node : slash + 1;
    int length = slash == NULL ? 0 : (int)(slash - peer->job->node);
    snprintf(namespace, sizeof namespace, "%.*s", length, peer->job->node);
    if (rclc_support_init(&peer->support, 0, NULL, &peer->allocator) != RCL_RET_OK) {
        return rclc_peer_failed(error, "rclc_support_init");
    }
    peer->has_support = true;
    if (rclc_node_init_default(&peer->node, name, namespace, &peer->support) != RCL_RET_OK) {
        return rclc_peer_failed(error, "rclc_node_init_default");
    }
    peer->has_node = true;
    return true;
}

static bool create_executor(rclc_peer *peer, char *error) {
    rcl_context_t *context = &peer->support.context;
    if (rcl_guard_condition_init(&peer->wake, context, rcl_guard_condition_get_default_options()) !=
        RCL_RET_OK) {
        return rclc_peer_failed(error, "rcl_guard_condition_init");
    }
    peer->has_wake = true;
    const size_t handles = 2; /* the pattern's endpoint, the guard condition */
    if (rclc_executor_init(&peer->executor, context, handles, &peer->allocator) != RCL_RET_OK) {
        return rclc_peer_failed(error, "rclc_executor_init");
    }
    peer->has_executor = true;
    return rclc_executor_add_guard_condition(&peer->executor, &peer->wake, on_wake) == RCL_RET_OK ||
           rclc_peer_failed(error, "rclc_executor_add_guard_condition");
}

static bool create(void *self, peer_kit *kit, const peer_job *job, char *error) {
    rclc_peer *peer = self;
    peer->kit = kit;
    peer->job = job;
    peer->pattern = pattern_of(job->pattern);
    peer->allocator = rcl_get_default_allocator();
    peer->node = rcl_get_zero_initialized_node();
    peer->wake = rcl_get_zero_initialized_guard_condition();
    peer->effective = job->qos;
    if (!create_node(peer, error) || !create_executor(peer, error) ||
        !peer->pattern->create(peer, error)) {
        return false;
    }
    peer_kit_effective(
        kit, &peer->effective, rmw_get_implementation_identifier(), "rclc", RCLC_VERSION);
    if (pthread_create(&peer->spinner, NULL, spin, peer) != 0) {
        snprintf(error, PEER_ERROR_BYTES, "the executor's thread could not be started");
        return false;
    }
    peer->spins = true;
    return true;
}

static int64_t monotonic_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* rclc has no call that waits for a match. */
static bool wait_matched(void *self, int64_t timeout_ns, char *error) {
    rclc_peer *peer = self;
    const int64_t until_ns = monotonic_ns() + timeout_ns;
    for (;;) {
        bool matched = false;
        if (!peer->pattern->is_matched(peer, &matched)) {
            return rclc_peer_failed(error, "looking for the other side");
        }
        if (matched) {
            return true;
        }
        if (monotonic_ns() > until_ns) {
            snprintf(error, PEER_ERROR_BYTES, "nobody matched in time");
            return false;
        }
        nanosleep(&(struct timespec){0, MATCH_POLL_NS}, NULL);
    }
}

static bool publish(void *self, char *error) {
    rclc_peer *peer = self;
    return peer->pattern->publish(peer, NULL, error);
}

static bool echo(void *self, const void *message, char *error) {
    rclc_peer *peer = self;
    return peer->pattern->publish(peer, message, error);
}

static bool call(void *self, uint64_t token, int64_t t1_ns, char *error) {
    rclc_peer *peer = self;
    return peer->pattern->call(peer, token, t1_ns, error);
}

/* What rcl says on the way out changes nothing. */
static void ended(rcl_ret_t result) {
    if (result != RCL_RET_OK) {
        rcl_reset_error();
    }
}

/* May be called twice. */
static void destroy(void *self) {
    rclc_peer *peer = self;
    if (peer->spins) {
        char error[PEER_ERROR_BYTES];
        atomic_store(&peer->ends, true);
        rclc_peer_wake(peer, error);
        pthread_join(peer->spinner, NULL);
        peer->spins = false;
    }
    if (peer->has_executor) {
        ended(rclc_executor_fini(&peer->executor));
        peer->has_executor = false;
    }
    if (peer->state != NULL) {
        peer->pattern->destroy(peer);
        peer->state = NULL;
    }
    if (peer->has_wake) {
        ended(rcl_guard_condition_fini(&peer->wake));
        peer->has_wake = false;
    }
    if (peer->has_node) {
        ended(rcl_node_fini(&peer->node));
        peer->has_node = false;
    }
    if (peer->has_support) {
        ended(rclc_support_fini(&peer->support));
        peer->has_support = false;
    }
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        printf("rclc %s, %s\n", RCLC_VERSION, rmw_get_implementation_identifier());
        return PEER_EXIT_GOOD;
    }
    static const char *const settings[] = {NULL};
    const peer_ops ops = {
        .settings = settings,
        .refuses = refuses,
        .create = create,
        .wait_matched = wait_matched,
        .publish = publish,
        .echo = echo,
        .call = call,
        .destroy = destroy,
    };
    rclc_peer peer = {0};
    return peer_main(argc, argv, &ops, &peer);
}
