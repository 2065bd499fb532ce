/* Bytes from the wire on live endpoints: a stranger writes whatever it likes to a subscription, a
 * service and a client: cut off, with wrong lengths, beyond bounds, without terminators, in the
 * other endianness, with an encapsulation nobody knows, and noise. Each sample is either delivered
 * or counted and reported as malformed, and what is good still gets through afterwards. What a
 * parser makes of single bytes is tested with the parser; a sample whose encapsulation is no known
 * one is refused by Cyclone, for ever, as is all that its writer sends after it. */
#include <stdlib.h>
#include <string.h>

#include "rclite_test/msg/Bounded.h"
#include "rclite_test/srv/Bounded.h"
#include "ros2/client.h"
#include "ros2/testing/stranger.h"

#define HEADER_BYTES sizeof(ros2_request_header)

/* ---- subscriptions -------------------------------------------------------------------------- */

#define SENTINEL 424242.0

static void on_bounded(const void *message, const rclite_message_info *info, void *user) {
    victim *self = user;
    const rclite_test__msg__Bounded *bounded = message;
    (void)info;
    /* Whatever it is, it is within its bounds, and its texts are texts. */
    const bool sane = bounded->text.size <= 8 && bounded->numbers.size <= 4 &&
                      strlen(bounded->text.data ? bounded->text.data : "") <= bounded->text.size;
    testing_gate_add(&self->good, sane ? 1 : 1000000);
    for (size_t i = 0; i < bounded->names.size; i++) {
        const rclite_string *name = &bounded->names.data[i];
        self->sentinels += strlen(name->data ? name->data : "") > name->size ? 1000000 : 0;
    }
    self->sentinels += bounded->value == SENTINEL && bounded->names.size == 3;
    rclite_context_wake(self->context);
}

static size_t bounded_bytes(double value, uint8_t *bytes, size_t capacity) {
    char text[] = "bounded", first[] = "a", second[] = "", third[] = "the third";
    uint16_t numbers[] = {1, 2, 3, 4};
    rclite_string names[] = {{first, 1, 0}, {second, 0, 0}, {third, 9, 0}};
    const rclite_test__msg__Bounded message = {
        .text = {text, 7, 0}, .numbers = {numbers, 4, 0}, .names = {names, 3, 0}, .value = value};
    return stranger_good_bytes(&rclite_test__msg__Bounded__type, &message, NULL, bytes, capacity);
}

static bool has_sentinel(void *user) {
    return ((victim *)user)->sentinels > 0;
}

