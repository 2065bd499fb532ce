/* Non-blocking TCP connections; see stream.h. */
#include "ros1/stream.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define INPUT_FIRST_BYTES ((size_t)4096)
#define INPUT_AHEAD_BYTES ((size_t)65536) /* read beyond the frame at most so much */
#define INPUT_OFFSET ((size_t)4)          /* a body behind a 4-byte length is then aligned to 8 */
#define PACKETS_PER_WRITE 32
#define EVENTS_IN (EPOLLIN | EPOLLRDHUP)

/* ---- incoming ----------------------------------------------------------------------------------
 */

const uint8_t *rclitei_stream_input(const rclitei_stream *stream, size_t *ret_size) {
    *ret_size = stream->in_end - stream->in_start;
    return stream->in + stream->in_start;
}

void rclitei_stream_consume(rclitei_stream *stream, size_t size) {
    stream->in_start += size;
    stream->in_previous = size;
    stream->in_wanted = 0;
    if (stream->in_start == stream->in_end) {
        stream->in_start = stream->in_end = INPUT_OFFSET;
    }
}

void rclitei_stream_want(rclitei_stream *stream, size_t size) {
    stream->in_wanted = size;
}

static size_t size_min(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Makes room behind in_end for the next read. False: no memory. */
static bool make_room(rclitei_stream *stream) {
    size_t have = stream->in_end - stream->in_start;
    size_t justified = have > INPUT_AHEAD_BYTES / 2 ? 2 * have : INPUT_AHEAD_BYTES;
    size_t frame = size_min(stream->in_wanted, justified);
    size_t target = stream->in_capacity - (stream->in_capacity ? INPUT_OFFSET : 0);
    if (target < INPUT_FIRST_BYTES) {
        target = INPUT_FIRST_BYTES;
    }
    if (stream->in_filled && target < INPUT_AHEAD_BYTES) {
        target *= 2;
    }
    if (target < frame) {
        target = frame;
    }
    if (target <= have) {
        target = 2 * have; /* a frame of unknown size */
    }
    if (stream->in_start > INPUT_OFFSET &&
        stream->in_start + (frame > have ? frame : have + INPUT_FIRST_BYTES / 4) >
            stream->in_capacity) {
        memmove(stream->in + INPUT_OFFSET, stream->in + stream->in_start, have);
        stream->in_start = INPUT_OFFSET;
        stream->in_end = INPUT_OFFSET + have;
    }
    if (stream->in_capacity < INPUT_OFFSET + target) {
        uint8_t *in = stream->allocator.reallocate(
            stream->allocator.state, stream->in, INPUT_OFFSET + target);
        if (!in) {
            return false;
        }
        stream->in = in;
        stream->in_capacity = INPUT_OFFSET + target;
    }
    return true;
}

static void read_some(rclitei_stream *stream) {
    if (!make_room(stream)) {
        stream->handler->on_closed(stream, ENOMEM);
        return;
    }
    size_t have = stream->in_end - stream->in_start;
    size_t frame = stream->in_wanted ? stream->in_wanted : stream->in_previous;
    size_t useful = frame > have ? frame - have : 0;
    if (useful < INPUT_AHEAD_BYTES) {
        useful = INPUT_AHEAD_BYTES;
    }
    size_t room = size_min(stream->in_capacity - stream->in_end, useful);
    ssize_t got = recv(stream->watch.fd, stream->in + stream->in_end, room, 0);
    if (got > 0) {
        stream->in_end += (size_t)got;
        stream->in_filled = (size_t)got == room;
        stream->handler->on_input(stream);
    } else if (got == 0) {
        stream->handler->on_closed(stream, 0);
    } else if (errno != EAGAIN && errno != EINTR) {
        stream->handler->on_closed(stream, errno);
    }
}

/* ---- outgoing ----------------------------------------------------------------------------------
 */

/* What epoll is to wait for; the mutex is held. */
static void ask_events(rclitei_stream *stream) {
    uint32_t events = stream->paused ? 0 : EVENTS_IN;
    if (stream->out_count > 0 || !stream->connected) {
        events |= EPOLLOUT;
    }
    rclitei_loop_modify(stream->loop, &stream->watch, events);
}

static rclitei_packet **out_at(rclitei_stream *stream, size_t index) {
    return &stream->out[(stream->out_first + index) % stream->out_capacity];
}

static void out_pop(rclitei_stream *stream) {
    rclitei_packet_release(*out_at(stream, 0));
    stream->out_first = (stream->out_first + 1) % stream->out_capacity;
    stream->out_count--;
    stream->out_sent = 0;
}

/* Drops the oldest packet of which nothing was sent. False: there is none. */
static bool out_drop_oldest(rclitei_stream *stream) {
    size_t begun = stream->out_sent > 0 ? 1 : 0;
    if (stream->out_count <= begun) {
        return false;
    }
    if (begun == 0) {
        out_pop(stream);
        return true;
    }
    rclitei_packet *first = *out_at(stream, 0);
    rclitei_packet_release(*out_at(stream, 1));
    *out_at(stream, 1) = first;
    stream->out_first = (stream->out_first + 1) % stream->out_capacity;
    stream->out_count--;
    return true;
}

static rclite_result out_push(rclitei_stream *stream, rclitei_packet *packet) {
    if (stream->out_count == stream->out_capacity) {
        size_t capacity = stream->out_capacity ? 2 * stream->out_capacity : 4;
        rclitei_packet **out =
            stream->allocator.reallocate(stream->allocator.state, NULL, capacity * sizeof *out);
        if (!out) {
            return RCLITE_ERR_NO_MEMORY;
        }
        for (size_t i = 0; i < stream->out_count; i++) {
            out[i] = *out_at(stream, i);
        }
        stream->allocator.reallocate(stream->allocator.state, stream->out, 0);
        stream->out = out;
        stream->out_capacity = capacity;
        stream->out_first = 0;
    }
    stream->out_count++;
    *out_at(stream, stream->out_count - 1) = rclitei_packet_retain(packet);
    return RCLITE_OK;
}

/* Writes what the socket takes. The mutex is held. Errors show on the loop's thread as EPOLLERR or
 * EPOLLHUP; until then the queue just waits. */
static void out_flush(rclitei_stream *stream) {
    while (stream->out_count > 0) {
        struct iovec parts[PACKETS_PER_WRITE];
        size_t count = 0;
        size_t asked = 0;
        for (; count < PACKETS_PER_WRITE && count < stream->out_count; count++) {
            rclitei_packet *packet = *out_at(stream, count);
            size_t skip = count == 0 ? stream->out_sent : 0;
            parts[count] = (struct iovec){packet->bytes + skip, packet->size - skip};
            asked += packet->size - skip;
        }
        struct msghdr message = {.msg_iov = parts, .msg_iovlen = count};
        ssize_t sent = sendmsg(stream->watch.fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0) {
            return;
        }
        size_t left = (size_t)sent;
        while (stream->out_count > 0) {
            size_t rest = (*out_at(stream, 0))->size - stream->out_sent;
            if (left < rest) {
                stream->out_sent += left;
                break;
            }
            left -= rest;
            out_pop(stream);
        }
        if ((size_t)sent < asked) {
            return;
        }
    }
}

rclite_result rclitei_stream_send(
    rclitei_stream *stream, rclitei_packet *packet, uint32_t depth, uint64_t *dropped) {
    rclite_result result = RCLITE_OK;
    pthread_mutex_lock(&stream->mutex);
    if (atomic_load_explicit(&stream->closed, memory_order_relaxed)) {
        result = RCLITE_ERR_TRANSPORT;
        goto done;
    }
    size_t sent = 0;
    if (stream->connected && stream->out_count == 0) {
        ssize_t took =
            send(stream->watch.fd, packet->bytes, packet->size, MSG_NOSIGNAL | MSG_DONTWAIT);
        sent = took > 0 ? (size_t)took : 0;
        if (sent == packet->size) {
            goto done;
        }
    }
    while (depth > 0 && stream->out_count - (stream->out_sent > 0 ? 1 : 0) >= depth &&
           out_drop_oldest(stream)) {
        if (dropped) {
            ++*dropped;
        }
    }
    result = out_push(stream, packet);
    if (result != RCLITE_OK) {
        goto done;
    }
    if (stream->out_count == 1) {
        stream->out_sent = sent;
        if (stream->connected) {
            ask_events(stream);
        }
    }
done:
    pthread_mutex_unlock(&stream->mutex);
    return result;
}

bool rclitei_stream_is_drained(rclitei_stream *stream) {
    pthread_mutex_lock(&stream->mutex);
    bool drained = stream->out_count == 0;
    pthread_mutex_unlock(&stream->mutex);
    return drained;
}

static void write_some(rclitei_stream *stream) {
    pthread_mutex_lock(&stream->mutex);
    out_flush(stream);
    bool drained = stream->out_count == 0;
    if (drained) {
        ask_events(stream);
    }
    pthread_mutex_unlock(&stream->mutex);
    if (drained && stream->handler->on_drained) {
        stream->handler->on_drained(stream);
    }
}

/* ---- events ------------------------------------------------------------------------------------
 */

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
    out_flush(stream);
    ask_events(stream);
    pthread_mutex_unlock(&stream->mutex);
    if (stream->handler->on_connected) {
        stream->handler->on_connected(stream);
    }
}

