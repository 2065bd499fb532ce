/* See ros2_testing.h. */
#include "ros2/testing/ros2_testing.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

const char *testing_dds_config(void) {
    static char text[512]; /* a child keeps its parent's */
    if (text[0]) {
        return text;
    }
    snprintf(text, sizeof text,
        "<CycloneDDS><Domain><General><Interfaces><NetworkInterface name=\"lo\" "
        "multicast=\"true\"/></Interfaces></General><Discovery><Tag>rclite-test-%ld</Tag>"
        "<ExternalDomainId>%d</ExternalDomainId>"
        "<ParticipantIndex>none</ParticipantIndex></Discovery></Domain></CycloneDDS>",
        (long)getpid(), TESTING_DOMAIN);
    return text;
}

rclite_context *testing_context_logging(rclite_delivery delivery, int domain,
    void (*log)(rclite_log_level level, const char *text, void *user), void *user) {
    rclite_context_options options = RCLITE_CONTEXT_OPTIONS_INIT;
    options.delivery = delivery;
    options.domain_id = domain;
    options.dds_config = testing_dds_config();
    options.log = log;
    options.log_user = user;
    rclite_context *context = NULL;
    rclite_error error = {.text = ""};
    const rclite_result result = rclite_context_create(&options, &context, &error);
    if (result != RCLITE_OK) {
        print_error("%s\n", error.text);
    }
    assert_int_equal(result, RCLITE_OK);
    return context;
}

static void print_log(rclite_log_level level, const char *text, void *user) {
    (void)user;
    print_message("[%d] %s\n", (int)level, text);
}

rclite_context *testing_context(rclite_delivery delivery, int domain) {
    return testing_context_logging(delivery, domain, print_log, NULL);
}

rclite_context *testing_context_allocating(const rclite_allocator *allocator) {
    rclite_context_options options = RCLITE_CONTEXT_OPTIONS_INIT;
    options.domain_id = TESTING_DOMAIN;
    options.dds_config = testing_dds_config();
    options.allocator = allocator;
    rclite_context *context = NULL;
    assert_ok(rclite_context_create(&options, &context, NULL));
    return context;
}

rclite_node *testing_node(rclite_context *context, const char *name) {
    rclite_node *node = NULL;
    assert_ok(rclite_node_create(context, name, "/", &node, NULL));
    return node;
}

testing_pair testing_pair_open(rclite_delivery delivery) {
    testing_pair pair;
    pair.contexts[0] = testing_context(delivery, TESTING_DOMAIN);
    pair.contexts[1] = testing_context(delivery, TESTING_DOMAIN_REMOTE);
    pair.nodes[0] = testing_node(pair.contexts[0], "left");
    pair.nodes[1] = testing_node(pair.contexts[1], "right");
    return pair;
}

void testing_pair_close(testing_pair *pair) {
    for (int i = 0; i < 2; i++) {
        rclite_node_free(pair->nodes[i]);
        rclite_context_free(pair->contexts[i]);
    }
}

/* ---- types ---------------------------------------------------------------------------------- */

static const rclite_field bytes_fields[] = {
    {.name = "seq",
        .kind = RCLITE_FIELD_UINT64,
        .offset_bytes = offsetof(testing_bytes, seq),
        .element_bytes = sizeof(uint64_t)},
    {.name = "data",
        .kind = RCLITE_FIELD_UINT8,
        .array = RCLITE_ARRAY_SEQUENCE,
        .offset_bytes = offsetof(testing_bytes, data),
        .element_bytes = 1},
};
static const rclite_type_view bytes_view = {.fields = bytes_fields,
    .field_count = 2,
    .wire_name = "testing::msg::dds_::Bytes_",
    .fingerprint = "RIHS01_0000000000000000000000000000000000000000000000000000000000000001",
    .definition = "uint64 seq\nuint8[] data\n"};
const rclite_type testing_bytes_type = {.name = "testing/msg/Bytes",
    .size_bytes = sizeof(testing_bytes),
    .align_bytes = _Alignof(testing_bytes),
    .ros2 = &bytes_view};

static const rclite_type_view other_view = {.fields = bytes_fields,
    .field_count = 2,
    .wire_name = "testing::msg::dds_::Other_",
    .fingerprint = "RIHS01_0000000000000000000000000000000000000000000000000000000000000002",
    .definition = "uint64 seq\nuint8[] data\n"};
const rclite_type testing_other_type = {.name = "testing/msg/Other",
    .size_bytes = sizeof(testing_bytes),
    .align_bytes = _Alignof(testing_bytes),
    .ros2 = &other_view};

static const rclite_field numbers_fields[] = {
    {.name = "a",
        .kind = RCLITE_FIELD_INT64,
        .offset_bytes = offsetof(testing_numbers, a),
        .element_bytes = sizeof(int64_t)},
    {.name = "b",
        .kind = RCLITE_FIELD_INT64,
        .offset_bytes = offsetof(testing_numbers, b),
        .element_bytes = sizeof(int64_t)},
};
static const rclite_type_view numbers_view = {.fields = numbers_fields,
    .field_count = 2,
    .wire_name = "testing::srv::dds_::Make_Request_",
    .fingerprint = "RIHS01_0000000000000000000000000000000000000000000000000000000000000003",
    .definition = "int64 a\nint64 b\n"};
const rclite_type testing_numbers_type = {.name = "testing/srv/Make_Request",
    .size_bytes = sizeof(testing_numbers),
    .align_bytes = _Alignof(testing_numbers),
    .ros2 = &numbers_view};
const rclite_service_type testing_service_type = {
    .name = "testing/srv/Make",
    .request = &testing_numbers_type,
    .response = &testing_bytes_type,
    .ros2_hash = "RIHS01_0000000000000000000000000000000000000000000000000000000000000004",
};

/* ---- gates ---------------------------------------------------------------------------------- */

void testing_gate_add(testing_gate *gate, uint64_t count) {
    pthread_mutex_lock(&gate->lock);
    gate->count += count;
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->lock);
}

uint64_t testing_gate_count(testing_gate *gate) {
    pthread_mutex_lock(&gate->lock);
    const uint64_t count = gate->count;
    pthread_mutex_unlock(&gate->lock);
    return count;
}

bool testing_gate_wait(testing_gate *gate, uint64_t count, int64_t timeout_ns) {
    const int64_t until_ns = rclite_now_ns() + timeout_ns;
    const struct timespec until = {
        .tv_sec = (time_t)(until_ns / 1000000000), .tv_nsec = (long)(until_ns % 1000000000)};
    pthread_mutex_lock(&gate->lock);
    int waited = 0;
    while (gate->count < count && waited != ETIMEDOUT) {
        waited = pthread_cond_timedwait(&gate->changed, &gate->lock, &until);
    }
    const bool reached = gate->count >= count;
    pthread_mutex_unlock(&gate->lock);
    return reached;
}

typedef struct gate_goal {
    testing_gate *gate;
    uint64_t count;
} gate_goal;

static bool gate_reached(void *user) {
    const gate_goal *goal = user;
    return testing_gate_count(goal->gate) >= goal->count;
}

bool testing_gate_spin(
    testing_gate *gate, rclite_context *context, uint64_t count, int64_t timeout_ns) {
    gate_goal goal = {.gate = gate, .count = count};
    return rclite_spin_until(context, gate_reached, &goal, timeout_ns) == RCLITE_OK;
}
