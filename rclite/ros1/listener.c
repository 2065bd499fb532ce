/* Listening sockets of a node. When the process has no descriptors left, accepting pauses, so that
 * the loop does not turn without end and what is connected goes on. */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ros1/ros1.h"

#define PAUSE_NS INT64_C(100000000)
#define ACCEPTS_PER_TURN 16

static void on_pause_over(rclitei_loop_timer *timer) {
    struct ros1_listener *listener =
        (struct ros1_listener *)(void *)((char *)timer - offsetof(struct ros1_listener, pause));
    if (!atomic_load(&listener->watch.dead)) {
        rclitei_loop_modify(listener->context->loop, &listener->watch, EPOLLIN);
    }
}

static void on_connection(rclitei_watch *watch, uint32_t events) {
    (void)events;
    struct ros1_listener *listener = (struct ros1_listener *)watch;
    struct ros1_context *context = listener->context;
    for (int i = 0; i < ACCEPTS_PER_TURN; i++) {
        int fd = accept4(watch->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0) {
            if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
                rclitei_loop_modify(context->loop, watch, 0);
                rclitei_loop_timer_start(context->loop, &listener->pause, PAUSE_NS);
                rclitei_ros1_log(context, RCLITE_LOG_WARN, "no connection can be accepted now: %s",
                    strerror(errno));
            }
            return;
        }
        pthread_mutex_lock(&context->lock);
        if (listener->node) {
            listener->accepted(listener, fd);
        } else {
            close(fd);
        }
        pthread_mutex_unlock(&context->lock);
    }
}

/* On the loop's thread, so that no event of the listener is being handled. */
static void run_closing(rclitei_task *task) {
    struct ros1_listener *listener =
        (struct ros1_listener *)(void *)((char *)task - offsetof(struct ros1_listener, closing));
    struct ros1_context *context = listener->context;
    rclitei_loop_timer_stop(context->loop, &listener->pause);
    close(listener->watch.fd);
    rclitei_release(&context->base.allocator, listener);
}

rclite_result rclitei_ros1_listen(struct ros1_node *node,
    void (*accepted)(struct ros1_listener *listener, int fd), struct ros1_listener **ret_listener,
    rclite_error *reterr) {
    struct ros1_context *context = node->context;
    struct ros1_listener *listener = rclitei_allocate(&context->base.allocator, sizeof *listener);
    if (!listener) {
        return rclitei_fail(reterr, RCLITE_ERR_NO_MEMORY, 0, "out of memory");
    }
    listener->context = context;
    listener->node = node;
    listener->accepted = accepted;
    listener->pause.on_due = on_pause_over;
    listener->closing.run = run_closing;
    listener->watch.on_ready = on_connection;
    listener->watch.fd = rclitei_socket_listen(context->listen_address, &listener->port);
    int error = listener->watch.fd < 0 ? errno : 0;
    if (error == 0) {
        error = rclitei_loop_add(context->loop, &listener->watch, EPOLLIN);
    }
    if (error != 0) {
        if (listener->watch.fd >= 0) {
            close(listener->watch.fd);
        }
        rclitei_release(&context->base.allocator, listener);
        return rclitei_fail(reterr, RCLITE_ERR_SYSTEM, error, "cannot listen on %s: %s",
            context->listen_address, strerror(error));
    }
    *ret_listener = listener;
    return RCLITE_OK;
}

void rclitei_ros1_listener_close(struct ros1_listener *listener) {
    if (listener) {
        listener->node = NULL;
        rclitei_loop_remove(listener->context->loop, &listener->watch);
        rclitei_loop_post(listener->context->loop, &listener->closing);
    }
}
