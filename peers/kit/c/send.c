/* The side that sends: publisher, echo's publisher, service client, action client. One shape for
 * all: message i is due at start + i * period, or as soon as fewer than `window` are unanswered.
 * Back to back with answers, the callback that takes an answer sends the next message itself, so no
 * thread is woken in between; main's thread only guards the deadlines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "kit.h"

#define HANDSHAKE_PERIOD_NS INT64_C(10000000)
#define HANDSHAKE_CALL_NS INT64_C(500000000) /* then another one: the first may be lost */
#define NO_ANSWER_OF_ANY_ROW UINT64_MAX      /* token of handshake calls */

bool peer_send_init(peer_kit *kit, char *error) {
    const peer_job *job = &kit->job;
    peer_sending *sending = &kit->sending;
    sending->total = job->count > 0 ? job->count + job->warmup : UINT64_MAX;
    sending->answers = job->echo || job->role == PEER_CLIENT;
    sending->chained = sending->answers && job->period_ns == 0;
    bool paced_echo = job->echo && job->period_ns > 0;
    sending->window = sending->answers && !paced_echo ? job->in_flight : 0;
    if (!sending->answers) {
        return true;
    }
    size_t bytes = kit->samples.capacity * sizeof *sending->open_since_ns;
    sending->open_since_ns = malloc(bytes + 1);
    if (!sending->open_since_ns) {
        snprintf(error, PEER_ERROR_BYTES, "no memory for %zu rows", kit->samples.capacity);
        return false;
    }
    memset(sending->open_since_ns, 0xff, bytes); /* touches the pages; set when a row opens */
    return true;
}

void peer_send_done(peer_kit *kit) {
    free(kit->sending.open_since_ns);
}

/* ---- handshake ---- */

static bool send_handshake(peer_kit *kit, char *error) {
    const peer_job *job = &kit->job;
    if (job->role == PEER_CLIENT) {
        return kit->ops->call(kit->self, NO_ANSWER_OF_ANY_ROW, peer_now_ns(), error);
    }
    peer_payload_stamp(kit->payload, job->payload_bytes, job->run_id, PEER_SEQ_HANDSHAKE, 0);
    peer_payload_stamp_t1(kit->payload, peer_now_ns());
    return kit->ops->publish(kit->self, error);
}

bool peer_send_handshake(peer_kit *kit, char *error) {
    bool calls = kit->job.role == PEER_CLIENT;
    int64_t period = calls ? HANDSHAKE_CALL_NS : HANDSHAKE_PERIOD_NS;
    int64_t deadline = peer_monotonic_ns() + kit->job.match_timeout_ns;
    do {
        if (!send_handshake(kit, error)) {
            return false;
        }
        if (!kit->sending.answers) {
            return true;
        }
        int64_t next = peer_monotonic_ns() + period;
        pthread_mutex_lock(&kit->lock);
        while (!kit->handshaken && !kit->failed &&
               peer_kit_wait(kit, &kit->progress, next < deadline ? next : deadline)) {
        }
        bool over = kit->handshaken || kit->failed;
        pthread_mutex_unlock(&kit->lock);
        if (over) {
            return true;
        }
        if (calls && kit->ops->forget) {
            kit->ops->forget(kit->self, NO_ANSWER_OF_ANY_ROW);
        }
    } while (peer_monotonic_ns() < deadline);
    snprintf(error, PEER_ERROR_BYTES, "matched, but no handshake came back within %lld ms",
        (long long)(kit->job.match_timeout_ns / 1000000));
    return false;
}

bool peer_send_await_go(peer_kit *kit, char *error) {
    bool repeats = !kit->job.foreign && kit->job.pattern == PEER_TOPIC;
    int64_t next = repeats ? peer_monotonic_ns() + HANDSHAKE_PERIOD_NS : INT64_MAX;
    pthread_mutex_lock(&kit->lock);
    while (!kit->go && !kit->failed) {
        if (!peer_kit_wait(kit, &kit->control, next)) {
            pthread_mutex_unlock(&kit->lock);
            if (!send_handshake(kit, error)) {
                return false;
            }
            next = peer_monotonic_ns() + HANDSHAKE_PERIOD_NS;
            pthread_mutex_lock(&kit->lock);
        }
    }
    pthread_mutex_unlock(&kit->lock);
    return true;
}

/* ---- one message ---- */

