/* What the action tests share: an action server whose goals say what it shall do, a client, and
 * goals that write down what they are told. Two contexts of one process, over loopback. */
#ifndef RCLITE_ROS2_ACTION_TESTING_H
#define RCLITE_ROS2_ACTION_TESTING_H

#include "core/testing/failing_allocator.h"
#include "rclite_test/action/Count.h"
#include "ros2/testing/ros2_testing.h"

/* What a goal's `mode` makes the server do. */
enum count_mode {
    COUNT_SUCCEED, /* `count` times feedback, then success with total = count and the note, at once
                    */
    COUNT_ABORT,
    COUNT_REJECT,
    COUNT_HOLD,            /* until the test ends it; may be cancelled */
    COUNT_HOLD_FIRMLY,     /* refuses to be cancelled */
    COUNT_HOLD_AND_CANCEL, /* is canceled as soon as it is canceling */
};

typedef struct action_fixture {
    failing_allocator allocator; /* of both contexts */
    rclite_context *server_context, *client_context;
    rclite_node *server_node, *client_node;
    rclite_action_server *server;
    rclite_action_client *client;
    pthread_t spinner; /* of the server's context, spin delivery */
    bool spins;
    pthread_mutex_t lock;
    rclite_server_goal *held[256]; /* in order of acceptance */
    int32_t held_modes[256];
    size_t held_count;
    atomic_int failures;    /* of calls in the server's callbacks */
    testing_gate canceling; /* counts calls of `canceling` */
} action_fixture;

/* How the two sides meet. */
typedef struct action_setting {
    rclite_delivery delivery;
    bool local; /* inside the process, not over UDP */
} action_setting;

/* A test with each setting: it is given one as *state. */
extern const action_setting action_direct, action_spinning, action_local;
#define ACTION_TEST(test, setting)                                                                 \
    { #test " (" #setting ")", test, NULL, NULL, (void *)&action_##setting }
#define ACTION_TESTS(test)                                                                         \
    ACTION_TEST(test, direct), ACTION_TEST(test, spinning), ACTION_TEST(test, local)

/* Both sides, matched with each other. On the heap, so that a test that fails leaves it intact for
 * the threads that still use it. */
action_fixture *action_fixture_open(
    const action_setting *setting, const rclite_action_server_options *options);
void action_fixture_close(action_fixture *fixture);
/* Ends a held goal of the server. */
void action_fixture_succeed(action_fixture *fixture, size_t held, int32_t total);
/* Waits for the server to hold that many goals. */
void action_fixture_wait_held(action_fixture *fixture, size_t count);

/* How many goals of the server have been asked for results that are not there yet. */
size_t action_asked_count(rclite_action_server *server);

/* A goal as its client sees it. */
typedef struct tracked_goal {
    rclite_client_goal *handle;
    action_fixture *fixture;
    atomic_int responses, accepted, feedbacks, results;
    atomic_int last_at, disorder; /* feedback out of order, or callbacks out of turn */
    atomic_int status;            /* as `result` was told */
    int32_t total;
    char note[32];
} tracked_goal;

void tracked_goal_send(
    action_fixture *fixture, tracked_goal *goal, enum count_mode mode, int32_t count);
/* Waits for the end and checks how it ended, and that each callback came once. */
void tracked_goal_expect(tracked_goal *goal, rclite_goal_status status);
/* Waits, spinning where needed, until the goal was answered. */
void tracked_goal_wait_response(tracked_goal *goal);
/* Waits for so many. */
void tracked_goal_wait_feedback(tracked_goal *goal, int count);
/* Until get_status says so. */
void tracked_goal_wait_status(tracked_goal *goal, rclite_goal_status status);
void tracked_goal_free(tracked_goal *goal);

#endif
