/* What the parts of a stream share: stream.c (life, events), stream_in.c, stream_out.c,
 * stream_reader.c. */
#ifndef RCLITE_ROS1_STREAM_INTERNAL_H
#define RCLITE_ROS1_STREAM_INTERNAL_H

#include <sys/epoll.h>
#include <sys/types.h>

#include "ros1/stream.h"

#define RCLITEI_STREAM_IN (EPOLLIN | EPOLLRDHUP)

/* All on the loop's thread unless they say otherwise. */

/* The next read goes here: makes room, and returns how much; 0: no memory. A reader may call it
 * without the turn, because the buffer is its own. */
size_t rclitei_stream_room(rclitei_stream *stream);
/* What recv returned (and errno, if it is negative) for that room. */
void rclitei_stream_took(rclitei_stream *stream, size_t room, ssize_t got, int error);
void rclitei_stream_read(rclitei_stream *stream); /* what is there */

/* Gives the incoming side to a helper, if there is one. */
void rclitei_stream_lend(rclitei_stream *stream);

/* What epoll is to wait for; the mutex is held. */
void rclitei_stream_ask(rclitei_stream *stream);
/* Writes what the socket takes. The mutex is held. Errors show on the loop's thread as EPOLLERR or
 * EPOLLHUP; until then the queue just waits. */
void rclitei_stream_flush(rclitei_stream *stream);
void rclitei_stream_drop_all(rclitei_stream *stream); /* likewise */
void rclitei_stream_write(rclitei_stream *stream);    /* what the socket takes */

/* Into the graveyard. Once, when nothing but events of the current batch can name it. */
void rclitei_stream_bury(rclitei_stream *stream);

#endif
