/* Bare TCP over loopback with the bytes of a TCPROS message: the floor of ROS 1. One sendmsg and,
 * for what fits, one recv per message, on a thread that blocks in recv. Not a node: the two ends
 * find each other through the null peer's meeting place, which hands over the port. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "link.h"
#include "peer_kit.h"

/* A serialised std_msgs/UInt8MultiArray up to `data`, with its length before it. */
#define DIMENSIONS 3
#define HEAD_BYTES_MAX 128

typedef struct tcp_peer {
    peer_kit *kit;
    const peer_job *job;
    int meeting, listener, fd;
    pthread_t receiver;
    bool receiving;
    pthread_mutex_t lock;
    pthread_cond_t connected;
    uint8_t head[HEAD_BYTES_MAX];
    size_t head_bytes;
    uint8_t *outgoing, *incoming;
    size_t incoming_bytes; /* of one whole message */
} tcp_peer;

static bool failed(char *error, const char *what) {
    snprintf(error, PEER_ERROR_BYTES, "%s: %m", what);
    return false;
}

/* ---- the bytes ---- */

static void put(tcp_peer *peer, const void *bytes, size_t size) {
    memcpy(peer->head + peer->head_bytes, bytes, size);
    peer->head_bytes += size;
}

static void put_number(tcp_peer *peer, uint32_t value) {
    put(peer, &value, sizeof value); /* TCPROS is little-endian, and so is this machine */
}

static void make_head(tcp_peer *peer) {
    static const char *const labels[DIMENSIONS] = {"height", "width", "channel"};
    uint32_t bytes = (uint32_t)peer->job->payload_bytes;
    const uint32_t sizes[DIMENSIONS] = {1, bytes, 1}, strides[DIMENSIONS] = {bytes, bytes, 1};
    put_number(peer, 0); /* the length, below */
    put_number(peer, DIMENSIONS);
    for (int i = 0; i < DIMENSIONS; i++) {
        put_number(peer, (uint32_t)strlen(labels[i]));
        put(peer, labels[i], strlen(labels[i]));
        put_number(peer, sizes[i]);
        put_number(peer, strides[i]);
    }
    put_number(peer, 0); /* data_offset */
    put_number(peer, bytes);
    uint32_t length = (uint32_t)(peer->head_bytes - 4) + bytes;
    memcpy(peer->head, &length, sizeof length);
    peer->incoming_bytes = peer->head_bytes + bytes;
}

static bool send_message(tcp_peer *peer, const uint8_t *data, char *error) {
    size_t size = peer->job->payload_bytes;
    for (size_t sent = 0; sent < peer->incoming_bytes;) {
        size_t of_head = sent < peer->head_bytes ? peer->head_bytes - sent : 0;
        size_t of_data = sent > peer->head_bytes ? sent - peer->head_bytes : 0;
        struct iovec parts[] = {
            {peer->head + (peer->head_bytes - of_head), of_head},
            {(uint8_t *)(uintptr_t)data + of_data, size - of_data},
        };
        struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
        ssize_t step = sendmsg(peer->fd, &message, MSG_NOSIGNAL);
        if (step < 0 && errno != EINTR) {
            return failed(error, "sendmsg");
        }
        sent += step > 0 ? (size_t)step : 0;
    }
    return true;
}

/* ---- receiving ---- */

static void receive_messages(tcp_peer *peer) {
    size_t got = 0;
    for (;;) {
        ssize_t step = recv(peer->fd, peer->incoming + got, peer->incoming_bytes - got, 0);
        if (step == 0 || (step < 0 && errno != EINTR)) {
            return;
        }
        got += step > 0 ? (size_t)step : 0;
        if (got < peer->incoming_bytes) {
            continue;
        }
        got = 0;
        const uint8_t *data = peer->incoming + peer->head_bytes;
        peer_kit_message(peer->kit, data, peer->job->payload_bytes, data);
    }
}

static void set_connection(tcp_peer *peer, int fd) {
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    pthread_mutex_lock(&peer->lock);
    peer->fd = fd;
    pthread_cond_broadcast(&peer->connected);
    pthread_mutex_unlock(&peer->lock);
}

/* The subscriber's side: tells whoever asks at the meeting place its port, and takes the
 * connection. */
static void *receive_main(void *argument) {
    tcp_peer *peer = argument;
    if (peer->meeting >= 0) {
        struct sockaddr_in address;
        socklen_t length = sizeof address;
        int asking = link_accept(peer->meeting);
        if (asking < 0 || getsockname(peer->listener, (struct sockaddr *)&address, &length) != 0) {
            return NULL;
        }
        link_frame port = {.token = address.sin_port};
        bool told = link_send(asking, &port, NULL);
        int fd = told ? accept4(peer->listener, NULL, NULL, SOCK_CLOEXEC) : -1;
        close(asking);
        if (fd < 0) {
            return NULL;
        }
        set_connection(peer, fd);
    }
    receive_messages(peer);
    return NULL;
}

