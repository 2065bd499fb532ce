/* See stranger.h. */
#include "ros2/testing/stranger.h"

#include <stdlib.h>
#include <string.h>

/* ---- the victim's context, and what it reports ---------------------------------------------- */

static void count_report(rclite_log_level level, const char *text, void *user) {
    victim *self = user;
    self->reported += level == RCLITE_LOG_WARN && strstr(text, "do not parse") != NULL;
}

victim *victim_open(rclite_delivery delivery) {
    victim *self = malloc(sizeof *self);
    assert_non_null(self);
    *self = (victim){.good = TESTING_GATE_INIT};
    self->context = testing_context_logging(delivery, TESTING_DOMAIN, count_report, self);
    self->node = testing_node(self->context, "victim");
    self->stranger = testing_context(RCLITE_DELIVERY_DIRECT, TESTING_DOMAIN_REMOTE);
    return self;
}

void victim_close(victim *self) {
    rclite_node_free(self->node);
    rclite_context_free(self->context);
    rclite_context_free(self->stranger);
    free(self);
}

uint64_t victim_malformed_count(const victim *self) {
    return rclite_context_count(self->context).malformed;
}

/* ---- the stranger --------------------------------------------------------------------------- */

/* Compatible with every reader. */
static rclite_qos most_offering(void) {
    rclite_qos qos = rclite_qos_action_status();
    qos.history = RCLITE_QOS_KEEP_ALL;
    return qos;
}

/* A DDS writer that sends any bytes, matched with one reader. */
void stranger_open(victim *self, ros2_writer *writer, const char *prefix, const char *name,
    const char *suffix, const rclite_type *type, const char *identity) {
    const rclite_qos qos = most_offering();
    const ros2_endpoint_options options = {.prefix = prefix,
        .name = name,
        .suffix = suffix,
        .type = type,
        .qos = &qos,
        .identity = identity};
    *writer = (ros2_writer){.entity = 0};
    assert_ok(ros2_writer_init(writer, (ros2_context *)self->stranger, &options, NULL));
    const int64_t end_ns = rclite_monotonic_ns() + TESTING_TIMEOUT_NS;
    while (dds_get_matched_subscriptions(writer->entity, NULL, 0) < 1) {
        assert_true(rclite_monotonic_ns() < end_ns);
        dds_sleepfor(DDS_MSECS(1));
    }
}

/* A publish waits no longer than a part of what Cyclone may take to make good a loss. */
void stranger_send(ros2_writer *writer, const uint8_t *bytes, size_t size) {
    const int64_t end_ns = rclite_monotonic_ns() + TESTING_TIMEOUT_NS;
    rclite_result result = RCLITE_ERR_TIMEOUT;
    while (result == RCLITE_ERR_TIMEOUT && rclite_monotonic_ns() < end_ns) {
        ros2_serdata *serdata = ros2_serdata_create(writer->type, size);
        assert_non_null(serdata);
        memcpy(serdata->bytes, bytes, size);
        result = ros2_writer_send(writer, serdata);
    }
    assert_ok(result);
}

/* A good sample's bytes, with the encapsulation header; header: of a request or reply, or NULL. */
size_t stranger_good_bytes(const rclite_type *type, const void *message,
    const ros2_request_header *header, uint8_t *bytes, size_t capacity) {
    rclitei_codec *codec = NULL;
    size_t body = 0;
    const size_t origin = header ? sizeof *header : 0;
    const size_t lead = ROS2_ENCAPSULATION_BYTES + origin;
    const rclite_allocator allocator = rclite_allocator_default();
    assert_ok(rclitei_codec_create(type, RCLITE_ROS2, &allocator, &codec));
    memcpy(bytes, (const uint8_t[]){0, 1, 0, 0}, ROS2_ENCAPSULATION_BYTES);
    if (header) {
        memcpy(bytes + ROS2_ENCAPSULATION_BYTES, header, sizeof *header);
    }
    assert_ok(rclitei_codec_write(codec, message, origin, bytes + lead, capacity - lead, &body));
    rclitei_codec_free(codec);
    return lead + body;
}