static bool more_to_send(peer_kit *kit, int64_t now_ns) {
    const peer_sending *sending = &kit->sending;
    if (kit->failed || kit->stops > 0 || sending->next >= sending->total) {
        return false;
    }
    if (sending->answers && sending->next >= kit->samples.capacity) {
        return false; /* only a run by duration can come here */
    }
    if (kit->job.duration_ns == 0 || kit->job.count > 0 || sending->counted_start_ns == 0) {
        return true;
    }
    /* At a rate the schedule decides: 2 s of 100 Hz are 200 messages, not once in a while 201. */
    int64_t counted = (int64_t)(sending->next - kit->job.warmup);
    return now_ns - sending->counted_start_ns < kit->job.duration_ns &&
           (kit->job.period_ns == 0 ||
               counted < (kit->job.duration_ns + kit->job.period_ns - 1) / kit->job.period_ns);
}

/* Under the lock: claims the next message's index, or false: there is no further one. */
static bool claim(peer_kit *kit, uint64_t *ret_index) {
    peer_sending *sending = &kit->sending;
    int64_t now = peer_monotonic_ns();
    if (!more_to_send(kit, now)) {
        return false;
    }
    uint64_t index = sending->next++;
    if (index == kit->job.warmup) {
        sending->counted_start_ns = now;
    }
    if (sending->answers) {
        sending->open_since_ns[index] = now;
        sending->outstanding++;
    }
    *ret_index = index;
    return true;
}

static int64_t planned_ns(const peer_kit *kit, uint64_t index) {
    return kit->sending.start_ns + (int64_t)index * kit->job.period_ns;
}

/* A callback that still publishes may be overtaken by main's thread, which has given up its answer:
 * they take turns, as there is one payload. */
static bool publish_row(peer_kit *kit, peer_row *row, char *error) {
    const peer_job *job = &kit->job;
    pthread_mutex_lock(&kit->publishing);
    peer_payload_stamp(kit->payload, job->payload_bytes, job->run_id, row->seq, row->planned_ns);
    row->t1_ns = peer_now_ns();
    peer_payload_stamp_t1(kit->payload, row->t1_ns);
    bool good = kit->ops->publish(kit->self, error);
    pthread_mutex_unlock(&kit->publishing);
    return good;
}

static void send_claimed(peer_kit *kit, uint64_t index) {
    const peer_job *job = &kit->job;
    bool last = index + 1 == kit->sending.total || job->count == 0;
    size_t capacity = kit->samples.capacity;
    char error[PEER_ERROR_BYTES];
    /* Beyond the capacity there is one row for all that are not recorded. */
    peer_row *row = &kit->samples.rows[index < capacity ? index : capacity];
    memset(row, 0, sizeof *row);
    row->seq = peer_seq_make(index, job->warmup);
    if (job->period_ns > 0) {
        row->planned_ns = planned_ns(kit, index) + kit->sending.realtime_offset_ns;
    }
    bool good;
    if (job->role == PEER_CLIENT) {
        row->t1_ns = peer_now_ns();
        good = kit->ops->call(kit->self, index, row->t1_ns, error);
    } else {
        good = publish_row(kit, row, error);
    }
    if (last) {
        pthread_mutex_lock(&kit->lock);
        kit->finished_ns = peer_now_ns();
        pthread_mutex_unlock(&kit->lock);
    }
    if (!good) {
        peer_kit_fail(kit, error);
    }
}

/* ---- answers ---- */

static void close_row(peer_kit *kit, uint64_t index) {
    kit->sending.open_since_ns[index] = 0;
    kit->sending.outstanding--;
}

/* Under the lock, which it releases: sends the next message if this one was the chain's. */
static void continue_chain(peer_kit *kit) {
    uint64_t index = 0;
    bool claimed = kit->sending.chained && claim(kit, &index);
    if (!claimed) {
        pthread_cond_signal(&kit->progress);
    }
    pthread_mutex_unlock(&kit->lock);
    if (claimed) {
        send_claimed(kit, index);
    }
}

static bool is_open(const peer_kit *kit, uint64_t index) {
    return !kit->closed && index < kit->sending.next && kit->sending.open_since_ns[index] != 0;
}

