/* A busy stream's reader: a helper thread that blocks in recv where the loop would wait in
 * epoll_wait and then receive. It takes the loop's turn to hand over what came, and gives the
 * stream back when nothing comes for a while, when reading is to pause, and when it is closed. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "ros1/stream_internal.h"

#define QUIET_US 20000 /* a reader waits so long */

/* The loop reads again, or, if the stream was closed meanwhile, nobody does. With the turn. */
static void give_back(rclitei_stream *stream) {
    pthread_mutex_lock(&stream->mutex);
    stream->is_lent = false;
    bool closed = atomic_load(&stream->closed);
    if (!closed) {
        rclitei_stream_ask(stream);
    }
    pthread_mutex_unlock(&stream->mutex);
    if (closed) {
        rclitei_stream_bury(stream);
    }
}

static void read_until_quiet(rclitei_job *job) {
    rclitei_stream *stream =
        (rclitei_stream *)(void *)((char *)job - offsetof(rclitei_stream, reader));
    rclitei_loop *loop = stream->loop;
    bool is_quiet = false;
    while (!is_quiet) {
        size_t room = rclitei_stream_room(stream);
        ssize_t got = recv(stream->watch.fd, stream->in + stream->in_end, room, 0);
        int error = errno;
        rclitei_loop_enter(loop);
        if (!atomic_load(&stream->closed)) {
            rclitei_stream_took(stream, room, got, error);
        }
        is_quiet = (got < 0 && error == EAGAIN) || stream->paused || atomic_load(&stream->closed);
        if (is_quiet) {
            give_back(stream);
        }
        rclitei_loop_leave(loop);
    }
}

/* Sending is non-blocking by a flag of each call, so the descriptor itself may block. */
static bool make_blocking(int fd) {
    const struct timeval quiet = {.tv_usec = QUIET_US};
    int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) == 0 &&
           setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &quiet, sizeof quiet) == 0;
}

void rclitei_stream_lend(rclitei_stream *stream) {
    if (!make_blocking(stream->watch.fd)) {
        return;
    }
    pthread_mutex_lock(&stream->mutex);
    stream->is_lent = true;
    rclitei_stream_ask(stream);
    pthread_mutex_unlock(&stream->mutex);
    stream->reader.run = read_until_quiet;
    if (!rclitei_helpers_start(rclitei_loop_helpers(stream->loop), &stream->reader)) {
        give_back(stream);
    }
}