/* ---- the mill: every way in which a good sample can be spoilt ------------------------------- */

typedef struct mill {
    ros2_writer *writer;
    const uint8_t *good;
    size_t size;
    uint64_t sent;
} mill;

static void emit(mill *of, const uint8_t *bytes, size_t size) {
    stranger_send(of->writer, bytes, size);
    of->sent++;
}

static void emit_cut(mill *of) {
    for (size_t size = 1; size < of->size; size++) {
        emit(of, of->good, size);
    }
}

/* Every word once as a length that is too much, and much too much. */
static void emit_lengths(mill *of) {
    const uint32_t lengths[] = {0, 5, 255, UINT32_MAX, INT32_MAX, UINT32_C(0x80000000)};
    uint8_t *bytes = malloc(of->size);
    assert_non_null(bytes);
    for (size_t at = ROS2_ENCAPSULATION_BYTES; at + 4 <= of->size; at += 4) {
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
            memcpy(bytes, of->good, of->size);
            memcpy(bytes + at, &lengths[i], sizeof lengths[i]);
            emit(of, bytes, of->size);
        }
    }
    free(bytes);
}

/* Each byte once with its bits turned: terminators, flags, text. */
static void emit_bytes(mill *of) {
    uint8_t *bytes = malloc(of->size);
    assert_non_null(bytes);
    memcpy(bytes, of->good, of->size);
    for (size_t at = ROS2_ENCAPSULATION_BYTES; at < of->size; at++) {
        bytes[at] ^= 0xff;
        emit(of, bytes, of->size);
        bytes[at] ^= 0xff;
    }
    free(bytes);
}

static void emit_other_endian(mill *of) {
    uint8_t *bytes = malloc(of->size);
    assert_non_null(bytes);
    memcpy(bytes, of->good, of->size);
    bytes[1] = 0;
    emit(of, bytes, of->size);
    free(bytes);
}

static void emit_noise(mill *of) {
    uint8_t bytes[600];
    uint32_t state = 12345;
    for (int i = 0; i < 100; i++) {
        for (size_t at = 0; at < sizeof bytes; at++) {
            state = state * UINT32_C(1664525) + UINT32_C(1013904223);
            bytes[at] = (uint8_t)(state >> 24);
        }
        memcpy(bytes, of->good, ROS2_ENCAPSULATION_BYTES);
        emit(of, bytes, ROS2_ENCAPSULATION_BYTES + (size_t)i * 5);
    }
}

/* Runs all of them; the number of samples sent. */
uint64_t stranger_spoil(ros2_writer *writer, const uint8_t *good, size_t size) {
    mill of = {.writer = writer, .good = good, .size = size};
    emit_cut(&of);
    emit_lengths(&of);
    emit_bytes(&of);
    emit_other_endian(&of);
    emit_noise(&of);
    return of.sent;
}

/* What Cyclone lets through, and we do not read. */
uint64_t stranger_send_unknown_encapsulations(
    ros2_writer *writer, const uint8_t *good, size_t size) {
    const uint8_t kinds[] = {2, 3, 6, 7, 8, 9, 10, 11}; /* parameter lists, and XCDR2 */
    uint8_t *bytes = malloc(size);
    assert_non_null(bytes);
    memcpy(bytes, good, size);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        bytes[1] = kinds[i];
        stranger_send(writer, bytes, size);
    }
    free(bytes);
    return sizeof kinds / sizeof *kinds;
}

/* Waits, spinning where it takes that, until `gate` is at count. */
void victim_wait(victim *self, testing_gate *gate, uint64_t count) {
    assert_true(testing_gate_spin(gate, self->context, count, 3 * TESTING_TIMEOUT_NS));
}

void victim_expect_reported(const victim *self) {
    assert_int_equal(self->reported, victim_malformed_count(self));
}
