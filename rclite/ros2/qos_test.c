/* QoS: what fits meets, what does not is told on both sides; deadline, liveliness and lifespan. */
#include <string.h>

#include "ros2/ros2.h"
#include "ros2/testing/ros2_testing.h"

typedef struct told_events {
    testing_gate gates[RCLITE_EVENT_KIND_COUNT];
    rclite_event last[RCLITE_EVENT_KIND_COUNT];
} told_events;

static void told_init(told_events *to) {
    for (int i = 0; i < RCLITE_EVENT_KIND_COUNT; i++) {
        to->gates[i] = (testing_gate)TESTING_GATE_INIT;
    }
}

static void on_event(const rclite_event *event, void *user) {
    told_events *to = user;
    testing_gate *gate = &to->gates[event->kind];
    pthread_mutex_lock(&gate->lock);
    to->last[event->kind] = *event;
    pthread_mutex_unlock(&gate->lock);
    testing_gate_add(gate, 1);
}

static rclite_event last_of(told_events *told, rclite_event_kind kind) {
    pthread_mutex_lock(&told->gates[kind].lock);
    const rclite_event event = told->last[kind];
    pthread_mutex_unlock(&told->gates[kind].lock);
    return event;
}

typedef struct both_ends {
    testing_pair pair;
    told_events offered, asked;
    rclite_publisher *publisher;
    rclite_subscription *subscription;
    testing_gate heard;
} both_ends;

static void on_bytes(const void *message, const rclite_message_info *info, void *user) {
    (void)message;
    (void)info;
    testing_gate_add(user, 1);
}

static void ends_open(
    both_ends *ends, rclite_delivery delivery, const rclite_qos *offer, const rclite_qos *ask) {
    ends->pair = testing_pair_open(delivery);
    ends->heard = (testing_gate)TESTING_GATE_INIT;
    told_init(&ends->offered);
    told_init(&ends->asked);
    rclite_publisher_options offer_options = RCLITE_PUBLISHER_OPTIONS_INIT;
    offer_options.qos = *offer;
    offer_options.event = on_event;
    offer_options.event_user = &ends->offered;
    assert_ok(rclite_publisher_create(
        ends->pair.nodes[0], "/qos", &testing_bytes_type, &offer_options, &ends->publisher, NULL));
    rclite_subscription_options ask_options = RCLITE_SUBSCRIPTION_OPTIONS_INIT;
    ask_options.qos = *ask;
    ask_options.event = on_event;
    ask_options.event_user = &ends->asked;
    assert_ok(rclite_subscription_create(ends->pair.nodes[1], "/qos", &testing_bytes_type, on_bytes,
        &ends->heard, &ask_options, &ends->subscription, NULL));
}

static void ends_close(both_ends *ends) {
    rclite_publisher_free(ends->publisher);
    rclite_subscription_free(ends->subscription);
    testing_pair_close(&ends->pair);
}

static void wait_told(told_events *to, rclite_event_kind kind) {
    assert_true(testing_gate_wait(&to->gates[kind], 1, TESTING_TIMEOUT_NS));
}

static void check_refused(const rclite_qos *offer, const rclite_qos *ask, const char *policy) {
    both_ends both;
    ends_open(&both, RCLITE_DELIVERY_DIRECT, offer, ask);
    wait_told(&both.offered, RCLITE_EVENT_INCOMPATIBLE_QOS);
    wait_told(&both.asked, RCLITE_EVENT_INCOMPATIBLE_QOS);
    assert_string_equal(last_of(&both.offered, RCLITE_EVENT_INCOMPATIBLE_QOS).policy, policy);
    assert_string_equal(last_of(&both.asked, RCLITE_EVENT_INCOMPATIBLE_QOS).policy, policy);
    assert_int_equal(last_of(&both.offered, RCLITE_EVENT_INCOMPATIBLE_QOS).total, 1);
    assert_int_equal(rclite_publisher_matched_count(both.publisher), 0);
    ends_close(&both);
}

