/* The null peer: no client library at all. Two of them exchange real messages over a Unix socket,
 * so what they measure is the floor of harness, kit and kernel; and told by settings, they pretend
 * latencies, lose, double, swap and spoil messages, and break the protocol in every way that the
 * harness has to survive. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "link.h"
#include "mischief.h"
#include "peer_kit.h"
#include "script.h"

#define NS_PER_S INT64_C(1000000000)
#define FRAME_BYTES_MAX ((uint64_t)1 << 31)

typedef struct null_peer {
    null_script script;
    const peer_job *job;
    peer_kit *kit;
    int listener, fd;
    pthread_t receiver;
    bool receiving;
    pthread_mutex_t lock;
    pthread_cond_t connected;
    uint8_t *outgoing; /* payload of a message, map of a response */
    uint8_t *incoming;
    uint8_t *held; /* a message that its follower overtakes */
    bool holding;
} null_peer;

static const char *meeting_name(const peer_job *job) {
    switch (job->pattern) {
    case PEER_SERVICE:
        return job->service;
    case PEER_ACTION:
        return job->action;
    default:
        return job->topic;
    }
}

/* ---- receiving ---- */

static int64_t scripted_ns(const null_peer *peer, uint64_t seq, int64_t t1_ns) {
    const number_list *list = &peer->script.latency_ns;
    return list->count ? t1_ns + list->values[seq % list->count] : peer_now_ns();
}

static int64_t read_number(const uint8_t *from) {
    int64_t value; /* both sides run on one machine: its own byte order, little-endian here */
    memcpy(&value, from, sizeof value);
    return value;
}

static void deliver(null_peer *peer, uint8_t *data) {
    size_t size = peer->job->payload_bytes;
    uint64_t seq = (uint64_t)read_number(data + 8);
    bool counted = seq < PEER_SEQ_CORRUPT;
    bool scripted = !(seq & PEER_SEQ_HANDSHAKE);
    bool final = !(peer->job->echo && peer->job->role == PEER_SUBSCRIBER);
    if (!final || !scripted) {
        peer_kit_message(peer->kit, data, size, data);
        return;
    }
    if (counted && script_lists(&peer->script.lose, seq)) {
        return;
    }
    if (counted && script_lists(&peer->script.corrupt, seq)) {
        data[size - 1] ^= 0x5a;
    }
    int64_t arrived = scripted_ns(peer, seq & ~PEER_SEQ_WARMUP, read_number(data + 24));
    peer_kit_message_at(peer->kit, arrived, data, size, data);
    if (counted && script_lists(&peer->script.duplicate, seq)) {
        peer_kit_message_at(peer->kit, arrived, data, size, data);
    }
}

static void take_message(null_peer *peer, const link_frame *frame) {
    if (frame->size != peer->job->payload_bytes) {
        peer_kit_message(peer->kit, peer->incoming, frame->size, peer->incoming);
        return;
    }
    uint64_t seq = (uint64_t)read_number(peer->incoming + 8);
    if (script_lists(&peer->script.reorder, seq)) {
        memcpy(peer->held, peer->incoming, frame->size);
        peer->holding = true;
        return;
    }
    deliver(peer, peer->incoming);
    if (peer->holding) {
        peer->holding = false;
        deliver(peer, peer->held);
    }
}

static void serve(null_peer *peer, const link_frame *request) {
    link_frame response = *request;
    response.t2_ns = peer_now_ns();
    if (peer->script.latency_ns.count) {
        response.t2_ns = request->t1_ns; /* between the client's pretended stamps */
    }
    response.t3_ns = peer->job->pattern == PEER_SERVICE ? response.t2_ns : 0;
    response.size = peer->job->pattern == PEER_SERVICE ? peer->job->payload_bytes : 0;
    peer_kit_served(peer->kit, request->t1_ns, response.t2_ns, response.t3_ns);
    link_send(peer->fd, &response, peer->outgoing); /* a client that is gone shows at its side */
}

