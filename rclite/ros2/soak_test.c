/* A million messages of 1 KiB and ten thousand of 1 MiB, over UDP: the memory of the process stays
 * what it is. Labelled slow. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/testing/failing_allocator.h"
#include "ros2/testing/ros2_testing.h"

/* In windows, so that what is on its way is bounded by the test and not by the machine's load. */
typedef struct plan {
    rclite_delivery delivery;
    size_t payload_bytes;
    const char *topic;
    uint64_t messages, window;
    size_t growth_bytes; /* of the resident set that is let pass */
} plan;

typedef struct stream {
    const plan *plan;
    failing_allocator allocator; /* counts */
    rclite_context *contexts[2];
    rclite_node *nodes[2];
    rclite_publisher *publisher;
    rclite_subscription *subscription;
    testing_gate gate;
    _Atomic uint64_t wrong; /* out of order, or of another size */
    uint64_t sent;
} stream;

static void on_message(const void *message, const rclite_message_info *info, void *user) {
    stream *self = user;
    const testing_bytes *bytes = message;
    (void)info;
    self->wrong += bytes->data.size != self->plan->payload_bytes ||
                   bytes->seq != testing_gate_count(&self->gate) + 1;
    testing_gate_add(&self->gate, 1);
}

static void open_stream(stream *self) {
    rclite_publisher_options offer = RCLITE_PUBLISHER_OPTIONS_INIT;
    rclite_subscription_options ask = RCLITE_SUBSCRIPTION_OPTIONS_INIT;
    offer.qos.history = ask.qos.history = RCLITE_QOS_KEEP_ALL;
    failing_allocator_init(&self->allocator, 0);
    for (int i = 0; i < 2; i++) {
        rclite_context_options options = RCLITE_CONTEXT_OPTIONS_INIT;
        options.delivery = self->plan->delivery;
        options.domain_id = i == 0 ? TESTING_DOMAIN : TESTING_DOMAIN_REMOTE;
        options.dds_config = testing_dds_config();
        options.allocator = &self->allocator.base;
        assert_ok(rclite_context_create(&options, &self->contexts[i], NULL));
        self->nodes[i] = testing_node(self->contexts[i], i == 0 ? "from" : "to");
    }
    assert_ok(rclite_publisher_create(
        self->nodes[0], self->plan->topic, &testing_bytes_type, &offer, &self->publisher, NULL));
    assert_ok(rclite_subscription_create(self->nodes[1], self->plan->topic, &testing_bytes_type,
        on_message, self, &ask, &self->subscription, NULL));
    assert_ok(rclite_publisher_wait_matched(self->publisher, 1, TESTING_TIMEOUT_NS));
    assert_ok(rclite_subscription_wait_matched(self->subscription, 1, TESTING_TIMEOUT_NS));
}

static void close_stream(stream *self) {
    rclite_publisher_free(self->publisher);
    rclite_subscription_free(self->subscription);
    for (int i = 0; i < 2; i++) {
        rclite_node_free(self->nodes[i]);
        rclite_context_free(self->contexts[i]);
    }
    assert_int_equal(self->allocator.outstanding, 0);
}

static void await(stream *self) {
    assert_true(
        self->plan->delivery == RCLITE_DELIVERY_SPIN
            ? testing_gate_spin(&self->gate, self->contexts[1], self->sent, 3 * TESTING_TIMEOUT_NS)
            : testing_gate_wait(&self->gate, self->sent, 3 * TESTING_TIMEOUT_NS));
}

static void play(stream *self, testing_bytes *bytes, uint64_t messages) {
    for (uint64_t i = 1; i <= messages; i++) {
        bytes->seq = ++self->sent;
        rclite_result result = RCLITE_ERR_TIMEOUT;
        while (result == RCLITE_ERR_TIMEOUT) { /* the reader is behind: a loss is made good */
            result = rclite_publisher_publish(self->publisher, bytes);
        }
        assert_ok(result);
        if (i % self->plan->window == 0 || i == messages) {
            await(self);
        }
    }
}

static size_t resident_bytes(void) {
    unsigned long size = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%lu %lu", &size, &resident), 2);
    fclose(file);
    return resident * (size_t)sysconf(_SC_PAGESIZE);
}

static void memory_stays_flat(void **state) {
    /* On the heap, so that a test that fails leaves it intact for the threads that still use it. */
    stream *self = malloc(sizeof *self);
    assert_non_null(self);
    *self = (stream){.plan = *state, .gate = TESTING_GATE_INIT};
    open_stream(self);
    testing_bytes bytes = {.seq = 0};
    assert_ok(rclite_sequence_resize(&bytes.data, 1, self->plan->payload_bytes, NULL));
    memset(bytes.data.data, 0x33, self->plan->payload_bytes);
    play(self, &bytes, self->plan->messages / 10);
    const size_t before = resident_bytes();
    const long outstanding = self->allocator.outstanding;
    play(self, &bytes, self->plan->messages - self->plan->messages / 10);
    const size_t after = resident_bytes();
    print_message("%zu bytes, %llu messages: resident %zu KiB, then %zu KiB\n",
        self->plan->payload_bytes, (unsigned long long)self->plan->messages, before / 1024,
        after / 1024);
    assert_in_range(after, 0, before + self->plan->growth_bytes);
    /* The most that ever was on its way at once may rise a little. */
    assert_in_range(self->allocator.outstanding, 0, outstanding + (long)self->plan->messages / 100);
    assert_int_equal(self->wrong, 0);
    rclite_message_done(&testing_bytes_type, &bytes, NULL);
    close_stream(self);
    free(self);
}

static const plan small_direct = {RCLITE_DELIVERY_DIRECT, 1024, "/direct", 1000000, 64, 2 << 20};
static const plan small_spin = {RCLITE_DELIVERY_SPIN, 1024, "/spin", 1000000, 64, 2 << 20};
static const plan large_direct = {RCLITE_DELIVERY_DIRECT, 1 << 20, "/large", 10000, 4, 16 << 20};

int main(void) {
    const struct CMUnitTest tests[] = {
        {"memory_stays_flat (1 KiB, direct)", memory_stays_flat, NULL, NULL, (void *)&small_direct},
        {"memory_stays_flat (1 KiB, spin)", memory_stays_flat, NULL, NULL, (void *)&small_spin},
        {"memory_stays_flat (1 MiB)", memory_stays_flat, NULL, NULL, (void *)&large_direct},
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
