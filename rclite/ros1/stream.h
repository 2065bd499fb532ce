/* One TCP connection of the loop: a queue of outgoing packets that any thread may fill, and a
 * reused buffer of incoming bytes that belongs to the loop's thread. It knows nothing of what the
 * bytes mean; its handler does. A connection that carries data and is busy gets a helper thread
 * that blocks in recv, as a guest of the loop, which saves a system call and a wake-up per message
 * (stream_reader.c).
 *
 * A length that the other side announces allocates nothing: the buffer grows only as bytes arrive
 * (at most to twice what is there). A reader that does not read costs at most `depth` packets. */
#ifndef RCLITE_ROS1_STREAM_H
#define RCLITE_ROS1_STREAM_H

#include "ros1/loop.h"
#include "ros1/packet.h"
#include "ros1/resolve.h"

#define RCLITEI_STREAM_OFFSET ((size_t)4) /* a body behind a 4-byte length is then aligned to 8 */

typedef struct rclitei_stream rclitei_stream;

/* All run on the loop's thread. Those but release and on_closed may be NULL. */
typedef struct rclitei_stream_handler {
    void (*on_connected)(rclitei_stream *stream);
    /* Bytes were added; look at rclitei_stream_input, call rclitei_stream_consume. */
    void (*on_input)(rclitei_stream *stream);
    /* The last queued packet left. */
    void (*on_drained)(rclitei_stream *stream);
    /* Connecting failed, the other side closed (error 0), or an error (errno). Not after
     * rclitei_stream_close. Close the stream there. */
    void (*on_closed)(rclitei_stream *stream, int error);
    /* Frees the memory that the stream is part of: the last call, some time after close. */
    void (*release)(rclitei_stream *stream);
} rclitei_stream_handler;

struct rclitei_stream {
    rclitei_watch watch; /* first: a watch is its stream */
    const rclitei_stream_handler *handler;
    rclitei_loop *loop;
    rclite_allocator allocator;
    rclitei_grave grave;
    rclitei_resolve *resolve; /* while the host name is looked up */
    atomic_bool closed;
    /* loop thread only */
    uint8_t *in;
    size_t in_start, in_end, in_capacity;
    size_t in_wanted; /* bytes of the frame that begins at in_start, as far as known; 0: unknown */
    size_t in_previous;  /* size of the frame before: the next one is probably as large */
    bool in_filled;      /* the last read filled the room it had */
    bool is_data;        /* may get a reader */
    unsigned lone_reads; /* reads in a row for which the loop woke up alone */
    int64_t lone_since_ns;
    rclitei_job reader;
    /* the outgoing side, guarded by mutex */
    pthread_mutex_t mutex;
    rclitei_packet **out; /* a ring */
    size_t out_first, out_count, out_capacity;
    size_t out_sent; /* bytes of the first packet that have left */
    uint16_t port;   /* to connect to */
    bool connected;
    bool paused;  /* nothing is read */
    bool is_lent; /* a reader has the incoming side; changed on the loop's thread only */
};

/* Takes over a connected descriptor (accepted), and watches it. On failure the descriptor is closed
 * and release is not called. */
rclite_result rclitei_stream_accept(rclitei_stream *stream, rclitei_loop *loop,
    const rclite_allocator *allocator, const rclitei_stream_handler *handler, int fd);
/* Loop thread only. Starts connecting; resolver is used when host is no address. The outcome comes
 * as on_connected or on_closed, never before this returns. On failure release is not called. */
rclite_result rclitei_stream_connect(rclitei_stream *stream, rclitei_loop *loop,
    const rclite_allocator *allocator, const rclitei_stream_handler *handler,
    rclitei_resolver *resolver, const char *host, uint16_t port);
/* Any thread, any number of times. Drops what is queued. No handler but release starts after this
 * when it is called on the loop's thread. */
void rclitei_stream_close(rclitei_stream *stream);

/* Any thread. Sends at once what the socket takes when nothing is queued, else queues. With `depth`
 * packets waiting the oldest one that has not begun is dropped (depth 0: none is); how many that
 * were is added to *dropped if it is not NULL. Retains the packet as long as it needs it. */
rclite_result rclitei_stream_send(
    rclitei_stream *stream, rclitei_packet *packet, uint32_t depth, uint64_t *dropped);
bool rclitei_stream_is_drained(rclitei_stream *stream);

/* Loop thread: the bytes that are there. */
const uint8_t *rclitei_stream_input(const rclitei_stream *stream, size_t *ret_size);
void rclitei_stream_consume(rclitei_stream *stream, size_t size);
/* Loop thread: gives away the buffer with the frame of `size` bytes that is at its front, with
 * RCLITEI_STREAM_OFFSET bytes before it and `behind` bytes after it that are the taker's to write,
 * and takes *bytes and *capacity (same allocator) instead; the frame is consumed then. False and
 * nothing changed: it does not lie so, or copying what came behind it costs more. */
bool rclitei_stream_exchange(
    rclitei_stream *stream, size_t size, size_t behind, uint8_t **bytes, size_t *capacity);
/* Loop thread: the frame at the front has `size` bytes, so that reading is one piece. */
void rclitei_stream_want(rclitei_stream *stream, size_t size);

/* Loop thread: its bytes are messages from now on, so it may get a reader. */
void rclitei_stream_carries_data(rclitei_stream *stream);

/* Loop thread: reads no more until it is false again; then what is there already comes through
 * on_input only with new bytes, so look at the input first. */
void rclitei_stream_pause(rclitei_stream *stream, bool paused);

/* ---- sockets -------------------------------------------------------------------------------- */

/* Listens on any free port of address ("127.0.0.1"); returns the descriptor or -1 with errno. */
int rclitei_socket_listen(const char *address, uint16_t *ret_port);

#endif
