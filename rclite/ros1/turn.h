/* A lock that is given in the order it was asked for: whoever holds it is, for that time, the
 * loop's thread. Fair, because a thread that reads a flood takes it again at once and would starve
 * the others of a plain mutex. */
#ifndef RCLITE_ROS1_TURN_H
#define RCLITE_ROS1_TURN_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct rclitei_turn {
    pthread_mutex_t mutex; /* guards the tickets */
    pthread_cond_t passed;
    uint64_t next, now;
    _Atomic(pthread_t) owner; /* while it is taken */
    atomic_bool taken;
} rclitei_turn;

void rclitei_turn_init(rclitei_turn *turn);
void rclitei_turn_done(rclitei_turn *turn);
void rclitei_turn_take(rclitei_turn *turn);
void rclitei_turn_pass(rclitei_turn *turn);
bool rclitei_turn_is_mine(const rclitei_turn *turn);

#endif
