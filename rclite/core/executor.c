/* Running what is ready, and waiting. One lock covers the schedule and is held for a few
 * instructions; sleeping goes through event counts, so that a push while nobody sleeps costs no
 * system call. */
#include "core/executor.h"

#include <assert.h>
#include <signal.h>

#include "core/event.h"
#include "core/memory.h"

#define LOOK_AGAIN_NS INT64_C(100000000) /* spin_until checks its condition at least this often */

struct rclitei_executor {
    rclite_context *context;
    pthread_mutex_t lock;
    rclitei_schedule schedule;
    rclitei_ready *current; /* whose run is running; NULL if it was removed meanwhile */
    bool running;           /* a thread is inside a run */
    pthread_t runner;       /* which, while running */

    /* Who runs units sleeps on work, who waits for a condition sleeps on waits. Under spin delivery
     * these are the same threads, and work points to waits. */
    rclitei_event waits, helper_work;
    rclitei_event *work;
    _Atomic bool woken; /* rclite_context_wake, not yet seen by a spin_once */

    pthread_key_t depth_key; /* per thread: how deep in callbacks of this context it is */
    pthread_mutex_t helper_lock;
    pthread_t helper;
    bool helper_started;
    _Atomic bool helper_stop;
};

int64_t rclitei_deadline(int64_t timeout_ns) {
    if (timeout_ns == RCLITE_FOREVER) {
        return RCLITE_FOREVER;
    }
    int64_t now = rclite_monotonic_ns();
    if (timeout_ns < 0) {
        return now;
    }
    return timeout_ns > RCLITE_FOREVER - 1 - now ? RCLITE_FOREVER - 1 : now + timeout_ns;
}

/* ---- running -------------------------------------------------------------------------------- */

/* Runs one unit of work if there is one and no other thread runs one. Otherwise gives the time of
 * the next timer. */
static bool run_one(rclitei_executor *executor, int64_t *ret_next_ns) {
    pthread_mutex_lock(&executor->lock);
    rclitei_schedule_fire(&executor->schedule);
    rclitei_ready *ready = executor->running ? NULL : rclitei_schedule_get(&executor->schedule);
    if (!ready) {
        *ret_next_ns = rclitei_schedule_next_ns(&executor->schedule);
        pthread_mutex_unlock(&executor->lock);
        return false;
    }
    executor->running = true;
    executor->runner = pthread_self();
    executor->current = ready;
    pthread_mutex_unlock(&executor->lock);

    bool more = ready->run(ready);

    pthread_mutex_lock(&executor->lock);
    if (more && executor->current == ready && !ready->queued) {
        rclitei_schedule_put(&executor->schedule, ready);
    }
    executor->current = NULL;
    executor->running = false;
    pthread_mutex_unlock(&executor->lock);
    /* For threads that wait for this run to end, or to take the next one. */
    rclitei_event_signal(executor->work);
    return true;
}

void rclitei_ready_push(rclite_context *context, rclitei_ready *ready) {
    rclitei_executor *executor = context->executor;
    pthread_mutex_lock(&executor->lock);
    bool fresh = !ready->queued;
    if (fresh) {
        rclitei_schedule_put(&executor->schedule, ready);
    }
    pthread_mutex_unlock(&executor->lock);
    if (fresh) {
        rclitei_event_signal(executor->work);
    }
}

/* Takes ready (and timer, if it is one) out, and waits until it does not run. */
static void take_out(rclitei_executor *executor, rclitei_ready *ready, rclitei_timer *timer) {
    for (;;) {
        uint32_t seen = rclitei_event_look(executor->work);
        pthread_mutex_lock(&executor->lock);
        if (timer) {
            rclitei_schedule_disarm(&executor->schedule, timer);
        }
        rclitei_schedule_remove(&executor->schedule, ready);
        bool here = executor->current == ready;
        bool elsewhere = here && !pthread_equal(executor->runner, pthread_self());
        if (here && !elsewhere) {
            executor->current = NULL; /* run_one must not touch it any more */
        }
        pthread_mutex_unlock(&executor->lock);
        if (!elsewhere) {
            return;
        }
        rclitei_event_sleep(executor->work, seen, RCLITE_FOREVER);
    }
}

void rclitei_ready_remove(rclite_context *context, rclitei_ready *ready) {
    take_out(context->executor, ready, NULL);
}