static void take_response(null_peer *peer, const link_frame *frame) {
    const peer_job *job = peer->job;
    bool counted = frame->token < UINT64_MAX && frame->token >= job->warmup;
    uint64_t seq = counted ? frame->token - job->warmup : frame->token;
    int64_t arrived =
        frame->token < UINT64_MAX ? scripted_ns(peer, seq, frame->t1_ns) : peer_now_ns();
    if (counted && script_lists(&peer->script.lose, seq)) {
        return;
    }
    bool corrupt =
        job->pattern == PEER_SERVICE &&
        !peer_map_check((int8_t *)peer->incoming, frame->size, job->payload_bytes, job->verify);
    corrupt = corrupt || (counted && script_lists(&peer->script.corrupt, seq));
    peer_kit_answered(peer->kit, frame->token, frame->t2_ns, frame->t3_ns, arrived, corrupt);
}

static bool take_frame(null_peer *peer) {
    link_frame frame;
    if (!link_receive(peer->fd, &frame, sizeof frame) || frame.size > FRAME_BYTES_MAX) {
        return false;
    }
    if (frame.size > peer->job->payload_bytes) {
        return false;
    }
    if (!link_receive(peer->fd, peer->incoming, frame.size)) {
        return false;
    }
    switch (peer->job->role) {
    case PEER_SERVER:
        serve(peer, &frame);
        break;
    case PEER_CLIENT:
        take_response(peer, &frame);
        break;
    default:
        take_message(peer, &frame);
        break;
    }
    return true;
}

static void set_connection(null_peer *peer, int fd) {
    pthread_mutex_lock(&peer->lock);
    if (peer->fd >= 0) {
        close(peer->fd);
    }
    peer->fd = fd;
    pthread_cond_broadcast(&peer->connected);
    pthread_mutex_unlock(&peer->lock);
}

/* A listening side takes one partner after the other. */
static void *receive_main(void *argument) {
    null_peer *peer = argument;
    if (peer->listener < 0) {
        while (take_frame(peer)) {
        }
        return NULL;
    }
    for (;;) {
        int fd = link_accept(peer->listener);
        if (fd < 0) {
            return NULL;
        }
        if (peer->script.deaf) {
            close(fd);
            continue;
        }
        set_connection(peer, fd);
        while (take_frame(peer)) {
        }
    }
}

static bool start_receiving(null_peer *peer, char *error) {
    if (pthread_create(&peer->receiver, NULL, receive_main, peer) != 0) {
        snprintf(error, PEER_ERROR_BYTES, "cannot start a thread");
        return false;
    }
    peer->receiving = true;
    return true;
}

/* ---- the kit's functions ---- */

static const char *null_refuses(void *self, const peer_job *job) {
    null_peer *peer = self;
    const char *not_plain = peer_job_not_plain(job);
    return not_plain ? not_plain : script_read(job, &peer->script);
}

static bool null_create(void *self, peer_kit *kit, const peer_job *job, char *error) {
    null_peer *peer = self;
    peer->job = job;
    peer->kit = kit;
    size_t room = job->payload_bytes + 1;
    peer->outgoing = calloc(1, room);
    peer->incoming = calloc(1, room);
    peer->held = calloc(1, room);
    if (!peer->outgoing || !peer->incoming || !peer->held) {
        snprintf(error, PEER_ERROR_BYTES, "no memory for messages of %zu bytes", room);
        return false;
    }
    if (job->role == PEER_PUBLISHER) {
        peer_kit_payload(kit, peer->outgoing);
        if (peer->script.unwritten) {
            memset(peer->outgoing, 0, job->payload_bytes);
        }
    } else if (job->role == PEER_SERVER && !peer->script.unwritten) {
        peer_map_fill((int8_t *)peer->outgoing, job->payload_bytes);
    }
    peer_qos qos = job->qos;
    if (peer->script.wrong_qos) {
        qos.reliability = qos.reliability == PEER_RELIABLE ? PEER_BEST_EFFORT : PEER_RELIABLE;
    }
    peer_kit_effective(kit, &qos, "unix socket", "null", "1");
    if (job->role == PEER_SUBSCRIBER || job->role == PEER_SERVER) {
        peer->listener = link_listen(meeting_name(job), error);
        return peer->listener >= 0 && start_receiving(peer, error);
    }
    return true;
}

