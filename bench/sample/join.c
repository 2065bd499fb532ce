/* Joins the two sides of one round on seq. The rules of counting are in sample.h; this file follows
 * them arrival by arrival, and takes nothing for granted about the order or the numbers of rows. */
#include "sample/sample.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

/* Where rows of one kind (counted, or warm-up) are gathered, in seq order. */
typedef struct part {
    sample_row *rows;
    size_t count;
    uint64_t received, duplicated, reordered, corrupt;
} part;

static bool is_warmup(const sample_row *row) {
    return (row->seq & SAMPLE_FLAG_WARMUP) != 0;
}

static uint64_t number(const sample_row *row) {
    return row->seq & SAMPLE_SEQ_MASK;
}

/* By seq; rows of one seq by t4, so that the first arrival comes first and an unanswered one last.
 */
static int compare_rows(const void *left, const void *right) {
    const sample_row *a = left, *b = right;
    if (number(a) != number(b)) {
        return number(a) < number(b) ? -1 : 1;
    }
    int64_t ta = a->t4_ns == 0 ? SAMPLE_STAMP_LIMIT : a->t4_ns;
    int64_t tb = b->t4_ns == 0 ? SAMPLE_STAMP_LIMIT : b->t4_ns;
    return (ta > tb) - (ta < tb);
}

static int compare_seq(const void *left, const void *right) {
    uint64_t a = ((const sample_row *)left)->seq, b = ((const sample_row *)right)->seq;
    return (a > b) - (a < b);
}

static bool is_sorted(const part *sent) {
    for (size_t i = 1; i < sent->count; i++) {
        if (compare_rows(&sent->rows[i - 1], &sent->rows[i]) > 0) {
            return false;
        }
    }
    return true;
}

/* Numbers almost always run without gaps, so the place is guessed before it is searched. */
static sample_row *find(const part *sent, uint64_t seq) {
    if (sent->count == 0 || seq < number(&sent->rows[0])) {
        return NULL;
    }
    uint64_t guess = seq - number(&sent->rows[0]);
    if (guess < sent->count && number(&sent->rows[guess]) == seq) {
        return &sent->rows[guess];
    }
    size_t low = 0, high = sent->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (number(&sent->rows[middle]) < seq) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < sent->count && number(&sent->rows[low]) == seq ? &sent->rows[low] : NULL;
}

/* Copies the sender's rows of one kind, sorted. */
static void part_gather(part *sent, const sample_file *sender, bool warmup) {
    size_t count = 0;
    for (size_t i = 0; i < sender->row_count; i++) {
        count += is_warmup(&sender->rows[i]) == warmup;
    }
    if (count == 0) {
        return;
    }
    sent->rows = util_alloc_large(count, sizeof(sent->rows[0]));
    for (size_t i = 0; i < sender->row_count; i++) {
        if (is_warmup(&sender->rows[i]) == warmup) {
            sent->rows[sent->count++] = sender->rows[i];
        }
    }
    if (!is_sorted(sent)) {
        qsort(sent->rows, sent->count, sizeof(sent->rows[0]), compare_rows);
    }
}

/* One way: the sender's t4 says nothing, and each seq was sent once. */
static bool part_one_way(part *sent, uint64_t *ret_twice) {
    for (size_t i = 0; i < sent->count; i++) {
        sample_row *row = &sent->rows[i];
        row->seq = number(row);
        row->t4_ns = 0;
        if (i > 0 && row->seq == sent->rows[i - 1].seq) {
            *ret_twice = row->seq;
            return false;
        }
    }
    return true;
}

/* Echo and call: the rows of one seq are its arrivals. They must be of one sending (the same t1);
 * they become one row, with the stamps of the first intact arrival. */
static bool part_round_trip(part *sent, uint64_t *ret_twice) {
    size_t kept = 0;
    for (size_t i = 0; i < sent->count; i++) {
        sample_row row = sent->rows[i];
        bool arrived = row.t4_ns != 0;
        bool intact = arrived && (row.seq & SAMPLE_FLAG_CORRUPT) == 0;
        row.seq = number(&row);
        sample_row *known = kept > 0 ? &sent->rows[kept - 1] : NULL;
        bool repeated = known != NULL && known->seq == row.seq;
        if (repeated && (!arrived || known->t1_ns != row.t1_ns)) {
            *ret_twice = row.seq;
            return false;
        }
        bool first = intact && !(repeated && known->t4_ns != 0);
        sent->corrupt += arrived && !intact;
        sent->received += first;
        sent->duplicated += intact && !first;
        if (!intact) {
            row.t2_ns = row.t3_ns = row.t4_ns = 0;
        }
        if (!repeated) {
            sent->rows[kept++] = row;
        } else if (first) {
            *known = row;
        }
    }
    sent->count = kept;
    int64_t earliest_later = SAMPLE_STAMP_LIMIT;
    for (size_t i = kept; i-- > 0;) {
        int64_t t4 = sent->rows[i].t4_ns;
        if (t4 != 0) {
            sent->reordered += earliest_later < t4;
            earliest_later = t4 < earliest_later ? t4 : earliest_later;
        }
    }
    return true;
}