void rclitei_timer_arm(
    rclite_context *context, rclitei_timer *timer, int64_t next_ns, int64_t period_ns) {
    rclitei_executor *executor = context->executor;
    pthread_mutex_lock(&executor->lock);
    rclitei_schedule_disarm(&executor->schedule, timer);
    timer->next_ns = next_ns;
    timer->period_ns = period_ns;
    rclitei_schedule_arm(&executor->schedule, timer);
    bool first = executor->schedule.timers == timer;
    pthread_mutex_unlock(&executor->lock);
    if (first) {
        rclitei_event_signal(executor->work);
    }
}

void rclitei_timer_disarm(rclite_context *context, rclitei_timer *timer) {
    take_out(context->executor, &timer->ready, timer);
}

/* ---- waiting and spinning ------------------------------------------------------------------- */

void rclitei_signal(rclite_context *context) {
    rclitei_event_signal(&context->executor->waits);
}

void rclite_context_wake(rclite_context *context) {
    if (context) {
        atomic_store(&context->executor->woken, true);
        rclitei_event_signal(&context->executor->waits);
    }
}

/* The one loop behind every blocking call: until done, shutdown or the deadline; runs units when
 * delivery is spin. */
static rclite_result wait_loop(rclitei_executor *executor, bool (*done)(void *user), void *user,
    int64_t deadline_ns, int64_t look_again_ns) {
    bool runs_units = executor->context->delivery == RCLITE_DELIVERY_SPIN;
    for (;;) {
        uint32_t seen = rclitei_event_look(&executor->waits);
        if (done(user)) {
            return RCLITE_OK;
        }
        if (atomic_load(&executor->context->shutdown)) {
            return RCLITE_ERR_SHUTDOWN;
        }
        int64_t until = deadline_ns;
        int64_t next_ns = RCLITE_FOREVER;
        if (runs_units && run_one(executor, &next_ns)) {
            continue;
        }
        if (deadline_ns != RCLITE_FOREVER && rclite_monotonic_ns() >= deadline_ns) {
            return RCLITE_ERR_TIMEOUT;
        }
        int64_t look_ns = rclitei_deadline(look_again_ns);
        until = next_ns < until ? next_ns : until;
        until = look_ns < until ? look_ns : until;
        rclitei_event_sleep(&executor->waits, seen, until);
    }
}

rclite_result rclitei_wait(
    rclite_context *context, bool (*done)(void *user), void *user, int64_t timeout_ns) {
    if (rclitei_in_callback(context)) {
        return RCLITE_ERR_STATE;
    }
    return wait_loop(context->executor, done, user, rclitei_deadline(timeout_ns), RCLITE_FOREVER);
}

rclite_result rclite_spin_until(
    rclite_context *context, bool (*done)(void *user), void *user, int64_t timeout_ns) {
    if (!context || !done) {
        return RCLITE_ERR_INVALID;
    }
    if (rclitei_in_callback(context)) {
        return RCLITE_ERR_STATE;
    }
    return wait_loop(context->executor, done, user, rclitei_deadline(timeout_ns), LOOK_AGAIN_NS);
}

static bool never(void *user) {
    (void)user;
    return false;
}

rclite_result rclite_spin(rclite_context *context) {
    if (!context) {
        return RCLITE_ERR_INVALID;
    }
    rclite_result result = rclitei_wait(context, never, NULL, RCLITE_FOREVER);
    return result == RCLITE_ERR_SHUTDOWN ? RCLITE_OK : result;
}

/* Runs what is in the queue now, but not what that work adds to it. */
static bool run_ready(rclitei_executor *executor) {
    pthread_mutex_lock(&executor->lock);
    rclitei_schedule_fire(&executor->schedule);
    size_t count = executor->schedule.queued_count;
    pthread_mutex_unlock(&executor->lock);
    size_t ran = 0;
    int64_t next_ns;
    while (
        ran < count && !atomic_load(&executor->context->shutdown) && run_one(executor, &next_ns)) {
        ran += 1;
    }
    return ran > 0;
}

static bool once(void *user) {
    rclitei_executor *executor = user;
    if (executor->context->delivery == RCLITE_DELIVERY_SPIN && run_ready(executor)) {
        return true;
    }
    return atomic_exchange(&executor->woken, false);
}

