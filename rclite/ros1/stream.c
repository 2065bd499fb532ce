/* Streams: connecting, events, and their end; see stream.h. */
#include "ros1/stream.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rclite/time.h"
#include "ros1/stream_internal.h"

/* So many reads in so short a time: the connection is busy. With a reader, a connection that speaks
 * now and then would only wake two threads where the loop handles two events in one go. */
#define LEND_AFTER_READS 16
#define LEND_WITHIN_NS INT64_C(50000000)

/* ---- events --------------------------------------------------------------------------------- */

static int socket_error(int fd) {
    int error = 0;
    socklen_t size = sizeof error;
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

static void finish_connecting(rclitei_stream *stream) {
    int error = socket_error(stream->watch.fd);
    if (error != 0) {
        stream->handler->on_closed(stream, error);
        return;
    }
    pthread_mutex_lock(&stream->mutex);
    stream->connected = true;
    rclitei_stream_flush(stream);
    rclitei_stream_ask(stream);
    pthread_mutex_unlock(&stream->mutex);
    if (stream->handler->on_connected) {
        stream->handler->on_connected(stream);
    }
}

/* One that is busy while the rest is calm gets a reader. */
static void read_some(rclitei_stream *stream) {
    rclitei_stream_read(stream);
    if (!stream->is_data || stream->paused || atomic_load(&stream->closed)) {
        return;
    }
    if (!rclitei_loop_is_calm(stream->loop)) {
        stream->lone_reads = 0;
        return;
    }
    if (stream->lone_reads++ == 0) {
        stream->lone_since_ns = rclite_monotonic_ns();
    } else if (stream->lone_reads == LEND_AFTER_READS) {
        stream->lone_reads = 0;
        if (rclite_monotonic_ns() - stream->lone_since_ns < LEND_WITHIN_NS) {
            rclitei_stream_lend(stream);
        }
    }
}

static void on_ready(rclitei_watch *watch, uint32_t events) {
    rclitei_stream *stream = (rclitei_stream *)watch;
    if (!stream->connected) {
        finish_connecting(stream);
        return;
    }
    if (stream->is_lent) {
        events &= EPOLLOUT; /* the rest shows at the reader */
    }
    if (stream->paused && (events & (EPOLLHUP | EPOLLERR))) {
        stream->handler->on_closed(stream, socket_error(watch->fd));
    } else if (!stream->paused && (events & (RCLITEI_STREAM_IN | EPOLLHUP | EPOLLERR))) {
        read_some(stream);
    }
    if ((events & EPOLLOUT) && !atomic_load(&watch->dead)) {
        rclitei_stream_write(stream);
    }
}

void rclitei_stream_pause(rclitei_stream *stream, bool paused) {
    pthread_mutex_lock(&stream->mutex);
    stream->paused = paused;
    if (!atomic_load(&stream->closed)) {
        rclitei_stream_ask(stream);
    }
    pthread_mutex_unlock(&stream->mutex);
}

/* ---- begin and end -------------------------------------------------------------------------- */

static void init(rclitei_stream *stream, rclitei_loop *loop, const rclite_allocator *allocator,
    const rclitei_stream_handler *handler) {
    memset(stream, 0, sizeof *stream);
    stream->watch.fd = -1;
    stream->watch.on_ready = on_ready;
    stream->loop = loop;
    stream->allocator = *allocator;
    stream->handler = handler;
    stream->in_start = stream->in_end = RCLITEI_STREAM_OFFSET;
    pthread_mutex_init(&stream->mutex, NULL);
}

void rclitei_stream_carries_data(rclitei_stream *stream) {
    stream->is_data = true;
}

static void set_options(int fd) {
    int one = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

rclite_result rclitei_stream_accept(rclitei_stream *stream, rclitei_loop *loop,
    const rclite_allocator *allocator, const rclitei_stream_handler *handler, int fd) {
    init(stream, loop, allocator, handler);
    stream->watch.fd = fd;
    stream->connected = true;
    set_options(fd);
    if (rclitei_loop_add(loop, &stream->watch, RCLITEI_STREAM_IN) != 0) {
        close(fd);
        pthread_mutex_destroy(&stream->mutex);
        return RCLITE_ERR_SYSTEM;
    }
    return RCLITE_OK;
}

/* In the graveyard: no handler can run any more. */
static void release(rclitei_grave *grave) {
    rclitei_stream *stream =
        (rclitei_stream *)(void *)((char *)grave - offsetof(rclitei_stream, grave));
    if (stream->watch.fd >= 0) {
        close(stream->watch.fd);
    }
    stream->allocator.reallocate(stream->allocator.state, stream->in, 0);
    stream->allocator.reallocate(stream->allocator.state, stream->out, 0);
    pthread_mutex_destroy(&stream->mutex);
    stream->handler->release(stream);
}

void rclitei_stream_bury(rclitei_stream *stream) {
    stream->grave.release = release;
    rclitei_loop_bury(stream->loop, &stream->grave);
}

void rclitei_stream_close(rclitei_stream *stream) {
    pthread_mutex_lock(&stream->mutex);
    bool first = !atomic_exchange(&stream->closed, true);
    if (first) {
        rclitei_loop_remove(stream->loop, &stream->watch);
        if (stream->watch.fd >= 0) {
            shutdown(stream->watch.fd, SHUT_RDWR); /* and a reader wakes up */
        }
        rclitei_stream_drop_all(stream);
    }
    /* A look-up that still names the stream buries it, and so does a reader. */
    bool is_named = stream->resolve || stream->is_lent;
    pthread_mutex_unlock(&stream->mutex);
    if (first && !is_named) {
        rclitei_stream_bury(stream);
    }
}

static int start_connecting(rclitei_stream *stream, struct in_addr address, uint16_t port) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = address};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return errno;
    }
    set_options(fd);
    if (connect(fd, (struct sockaddr *)&to, sizeof to) != 0 && errno != EINPROGRESS) {
        int error = errno;
        close(fd);
        return error;
    }
    stream->watch.fd = fd;
    int error = rclitei_loop_add(stream->loop, &stream->watch, EPOLLOUT);
    if (error != 0) {
        close(fd);
        stream->watch.fd = -1;
    }
    return error;
}

