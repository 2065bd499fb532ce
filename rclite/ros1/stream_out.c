/* The outgoing side of a stream: what the socket does not take at once waits in a ring of packets.
 */
#include <sys/socket.h>
#include <sys/uio.h>

#include "ros1/stream_internal.h"

#define PACKETS_PER_WRITE 32

/* Nothing but a new edge concerns who has lent the incoming side: EPOLLHUP cannot be turned off. */
void rclitei_stream_ask(rclitei_stream *stream) {
    uint32_t events = stream->is_lent ? EPOLLET : stream->paused ? 0 : RCLITEI_STREAM_IN;
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

void rclitei_stream_drop_all(rclitei_stream *stream) {
    while (stream->out_count > 0) {
        out_pop(stream);
    }
}

void rclitei_stream_flush(rclitei_stream *stream) {
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

/* Sends what the socket takes of a packet that may have holes. Returns how much that was. */
static size_t send_directly(rclitei_stream *stream, const rclitei_packet *packet) {
    struct iovec parts[2 * RCLITEI_CODEC_HOLES_MAX + 1];
    size_t count = 0;
    size_t at = 0;
    for (size_t i = 0; i < packet->hole_count; i++) {
        const rclitei_codec_hole *hole = &packet->holes[i];
        parts[count++] =
            (struct iovec){(void *)(uintptr_t)(packet->bytes + at), hole->position - at};
        parts[count++] = (struct iovec){(void *)(uintptr_t)hole->data, hole->bytes};
        at = hole->position + hole->bytes;
    }
    parts[count++] = (struct iovec){(void *)(uintptr_t)(packet->bytes + at), packet->size - at};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = count};
    ssize_t sent = sendmsg(stream->watch.fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    return sent > 0 ? (size_t)sent : 0;
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
        sent = send_directly(stream, packet);
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
        if (sent > 0) { /* half a message cannot be taken back */
            shutdown(stream->watch.fd, SHUT_RDWR);
        }
        goto done;
    }
    rclitei_packet_fill(packet, sent);
    if (stream->out_count == 1) {
        stream->out_sent = sent;
        if (stream->connected) {
            rclitei_stream_ask(stream);
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

void rclitei_stream_write(rclitei_stream *stream) {
    pthread_mutex_lock(&stream->mutex);
    rclitei_stream_flush(stream);
    bool drained = stream->out_count == 0;
    if (drained || stream->is_lent) {
        rclitei_stream_ask(stream);
    }
    pthread_mutex_unlock(&stream->mutex);
    if (drained && stream->handler->on_drained) {
        stream->handler->on_drained(stream);
    }
}
