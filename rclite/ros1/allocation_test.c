/* After warm-up, publishing, delivering, calling, serving and goals allocate nothing per message:
 * counted at the context's allocator, which everything of ours goes through.
 *
 * Queues and pools grow to the most that was ever waiting, and on a busy machine a thread that is
 * late can reach a new height at any time. So a few allocations are let pass, many less than there
 * are messages; and warm is when a phase goes by with no more than those. An allocation for each
 * message would never let that come. */
#include "testing/counting_allocator.h"
#include "testing/ping_pong.h"

#include "actionlib_benchmark/action/Roundtrip.h"
#include "actionlib_msgs/msg/GoalStatusArray.h"
#include "nav_msgs/srv/GetMap.h"

#define MAP (&nav_msgs__srv__GetMap__type)
#define STATUS (&actionlib_msgs__msg__GoalStatusArray__type)
#define TRIP (&actionlib_benchmark__action__Roundtrip__type)

#define WARM_UP 200
#define ROUNDS 1000
#define GOALS 250 /* of about seven messages each */
#define HELD 300
#define NEW_HEIGHTS 20 /* allocations let pass */
#define PHASES_MAX 10

static size_t allocations_of(counting_allocator *allocator) {
    return atomic_load(&allocator->allocations);
}

/* ---- topics --------------------------------------------------------------------------------- */