static void incompatible(void **state) {
    (void)state;
    const rclite_qos plain = rclite_qos_default();
    rclite_qos other = plain;
    other.reliability = RCLITE_QOS_BEST_EFFORT;
    check_refused(&other, &plain, "RELIABILITY");
    other = plain;
    other.durability = RCLITE_QOS_TRANSIENT_LOCAL;
    check_refused(&plain, &other, "DURABILITY");
    other = plain;
    other.deadline_ns = 1000000000;
    check_refused(&plain, &other, "DEADLINE");
    other = plain;
    other.liveliness = RCLITE_QOS_LIVELINESS_MANUAL_BY_TOPIC;
    check_refused(&plain, &other, "LIVELINESS");
}

/* Under spin delivery events come on the spinning thread. */
static void matched_by_spinning(void **state) {
    (void)state;
    const rclite_qos plain = rclite_qos_default();
    both_ends both;
    ends_open(&both, RCLITE_DELIVERY_SPIN, &plain, &plain);
    assert_true(testing_gate_spin(
        &both.offered.gates[RCLITE_EVENT_MATCHED], both.pair.contexts[0], 1, TESTING_TIMEOUT_NS));
    assert_int_equal(last_of(&both.offered, RCLITE_EVENT_MATCHED).total, 1);
    assert_int_equal(last_of(&both.offered, RCLITE_EVENT_MATCHED).change, 1);
    rclite_subscription_free(both.subscription);
    assert_true(testing_gate_spin(
        &both.offered.gates[RCLITE_EVENT_MATCHED], both.pair.contexts[0], 2, TESTING_TIMEOUT_NS));
    assert_int_equal(last_of(&both.offered, RCLITE_EVENT_MATCHED).total, 0);
    assert_int_equal(last_of(&both.offered, RCLITE_EVENT_MATCHED).change, -1);
    both.subscription = NULL;
    ends_close(&both);
}

static void deadline(void **state) {
    (void)state;
    rclite_qos qos = rclite_qos_default();
    qos.deadline_ns = 50000000;
    both_ends both;
    ends_open(&both, RCLITE_DELIVERY_DIRECT, &qos, &qos);
    assert_ok(rclite_publisher_wait_matched(both.publisher, 1, TESTING_TIMEOUT_NS));
    assert_ok(rclite_subscription_wait_matched(both.subscription, 1, TESTING_TIMEOUT_NS));
    const testing_bytes bytes = {.seq = 1};
    assert_ok(rclite_publisher_publish(both.publisher, &bytes));
    wait_told(&both.offered, RCLITE_EVENT_DEADLINE_MISSED);
    wait_told(&both.asked, RCLITE_EVENT_DEADLINE_MISSED);
    ends_close(&both);
}

static void liveliness(void **state) {
    (void)state;
    rclite_qos qos = rclite_qos_default();
    qos.liveliness = RCLITE_QOS_LIVELINESS_MANUAL_BY_TOPIC;
    qos.liveliness_lease_ns = 100000000;
    both_ends both;
    ends_open(&both, RCLITE_DELIVERY_DIRECT, &qos, &qos);
    assert_ok(rclite_publisher_wait_matched(both.publisher, 1, TESTING_TIMEOUT_NS));
    assert_ok(rclite_subscription_wait_matched(both.subscription, 1, TESTING_TIMEOUT_NS));
    const testing_bytes bytes = {.seq = 1};
    assert_ok(rclite_publisher_publish(both.publisher, &bytes));
    wait_told(&both.offered, RCLITE_EVENT_LIVELINESS_LOST);
    /* Alive by the match or the message, or by both in turn, then no more. */
    testing_gate *changes = &both.asked.gates[RCLITE_EVENT_LIVELINESS_CHANGED];
    uint64_t told = 2;
    do {
        assert_true(testing_gate_wait(changes, told, TESTING_TIMEOUT_NS));
        told = testing_gate_count(changes) + 1;
    } while (last_of(&both.asked, RCLITE_EVENT_LIVELINESS_CHANGED).total != 0);
    ends_close(&both);
}

