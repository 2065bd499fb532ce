/* The executor of a context: the queue of objects that have work, the timers, and the blocking
 * waits.
 *
 * Spin delivery: whoever spins (or waits in a blocking call) runs units of work, one at a time over
 * all threads. Direct delivery: backends run callbacks themselves, and what is left for the queue
 * (timers, work that a backend must not do on the transport's thread) is run by one helper thread,
 * which starts with the first timer. */
#ifndef RCLITE_CORE_EXECUTOR_H
#define RCLITE_CORE_EXECUTOR_H

#include "core/backend.h"
#include "core/schedule.h"

/* On failure *ret_executor is untouched. */
rclite_result rclitei_executor_create(
    rclite_context *context, rclitei_executor **ret_executor, rclite_error *reterr);
/* Ends the helper thread. */
rclitei_executor *rclitei_executor_free(rclite_context *context);
/* Wakes everything that sleeps, so that it sees context->shutdown. Async-signal-safe. */
void rclitei_executor_interrupt(rclite_context *context);
/* Direct delivery: makes sure that the helper thread runs. Spin delivery: nothing. */
rclite_result rclitei_executor_start(rclite_context *context, rclite_error *reterr);

/* Fires at next_ns and, unless period_ns is 0, every period_ns after it; periods that were missed
 * are skipped. Arming an armed timer moves it. rclitei_executor_start must have succeeded before.
 * Any thread, also from callbacks. */
void rclitei_timer_arm(
    rclite_context *context, rclitei_timer *timer, int64_t next_ns, int64_t period_ns);
/* As rclitei_ready_remove: it does not run afterwards, unless this is called from inside its run.
 */
void rclitei_timer_disarm(rclite_context *context, rclitei_timer *timer);

/* now + timeout without overflow; RCLITE_FOREVER stays, a negative timeout is 0. */
int64_t rclitei_deadline(int64_t timeout_ns);

#endif