static void on_ready(rclitei_watch *watch, uint32_t events) {
    rclitei_stream *stream = (rclitei_stream *)watch;
    if (!stream->connected) {
        finish_connecting(stream);
        return;
    }
    if (stream->paused && (events & (EPOLLHUP | EPOLLERR))) {
        stream->handler->on_closed(stream, socket_error(watch->fd));
    } else if (!stream->paused && (events & (EVENTS_IN | EPOLLHUP | EPOLLERR))) {
        read_some(stream);
    }
    if ((events & EPOLLOUT) && !atomic_load(&watch->dead)) {
        write_some(stream);
    }
}

void rclitei_stream_pause(rclitei_stream *stream, bool paused) {
    pthread_mutex_lock(&stream->mutex);
    stream->paused = paused;
    if (!atomic_load(&stream->closed)) {
        ask_events(stream);
    }
    pthread_mutex_unlock(&stream->mutex);
}

/* ---- begin and end -----------------------------------------------------------------------------
 */

static void init(rclitei_stream *stream, rclitei_loop *loop, const rclite_allocator *allocator,
    const rclitei_stream_handler *handler) {
    memset(stream, 0, sizeof *stream);
    stream->watch.fd = -1;
    stream->watch.on_ready = on_ready;
    stream->loop = loop;
    stream->allocator = *allocator;
    stream->handler = handler;
    stream->in_start = stream->in_end = INPUT_OFFSET;
    pthread_mutex_init(&stream->mutex, NULL);
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
    if (rclitei_loop_add(loop, &stream->watch, EVENTS_IN) != 0) {
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

void rclitei_stream_close(rclitei_stream *stream) {
    if (atomic_exchange(&stream->closed, true)) {
        return;
    }
    pthread_mutex_lock(&stream->mutex);
    rclitei_loop_remove(stream->loop, &stream->watch);
    if (stream->watch.fd >= 0) {
        shutdown(stream->watch.fd, SHUT_RDWR);
    }
    while (stream->out_count > 0) {
        out_pop(stream);
    }
    bool resolving = stream->resolve != NULL;
    pthread_mutex_unlock(&stream->mutex);
    if (!resolving) { /* else the look-up still names the stream, and buries it */
        stream->grave.release = release;
        rclitei_loop_bury(stream->loop, &stream->grave);
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
        stream->grave.release = release;
        rclitei_loop_bury(stream->loop, &stream->grave);
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
    bool started;
    if (rclitei_resolve_now(host, &address)) {
        started = start_connecting(stream, address, port) == 0;
    } else {
        pthread_mutex_lock(&stream->mutex);
        stream->resolve = rclitei_resolve_start(resolver, host, on_resolved, stream);
        started = stream->resolve != NULL;
        pthread_mutex_unlock(&stream->mutex);
    }
    if (!started) {
        pthread_mutex_destroy(&stream->mutex);
        return RCLITE_ERR_TRANSPORT;
    }
    return RCLITE_OK;
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
