/* Looking up host names on a thread of its own; see resolve.h. */
#include "ros1/resolve.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <signal.h>
#include <string.h>
#include <strings.h>

struct rclitei_resolve {
    rclitei_task task; /* first: a task is its look-up */
    rclite_allocator allocator;
    rclitei_resolve *next;
    void (*done)(void *user, int error, struct in_addr address);
    void *user;
    int error;
    struct in_addr address;
    char host[256];
};

struct rclitei_resolver {
    rclite_allocator allocator;
    rclitei_loop *loop;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    pthread_t thread;
    bool started, stopping;
    rclitei_resolve *waiting, **waiting_end;
};

rclitei_resolver *rclitei_resolver_create(const rclite_allocator *allocator, rclitei_loop *loop) {
    rclitei_resolver *resolver = allocator->reallocate(allocator->state, NULL, sizeof *resolver);
    if (resolver) {
        memset(resolver, 0, sizeof *resolver);
        resolver->allocator = *allocator;
        resolver->loop = loop;
        resolver->waiting_end = &resolver->waiting;
        pthread_mutex_init(&resolver->mutex, NULL);
        pthread_cond_init(&resolver->changed, NULL);
    }
    return resolver;
}

rclitei_resolver *rclitei_resolver_free(rclitei_resolver *resolver) {
    if (!resolver) {
        return NULL;
    }
    pthread_mutex_lock(&resolver->mutex);
    resolver->stopping = true;
    bool started = resolver->started;
    pthread_cond_signal(&resolver->changed);
    pthread_mutex_unlock(&resolver->mutex);
    if (started) {
        pthread_join(resolver->thread, NULL);
    }
    rclite_allocator allocator = resolver->allocator;
    while (resolver->waiting) {
        rclitei_resolve *resolve = resolver->waiting;
        resolver->waiting = resolve->next;
        resolve->error = EAI_AGAIN;
        rclitei_loop_post(resolver->loop, &resolve->task);
    }
    pthread_cond_destroy(&resolver->changed);
    pthread_mutex_destroy(&resolver->mutex);
    allocator.reallocate(allocator.state, resolver, 0);
    return NULL;
}

bool rclitei_resolve_now(const char *host, struct in_addr *ret_address) {
    if (strcasecmp(host, "localhost") == 0) {
        ret_address->s_addr = htonl(INADDR_LOOPBACK);
        return true;
    }
    return inet_pton(AF_INET, host, ret_address) == 1;
}

/* On the loop's thread. */
static void deliver(rclitei_task *task) {
    rclitei_resolve *resolve = (rclitei_resolve *)task;
    rclite_allocator allocator = resolve->allocator;
    resolve->done(resolve->user, resolve->error, resolve->address);
    allocator.reallocate(allocator.state, resolve, 0);
}

static void look_up(rclitei_resolve *resolve) {
    struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    resolve->error = getaddrinfo(resolve->host, NULL, &hints, &found);
    if (resolve->error == 0) {
        resolve->address = ((const struct sockaddr_in *)(const void *)found->ai_addr)->sin_addr;
        freeaddrinfo(found);
    }
}

static void *run_resolver(void *argument) {
    rclitei_resolver *resolver = argument;
    pthread_mutex_lock(&resolver->mutex);
    while (!resolver->stopping) {
        rclitei_resolve *resolve = resolver->waiting;
        if (!resolve) {
            pthread_cond_wait(&resolver->changed, &resolver->mutex);
            continue;
        }
        resolver->waiting = resolve->next;
        if (!resolver->waiting) {
            resolver->waiting_end = &resolver->waiting;
        }
        pthread_mutex_unlock(&resolver->mutex);
        look_up(resolve);
        rclitei_loop_post(resolver->loop, &resolve->task);
        pthread_mutex_lock(&resolver->mutex);
    }
    pthread_mutex_unlock(&resolver->mutex);
    return NULL;
}

static bool start_thread(rclitei_resolver *resolver) {
    if (!resolver->started) {
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        resolver->started = pthread_create(&resolver->thread, NULL, run_resolver, resolver) == 0;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    return resolver->started;
}

rclitei_resolve *rclitei_resolve_start(rclitei_resolver *resolver, const char *host,
    void (*done)(void *user, int error, struct in_addr address), void *user) {
    rclite_allocator allocator = resolver->allocator;
    if (strlen(host) >= sizeof((rclitei_resolve *)0)->host) {
        return NULL;
    }
    rclitei_resolve *resolve = allocator.reallocate(allocator.state, NULL, sizeof *resolve);
    if (!resolve) {
        return NULL;
    }
    memset(resolve, 0, sizeof *resolve);
    resolve->task.run = deliver;
    resolve->allocator = allocator;
    resolve->done = done;
    resolve->user = user;
    strcpy(resolve->host, host);
    pthread_mutex_lock(&resolver->mutex);
    bool started = start_thread(resolver);
    if (started) {
        *resolver->waiting_end = resolve;
        resolver->waiting_end = &resolve->next;
        pthread_cond_signal(&resolver->changed);
    }
    pthread_mutex_unlock(&resolver->mutex);
    if (!started) {
        allocator.reallocate(allocator.state, resolve, 0);
        return NULL;
    }
    return resolve;
}
