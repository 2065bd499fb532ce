/* See victim.h. */
#include "testing/victim.h"

#include <stdlib.h>
#include <string.h>

void victim_open(struct victim *victim) {
    memset(victim, 0, sizeof *victim);
    victim->context = testing_context(RCLITE_DELIVERY_DIRECT);
    victim->node = testing_node(victim->context, "victim");
    victim->heard.context = victim->context;
    victim->publisher = testing_advertise(victim->node, "/text", STRING, false);
    victim->subscription =
        testing_subscribe(victim->node, "/text", STRING, text_count, &victim->heard);
    assert_int_equal(
        rclite_publisher_wait_matched(victim->publisher, 1, TESTING_TIMEOUT_NS), RCLITE_OK);
    assert_int_equal(
        rclite_subscription_wait_matched(victim->subscription, 1, TESTING_TIMEOUT_NS), RCLITE_OK);
}

void victim_close(struct victim *victim) {
    rclite_subscription_free(victim->subscription);
    rclite_publisher_free(victim->publisher);
    rclite_node_free(victim->node);
    rclite_context_free(victim->context);
}

void victim_check_alive(struct victim *victim) {
    victim->heard.wanted = atomic_load(&victim->heard.count) + 1;
    text_publish(victim->publisher, "alive");
    testing_wait(victim->context, text_is_counted, &victim->heard);
    assert_string_equal(victim->heard.last, "alive");
}

uint64_t victim_malformed(const struct victim *victim) {
    return rclite_context_count(victim->context).malformed;
}

void victim_check_answer(
    struct victim *victim, const char *path, const char *body, const char *expected) {
    char *answer = testing_post(testing_slave_port(victim->node), path, body);
    if (!strstr(answer, expected)) {
        fail_msg("%s is not in %s", expected, answer);
    }
    free(answer);
}
