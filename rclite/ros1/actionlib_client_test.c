/* An action client of rclite with a server made by hand out of the five topics, which sends what
 * real ones send seldom: results before statuses, goals that vanish, goals of others. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "testing/topic_testing.h"

#include "actionlib_benchmark/action/Roundtrip.h"
#include "actionlib_msgs/msg/GoalStatusArray.h"
#include "core/testing/endpoint_set.h"

#define TRIP (&actionlib_benchmark__action__Roundtrip__type)
#define STATUS (&actionlib_msgs__msg__GoalStatusArray__type)
#define ID (&actionlib_msgs__msg__GoalID__type)

enum { ACTIVE = 1, SUCCEEDED = 3 };

/* The server made by hand. */
struct hand {
    struct side side;
    rclite_publisher *status, *result, *feedback;
    rclite_subscription *goal, *cancel;
    pthread_mutex_t lock; /* guards what came: */
    char goal_id[128];    /* of the last goal */
    int goals;
};

static void on_goal(const void *message, const rclite_message_info *info, void *user) {
    (void)info;
    struct hand *hand = user;
    const actionlib_benchmark__action__Roundtrip_ActionGoal *goal = message;
    pthread_mutex_lock(&hand->lock);
    snprintf(hand->goal_id, sizeof hand->goal_id, "%s", goal->goal_id.id.data);
    hand->goals++;
    pthread_mutex_unlock(&hand->lock);
    rclite_context_wake(hand->side.context);
}

static void open_hand(struct hand *hand) {
    memset(hand, 0, sizeof *hand);
    pthread_mutex_init(&hand->lock, NULL);
    hand->side = side_open("hand", RCLITE_DELIVERY_DIRECT);
    rclite_node *node = hand->side.node;
    hand->status = testing_advertise(node, "/trip/status", STATUS, true);
    hand->result = testing_advertise(node, "/trip/result", TRIP->ros1_action_result, false);
    hand->feedback = testing_advertise(node, "/trip/feedback", TRIP->ros1_action_feedback, false);
    hand->goal = testing_subscribe(node, "/trip/goal", TRIP->ros1_action_goal, on_goal, hand);
    hand->cancel = testing_subscribe(node, "/trip/cancel", ID, ignore_message, NULL);
}

static void close_hand(struct hand *hand) {
    rclite_publisher_free(hand->status);
    rclite_publisher_free(hand->result);
    rclite_publisher_free(hand->feedback);
    rclite_subscription_free(hand->goal);
    rclite_subscription_free(hand->cancel);
    side_close(&hand->side);
    pthread_mutex_destroy(&hand->lock);
}

/* One goal of ours and one of a stranger in the list; status < 0: ours is not in it. */
static void publish_status(struct hand *hand, const char *id, int status) {
    actionlib_msgs__msg__GoalStatus entries[2] = {
        {.goal_id.id = text_borrow("/stranger-1-1.1"), .status = SUCCEEDED},
        {.goal_id.id = text_borrow(id), .status = (uint8_t)(status < 0 ? 0 : status)},
    };
    const actionlib_msgs__msg__GoalStatusArray array = {
        .status_list = {entries, status < 0 ? 1 : 2, 0}};
    assert_int_equal(rclite_publisher_publish(hand->status, &array), RCLITE_OK);
}

static void publish_result(struct hand *hand, const char *id, int status, int32_t second) {
    const actionlib_benchmark__action__Roundtrip_ActionResult result = {
        .status = {.goal_id.id = text_borrow(id), .status = (uint8_t)status},
        .result.received.sec = second};
    assert_int_equal(rclite_publisher_publish(hand->result, &result), RCLITE_OK);
}

/* ---- the client of rclite ------------------------------------------------------------------- */

struct client_side {
    rclite_context *context;
    rclite_node *node;
    rclite_action_client *client;
    atomic_int responses;
};

static void on_response(rclite_client_goal *handle, bool accepted, void *user) {
    (void)handle;
    struct client_side *side = user;
    assert_true(accepted);
    atomic_fetch_add(&side->responses, 1);
}

