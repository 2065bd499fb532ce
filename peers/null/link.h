/* The wire of the null peer: one stream over a Unix socket between the two sides, found by a name
 * in the abstract namespace that nothing has to clean up. */
#ifndef PEER_NULL_LINK_H
#define PEER_NULL_LINK_H

#include "peer_kit.h"

typedef struct link_frame {
    uint64_t size; /* of the bytes that follow */
    uint64_t token;
    int64_t t1_ns, t2_ns, t3_ns;
} link_frame;

/* name: of the topic, service or action; the domain id of the environment keeps runs apart. */
int link_listen(const char *name, char *error);
/* A connection, or -1 after timeout_ns (both) or when the listener was shut down. */
int link_accept(int listener);
int link_connect(const char *name, int64_t timeout_ns, char *error);
bool link_send(int fd, const link_frame *frame, const void *bytes);
/* False at the end of the stream. */
bool link_receive(int fd, void *bytes, size_t size);

#endif
