/* The fair lock: tickets under a mutex; see turn.h. */
#include "ros1/turn.h"

#include <assert.h>

void rclitei_turn_init(rclitei_turn *turn) {
    pthread_mutex_init(&turn->mutex, NULL);
    pthread_cond_init(&turn->passed, NULL);
    turn->next = turn->now = 0;
    atomic_init(&turn->taken, false);
}

void rclitei_turn_done(rclitei_turn *turn) {
    assert(turn->next == turn->now);
    pthread_cond_destroy(&turn->passed);
    pthread_mutex_destroy(&turn->mutex);
}

void rclitei_turn_take(rclitei_turn *turn) {
    pthread_mutex_lock(&turn->mutex);
    uint64_t ticket = turn->next++;
    while (ticket != turn->now) {
        pthread_cond_wait(&turn->passed, &turn->mutex);
    }
    pthread_mutex_unlock(&turn->mutex);
    atomic_store_explicit(&turn->owner, pthread_self(), memory_order_relaxed);
    atomic_store_explicit(&turn->taken, true, memory_order_release);
}

void rclitei_turn_pass(rclitei_turn *turn) {
    assert(rclitei_turn_is_mine(turn));
    atomic_store_explicit(&turn->taken, false, memory_order_relaxed);
    pthread_mutex_lock(&turn->mutex);
    turn->now++;
    if (turn->now != turn->next) {
        pthread_cond_broadcast(&turn->passed);
    }
    pthread_mutex_unlock(&turn->mutex);
}

bool rclitei_turn_is_mine(const rclitei_turn *turn) {
    return atomic_load_explicit(&turn->taken, memory_order_acquire) &&
           pthread_equal(atomic_load_explicit(&turn->owner, memory_order_relaxed), pthread_self());
}