/* One way: walks the receiver's rows in the order of arrival. unknown_is_corrupt: false if the
 * sender could not record all that it sent. */
static void part_receive(
    part *sent, const sample_file *receiver, bool warmup, bool unknown_is_corrupt) {
    uint64_t highest = 0;
    for (size_t i = 0; i < receiver->row_count; i++) {
        const sample_row *arrival = &receiver->rows[i];
        if (is_warmup(arrival) != warmup) {
            continue;
        }
        uint64_t seq = number(arrival);
        sample_row *row = find(sent, seq);
        if ((arrival->seq & SAMPLE_FLAG_CORRUPT) != 0 || arrival->t4_ns == 0) {
            sent->corrupt++;
        } else if (row == NULL) {
            sent->corrupt += unknown_is_corrupt;
        } else if (row->t4_ns != 0) {
            sent->duplicated++;
        } else {
            row->t2_ns = arrival->t2_ns;
            row->t3_ns = arrival->t3_ns;
            row->t4_ns = arrival->t4_ns;
            sent->received++;
            sent->reordered += seq < highest;
            highest = seq > highest ? seq : highest;
        }
    }
}

/* Echo: takes the far side's stamps of what came back. */
static void part_echo_stamps(part *sent, const sample_file *receiver, bool warmup) {
    for (size_t i = 0; i < receiver->row_count; i++) {
        const sample_row *arrival = &receiver->rows[i];
        if (is_warmup(arrival) != warmup || (arrival->seq & SAMPLE_FLAG_CORRUPT) != 0) {
            continue;
        }
        sample_row *row = find(sent, number(arrival));
        if (row != NULL && row->t4_ns != 0 && row->t2_ns == 0) {
            row->t2_ns = arrival->t2_ns;
            row->t3_ns = arrival->t3_ns;
        }
    }
}

static bool part_build(part *sent, const sample_file *sender, const sample_file *receiver,
    sample_join kind, bool warmup, char *error_text, size_t error_size) {
    part_gather(sent, sender, warmup);
    uint64_t twice = 0;
    bool once =
        kind == SAMPLE_JOIN_ONE_WAY ? part_one_way(sent, &twice) : part_round_trip(sent, &twice);
    if (!once) {
        snprintf(error_text, error_size, "the sending side recorded %snumber %llu as sent twice",
            warmup ? "warm-up " : "", (unsigned long long)twice);
        return false;
    }
    if (receiver != NULL && kind == SAMPLE_JOIN_ONE_WAY) {
        part_receive(sent, receiver, warmup, sender->missing_rows == 0);
    } else if (receiver != NULL && kind == SAMPLE_JOIN_ECHO) {
        part_echo_stamps(sent, receiver, warmup);
    }
    return true;
}

/* Stamps that are there must not run backwards; a zero is no stamp. */
static void check_order(sample_set *set) {
    set->one_way_valid = true;
    for (size_t i = 0; i < set->row_count; i++) {
        const sample_row *row = &set->rows[i];
        if (row->t4_ns == 0) {
            continue;
        }
        const int64_t stamps[4] = {row->t1_ns, row->t2_ns, row->t3_ns, row->t4_ns};
        int64_t last = 0;
        unsigned last_index = 0;
        for (unsigned k = 0; k < 4; k++) {
            if (stamps[k] != 0 && stamps[k] < last) {
                set->one_way_valid = false;
                snprintf(set->one_way_reason, sizeof(set->one_way_reason),
                    "t%u is %lld ns before t%u in message %llu", k + 1,
                    (long long)(last - stamps[k]), last_index + 1, (unsigned long long)row->seq);
                return;
            }
            if (stamps[k] != 0) {
                last = stamps[k];
                last_index = k;
            }
        }
    }
}

static void set_times(sample_set *set) {
    for (size_t i = 0; i < set->row_count; i++) {
        const sample_row *row = &set->rows[i];
        if (row->t1_ns != 0 && (set->first_sent_ns == 0 || row->t1_ns < set->first_sent_ns)) {
            set->first_sent_ns = row->t1_ns;
        }
        if (row->t1_ns > set->last_sent_ns) {
            set->last_sent_ns = row->t1_ns;
        }
        if (row->t4_ns > set->last_received_ns) {
            set->last_received_ns = row->t4_ns;
        }
    }
    set->last_was_lost = set->row_count > 0 && set->rows[set->row_count - 1].t4_ns == 0;
}

/* A server cannot have served fewer requests than were answered. */
static bool server_checks(
    const sample_file *server, uint64_t answered, char *error_text, size_t error_size) {
    uint64_t served = (uint64_t)server->row_count;
    if (served < answered && server->missing_rows < answered - served) {
        snprintf(error_text, error_size,
            "the server recorded %llu requests, the client %llu answers",
            (unsigned long long)served, (unsigned long long)answered);
        return false;
    }
    return true;
}