static void check_topic(rclite_delivery delivery, size_t bytes) {
    struct ping_pong game = {.left = 0};
    counting_allocator allocator;
    counting_allocator_init(&allocator);
    rclite_context *context = testing_context_with(delivery, &allocator.base, 0, NULL);
    ping_pong_open(&game, context, "", bytes);
    ping_pong_play(&game, WARM_UP);
    size_t new_heights = SIZE_MAX;
    for (int phase = 0; phase < PHASES_MAX && new_heights > NEW_HEIGHTS; phase++) {
        size_t before = allocations_of(&allocator);
        ping_pong_play(&game, ROUNDS);
        new_heights = allocations_of(&allocator) - before;
    }
    assert_in_range(new_heights, 0, NEW_HEIGHTS);
    ping_pong_close(&game);
    rclite_context_free(context);
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

/* ---- services ------------------------------------------------------------------------------- */

static rclite_result serve(
    rclite_service_call *call, const void *request, void *response, char *error_text, void *user) {
    (void)call;
    (void)request;
    (void)error_text;
    nav_msgs__srv__GetMap_Response *answer = response;
    return rclite_sequence_resize(&answer->map.data, 1, 5000, user);
}

static void call_map(rclite_client *client, int count, nav_msgs__srv__GetMap_Response *response) {
    nav_msgs__srv__GetMap_Request request = {0};
    for (int i = 0; i < count; i++) {
        assert_int_equal(
            rclite_client_call(client, &request, response, TESTING_TIMEOUT_NS, NULL), RCLITE_OK);
    }
}

static void check_service(rclite_delivery delivery) {
    counting_allocator allocator;
    counting_allocator_init(&allocator);
    rclite_context *context = testing_context_with(delivery, &allocator.base, 0, NULL);
    rclite_node *node = testing_node(context, "service");
    rclite_service_options options = RCLITE_SERVICE_OPTIONS_INIT;
    rclite_client_options client_options = RCLITE_CLIENT_OPTIONS_INIT;
    rclite_service *service = NULL;
    rclite_client *client = NULL;
    nav_msgs__srv__GetMap_Response response;
    assert_int_equal(rclite_message_init(MAP->response, &response, &allocator.base), RCLITE_OK);
    assert_int_equal(
        rclite_service_create(node, "/map", MAP, serve, &allocator.base, &options, &service, NULL),
        RCLITE_OK);
    assert_int_equal(
        rclite_client_create(node, "/map", MAP, &client_options, &client, NULL), RCLITE_OK);
    call_map(client, WARM_UP, &response);
    size_t new_heights = SIZE_MAX;
    for (int phase = 0; phase < PHASES_MAX && new_heights > NEW_HEIGHTS; phase++) {
        size_t before = allocations_of(&allocator);
        call_map(client, ROUNDS, &response);
        new_heights = allocations_of(&allocator) - before;
    }
    assert_in_range(new_heights, 0, NEW_HEIGHTS);
    rclite_client_free(client);
    rclite_service_free(service);
    rclite_message_done(MAP->response, &response, &allocator.base);
    rclite_node_free(node);
    rclite_context_free(context);
}

static void test_service(void **state) {
    (void)state;
    check_service(RCLITE_DELIVERY_DIRECT);
    check_service(RCLITE_DELIVERY_SPIN);
}

/* ---- actions -------------------------------------------------------------------------------- */

struct trips {
    rclite_context *context;
    rclite_server_goal *held[HELD];
    int held_count;
    atomic_bool holds;
    atomic_int accepted, results, listed;
    int wanted;
};

static void end_well(rclite_server_goal *handle) {
    const actionlib_benchmark__action__Roundtrip_Result result = {.received = {3, 4}};
    assert_int_equal(rclite_server_goal_succeed(handle, &result), RCLITE_OK);
}

static void on_accepted(rclite_server_goal *handle, const void *message, void *user) {
    (void)message;
    struct trips *trips = user;
    const actionlib_benchmark__action__Roundtrip_Feedback feedback = {0};
    assert_int_equal(rclite_server_goal_feedback(handle, &feedback), RCLITE_OK);
    if (atomic_load(&trips->holds)) {
        trips->held[trips->held_count++] = handle;
    } else {
        end_well(handle);
    }
    atomic_fetch_add(&trips->accepted, 1);
    rclite_context_wake(trips->context);
}

static void on_feedback(rclite_client_goal *handle, const void *feedback, void *user) {
    (void)handle;
    (void)feedback;
    (void)user;
}

static void on_result(
    rclite_client_goal *handle, rclite_goal_status status, const void *message, void *user) {
    struct trips *trips = user;
    assert_non_null(message);
    assert_int_equal(status, RCLITE_GOAL_SUCCEEDED);
    rclite_client_goal_free(handle);
    atomic_fetch_add(&trips->results, 1);
    rclite_context_wake(trips->context);
}

static void on_status(const void *message, const rclite_message_info *info, void *user) {
    (void)info;
    struct trips *trips = user;
    const actionlib_msgs__msg__GoalStatusArray *status = message;
    atomic_store(&trips->listed, (int)status->status_list.size);
    rclite_context_wake(trips->context);
}

static bool has_results(void *user) {
    struct trips *trips = user;
    return atomic_load(&trips->results) == trips->wanted;
}

static bool has_accepted(void *user) {
    struct trips *trips = user;
    return atomic_load(&trips->accepted) == trips->wanted;
}

static bool is_list_empty(void *user) {
    struct trips *trips = user;
    return atomic_load(&trips->listed) == 0;
}

static void send_goal(rclite_action_client *client, struct trips *trips) {
    static const rclite_goal_callbacks callbacks = {.feedback = on_feedback, .result = on_result};
    const actionlib_benchmark__action__Roundtrip_Goal goal = {.start = {1, 2}};
    rclite_client_goal *handle = NULL;
    trips->wanted++;
    assert_int_equal(
        rclite_action_client_send_goal(client, &goal, &callbacks, trips, &handle), RCLITE_OK);
}

/* More goals at once than come later, so that every list has seen more than it will hold. */
static void warm_up(rclite_action_client *client, struct trips *trips) {
    atomic_store(&trips->holds, true);
    trips->held_count = 0;
    for (int i = 0; i < HELD; i++) {
        send_goal(client, trips);
        testing_wait(trips->context, has_accepted, trips);
    }
    atomic_store(&trips->holds, false);
    for (int i = 0; i < HELD; i++) {
        end_well(trips->held[i]);
    }
    testing_wait(trips->context, has_results, trips);
    testing_wait(trips->context, is_list_empty, trips);
}

static void travel(rclite_action_client *client, struct trips *trips, int count) {
    for (int i = 0; i < count; i++) {
        send_goal(client, trips);
        testing_wait(trips->context, has_results, trips);
    }
}

static void check_action(rclite_delivery delivery) {
    static struct trips trips;
    counting_allocator allocator;
    counting_allocator_init(&allocator);
    trips = (struct trips){.listed = -1};
    trips.context = testing_context_with(delivery, &allocator.base, 0, NULL);
    rclite_node *node = testing_node(trips.context, "action");
    const rclite_action_server_callbacks callbacks = {.accepted = on_accepted};
    rclite_action_server_options options = RCLITE_ACTION_SERVER_OPTIONS_INIT;
    rclite_subscription_options in = RCLITE_SUBSCRIPTION_OPTIONS_INIT;
    rclite_action_server *server = NULL;
    rclite_action_client *client = NULL;
    rclite_subscription *status = NULL;
    options.result_timeout_ns = 0;
    assert_int_equal(rclite_action_server_create(
                         node, "/trip", TRIP, &callbacks, &trips, &options, &server, NULL),
        RCLITE_OK);
    assert_int_equal(rclite_action_client_create(node, "/trip", TRIP, &client, NULL), RCLITE_OK);
    assert_int_equal(rclite_subscription_create(
                         node, "/trip/status", STATUS, on_status, &trips, &in, &status, NULL),
        RCLITE_OK);
    assert_int_equal(rclite_action_client_wait_for_server(client, TESTING_TIMEOUT_NS), RCLITE_OK);
    warm_up(client, &trips);
    warm_up(client, &trips); /* the goals' ids, which have a number in them, grew until now */
    size_t new_heights = SIZE_MAX;
    for (int phase = 0; phase < PHASES_MAX && new_heights > NEW_HEIGHTS; phase++) {
        size_t before = allocations_of(&allocator);
        travel(client, &trips, GOALS);
        new_heights = allocations_of(&allocator) - before;
    }
    assert_in_range(new_heights, 0, NEW_HEIGHTS);
    rclite_subscription_free(status);
    rclite_action_client_free(client);
    rclite_action_server_free(server);
    rclite_node_free(node);
    rclite_context_free(trips.context);
}

static void test_action(void **state) {
    (void)state;
    check_action(RCLITE_DELIVERY_DIRECT);
    check_action(RCLITE_DELIVERY_SPIN);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_topic_direct),
        cmocka_unit_test(test_topic_spin),
        cmocka_unit_test(test_service),
        cmocka_unit_test(test_action),
    };
    if (!testing_master_start()) {
        return 77;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    testing_master_stop();
    return failed;
}
