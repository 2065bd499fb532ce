/* See ping_pong.h. */
#include "testing/ping_pong.h"

#include <stdio.h>

#include "testing/topic_testing.h"

#define ARRAY (&std_msgs__msg__UInt8MultiArray__type)

static void on_ping(const void *message, const rclite_message_info *info, void *user) {
    (void)info;
    struct ping_pong *game = user;
    assert_int_equal(rclite_publisher_publish(game->pong, message), RCLITE_OK);
}

static void on_pong(const void *message, const rclite_message_info *info, void *user) {
    (void)info;
    struct ping_pong *game = user;
    assert_int_equal(
        ((const std_msgs__msg__UInt8MultiArray *)message)->data.size, game->message.data.size);
    if (--game->left > 0) {
        assert_int_equal(rclite_publisher_publish(game->ping, &game->message), RCLITE_OK);
    } else {
        atomic_store(&game->done, true);
        rclite_context_wake(game->context);
    }
}

static rclite_subscription *subscribe(
    struct ping_pong *game, const char *topic, rclite_subscription_callback callback) {
    rclite_subscription_options options = RCLITE_SUBSCRIPTION_OPTIONS_INIT;
    rclite_subscription *subscription = NULL;
    assert_int_equal(rclite_subscription_create(
                         game->node, topic, ARRAY, callback, game, &options, &subscription, NULL),
        RCLITE_OK);
    assert_int_equal(
        rclite_subscription_wait_matched(subscription, 1, TESTING_TIMEOUT_NS), RCLITE_OK);
    return subscription;
}

void ping_pong_open(
    struct ping_pong *game, rclite_context *context, const char *suffix, size_t bytes) {
    char ping[64];
    char pong[64];
    char name[64];
    snprintf(ping, sizeof ping, "/ping%s", suffix);
    snprintf(pong, sizeof pong, "/pong%s", suffix);
    snprintf(name, sizeof name, "game%s", suffix);
    game->context = context;
    game->node = testing_node(context, name);
    assert_int_equal(rclite_message_init(ARRAY, &game->message, NULL), RCLITE_OK);
    assert_int_equal(rclite_sequence_resize(&game->message.data, 1, bytes, NULL), RCLITE_OK);
    game->ping = testing_advertise(game->node, ping, ARRAY, false);
    game->pong = testing_advertise(game->node, pong, ARRAY, false);
    game->on_ping = subscribe(game, ping, on_ping);
    game->on_pong = subscribe(game, pong, on_pong);
}

void ping_pong_start(struct ping_pong *game, int rounds) {
    game->left = rounds;
    atomic_store(&game->done, false);
    assert_int_equal(rclite_publisher_publish(game->ping, &game->message), RCLITE_OK);
}

bool ping_pong_is_done(void *game) {
    return atomic_load(&((struct ping_pong *)game)->done);
}

void ping_pong_play(struct ping_pong *game, int rounds) {
    ping_pong_start(game, rounds);
    testing_wait(game->context, ping_pong_is_done, game);
}

void ping_pong_close(struct ping_pong *game) {
    rclite_subscription_free(game->on_ping);
    rclite_subscription_free(game->on_pong);
    rclite_publisher_free(game->ping);
    rclite_publisher_free(game->pong);
    rclite_message_done(ARRAY, &game->message, NULL);
    rclite_node_free(game->node);
}
