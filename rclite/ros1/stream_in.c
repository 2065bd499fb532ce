/* The incoming side of a stream: a reused buffer that grows with what arrives, not with what is
 * announced. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "ros1/stream_internal.h"

#define INPUT_FIRST_BYTES ((size_t)4096)
#define INPUT_AHEAD_BYTES ((size_t)65536) /* read beyond the frame at most so much */
#define INPUT_BEHIND_BYTES ((size_t)256)  /* more than a frame needs, so that it can be exchanged  \
                                           */
#define INPUT_OFFSET RCLITEI_STREAM_OFFSET

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

bool rclitei_stream_exchange(
    rclitei_stream *stream, size_t size, size_t behind, uint8_t **bytes, size_t *capacity) {
    size_t end = stream->in_start + size;
    size_t rest = stream->in_end - end;
    if (stream->in_start != INPUT_OFFSET || stream->in_capacity - end < behind || rest > size / 2 ||
        *capacity < INPUT_OFFSET + rest) {
        return false;
    }
    uint8_t *full = stream->in;
    size_t full_capacity = stream->in_capacity;
    memcpy(*bytes + INPUT_OFFSET, full + end, rest);
    stream->in = *bytes;
    stream->in_capacity = *capacity;
    *bytes = full;
    *capacity = full_capacity;
    rclitei_stream_consume(stream, size);
    stream->in_start = INPUT_OFFSET;
    stream->in_end = INPUT_OFFSET + rest;
    return true;
}

void rclitei_stream_want(rclitei_stream *stream, size_t size) {
    stream->in_wanted = size;
}

static size_t size_min(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Makes room behind in_end. False: no memory. */
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
        size_t capacity = INPUT_OFFSET + target + INPUT_BEHIND_BYTES;
        uint8_t *in = stream->allocator.reallocate(stream->allocator.state, stream->in, capacity);
        if (!in) {
            return false;
        }
        stream->in = in;
        stream->in_capacity = capacity;
    }
    return true;
}

size_t rclitei_stream_room(rclitei_stream *stream) {
    if (!make_room(stream)) {
        return 0;
    }
    size_t have = stream->in_end - stream->in_start;
    size_t frame = stream->in_wanted ? stream->in_wanted : stream->in_previous;
    size_t useful = frame > have ? frame - have : 0;
    if (useful < INPUT_AHEAD_BYTES) {
        useful = INPUT_AHEAD_BYTES;
    }
    return size_min(stream->in_capacity - stream->in_end, useful);
}

void rclitei_stream_took(rclitei_stream *stream, size_t room, ssize_t got, int error) {
    if (room == 0) {
        stream->handler->on_closed(stream, ENOMEM);
    } else if (got > 0) {
        stream->in_end += (size_t)got;
        stream->in_filled = (size_t)got == room;
        stream->handler->on_input(stream);
    } else if (got == 0) {
        stream->handler->on_closed(stream, 0);
    } else if (error != EAGAIN && error != EINTR) {
        stream->handler->on_closed(stream, error);
    }
}

void rclitei_stream_read(rclitei_stream *stream) {
    size_t room = rclitei_stream_room(stream);
    ssize_t got = 0;
    if (room > 0) {
        got = recv(stream->watch.fd, stream->in + stream->in_end, room, MSG_DONTWAIT);
    }
    rclitei_stream_took(stream, room, got, errno);
}
