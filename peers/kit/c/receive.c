/* The side that receives: subscriber, echo's subscriber, service server, action server; and the
 * subscription of echo's publisher, which shares the checking of payloads. */
#include <stdio.h>

#include "kit.h"

/* A message that carries our head, or what a stranger sent. */
typedef struct arrival {
    peer_payload_head head;
    bool ours; /* this run's id; else the head means nothing */
} arrival;

static arrival look_at(const peer_kit *kit, const uint8_t *data, size_t size) {
    arrival it = {0};
    it.ours = peer_payload_read(data, size, &it.head) && it.head.run_id == kit->job.run_id;
    return it;
}

static bool is_corrupt(const peer_kit *kit, const arrival *it, const uint8_t *data, size_t size) {
    if (!it->ours) {
        return !kit->job.foreign;
    }
    return size != kit->job.payload_bytes ||
           !peer_payload_check(data, size, it->head.seq, kit->body);
}

/* Under the lock. Counts the intact messages that came in order: when that is all of them, nothing
 * can be on its way any more. */
static void count_in_order(peer_kit *kit, uint64_t seq) {
    if (!(seq & PEER_SEQ_CORRUPT) && peer_seq_index(seq, kit->job.warmup) == kit->in_order) {
        kit->in_order++;
    }
}

static void record(peer_kit *kit, const peer_row *row, bool numbered) {
    pthread_mutex_lock(&kit->lock);
    /* A stranger may send long before `go`; our own publisher waits for it. */
    if (!kit->closed && (kit->go || (numbered && !kit->job.foreign))) {
        peer_samples *samples = &kit->samples;
        kit->last_arrival_ns = peer_monotonic_ns();
        kit->finished_ns = row->t4_ns ? row->t4_ns : row->t3_ns ? row->t3_ns : row->t2_ns;
        uint64_t arrived = kit->arrivals++;
        if (numbered) {
            count_in_order(kit, row->seq);
        }
        if (samples->count < samples->capacity) {
            peer_row *to = &samples->rows[samples->count++];
            *to = *row;
            if (!numbered) {
                to->seq |= peer_seq_make(arrived, kit->job.warmup);
            }
        } else {
            samples->missing++;
        }
    }
    pthread_mutex_unlock(&kit->lock);
}

static void handshake(peer_kit *kit) {
    pthread_mutex_lock(&kit->lock);
    kit->last_arrival_ns = peer_monotonic_ns(); /* a slow subscriber still works its way to ours */
    if (!kit->handshaken) {
        kit->handshaken = true;
        pthread_cond_signal(&kit->progress);
    }
    pthread_mutex_unlock(&kit->lock);
}

static void echo_back(peer_kit *kit, const void *message) {
    char error[PEER_ERROR_BYTES];
    if (!kit->ops->echo(kit->self, message, error)) {
        peer_kit_fail(kit, error);
    }
}

static void subscriber_message(
    peer_kit *kit, int64_t arrived_ns, const uint8_t *data, size_t size, const void *message) {
    arrival it = look_at(kit, data, size);
    bool shakes = it.ours && it.head.seq & PEER_SEQ_HANDSHAKE;
    peer_row row = {.seq = it.ours ? it.head.seq & ~PEER_SEQ_CORRUPT : 0};
    if (kit->job.echo) {
        row.t2_ns = arrived_ns;
        row.t3_ns = peer_now_ns();
        echo_back(kit, message);
    } else {
        row.t4_ns = arrived_ns;
    }
    if (shakes) {
        handshake(kit);
        return;
    }
    if (it.ours) {
        row.planned_ns = it.head.planned_ns;
        row.t1_ns = it.head.t1_ns;
    }
    if (is_corrupt(kit, &it, data, size)) {
        row.seq |= PEER_SEQ_CORRUPT;
    }
    record(kit, &row, it.ours);
}

void peer_kit_message_at(
    peer_kit *kit, int64_t arrived_ns, const uint8_t *data, size_t size, const void *message) {
    if (kit->job.role == PEER_SUBSCRIBER) {
        subscriber_message(kit, arrived_ns, data, size, message);
        return;
    }
    arrival it = look_at(kit, data, size);
    if (!it.ours) {
        return; /* a stranger on the echo topic */
    }
    if (it.head.seq & PEER_SEQ_HANDSHAKE) {
        handshake(kit);
        return;
    }
    peer_send_echoed(kit, arrived_ns, it.head.seq, is_corrupt(kit, &it, data, size));
}

void peer_kit_message(peer_kit *kit, const uint8_t *data, size_t size, const void *message) {
    peer_kit_message_at(kit, peer_now_ns(), data, size, message);
}

void peer_kit_served(peer_kit *kit, int64_t t1_ns, int64_t t2_ns, int64_t t3_ns) {
    peer_row row = {.t1_ns = t1_ns, .t2_ns = t2_ns, .t3_ns = t3_ns};
    record(kit, &row, false);
}

void peer_receive_run(peer_kit *kit) {
    int64_t quiet = kit->job.role == PEER_SUBSCRIBER ? kit->job.quiet_ns : 0;
    pthread_mutex_lock(&kit->lock);
    while (!kit->failed && kit->stops == 0) {
        peer_kit_wait(kit, &kit->control, INT64_MAX);
    }
    uint64_t all = kit->job.count > 0 ? kit->job.count + kit->job.warmup : UINT64_MAX;
    while (!kit->failed && kit->in_order < all) {
        int64_t last = kit->stopped_ns;
        last = kit->last_arrival_ns > last ? kit->last_arrival_ns : last;
        if (peer_monotonic_ns() - last >= quiet) {
            break;
        }
        peer_kit_wait(kit, &kit->control, last + quiet);
    }
    kit->closed = true;
    pthread_mutex_unlock(&kit->lock);
}
