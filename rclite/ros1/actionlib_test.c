/* actionlib on the wire: an action server or client of rclite with the other side made by hand out
 * of the five topics, which sends what real ones send seldom: results before statuses, cancel
 * requests before goals, goals that vanish, goals of others. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "testing/ros1_testing.h"

#include "actionlib_benchmark/action/Roundtrip.h"
#include "actionlib_msgs/msg/GoalStatusArray.h"
#include "core/testing/endpoint_set.h"

#define TRIP (&actionlib_benchmark__action__Roundtrip__type)
#define STATUS (&actionlib_msgs__msg__GoalStatusArray__type)
#define ID (&actionlib_msgs__msg__GoalID__type)

enum { PENDING, ACTIVE, PREEMPTED, SUCCEEDED, RECALLED = 8 };

/* The side made by hand. */
struct hand {
    rclite_context *context;
    rclite_node *node;
    rclite_publisher *goal, *cancel, *status, *result, *feedback;
    rclite_subscription *on_goal, *on_cancel, *on_status, *on_result, *on_feedback;
    pthread_mutex_t lock; /* guards what came: */
    char goal_id[128];    /* of the last goal */
    char result_id[128];  /* of the last result */
    int goals, results, statuses, result_status;
    size_t listed;
};

static rclite_publisher *advertise(
    struct hand *hand, const char *topic, const rclite_type *type, bool latched) {
    rclite_publisher_options options = RCLITE_PUBLISHER_OPTIONS_INIT;
    rclite_publisher *publisher = NULL;
    options.qos.durability = latched ? RCLITE_QOS_TRANSIENT_LOCAL : RCLITE_QOS_VOLATILE;
    assert_int_equal(
        rclite_publisher_create(hand->node, topic, type, &options, &publisher, NULL), RCLITE_OK);
    return publisher;
}

static rclite_subscription *subscribe(struct hand *hand, const char *topic, const rclite_type *type,
    rclite_subscription_callback callback) {
    rclite_subscription_options options = RCLITE_SUBSCRIPTION_OPTIONS_INIT;
    rclite_subscription *subscription = NULL;
    assert_int_equal(rclite_subscription_create(
                         hand->node, topic, type, callback, hand, &options, &subscription, NULL),
        RCLITE_OK);
    return subscription;
}

static void on_goal(const void *message, const rclite_message_info *info, void *user) {
    (void)info;
    struct hand *hand = user;
    const actionlib_benchmark__action__Roundtrip_ActionGoal *goal = message;
    pthread_mutex_lock(&hand->lock);
    snprintf(hand->goal_id, sizeof hand->goal_id, "%s", goal->goal_id.id.data);
    hand->goals++;
    pthread_mutex_unlock(&hand->lock);
    rclite_context_wake(hand->context);
}

static void on_result(const void *message, const rclite_message_info *info, void *user) {
    (void)info;
    struct hand *hand = user;
    const actionlib_benchmark__action__Roundtrip_ActionResult *result = message;
    pthread_mutex_lock(&hand->lock);
    snprintf(hand->result_id, sizeof hand->result_id, "%s", result->status.goal_id.id.data);
    hand->result_status = result->status.status;
    hand->results++;
    pthread_mutex_unlock(&hand->lock);
    rclite_context_wake(hand->context);
}

static void on_status(const void *message, const rclite_message_info *info, void *user) {
    (void)info;
    struct hand *hand = user;
    const actionlib_msgs__msg__GoalStatusArray *array = message;
    pthread_mutex_lock(&hand->lock);
    hand->listed = array->status_list.size;
    hand->statuses++;
    pthread_mutex_unlock(&hand->lock);
    rclite_context_wake(hand->context);
}

static void open_hand(struct hand *hand, const char *name) {
    memset(hand, 0, sizeof *hand);
    pthread_mutex_init(&hand->lock, NULL);
    hand->context = testing_context(RCLITE_DELIVERY_DIRECT);
    hand->node = testing_node(hand->context, name);
}

static void open_server_hand(struct hand *hand) {
    open_hand(hand, "hand");
    hand->status = advertise(hand, "/trip/status", STATUS, true);
    hand->result = advertise(hand, "/trip/result", TRIP->ros1_action_result, false);
    hand->feedback = advertise(hand, "/trip/feedback", TRIP->ros1_action_feedback, false);
    hand->on_goal = subscribe(hand, "/trip/goal", TRIP->ros1_action_goal, on_goal);
    hand->on_cancel = subscribe(hand, "/trip/cancel", ID, ignore_message);
}

static void open_client_hand(struct hand *hand) {
    open_hand(hand, "hand");
    hand->goal = advertise(hand, "/trip/goal", TRIP->ros1_action_goal, false);
    hand->cancel = advertise(hand, "/trip/cancel", ID, false);
    hand->on_status = subscribe(hand, "/trip/status", STATUS, on_status);
    hand->on_result = subscribe(hand, "/trip/result", TRIP->ros1_action_result, on_result);
    hand->on_feedback =
        subscribe(hand, "/trip/feedback", TRIP->ros1_action_feedback, ignore_message);
    assert_int_equal(rclite_publisher_wait_matched(hand->goal, 1, TESTING_TIMEOUT_NS), RCLITE_OK);
    assert_int_equal(rclite_publisher_wait_matched(hand->cancel, 1, TESTING_TIMEOUT_NS), RCLITE_OK);
    assert_int_equal(
        rclite_subscription_wait_matched(hand->on_result, 1, TESTING_TIMEOUT_NS), RCLITE_OK);
    assert_int_equal(
        rclite_subscription_wait_matched(hand->on_status, 1, TESTING_TIMEOUT_NS), RCLITE_OK);
}

