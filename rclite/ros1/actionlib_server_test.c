/* An action server of rclite with a client made by hand out of the five topics, which sends what
 * real ones send seldom: cancel requests before goals, by stamp, goals twice or without a stamp. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "testing/topic_testing.h"

#include "actionlib_benchmark/action/Roundtrip.h"
#include "actionlib_msgs/msg/GoalStatusArray.h"
#include "core/testing/endpoint_set.h"

#define TRIP (&actionlib_benchmark__action__Roundtrip__type)
#define STATUS (&actionlib_msgs__msg__GoalStatusArray__type)
#define ID (&actionlib_msgs__msg__GoalID__type)

enum { PREEMPTED = 2, RECALLED = 8 };

/* The client made by hand. */
struct hand {
    struct side side;
    rclite_publisher *goal, *cancel;
    rclite_subscription *status, *result, *feedback;
    pthread_mutex_t lock; /* guards what came: */
    char result_id[128];  /* of the last result */
    int results, statuses, result_status;
    size_t listed;
};

static void on_result(const void *message, const rclite_message_info *info, void *user) {
    (void)info;
    struct hand *hand = user;
    const actionlib_benchmark__action__Roundtrip_ActionResult *result = message;
    pthread_mutex_lock(&hand->lock);
    snprintf(hand->result_id, sizeof hand->result_id, "%s", result->status.goal_id.id.data);
    hand->result_status = result->status.status;
    hand->results++;
    pthread_mutex_unlock(&hand->lock);
    rclite_context_wake(hand->side.context);
}

static void on_status(const void *message, const rclite_message_info *info, void *user) {
    (void)info;
    struct hand *hand = user;
    const actionlib_msgs__msg__GoalStatusArray *array = message;
    pthread_mutex_lock(&hand->lock);
    hand->listed = array->status_list.size;
    hand->statuses++;
    pthread_mutex_unlock(&hand->lock);
    rclite_context_wake(hand->side.context);
}

static void open_hand(struct hand *hand) {
    memset(hand, 0, sizeof *hand);
    pthread_mutex_init(&hand->lock, NULL);
    hand->side = side_open("hand", RCLITE_DELIVERY_DIRECT);
    rclite_node *node = hand->side.node;
    hand->goal = testing_advertise(node, "/trip/goal", TRIP->ros1_action_goal, false);
    hand->cancel = testing_advertise(node, "/trip/cancel", ID, false);
    hand->status = testing_subscribe(node, "/trip/status", STATUS, on_status, hand);
    hand->result =
        testing_subscribe(node, "/trip/result", TRIP->ros1_action_result, on_result, hand);
    hand->feedback =
        testing_subscribe(node, "/trip/feedback", TRIP->ros1_action_feedback, ignore_message, NULL);
    assert_int_equal(rclite_publisher_wait_matched(hand->goal, 1, TESTING_TIMEOUT_NS), RCLITE_OK);
    assert_int_equal(rclite_publisher_wait_matched(hand->cancel, 1, TESTING_TIMEOUT_NS), RCLITE_OK);
    assert_int_equal(
        rclite_subscription_wait_matched(hand->result, 1, TESTING_TIMEOUT_NS), RCLITE_OK);
    assert_int_equal(
        rclite_subscription_wait_matched(hand->status, 1, TESTING_TIMEOUT_NS), RCLITE_OK);
}

static void close_hand(struct hand *hand) {
    rclite_publisher_free(hand->goal);
    rclite_publisher_free(hand->cancel);
    rclite_subscription_free(hand->status);
    rclite_subscription_free(hand->result);
    rclite_subscription_free(hand->feedback);
    side_close(&hand->side);
    pthread_mutex_destroy(&hand->lock);
}

static void publish_goal(struct hand *hand, const char *id, rclite_time stamp) {
    const actionlib_benchmark__action__Roundtrip_ActionGoal goal = {
        .goal_id = {.id = text_borrow(id), .stamp = stamp}, .goal.start = {1, 1}};
    assert_int_equal(rclite_publisher_publish(hand->goal, &goal), RCLITE_OK);
}

static void publish_cancel(struct hand *hand, const char *id, rclite_time stamp) {
    const actionlib_msgs__msg__GoalID request = {.id = text_borrow(id), .stamp = stamp};
    assert_int_equal(rclite_publisher_publish(hand->cancel, &request), RCLITE_OK);
}

static bool has_result(void *user) {
    struct hand *hand = user;
    pthread_mutex_lock(&hand->lock);
    bool has = hand->results > 0;
    pthread_mutex_unlock(&hand->lock);
    return has;
}

static void expect_result(struct hand *hand, const char *id, int status) {
    testing_wait(hand->side.context, has_result, hand);
    pthread_mutex_lock(&hand->lock);
    assert_string_equal(hand->result_id, id);
    assert_int_equal(hand->result_status, status);
    hand->results = 0;
    pthread_mutex_unlock(&hand->lock);
}

static bool has_listed_one(void *user) {
    struct hand *hand = user;
    pthread_mutex_lock(&hand->lock);
    bool has = hand->listed == 1;
    pthread_mutex_unlock(&hand->lock);
    return has;
}

static bool has_listed_none(void *user) {
    struct hand *hand = user;
    pthread_mutex_lock(&hand->lock);
    bool has = hand->listed == 0 && hand->statuses > 0;
    pthread_mutex_unlock(&hand->lock);
    return has;
}

/* ---- the server of rclite ------------------------------------------------------------------- */

