/* For tests of failing allocations: plays a scenario over and over, each time with another
 * allocation of ours that fails, either that one alone or all from it on, until none is left to
 * fail. What is asked for is then refused or missed, never half done; nothing leaks and nothing
 * crashes. Cyclone's own allocations are not ours to fail. */
#ifndef RCLITE_ROS2_FAILING_STAGE_H
#define RCLITE_ROS2_FAILING_STAGE_H

#include "core/testing/failing_allocator.h"
#include "ros2/testing/ros2_testing.h"

/* A failed allocation may take away an answer: nobody waits for it for long. */
#define STAGE_PATIENCE_NS INT64_C(50000000)

/* What a scenario works with. Its callbacks run on any thread. */
typedef struct stage {
    failing_allocator allocator;
    rclite_context *context;
    rclite_node *node;
    bool met; /* the allocation that fails was asked for */
    _Atomic uint64_t received;
} stage;

/* Returns what the first call that did not succeed said. */
typedef rclite_result (*scenario)(stage *on, rclite_error *reterr);

/* Before what must not be refused memory: to free and to compare. */
void stage_stop_failing(stage *on);
/* Whether to go on waiting for what may still come: as long as no allocation has failed. */
bool stage_is_patient(stage *on, rclite_result result, int64_t begun_ns);
/* A context with the stage's allocator, and arguments to remember. */
rclite_result stage_context_create(stage *on, rclite_context **ret_context, rclite_error *reterr);
/* Plays until it comes through without meeting the allocation that fails: on a stage without a
 * context, or on one whose context and node stand from before to after. */
void stage_play_bare(scenario run);
void stage_play(scenario run);

#endif