static uint64_t add_saturated(uint64_t a, uint64_t b) {
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* The receiver's intact rows, one per seq, as if a sender had recorded them. */
static sample_file stand_in_for_sender(const sample_file *receiver) {
    sample_file sender = *receiver;
    sender.missing_rows = 0;
    sender.finished_ns = 0;
    part all = {.rows = util_alloc_large(receiver->row_count, sizeof(sample_row))};
    for (size_t i = 0; i < receiver->row_count; i++) {
        const sample_row *row = &receiver->rows[i];
        if ((row->seq & SAMPLE_FLAG_CORRUPT) == 0 && row->t4_ns != 0) {
            all.rows[all.count++] = *row;
        }
    }
    qsort(all.rows, all.count, sizeof(all.rows[0]), compare_seq);
    size_t kept = 0;
    for (size_t i = 0; i < all.count; i++) {
        if (kept == 0 || all.rows[kept - 1].seq != all.rows[i].seq) {
            all.rows[kept++] = all.rows[i];
        }
    }
    sender.rows = all.rows;
    sender.row_count = kept;
    return sender;
}

/* Of an echo or a call only the requests that were served are known. */
static void join_server_only(const sample_file *server, sample_set *ret_set) {
    sample_set set = {.received_known = true, .one_way_valid = true};
    for (size_t i = 0; i < server->row_count; i++) {
        bool intact = (server->rows[i].seq & SAMPLE_FLAG_CORRUPT) == 0;
        bool warmup = is_warmup(&server->rows[i]);
        set.received += intact && !warmup;
        set.warmup_received += intact && warmup;
        set.corrupt += !intact && !warmup;
    }
    set.missing_rows = server->missing_rows;
    set.clock_error_ns = server->clock_error_ns;
    *ret_set = set;
}

/* Both sides, or the sender alone. */
static bool join_sides(const sample_file *sender, const sample_file *receiver, sample_join kind,
    sample_set *ret_set, char *error_text, size_t error_size) {
    part counted = {0}, warmup = {0};
    if (!part_build(&counted, sender, receiver, kind, false, error_text, error_size) ||
        !part_build(&warmup, sender, receiver, kind, true, error_text, error_size) ||
        (kind == SAMPLE_JOIN_CALL && receiver != NULL &&
            !server_checks(receiver, counted.received + warmup.received, error_text, error_size))) {
        free(counted.rows);
        free(warmup.rows);
        return false;
    }
    sample_set set = {
        .sent_known = true,
        .received_known = receiver != NULL || kind != SAMPLE_JOIN_ONE_WAY,
        .sent = counted.count,
        .received = counted.received,
        .duplicated = counted.duplicated,
        .reordered = counted.reordered,
        .corrupt = counted.corrupt,
        .warmup_sent = warmup.count,
        .warmup_received = warmup.received,
        .missing_rows = sender->missing_rows,
        .rows = counted.rows,
        .row_count = counted.count,
        .warmup_rows = warmup.rows,
        .warmup_row_count = warmup.count,
        .publish_finished_ns = sender->finished_ns,
        .clock_error_ns = sender->clock_error_ns,
    };
    if (receiver != NULL) {
        set.missing_rows = add_saturated(set.missing_rows, receiver->missing_rows);
        if (receiver->clock_error_ns > set.clock_error_ns) {
            set.clock_error_ns = receiver->clock_error_ns;
        }
    }
    set_times(&set);
    set.last_was_lost = set.last_was_lost && set.received_known;
    check_order(&set);
    *ret_set = set;
    return true;
}

bool sample_set_join(const sample_file *sender, const sample_file *receiver, sample_join kind,
    sample_set *ret_set, char *error_text, size_t error_size) {
    assert(sender != NULL || receiver != NULL);
    if (sender == NULL && kind != SAMPLE_JOIN_ONE_WAY) {
        join_server_only(receiver, ret_set);
        return true;
    }
    if (sender == NULL) {
        sample_file stand_in = stand_in_for_sender(receiver);
        bool joined = join_sides(&stand_in, receiver, kind, ret_set, error_text, error_size);
        free(stand_in.rows);
        if (joined) {
            ret_set->sent_known = false;
            ret_set->last_was_lost = false;
        }
        return joined;
    }
    if (receiver != NULL && receiver->run_id != sender->run_id) {
        snprintf(error_text, error_size, "the two sides recorded different runs (%llu and %llu)",
            (unsigned long long)sender->run_id, (unsigned long long)receiver->run_id);
        return false;
    }
    return join_sides(sender, receiver, kind, ret_set, error_text, error_size);
}

void sample_set_done(sample_set *set) {
    free(set->rows);
    free(set->warmup_rows);
    *set = (sample_set){0};
}