struct server_side {
    rclite_context *context;
    rclite_node *node;
    rclite_action_server *server;
    atomic_int accepted, canceled;
    bool ends_at_once;
};

static void on_accepted(rclite_server_goal *handle, const void *goal, void *user) {
    (void)goal;
    struct server_side *side = user;
    const actionlib_benchmark__action__Roundtrip_Result result = {.received = {0, 0}};
    atomic_fetch_add(&side->accepted, 1);
    if (side->ends_at_once) {
        assert_int_equal(rclite_server_goal_succeed(handle, &result), RCLITE_OK);
    }
}

static void on_canceling(rclite_server_goal *handle, void *user) {
    struct server_side *side = user;
    const actionlib_benchmark__action__Roundtrip_Result result = {.received = {0, 0}};
    atomic_fetch_add(&side->canceled, 1);
    assert_int_equal(rclite_server_goal_canceled(handle, &result), RCLITE_OK);
}

static void set_parameter(struct server_side *side, const char *name, double real) {
    const rclite_parameter value = {.kind = RCLITE_PARAMETER_DOUBLE, .real = real};
    assert_int_equal(rclite_parameter_set(side->node, name, &value, NULL), RCLITE_OK);
}

static void open_server(struct server_side *side, double frequency, double list_timeout) {
    const rclite_action_server_callbacks callbacks = {
        .accepted = on_accepted, .canceling = on_canceling};
    rclite_action_server_options options = RCLITE_ACTION_SERVER_OPTIONS_INIT;
    memset(side, 0, sizeof *side);
    side->context = testing_context(RCLITE_DELIVERY_DIRECT);
    side->node = testing_node(side->context, "server");
    set_parameter(side, "/actionlib_status_frequency", frequency);
    set_parameter(side, "/status_list_timeout", list_timeout);
    assert_int_equal(rclite_action_server_create(side->node, "/trip", TRIP, &callbacks, side,
                         &options, &side->server, NULL),
        RCLITE_OK);
}

static void close_server(struct server_side *side) {
    rclite_action_server_free(side->server);
    rclite_node_free(side->node);
    rclite_context_free(side->context);
}

/* ---- tests ---------------------------------------------------------------------------------- */

/* The request to cancel a goal comes before the goal: it is recalled and never begun. */
static void test_cancel_first(void **state) {
    (void)state;
    struct hand hand;
    struct server_side side;
    open_server(&side, 5, 60);
    open_hand(&hand);
    publish_cancel(&hand, "early", (rclite_time){0, 0});
    testing_wait(hand.side.context, has_listed_one, &hand);
    publish_goal(&hand, "early", (rclite_time){10, 0});
    expect_result(&hand, "early", RECALLED);
    assert_int_equal(atomic_load(&side.accepted), 0);
    close_hand(&hand);
    close_server(&side);
}

static bool has_accepted_two(void *user) {
    struct server_side *side = user;
    return atomic_load(&side->accepted) == 2;
}

/* A stamp cancels the goals up to it, those that come later included; sent twice is one goal; a
 * goal without a stamp, and with any id, is a goal. */
static void test_cancel_by_stamp(void **state) {
    (void)state;
    struct hand hand;
    struct server_side side;
    open_server(&side, 5, 60);
    open_hand(&hand);
    publish_goal(&hand, "first", (rclite_time){10, 0});
    publish_goal(&hand, "first", (rclite_time){10, 0});
    publish_goal(&hand, "no stamp, \xc3\xa4 id", (rclite_time){0, 0});
    testing_wait(side.context, has_accepted_two, &side);
    publish_cancel(&hand, "", (rclite_time){15, 0});
    expect_result(&hand, "first", PREEMPTED);
    assert_int_equal(atomic_load(&side.canceled), 1);
    publish_goal(&hand, "late", (rclite_time){14, 0});
    expect_result(&hand, "late", RECALLED);
    publish_cancel(&hand, "", (rclite_time){0, 0}); /* all */
    expect_result(&hand, "no stamp, \xc3\xa4 id", PREEMPTED);
    assert_int_equal(atomic_load(&side.accepted), 2);
    assert_int_equal(atomic_load(&side.canceled), 2);
    close_hand(&hand);
    close_server(&side);
}

/* The last status comes at once to who is late, long before the next one is due; a goal that is
 * over leaves the list after its time. */
static void test_status_parameters(void **state) {
    (void)state;
    struct hand hand;
    struct server_side side;
    open_server(&side, 0.011, 0.0); /* every 90 s, longer than this test waits */
    open_hand(&hand);
    testing_wait(hand.side.context, has_listed_none, &hand);
    side.ends_at_once = true;
    publish_goal(&hand, "kept", (rclite_time){10, 0});
    testing_wait(hand.side.context, has_listed_one, &hand);
    close_hand(&hand);
    open_hand(&hand);
    testing_wait(hand.side.context, has_listed_one, &hand);
    close_hand(&hand);
    close_server(&side);

    open_server(&side, 20, 0.0);
    open_hand(&hand);
    side.ends_at_once = true;
    publish_goal(&hand, "leaving", (rclite_time){10, 0});
    testing_wait(hand.side.context, has_listed_one, &hand);
    testing_wait(hand.side.context, has_listed_none, &hand);
    close_hand(&hand);
    close_server(&side);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cancel_first),
        cmocka_unit_test(test_cancel_by_stamp),
        cmocka_unit_test(test_status_parameters),
    };
    if (!testing_master_start()) {
        return 77;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    testing_master_stop();
    return failed;
}