static bool await_connection(null_peer *peer, int64_t timeout_ns, char *error) {
    int64_t until = peer_now_ns() + timeout_ns;
    struct timespec deadline = {until / NS_PER_S, until % NS_PER_S};
    pthread_mutex_lock(&peer->lock);
    int late = 0;
    while (peer->fd < 0 && late == 0) {
        late = pthread_cond_timedwait(&peer->connected, &peer->lock, &deadline);
    }
    bool matched = peer->fd >= 0;
    pthread_mutex_unlock(&peer->lock);
    if (!matched) {
        snprintf(error, PEER_ERROR_BYTES, "nobody sends to %.100s after %lld ms",
            meeting_name(peer->job), (long long)(timeout_ns / 1000000));
    }
    return matched;
}

static bool null_wait_matched(void *self, int64_t timeout_ns, char *error) {
    null_peer *peer = self;
    if (peer->listener >= 0) {
        return await_connection(peer, timeout_ns, error);
    }
    int fd = link_connect(meeting_name(peer->job), timeout_ns, error);
    if (fd < 0) {
        return false;
    }
    set_connection(peer, fd);
    return start_receiving(peer, error);
}

static bool send_frame(null_peer *peer, const link_frame *frame, const void *bytes, char *error) {
    if (!link_send(peer->fd, frame, bytes)) {
        snprintf(error, PEER_ERROR_BYTES, "the other side of %.100s went away: %m",
            meeting_name(peer->job));
        return false;
    }
    return true;
}

static bool null_publish(void *self, char *error) {
    null_peer *peer = self;
    size_t size = peer->job->payload_bytes;
    return send_frame(peer, &(link_frame){.size = size}, peer->outgoing, error);
}

static bool null_echo(void *self, const void *message, char *error) {
    null_peer *peer = self;
    return send_frame(peer, &(link_frame){.size = peer->job->payload_bytes}, message, error);
}

static bool null_call(void *self, uint64_t token, int64_t t1_ns, char *error) {
    return send_frame(self, &(link_frame){.token = token, .t1_ns = t1_ns}, NULL, error);
}

static void null_destroy(void *self) {
    null_peer *peer = self;
    if (peer->listener >= 0) {
        shutdown(peer->listener, SHUT_RDWR);
    }
    if (peer->fd >= 0) {
        shutdown(peer->fd, SHUT_RDWR);
    }
    if (peer->receiving) {
        pthread_join(peer->receiver, NULL);
    }
    if (peer->listener >= 0) {
        close(peer->listener);
    }
    if (peer->fd >= 0) {
        close(peer->fd);
    }
    free(peer->outgoing);
    free(peer->incoming);
    free(peer->held);
    script_done(&peer->script);
}

static void null_stage(void *self, peer_stage stage) {
    const null_peer *peer = self;
    mischief_at(&peer->script, peer->job ? peer->job->samples : NULL, stage);
}

static void null_say(void *self, char *line, size_t size) {
    mischief_say(&((null_peer *)self)->script, line, size);
}

static void null_rows(void *self, peer_row *rows, size_t *count) {
    mischief_rows(&((null_peer *)self)->script, rows, count);
}

static const peer_ops null_ops = {
    .settings = script_settings,
    .refuses = null_refuses,
    .create = null_create,
    .wait_matched = null_wait_matched,
    .publish = null_publish,
    .echo = null_echo,
    .call = null_call,
    .destroy = null_destroy,
    .stage = null_stage,
    .say = null_say,
    .rows = null_rows,
};

int main(int argc, char **argv) {
    null_peer peer = {.listener = -1,
        .fd = -1,
        .lock = PTHREAD_MUTEX_INITIALIZER,
        .connected = PTHREAD_COND_INITIALIZER};
    int status = peer_main(argc, argv, &null_ops, &peer);
    return peer.script.exit_zero && status == PEER_EXIT_FAILED ? PEER_EXIT_GOOD : status;
}
