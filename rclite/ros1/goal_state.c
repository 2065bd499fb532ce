/* The action client's transition table. Statuses are published a few times a second and results
 * come on their own topic, so any later status may be the first that a client sees: then the goal
 * goes through the states between. */
#include "ros1/actions.h"

#define STAY                                                                                       \
    {                                                                                              \
        0, {                                                                                       \
            0                                                                                      \
        }                                                                                          \
    }
#define NEVER                                                                                      \
    {                                                                                              \
        -1, {                                                                                      \
            0                                                                                      \
        }                                                                                          \
    }
#define VIA1(a)                                                                                    \
    {                                                                                              \
        1, {                                                                                       \
            ROS1_STATE_##a                                                                         \
        }                                                                                          \
    }
#define VIA2(a, b)                                                                                 \
    {                                                                                              \
        2, {                                                                                       \
            ROS1_STATE_##a, ROS1_STATE_##b                                                         \
        }                                                                                          \
    }
#define VIA3(a, b, c)                                                                              \
    {                                                                                              \
        3, {                                                                                       \
            ROS1_STATE_##a, ROS1_STATE_##b, ROS1_STATE_##c                                         \
        }                                                                                          \
    }

struct path {
    signed char count;
    unsigned char states[3];
};

/* Columns: PENDING ACTIVE PREEMPTED SUCCEEDED ABORTED REJECTED PREEMPTING RECALLING RECALLED; LOST
 * is never sent. */
static const struct path paths[ROS1_STATE_COUNT][ROS1_GOAL_LOST] = {
    [ROS1_STATE_WAITING_FOR_GOAL_ACK] = {VIA1(PENDING), VIA1(ACTIVE),
        VIA3(ACTIVE, PREEMPTING, WAITING_FOR_RESULT), VIA2(ACTIVE, WAITING_FOR_RESULT),
        VIA2(ACTIVE, WAITING_FOR_RESULT), VIA2(PENDING, WAITING_FOR_RESULT),
        VIA2(ACTIVE, PREEMPTING), VIA2(PENDING, RECALLING), VIA2(PENDING, WAITING_FOR_RESULT)},
    [ROS1_STATE_PENDING] = {STAY, VIA1(ACTIVE), VIA3(ACTIVE, PREEMPTING, WAITING_FOR_RESULT),
        VIA2(ACTIVE, WAITING_FOR_RESULT), VIA2(ACTIVE, WAITING_FOR_RESULT),
        VIA1(WAITING_FOR_RESULT), VIA2(ACTIVE, PREEMPTING), VIA1(RECALLING),
        VIA2(RECALLING, WAITING_FOR_RESULT)},
    [ROS1_STATE_ACTIVE] = {NEVER, STAY, VIA2(PREEMPTING, WAITING_FOR_RESULT),
        VIA1(WAITING_FOR_RESULT), VIA1(WAITING_FOR_RESULT), NEVER, VIA1(PREEMPTING), NEVER, NEVER},
    [ROS1_STATE_WAITING_FOR_RESULT] = {NEVER, STAY, STAY, STAY, STAY, STAY, NEVER, NEVER, STAY},
    [ROS1_STATE_WAITING_FOR_CANCEL_ACK] = {STAY, STAY, VIA2(PREEMPTING, WAITING_FOR_RESULT),
        VIA2(PREEMPTING, WAITING_FOR_RESULT), VIA2(PREEMPTING, WAITING_FOR_RESULT),
        VIA1(WAITING_FOR_RESULT), VIA1(PREEMPTING), VIA1(RECALLING),
        VIA2(RECALLING, WAITING_FOR_RESULT)},
    [ROS1_STATE_RECALLING] = {NEVER, NEVER, VIA2(PREEMPTING, WAITING_FOR_RESULT),
        VIA2(PREEMPTING, WAITING_FOR_RESULT), VIA2(PREEMPTING, WAITING_FOR_RESULT),
        VIA1(WAITING_FOR_RESULT), VIA1(PREEMPTING), STAY, VIA1(WAITING_FOR_RESULT)},
    [ROS1_STATE_PREEMPTING] = {NEVER, NEVER, VIA1(WAITING_FOR_RESULT), VIA1(WAITING_FOR_RESULT),
        VIA1(WAITING_FOR_RESULT), NEVER, STAY, NEVER, NEVER},
    [ROS1_STATE_DONE] = {NEVER, NEVER, STAY, STAY, STAY, STAY, NEVER, NEVER, STAY},
};

int rclitei_ros1_goal_path(
    enum ros1_goal_state from, enum ros1_goal_status status, enum ros1_goal_state ret_path[3]) {
    if ((unsigned)from >= ROS1_STATE_COUNT || (unsigned)status >= ROS1_GOAL_LOST) {
        return -1;
    }
    const struct path *path = &paths[from][status];
    for (int i = 0; i < path->count; i++) {
        ret_path[i] = (enum ros1_goal_state)path->states[i];
    }
    return path->count;
}