/* Each single fault counts once; nothing of it is delivered. */
static void send_known_faults(victim *self, ros2_writer *writer) {
    static const struct {
        const char *what;
        uint8_t bytes[48];
        size_t size;
    } faults[] = {
        {"half an encapsulation", {0, 1}, 2},
        {"an encapsulation alone", {0, 1, 0, 0}, 4},
        {"half a length", {0, 1, 0, 0, 3, 0}, 6},
        {"a text without terminator", {0, 1, 0, 0, 4, 0, 0, 0, 'a', 'b', 'c', 'd'}, 12},
        {"a text beyond its bound",
            {0, 1, 0, 0, 10, 0, 0, 0, '1', '2', '3', '4', '5', '6', '7', '8', '9', 0, 0, 0, 0, 0, 0,
                0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
            40},
        {"a text longer than all", {0, 1, 0, 0, 0xff, 0xff, 0xff, 0xff, 'a', 0, 0, 0}, 12},
        {"a sequence beyond its bound",
            {0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0,
                0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
            40},
        {"a sequence longer than all",
            {0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0x7f, 0, 0, 0, 0},
            24},
    };
    uint8_t good[256];
    const size_t size = bounded_bytes(0, good, sizeof good);
    const size_t count = sizeof faults / sizeof *faults;
    const uint64_t before = victim_malformed_count(self),
                   delivered = testing_gate_count(&self->good);
    for (size_t i = 0; i < count; i++) {
        stranger_send(writer, faults[i].bytes, faults[i].size);
        stranger_send(writer, good, size);
        victim_wait(self, &self->good, delivered + i + 1);
        if (victim_malformed_count(self) != before + i + 1) {
            fail_msg("%s is not counted as malformed", faults[i].what);
        }
    }
    assert_int_equal(testing_gate_count(&self->good), delivered + count);
}

/* What Cyclone refuses is its writer's loss, and nobody else's. */
static void send_refused(victim *self, ros2_writer *writer) {
    uint8_t good[256], refused[256];
    const size_t size = bounded_bytes(0, good, sizeof good);
    memcpy(refused, good, size);
    memset(refused, 0xff, 2);
    ros2_writer other;
    stranger_open(self, &other, "rt", "/bounded", "", &rclite_test__msg__Bounded__type, "");
    const uint64_t delivered = testing_gate_count(&self->good);
    stranger_send(&other, refused, size);
    stranger_send(&other, refused, 0);
    stranger_send(writer, good, size);
    victim_wait(self, &self->good, delivered + 1);
    ros2_writer_done(&other);
}

static void subscriptions_with(rclite_delivery delivery) {
    victim *self = victim_open(delivery);
    const rclite_subscription_options ask = RCLITE_SUBSCRIPTION_OPTIONS_INIT;
    rclite_subscription_options options = ask;
    options.qos.history = RCLITE_QOS_KEEP_ALL;
    rclite_subscription *subscription = NULL;
    assert_ok(rclite_subscription_create(self->node, "/bounded", &rclite_test__msg__Bounded__type,
        on_bounded, self, &options, &subscription, NULL));
    ros2_writer writer;
    stranger_open(self, &writer, "rt", "/bounded", "", &rclite_test__msg__Bounded__type, "");
    send_known_faults(self, &writer);
    send_refused(self, &writer);
    const uint64_t delivered = testing_gate_count(&self->good),
                   malformed = victim_malformed_count(self);
    uint8_t good[256];
    const size_t size = bounded_bytes(1, good, sizeof good);
    uint64_t bad = stranger_send_unknown_encapsulations(&writer, good, size);
    uint64_t sent = bad + stranger_spoil(&writer, good, size);
    stranger_send(&writer, good, bounded_bytes(SENTINEL, good, sizeof good));
    assert_ok(rclite_spin_until(self->context, has_sentinel, self, 3 * TESTING_TIMEOUT_NS));
    const uint64_t newly_malformed = victim_malformed_count(self) - malformed;
    assert_int_equal(testing_gate_count(&self->good) - delivered - 1 + newly_malformed, sent);
    assert_in_range(newly_malformed, bad + size / 2, sent);
    assert_int_equal(self->sentinels, 1);
    victim_expect_reported(self);
    ros2_writer_done(&writer);
    rclite_subscription_free(subscription);
    victim_close(self);
}

static void subscriptions(void **state) {
    (void)state;
    subscriptions_with(RCLITE_DELIVERY_DIRECT);
    subscriptions_with(RCLITE_DELIVERY_SPIN);
}

/* ---- services ------------------------------------------------------------------------------- */

static rclite_result on_request(
    rclite_service_call *call, const void *request, void *response, char *error_text, void *user) {
    victim *self = user;
    const rclite_test__srv__Bounded_Request *bounded = request;
    (void)call;
    (void)error_text;
    const bool sane = bounded->text.size <= 8 && bounded->numbers.size <= 4;
    ((rclite_test__srv__Bounded_Response *)response)->value = (double)bounded->numbers.size;
    testing_gate_add(&self->good, sane ? 1 : 1000000);
    return RCLITE_OK;
}

static size_t request_bytes(uint8_t *bytes, size_t capacity) {
    char text[] = "request";
    uint16_t numbers[] = {1, 2, 3};
    const rclite_test__srv__Bounded_Request request = {
        .text = {text, 7, 0}, .numbers = {numbers, 3, 0}};
    const ros2_request_header header = {.client = 1234, .sequence = 1};
    return stranger_good_bytes(
        rclite_test__srv__Bounded__type.request, &request, &header, bytes, capacity);
}

/* A client of the stranger's context still gets its answer. */
static void check_call(victim *self) {
    rclite_node *node = testing_node(self->stranger, "caller");
    const rclite_client_options options = RCLITE_CLIENT_OPTIONS_INIT;
    rclite_client *client = NULL;
    assert_ok(rclite_client_create(
        node, "/bounded", &rclite_test__srv__Bounded__type, &options, &client, NULL));
    assert_ok(rclite_client_wait_for_service(client, TESTING_TIMEOUT_NS));
    uint16_t numbers[] = {1, 2, 3};
    const rclite_test__srv__Bounded_Request request = {.numbers = {numbers, 3, 0}};
    rclite_test__srv__Bounded_Response response = {.value = 0};
    assert_ok(rclite_client_call(client, &request, &response, TESTING_TIMEOUT_NS, NULL));
    assert_true(response.value == 3);
    rclite_message_done(rclite_test__srv__Bounded__type.response, &response, NULL);
    rclite_client_free(client);
    rclite_node_free(node);
}

static void services(void **state) {
    (void)state;
    victim *self = victim_open(RCLITE_DELIVERY_DIRECT);
    const rclite_type *type = rclite_test__srv__Bounded__type.request;
    const rclite_service_options offer = RCLITE_SERVICE_OPTIONS_INIT;
    rclite_service *service = NULL;
    assert_ok(rclite_service_create(self->node, "/bounded", &rclite_test__srv__Bounded__type,
        on_request, self, &offer, &service, NULL));
    ros2_writer writer;
    stranger_open(self, &writer, "rq", "/bounded", "Request", type, "");
    uint8_t good[256];
    const size_t size = request_bytes(good, sizeof good);
    /* No request is shorter than its header. */
    const size_t cut_count = ROS2_ENCAPSULATION_BYTES + HEADER_BYTES - 4;
    for (size_t cut = 1; cut <= cut_count; cut++) {
        stranger_send(&writer, good, cut);
    }
    stranger_send(&writer, good, size);
    victim_wait(self, &self->good, 1);
    assert_int_equal(victim_malformed_count(self), cut_count);
    const uint64_t malformed = victim_malformed_count(self);
    uint64_t bad = stranger_send_unknown_encapsulations(&writer, good, size);
    const uint64_t sent = bad + stranger_spoil(&writer, good, size);
    assert_ok(ros2_writer_wait_sent(&writer, TESTING_TIMEOUT_NS));
    check_call(self);
    const uint64_t newly_malformed = victim_malformed_count(self) - malformed;
    assert_int_equal(testing_gate_count(&self->good) - 2 + newly_malformed, sent);
    assert_in_range(newly_malformed, bad + size / 2, sent);
    victim_expect_reported(self);
    ros2_writer_done(&writer);
    rclite_service_free(service);
    victim_close(self);
}

/* ---- clients -------------------------------------------------------------------------------- */

typedef struct outcome {
    victim *self;
    atomic_int answers, good;
    rclite_result last;
} outcome;

static void on_answer(
    rclite_result result, const void *response, const char *error_text, void *user) {
    outcome *of = user;
    const rclite_test__srv__Bounded_Response *bounded = response;
    of->last = result;
    of->good += result == RCLITE_OK && bounded->names.size == 1;
    of->answers += 1;
    if (result == RCLITE_OK ? !response : response || !*error_text) {
        of->answers += 1000000;
    }
    testing_gate_add(&of->self->good, 1);
}

static size_t reply_bytes(const ros2_request_header *header, uint8_t *bytes, size_t capacity) {
    char text[] = "a name";
    rclite_string names[] = {{text, 6, 0}};
    const rclite_test__srv__Bounded_Response response = {.names = {names, 1, 0}, .value = 2.5};
    return stranger_good_bytes(
        rclite_test__srv__Bounded__type.response, &response, header, bytes, capacity);
}

/* One reply to each of many calls: only this one's bytes are spoilt. */
static void spoil_replies(victim *self, rclite_client *client, ros2_writer *writer) {
    static const uint32_t lengths[] = {0, 3, 200, UINT32_MAX, UINT32_C(0x80000000)};
    const rclite_test__srv__Bounded_Request request = {.numbers = {NULL, 0, 0}};
    const uint64_t client_id = ((ros2_client *)client)->writer.handle;
    const size_t lead = ROS2_ENCAPSULATION_BYTES + HEADER_BYTES;
    uint64_t calls = 0, bad = 0;
    const uint64_t before = victim_malformed_count(self);
    for (size_t at = lead; at < lead + 24; at += 4) {
        for (size_t i = 0; i < 2 * sizeof lengths / sizeof *lengths; i++) {
            outcome of = {.self = self};
            ros2_request_header header = {.client = client_id};
            uint8_t bytes[128];
            assert_ok(rclite_client_call_async(client, &request, on_answer, &of, &header.sequence));
            size_t size = reply_bytes(&header, bytes, sizeof bytes);
            if (i % 2 == 0) {
                memcpy(bytes + at, &lengths[i / 2], sizeof lengths[i / 2]);
            } else {
                size = at;
            }
            stranger_send(writer, bytes, size);
            victim_wait(self, &self->good, ++calls);
            assert_int_equal(of.answers, 1);
            assert_true(of.last == RCLITE_OK || of.last == RCLITE_ERR_MALFORMED ||
                        of.last == RCLITE_ERR_OVERFLOW);
            bad += of.last != RCLITE_OK;
            assert_int_equal(victim_malformed_count(self), before + bad);
        }
    }
    assert_in_range(bad, 6 * 5, calls);
}

static void clients(void **state) {
    (void)state;
    victim *self = victim_open(RCLITE_DELIVERY_DIRECT);
    const rclite_client_options ask = RCLITE_CLIENT_OPTIONS_INIT;
    rclite_client *client = NULL;
    assert_ok(rclite_client_create(
        self->node, "/bounded", &rclite_test__srv__Bounded__type, &ask, &client, NULL));
    ros2_writer writer;
    stranger_open(self, &writer, "rr", "/bounded", "Reply",
        rclite_test__srv__Bounded__type.response, "serviceid=1.2.3;");
    spoil_replies(self, client, &writer);
    /* While one call waits: noise, replies without a header, to others, and to no call. */
    const rclite_test__srv__Bounded_Request request = {.numbers = {NULL, 0, 0}};
    outcome of = {.self = self};
    ros2_request_header header = {.client = ((ros2_client *)client)->writer.handle};
    assert_ok(rclite_client_call_async(client, &request, on_answer, &of, &header.sequence));
    const uint64_t answered = testing_gate_count(&self->good),
                   malformed = victim_malformed_count(self);
    uint8_t bytes[128];
    for (int i = 0; i < 20; i++) {
        const ros2_request_header others = {.client = header.client + (uint64_t)(i % 2),
            .sequence = i % 2 ? header.sequence : INT64_MIN + i * (INT64_MAX / 20)};
        stranger_send(&writer, bytes, reply_bytes(&others, bytes, sizeof bytes));
    }
    for (size_t cut = 1; cut <= HEADER_BYTES; cut++) {
        stranger_send(&writer, bytes, cut);
    }
    stranger_send(&writer, bytes, reply_bytes(&header, bytes, sizeof bytes));
    victim_wait(self, &self->good, answered + 1);
    assert_int_equal(of.answers, 1);
    assert_int_equal(of.good, 1);
    assert_int_equal(victim_malformed_count(self), malformed + HEADER_BYTES);
    victim_expect_reported(self);
    ros2_writer_done(&writer);
    rclite_client_free(client);
    victim_close(self);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(subscriptions),
        cmocka_unit_test(services),
        cmocka_unit_test(clients),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
