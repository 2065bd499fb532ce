/* For tests: a backend without transport. Publishing counts, a test delivers messages and answers
 * by hand, and every init can be told to fail. */
#ifndef RCLITE_CORE_TESTING_FAKE_BACKEND_H
#define RCLITE_CORE_TESTING_FAKE_BACKEND_H

#include "core/backend.h"

typedef struct fake_context {
    rclite_context base;
    _Atomic int live; /* nodes and endpoints that were initialised and not ended */
    _Atomic int interrupts;
} fake_context;

typedef struct fake_publisher {
    rclite_publisher base;
    _Atomic int published;
    _Atomic uint32_t matched;
} fake_publisher;

typedef struct fake_subscription {
    rclite_subscription base;
    rclitei_ready ready;
    _Atomic int waiting; /* messages that were delivered and not yet handed over */
} fake_subscription;

/* One outstanding call at a time. */
typedef struct fake_client {
    rclite_client base;
    _Atomic bool ready;
    pthread_mutex_t lock;
    rclite_client_callback callback;
    void *user;
    int64_t id;
} fake_client;

typedef struct fake_action_client {
    rclite_action_client base;
    _Atomic bool ready;
    rclite_time cancel_stamp;
    rclite_client_goal *cancel_goal;
    int cancels;
} fake_action_client;

extern const rclitei_backend fake_backend;
extern const rclitei_backend fake_backend_failing; /* its endpoint inits give ERR_TRANSPORT */
extern const rclitei_backend fake_backend_empty;   /* has nothing but contexts and nodes */

/* A context over fake_backend; generation and the rest from options. */
rclite_context *fake_context_create(const rclite_context_options *options);
/* A message (an int) for the subscription, as if it came from the wire. */
void fake_deliver(rclite_subscription *subscription);
/* Answers the outstanding call; false if there is none. */
bool fake_answer(rclite_client *client, rclite_result result, const void *response);

extern const rclite_type fake_type;      /* struct { int32_t value; }, both generations */
extern const rclite_type fake_type_ros2; /* not in ROS 1 */
extern const rclite_service_type fake_service_type;
extern const rclite_action_type fake_action_type;

#endif