void peer_kit_answered(
    peer_kit *kit, uint64_t token, int64_t t2_ns, int64_t t3_ns, int64_t t4_ns, bool corrupt) {
    pthread_mutex_lock(&kit->lock);
    if (token == NO_ANSWER_OF_ANY_ROW) {
        kit->handshaken = true;
        pthread_cond_signal(&kit->progress);
    }
    if (!is_open(kit, token)) {
        pthread_mutex_unlock(&kit->lock);
        return;
    }
    peer_row *row = &kit->samples.rows[token];
    row->t2_ns = t2_ns;
    row->t3_ns = t3_ns;
    row->t4_ns = t4_ns;
    row->seq |= corrupt ? PEER_SEQ_CORRUPT : 0;
    close_row(kit, token);
    continue_chain(kit);
}

void peer_kit_unanswered(peer_kit *kit, uint64_t token) {
    pthread_mutex_lock(&kit->lock);
    if (!is_open(kit, token)) {
        pthread_mutex_unlock(&kit->lock);
        return;
    }
    close_row(kit, token);
    continue_chain(kit);
}

void peer_send_echoed(peer_kit *kit, int64_t arrived_ns, uint64_t seq, bool corrupt) {
    uint64_t index = peer_seq_index(seq, kit->job.warmup);
    peer_kit_answered(kit, index, 0, 0, arrived_ns, corrupt);
}

/* ---- main's thread ---- */

/* Under the lock: gives up what is too old; INT64_MAX or when the oldest open row gets too old. */
static int64_t expire(peer_kit *kit) {
    peer_sending *sending = &kit->sending;
    int64_t now = peer_monotonic_ns();
    for (; sending->oldest < sending->next; sending->oldest++) {
        int64_t since = sending->open_since_ns[sending->oldest];
        if (since == 0) {
            continue;
        }
        int64_t until = since + kit->job.call_timeout_ns;
        if (now < until) {
            return until;
        }
        close_row(kit, sending->oldest);
        if (kit->ops->forget && kit->job.role == PEER_CLIENT) {
            uint64_t token = sending->oldest;
            pthread_mutex_unlock(&kit->lock);
            kit->ops->forget(kit->self, token);
            pthread_mutex_lock(&kit->lock);
        }
    }
    return INT64_MAX;
}

/* Under the lock: until fewer than `limit` answers are outstanding, or the run is to end. */
static void wait_below(peer_kit *kit, uint64_t limit) {
    while (!kit->failed && kit->stops == 0) {
        int64_t until = expire(kit);
        if (kit->sending.outstanding < limit) {
            return;
        }
        peer_kit_wait(kit, &kit->progress, until);
    }
}

/* Under the lock: until message `next` is due. */
static void wait_due(peer_kit *kit) {
    if (kit->job.period_ns == 0) {
        return;
    }
    int64_t due = planned_ns(kit, kit->sending.next);
    while (!kit->failed && kit->stops == 0 && peer_monotonic_ns() < due) {
        peer_kit_wait(kit, &kit->control, due);
    }
}

/* A chain breaks when its answer is lost; so main's thread starts it, and starts it again. */
static void send_all(peer_kit *kit) {
    uint64_t window = kit->sending.window;
    uint64_t index = 0;
    for (;;) {
        pthread_mutex_lock(&kit->lock);
        if (window > 0) {
            wait_below(kit, window);
        }
        wait_due(kit);
        bool claimed = claim(kit, &index);
        if (!claimed) {
            break;
        }
        pthread_mutex_unlock(&kit->lock);
        send_claimed(kit, index);
    }
    if (kit->sending.answers) {
        wait_below(kit, 1);
    }
    pthread_mutex_unlock(&kit->lock);
}

static void close_run(peer_kit *kit) {
    pthread_mutex_lock(&kit->lock);
    kit->closed = true;
    uint64_t sent = kit->sending.next;
    size_t capacity = kit->samples.capacity;
    kit->samples.count = sent < capacity ? sent : capacity;
    kit->samples.missing = sent - kit->samples.count;
    if (kit->finished_ns == 0) {
        kit->finished_ns = peer_now_ns(); /* stopped early */
    }
    pthread_mutex_unlock(&kit->lock);
}

void peer_send_run(peer_kit *kit) {
    prctl(PR_SET_TIMERSLACK, 1UL); /* a due message is not 50 us late */
    kit->sending.start_ns = peer_monotonic_ns();
    kit->sending.realtime_offset_ns = peer_now_ns() - kit->sending.start_ns;
    send_all(kit);
    close_run(kit);
}