static bool start_receiving(tcp_peer *peer, char *error) {
    peer->receiving = pthread_create(&peer->receiver, NULL, receive_main, peer) == 0;
    return peer->receiving || failed(error, "pthread_create");
}

/* ---- the kit's functions ---- */

static const char *ops_refuses(void *self, const peer_job *job) {
    (void)self;
    if (job->generation != 1) {
        return "generation";
    }
    if (job->pattern != PEER_TOPIC && job->pattern != PEER_STARTUP) {
        return "pattern";
    }
    return peer_job_not_plain(job);
}

static bool listen_for_publisher(tcp_peer *peer, char *error) {
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    peer->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (peer->listener < 0 || bind(peer->listener, (struct sockaddr *)&any, sizeof any) != 0 ||
        listen(peer->listener, 1) != 0) {
        return failed(error, "listen");
    }
    peer->meeting = link_listen(peer->job->topic, error);
    return peer->meeting >= 0 && start_receiving(peer, error);
}

static bool ops_create(void *self, peer_kit *kit, const peer_job *job, char *error) {
    tcp_peer *peer = self;
    peer->kit = kit;
    peer->job = job;
    make_head(peer);
    peer->outgoing = malloc(job->payload_bytes);
    peer->incoming = malloc(peer->incoming_bytes);
    if (!peer->outgoing || !peer->incoming) {
        return failed(error, "malloc");
    }
    peer_kit_effective(kit, &job->qos, "TCP over loopback, TCP_NODELAY", "none", "1");
    if (job->role == PEER_PUBLISHER) {
        peer_kit_payload(kit, peer->outgoing);
        return true;
    }
    return listen_for_publisher(peer, error);
}

static bool connect_to_subscriber(tcp_peer *peer, int64_t timeout_ns, char *error) {
    int meeting = link_connect(peer->job->topic, timeout_ns, error);
    if (meeting < 0) {
        return false;
    }
    link_frame port;
    bool told = link_receive(meeting, &port, sizeof port);
    struct sockaddr_in address = {.sin_family = AF_INET,
        .sin_port = (in_port_t)(told ? port.token : 0),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool good = told && fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0;
    close(meeting);
    if (!good) {
        failed(error, "connect");
        close(fd);
        return false;
    }
    set_connection(peer, fd);
    return start_receiving(peer, error);
}

static bool await_publisher(tcp_peer *peer, int64_t timeout_ns, char *error) {
    int64_t until = peer_now_ns() + timeout_ns;
    struct timespec deadline = {until / 1000000000, until % 1000000000};
    pthread_mutex_lock(&peer->lock);
    int late = 0;
    while (peer->fd < 0 && late == 0) {
        late = pthread_cond_timedwait(&peer->connected, &peer->lock, &deadline);
    }
    pthread_mutex_unlock(&peer->lock);
    if (late != 0) {
        snprintf(error, PEER_ERROR_BYTES, "nobody connects for %.100s", peer->job->topic);
    }
    return late == 0;
}

static bool ops_wait_matched(void *self, int64_t timeout_ns, char *error) {
    tcp_peer *peer = self;
    return peer->meeting >= 0 ? await_publisher(peer, timeout_ns, error)
                              : connect_to_subscriber(peer, timeout_ns, error);
}

static bool ops_publish(void *self, char *error) {
    tcp_peer *peer = self;
    return send_message(peer, peer->outgoing, error);
}

static bool ops_echo(void *self, const void *message, char *error) {
    return send_message(self, message, error);
}

static void close_socket(int fd) {
    if (fd >= 0) {
        close(fd);
    }
}

static void ops_destroy(void *self) {
    tcp_peer *peer = self;
    int fds[] = {peer->meeting, peer->listener, peer->fd};
    for (int i = 0; i < 3; i++) {
        shutdown(fds[i], SHUT_RDWR); /* wakes the receiver */
    }
    if (peer->receiving) {
        pthread_join(peer->receiver, NULL);
    }
    for (int i = 0; i < 3; i++) {
        close_socket(fds[i]);
    }
    free(peer->outgoing);
    free(peer->incoming);
}

static const char *const settings[] = {NULL};

static const peer_ops ops = {
    .settings = settings,
    .refuses = ops_refuses,
    .create = ops_create,
    .wait_matched = ops_wait_matched,
    .publish = ops_publish,
    .echo = ops_echo,
    .destroy = ops_destroy,
};

int main(int argc, char **argv) {
    tcp_peer peer = {.meeting = -1,
        .listener = -1,
        .fd = -1,
        .lock = PTHREAD_MUTEX_INITIALIZER,
        .connected = PTHREAD_COND_INITIALIZER};
    return peer_main(argc, argv, &ops, &peer);
}