rclite_result rclite_spin_once(rclite_context *context, int64_t timeout_ns) {
    if (!context) {
        return RCLITE_ERR_INVALID;
    }
    if (atomic_load(&context->shutdown)) {
        return RCLITE_ERR_SHUTDOWN;
    }
    rclite_result result = rclitei_wait(context, once, context->executor, timeout_ns);
    return result == RCLITE_ERR_TIMEOUT ? RCLITE_EMPTY : result;
}

/* ---- callbacks ------------------------------------------------------------------------------ */

static intptr_t depth_get(const rclite_context *context) {
    return (intptr_t)pthread_getspecific(context->executor->depth_key);
}

bool rclitei_callback_enter(rclite_context *context) {
    if (atomic_load_explicit(&context->shutdown, memory_order_relaxed)) {
        return false;
    }
    /* Fails only without memory for the thread's first use of a high key; then blocking calls from
     * this callback are not refused. */
    pthread_setspecific(context->executor->depth_key, (void *)(depth_get(context) + 1));
    return true;
}

void rclitei_callback_leave(rclite_context *context) {
    pthread_setspecific(context->executor->depth_key, (void *)(depth_get(context) - 1));
}

bool rclitei_in_callback(const rclite_context *context) {
    return depth_get(context) > 0;
}

/* ---- helper thread and life cycle ----------------------------------------------------------- */

static void *helper_main(void *argument) {
    rclitei_executor *executor = argument;
    while (!atomic_load(&executor->helper_stop)) {
        uint32_t seen = rclitei_event_look(executor->work);
        int64_t next_ns;
        if (!run_one(executor, &next_ns) && !atomic_load(&executor->helper_stop)) {
            rclitei_event_sleep(executor->work, seen, next_ns);
        }
    }
    return NULL;
}

/* With every signal blocked, so that the program's handlers run on the program's threads. */
static int start_helper(rclitei_executor *executor) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&executor->helper, NULL, helper_main, executor);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error == 0) {
        pthread_setname_np(executor->helper, "rclite-timers");
    }
    return error;
}

rclite_result rclitei_executor_start(rclite_context *context, rclite_error *reterr) {
    rclitei_executor *executor = context->executor;
    if (context->delivery == RCLITE_DELIVERY_SPIN) {
        return RCLITE_OK;
    }
    pthread_mutex_lock(&executor->helper_lock);
    int error = executor->helper_started ? 0 : start_helper(executor);
    executor->helper_started = error == 0;
    pthread_mutex_unlock(&executor->helper_lock);
    if (error != 0) {
        return rclitei_fail(reterr, RCLITE_ERR_SYSTEM, error, "cannot start the timer thread");
    }
    return RCLITE_OK;
}

rclite_result rclitei_executor_create(
    rclite_context *context, rclitei_executor **ret_executor, rclite_error *reterr) {
    rclitei_executor *executor = rclitei_allocate(&context->allocator, sizeof *executor);
    if (!executor) {
        return rclitei_fail(reterr, RCLITE_ERR_NO_MEMORY, 0, "no memory for the executor");
    }
    int error = pthread_key_create(&executor->depth_key, NULL);
    if (error != 0) {
        rclitei_release(&context->allocator, executor);
        return rclitei_fail(reterr, RCLITE_ERR_SYSTEM, error,
            "no thread-specific key left: too many contexts in this process");
    }
    executor->context = context;
    executor->work =
        context->delivery == RCLITE_DELIVERY_SPIN ? &executor->waits : &executor->helper_work;
    pthread_mutex_init(&executor->lock, NULL);
    pthread_mutex_init(&executor->helper_lock, NULL);
    *ret_executor = executor;
    return RCLITE_OK;
}

rclitei_executor *rclitei_executor_free(rclite_context *context) {
    rclitei_executor *executor = context->executor;
    if (!executor) {
        return NULL;
    }
    if (executor->helper_started) {
        atomic_store(&executor->helper_stop, true);
        rclitei_event_signal(executor->work);
        pthread_join(executor->helper, NULL);
    }
    assert(!executor->schedule.head && !executor->schedule.timers);
    pthread_key_delete(executor->depth_key);
    pthread_mutex_destroy(&executor->lock);
    pthread_mutex_destroy(&executor->helper_lock);
    return rclitei_release(&context->allocator, executor);
}

void rclitei_executor_interrupt(rclite_context *context) {
    rclitei_event_signal(&context->executor->waits);
    rclitei_event_signal(&context->executor->helper_work);
}