static void open_client(struct client_side *side, struct hand *hand, const char *name) {
    atomic_init(&side->responses, 0);
    side->context = testing_context(RCLITE_DELIVERY_DIRECT);
    side->node = testing_node(side->context, name);
    assert_int_equal(
        rclite_action_client_create(side->node, "/trip", TRIP, &side->client, NULL), RCLITE_OK);
    assert_int_equal(rclite_action_client_wait_for_server(side->client, 0), RCLITE_ERR_TIMEOUT);
    publish_status(hand, "", -1); /* without one, nobody knows who the server is */
    assert_int_equal(
        rclite_action_client_wait_for_server(side->client, TESTING_TIMEOUT_NS), RCLITE_OK);
}

static void close_client(struct client_side *side) {
    rclite_action_client_free(side->client);
    rclite_node_free(side->node);
    rclite_context_free(side->context);
}

static bool has_goal(void *user) {
    struct hand *hand = user;
    pthread_mutex_lock(&hand->lock);
    bool has = hand->goals > 0;
    pthread_mutex_unlock(&hand->lock);
    return has;
}

/* Sends a goal; its id is then in hand->goal_id. */
static rclite_client_goal *send_goal(struct client_side *side, struct hand *hand) {
    const rclite_goal_callbacks callbacks = {.response = on_response};
    const actionlib_benchmark__action__Roundtrip_Goal goal = {.start = {5, 6}};
    rclite_client_goal *handle = NULL;
    hand->goals = 0;
    assert_int_equal(
        rclite_action_client_send_goal(side->client, &goal, &callbacks, side, &handle), RCLITE_OK);
    testing_wait(hand->side.context, has_goal, hand);
    return handle;
}

static void expect_end(rclite_client_goal *goal, rclite_goal_status expected, int32_t second) {
    actionlib_benchmark__action__Roundtrip_Result result = {.received = {0, 0}};
    rclite_goal_status status = RCLITE_GOAL_UNKNOWN;
    rclite_result outcome = rclite_client_goal_wait(goal, &result, TESTING_TIMEOUT_NS, &status);
    assert_true(outcome == RCLITE_OK || status == RCLITE_GOAL_LOST);
    assert_int_equal(status, expected);
    assert_int_equal(result.received.sec, second);
    rclite_client_goal_free(goal);
}

/* ---- tests ---------------------------------------------------------------------------------- */

/* A result before any status, and before it the result of a stranger's goal. */
static void test_result_first(void **state) {
    (void)state;
    struct hand hand;
    struct client_side side;
    open_hand(&hand);
    open_client(&side, &hand, "client");
    rclite_client_goal *goal = send_goal(&side, &hand);
    publish_result(&hand, "/stranger-1-1.1", SUCCEEDED, 1);
    publish_result(&hand, hand.goal_id, SUCCEEDED, 2);
    expect_end(goal, RCLITE_GOAL_SUCCEEDED, 2);
    assert_int_equal(atomic_load(&side.responses), 1);
    close_client(&side);
    close_hand(&hand);
}

static bool is_executing(void *user) {
    return rclite_client_goal_get_status(user) == RCLITE_GOAL_EXECUTING;
}

/* A goal that was shown and is shown no more is lost; one that was never shown is not. */
static void test_vanished(void **state) {
    (void)state;
    struct hand hand;
    struct client_side side;
    open_hand(&hand);
    open_client(&side, &hand, "client");
    rclite_client_goal *goal = send_goal(&side, &hand);
    publish_status(&hand, "", -1);
    publish_status(&hand, hand.goal_id, ACTIVE);
    testing_wait(side.context, is_executing, goal);
    publish_status(&hand, "", -1);
    expect_end(goal, RCLITE_GOAL_LOST, 0);
    goal = send_goal(&side, &hand);
    publish_status(&hand, hand.goal_id, SUCCEEDED); /* its result is still to come */
    publish_status(&hand, "", -1);
    publish_result(&hand, hand.goal_id, SUCCEEDED, 3);
    expect_end(goal, RCLITE_GOAL_SUCCEEDED, 3);
    close_client(&side);
    close_hand(&hand);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_result_first),
        cmocka_unit_test(test_vanished),
    };
    if (!testing_master_start()) {
        return 77;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    testing_master_stop();
    return failed;
}