/* What outlived its lifespan is not given to a late joiner. */
static void lifespan(void **state) {
    (void)state;
    rclite_qos offer = rclite_qos_default();
    offer.durability = RCLITE_QOS_TRANSIENT_LOCAL;
    offer.lifespan_ns = 30000000;
    testing_pair pair = testing_pair_open(RCLITE_DELIVERY_DIRECT);
    rclite_publisher_options options = RCLITE_PUBLISHER_OPTIONS_INIT;
    options.qos = offer;
    rclite_publisher *publisher = NULL;
    assert_ok(rclite_publisher_create(
        pair.nodes[0], "/qos", &testing_bytes_type, &options, &publisher, NULL));
    testing_bytes bytes = {.seq = 1};
    assert_ok(rclite_publisher_publish(publisher, &bytes));
    testing_gate nothing = TESTING_GATE_INIT, heard = TESTING_GATE_INIT;
    assert_false(testing_gate_wait(&nothing, 1, 100000000)); /* lets the lifespan pass */
    rclite_subscription_options ask = RCLITE_SUBSCRIPTION_OPTIONS_INIT;
    ask.qos.durability = RCLITE_QOS_TRANSIENT_LOCAL;
    rclite_subscription *subscription = NULL;
    assert_ok(rclite_subscription_create(
        pair.nodes[1], "/qos", &testing_bytes_type, on_bytes, &heard, &ask, &subscription, NULL));
    assert_ok(rclite_publisher_wait_matched(publisher, 1, TESTING_TIMEOUT_NS));
    assert_ok(rclite_subscription_wait_matched(subscription, 1, TESTING_TIMEOUT_NS));
    uint64_t sent = 0;
    while (testing_gate_count(&heard) == 0) { /* the fresh ones arrive */
        bytes.seq = 2;
        assert_ok(rclite_publisher_publish(publisher, &bytes));
        assert_in_range(++sent, 1, 1000);
        testing_gate_wait(&heard, 1, 10000000);
    }
    assert_true(testing_gate_count(&heard) <= sent);
    rclite_publisher_free(publisher);
    rclite_subscription_free(subscription);
    testing_pair_close(&pair);
}

/* What DDS says comes back as what was asked for. */
static void translation(void **state) {
    (void)state;
    const rclite_qos all[] = {rclite_qos_default(), rclite_qos_sensor_data(),
        rclite_qos_action_status(),
        {.reliability = RCLITE_QOS_BEST_EFFORT,
            .history = RCLITE_QOS_KEEP_ALL,
            .liveliness = RCLITE_QOS_LIVELINESS_MANUAL_BY_TOPIC,
            .deadline_ns = 1,
            .lifespan_ns = 2,
            .liveliness_lease_ns = 3}};
    const ros2_qos_extra extra = {.user_data = "a=b;", .writer = true};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        dds_qos_t *qos = ros2_qos_create(&all[i], &extra);
        const rclite_qos back = ros2_qos_read(qos);
        assert_int_equal(back.reliability, all[i].reliability);
        assert_int_equal(back.durability, all[i].durability);
        assert_int_equal(back.history, all[i].history);
        assert_int_equal(back.depth, all[i].depth);
        assert_int_equal(back.liveliness, all[i].liveliness);
        assert_int_equal(back.deadline_ns, all[i].deadline_ns);
        assert_int_equal(back.lifespan_ns, all[i].lifespan_ns);
        assert_int_equal(back.liveliness_lease_ns, all[i].liveliness_lease_ns);
        dds_delete_qos(qos);
    }
    assert_string_equal(ros2_qos_policy_name(DDS_LIFESPAN_QOS_POLICY_ID), "LIFESPAN");
    assert_string_equal(ros2_qos_policy_name(DDS_HISTORY_QOS_POLICY_ID), "HISTORY");
    assert_string_equal(ros2_qos_policy_name(DDS_PARTITION_QOS_POLICY_ID), "OTHER");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(translation),
        cmocka_unit_test(incompatible),
        cmocka_unit_test(matched_by_spinning),
        cmocka_unit_test(deadline),
        cmocka_unit_test(liveliness),
        cmocka_unit_test(lifespan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