/* The name was looked up, on the loop's thread. */
static void on_resolved(void *user, int error, struct in_addr address) {
    rclitei_stream *stream = user;
    pthread_mutex_lock(&stream->mutex);
    stream->resolve = NULL;
    bool closed = atomic_load(&stream->closed);
    int failure = 0;
    if (!closed) {
        failure = error != 0 ? EHOSTUNREACH : start_connecting(stream, address, stream->port);
    }
    pthread_mutex_unlock(&stream->mutex);
    if (closed) {
        rclitei_stream_bury(stream);
    } else if (failure != 0) {
        stream->handler->on_closed(stream, failure);
    }
}

rclite_result rclitei_stream_connect(rclitei_stream *stream, rclitei_loop *loop,
    const rclite_allocator *allocator, const rclitei_stream_handler *handler,
    rclitei_resolver *resolver, const char *host, uint16_t port) {
    init(stream, loop, allocator, handler);
    stream->port = port;
    struct in_addr address;
    rclite_result result = RCLITE_OK;
    if (rclitei_resolve_now(host, &address)) {
        result = start_connecting(stream, address, port) == 0 ? RCLITE_OK : RCLITE_ERR_TRANSPORT;
    } else {
        pthread_mutex_lock(&stream->mutex);
        stream->resolve = rclitei_resolve_start(resolver, host, on_resolved, stream);
        result = stream->resolve ? RCLITE_OK : RCLITE_ERR_NO_MEMORY;
        pthread_mutex_unlock(&stream->mutex);
    }
    if (result != RCLITE_OK) {
        pthread_mutex_destroy(&stream->mutex);
    }
    return result;
}

int rclitei_socket_listen(const char *address, uint16_t *ret_port) {
    struct sockaddr_in at = {.sin_family = AF_INET};
    socklen_t size = sizeof at;
    if (inet_pton(AF_INET, address, &at.sin_addr) != 1) {
        errno = EINVAL;
        return -1;
    }
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return -1;
    }
    if (bind(fd, (struct sockaddr *)&at, sizeof at) != 0 || listen(fd, 1024) != 0 ||
        getsockname(fd, (struct sockaddr *)&at, &size) != 0) {
        int error = errno;
        close(fd);
        errno = error;
        return -1;
    }
    *ret_port = ntohs(at.sin_port);
    return fd;
}