static void close_hand(struct hand *hand) {
    rclite_publisher *publishers[] = {
        hand->goal, hand->cancel, hand->status, hand->result, hand->feedback};
    rclite_subscription *subscriptions[] = {
        hand->on_goal, hand->on_cancel, hand->on_status, hand->on_result, hand->on_feedback};
    for (int i = 0; i < 5; i++) {
        rclite_publisher_free(publishers[i]);
        rclite_subscription_free(subscriptions[i]);
    }
    rclite_node_free(hand->node);
    rclite_context_free(hand->context);
    pthread_mutex_destroy(&hand->lock);
}

static rclite_string borrow(const char *text) {
    return (rclite_string){(char *)(uintptr_t)text, strlen(text), 0};
}

/* ---- a client of rclite ------------------------------------------------------------------------
 */

/* One goal of ours and one of a stranger in the list; status < 0: ours is not in it. */
static void publish_status(struct hand *hand, const char *id, int status) {
    actionlib_msgs__msg__GoalStatus entries[2] = {
        {.goal_id.id = borrow("/stranger-1-1.1"), .status = SUCCEEDED},
        {.goal_id.id = borrow(id), .status = (uint8_t)(status < 0 ? 0 : status)},
    };
    const actionlib_msgs__msg__GoalStatusArray array = {
        .status_list = {entries, status < 0 ? 1 : 2, 0}};
    assert_int_equal(rclite_publisher_publish(hand->status, &array), RCLITE_OK);
}

static void publish_result(struct hand *hand, const char *id, int status, int32_t second) {
    const actionlib_benchmark__action__Roundtrip_ActionResult result = {
        .status = {.goal_id.id = borrow(id), .status = (uint8_t)status},
        .result.received.sec = second};
    assert_int_equal(rclite_publisher_publish(hand->result, &result), RCLITE_OK);
}

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
    testing_wait(hand->context, has_goal, hand);
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

/* A result before any status, and before it the result of a stranger's goal. */
static void test_result_first(void **state) {
    (void)state;
    struct hand hand;
    struct client_side side;
    open_server_hand(&hand);
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
    open_server_hand(&hand);
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

/* ---- a server of rclite ------------------------------------------------------------------------
 */

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

static void publish_goal(struct hand *hand, const char *id, rclite_time stamp) {
    const actionlib_benchmark__action__Roundtrip_ActionGoal goal = {
        .goal_id = {.id = borrow(id), .stamp = stamp}, .goal.start = {1, 1}};
    assert_int_equal(rclite_publisher_publish(hand->goal, &goal), RCLITE_OK);
}

static void publish_cancel(struct hand *hand, const char *id, rclite_time stamp) {
    const actionlib_msgs__msg__GoalID request = {.id = borrow(id), .stamp = stamp};
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
    testing_wait(hand->context, has_result, hand);
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

/* The request to cancel a goal comes before the goal: it is recalled and never begun. */
static void test_cancel_first(void **state) {
    (void)state;
    struct hand hand;
    struct server_side side;
    open_server(&side, 5, 60);
    open_client_hand(&hand);
    publish_cancel(&hand, "early", (rclite_time){0, 0});
    testing_wait(hand.context, has_listed_one, &hand);
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
    open_client_hand(&hand);
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

static bool has_listed_none(void *user) {
    struct hand *hand = user;
    pthread_mutex_lock(&hand->lock);
    bool has = hand->listed == 0 && hand->statuses > 0;
    pthread_mutex_unlock(&hand->lock);
    return has;
}

/* The last status comes at once to who is late, long before the next one is due; a goal that is
 * over leaves the list after its time. */
static void test_status_parameters(void **state) {
    (void)state;
    struct hand hand;
    struct server_side side;
    open_server(&side, 0.011, 0.0); /* every 90 s, longer than this test waits */
    open_client_hand(&hand);
    testing_wait(hand.context, has_listed_none, &hand);
    side.ends_at_once = true;
    publish_goal(&hand, "kept", (rclite_time){10, 0});
    testing_wait(hand.context, has_listed_one, &hand);
    close_hand(&hand);
    open_client_hand(&hand);
    testing_wait(hand.context, has_listed_one, &hand);
    close_hand(&hand);
    close_server(&side);

    open_server(&side, 20, 0.0);
    open_client_hand(&hand);
    side.ends_at_once = true;
    publish_goal(&hand, "leaving", (rclite_time){10, 0});
    testing_wait(hand.context, has_listed_one, &hand);
    testing_wait(hand.context, has_listed_none, &hand);
    close_hand(&hand);
    close_server(&side);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_result_first),
        cmocka_unit_test(test_vanished),
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
