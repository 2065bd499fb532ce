/* After warm-up, publishing, delivering, calling and serving allocate nothing: counted at the
 * context's allocator, which everything of ours goes through. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "testing/ros1_testing.h"

#include "nav_msgs/srv/GetMap.h"
#include "std_msgs/msg/UInt8MultiArray.h"

#define ARRAY (&std_msgs__msg__UInt8MultiArray__type)
#define MAP (&nav_msgs__srv__GetMap__type)

static atomic_size_t allocations;

static void *count_reallocate(void *state, void *memory, size_t size_bytes) {
    (void)state;
    if (size_bytes == 0) {
        free(memory);
        return NULL;
    }
    atomic_fetch_add(&allocations, 1);
    return realloc(memory, size_bytes);
}

static const rclite_allocator counting = {.reallocate = count_reallocate};

struct ping_pong {
    rclite_context *context;
    rclite_publisher *ping, *pong;
    std_msgs__msg__UInt8MultiArray message;
    int left;
    atomic_bool done;
};

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

static bool is_done(void *user) {
    struct ping_pong *game = user;
    return atomic_load(&game->done);
}

static void play(struct ping_pong *game, int rounds) {
    game->left = rounds;
    atomic_store(&game->done, false);
    assert_int_equal(rclite_publisher_publish(game->ping, &game->message), RCLITE_OK);
    testing_wait(game->context, is_done, game);
}

static void check_topic(rclite_delivery delivery, size_t bytes) {
    struct ping_pong game = {.left = 0};
    game.context = testing_context_with(delivery, &counting, 0, NULL);
    rclite_node *node = testing_node(game.context, "game");
    rclite_publisher_options out = RCLITE_PUBLISHER_OPTIONS_INIT;
    rclite_subscription_options in = RCLITE_SUBSCRIPTION_OPTIONS_INIT;
    rclite_subscription *ping = NULL;
    rclite_subscription *pong = NULL;
    assert_int_equal(rclite_message_init(ARRAY, &game.message, NULL), RCLITE_OK);
    assert_int_equal(rclite_sequence_resize(&game.message.data, 1, bytes, NULL), RCLITE_OK);
    assert_int_equal(
        rclite_publisher_create(node, "/ping", ARRAY, &out, &game.ping, NULL), RCLITE_OK);
    assert_int_equal(
        rclite_publisher_create(node, "/pong", ARRAY, &out, &game.pong, NULL), RCLITE_OK);
    assert_int_equal(
        rclite_subscription_create(node, "/ping", ARRAY, on_ping, &game, &in, &ping, NULL),
        RCLITE_OK);
    assert_int_equal(
        rclite_subscription_create(node, "/pong", ARRAY, on_pong, &game, &in, &pong, NULL),
        RCLITE_OK);
    assert_int_equal(rclite_subscription_wait_matched(ping, 1, TESTING_TIMEOUT_NS), RCLITE_OK);
    assert_int_equal(rclite_subscription_wait_matched(pong, 1, TESTING_TIMEOUT_NS), RCLITE_OK);
    play(&game, 50);
    size_t before = atomic_load(&allocations);
    play(&game, 1000);
    assert_int_equal(atomic_load(&allocations), before);
    rclite_subscription_free(ping);
    rclite_subscription_free(pong);
    rclite_publisher_free(game.ping);
    rclite_publisher_free(game.pong);
    rclite_message_done(ARRAY, &game.message, NULL);
    rclite_node_free(node);
    rclite_context_free(game.context);
}

static void test_topic_direct(void **state) {
    (void)state;
    check_topic(RCLITE_DELIVERY_DIRECT, 64);
    check_topic(RCLITE_DELIVERY_DIRECT, 300000);
}

static void test_topic_spin(void **state) {
    (void)state;
    check_topic(RCLITE_DELIVERY_SPIN, 64);
    check_topic(RCLITE_DELIVERY_SPIN, 300000);
}

static rclite_result serve(
    rclite_service_call *call, const void *request, void *response, char *error_text, void *user) {
    (void)call;
    (void)request;
    (void)error_text;
    (void)user;
    nav_msgs__srv__GetMap_Response *answer = response;
    return rclite_sequence_resize(&answer->map.data, 1, 5000, &counting);
}

static void call_map(rclite_client *client, int count, nav_msgs__srv__GetMap_Response *response) {
    nav_msgs__srv__GetMap_Request request = {0};
    for (int i = 0; i < count; i++) {
        assert_int_equal(
            rclite_client_call(client, &request, response, TESTING_TIMEOUT_NS, NULL), RCLITE_OK);
    }
}

static void test_service(void **state) {
    (void)state;
    rclite_context *context = testing_context_with(RCLITE_DELIVERY_DIRECT, &counting, 0, NULL);
    rclite_node *node = testing_node(context, "service");
    rclite_service_options options = RCLITE_SERVICE_OPTIONS_INIT;
    rclite_client_options client_options = RCLITE_CLIENT_OPTIONS_INIT;
    rclite_service *service = NULL;
    rclite_client *client = NULL;
    nav_msgs__srv__GetMap_Response response;
    assert_int_equal(rclite_message_init(MAP->response, &response, &counting), RCLITE_OK);
    assert_int_equal(
        rclite_service_create(node, "/map", MAP, serve, NULL, &options, &service, NULL), RCLITE_OK);
    assert_int_equal(
        rclite_client_create(node, "/map", MAP, &client_options, &client, NULL), RCLITE_OK);
    call_map(client, 50, &response);
    size_t before = atomic_load(&allocations);
    call_map(client, 1000, &response);
    assert_int_equal(atomic_load(&allocations), before);
    rclite_client_free(client);
    rclite_service_free(service);
    rclite_message_done(MAP->response, &response, &counting);
    rclite_node_free(node);
    rclite_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_topic_direct),
        cmocka_unit_test(test_topic_spin),
        cmocka_unit_test(test_service),
    };
    if (!testing_master_start()) {
        return 77;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    testing_master_stop();
    return failed;
}
