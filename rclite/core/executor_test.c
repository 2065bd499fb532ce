/* Tests of the executor: spinning, waking, removal, timers and shutdown, with threads. Counts
 * decide, never times. */
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/endpoint.h"
#include "core/executor.h"
#include "core/testing/fake_backend.h"

#define MS INT64_C(1000000)
#define DEADLINE (20000 * MS) /* of what must happen */

static rclite_context *make_context(rclite_delivery delivery) {
    rclite_context_options options = RCLITE_CONTEXT_OPTIONS_INIT;
    options.delivery = delivery;
    rclite_context *context = fake_context_create(&options);
    assert_non_null(context);
    return context;
}

/* A unit of work that counts its runs and has `more` of them. */
typedef struct worker {
    rclitei_ready ready;
    rclite_context *context;
    atomic_int runs;
    atomic_int more;
    atomic_int overlapping; /* shared by all through `shared` */
    struct worker *shared;
    atomic_bool hold, held;
} worker;

static bool worker_run(rclitei_ready *ready) {
    worker *self = (worker *)ready;
    worker *shared = self->shared ? self->shared : self;
    int others = atomic_fetch_add(&shared->overlapping, 1);
    if (others != 0) {
        atomic_store(&shared->overlapping, 1000);
    }
    self->runs += 1;
    self->held = true;
    while (self->hold) {
        sched_yield();
    }
    self->held = false;
    atomic_fetch_sub(&shared->overlapping, 1);
    return atomic_fetch_sub(&self->more, 1) > 1;
}

static void worker_init(worker *self, rclite_context *context, worker *shared) {
    *self = (worker){.ready.run = worker_run, .context = context, .shared = shared};
}

static void spin_once_runs_what_is_ready(void **state) {
    (void)state;
    rclite_context *context = make_context(RCLITE_DELIVERY_SPIN);
    worker a, b;
    worker_init(&a, context, NULL);
    worker_init(&b, context, NULL);
    assert_int_equal(rclite_spin_once(context, 0), RCLITE_EMPTY);
    assert_int_equal(rclite_spin_once(context, -5), RCLITE_EMPTY);
    assert_int_equal(rclite_spin_once(context, MS), RCLITE_EMPTY);
    a.more = 3;
    b.more = 1;
    rclitei_ready_push(context, &a.ready);
    rclitei_ready_push(context, &a.ready); /* is there already */
    rclitei_ready_push(context, &b.ready);
    assert_int_equal(rclite_spin_once(context, 0), RCLITE_OK);
    assert_int_equal(a.runs, 1);
    assert_int_equal(b.runs, 1);
    assert_int_equal(rclite_spin_once(context, 0), RCLITE_OK);
    assert_int_equal(rclite_spin_once(context, RCLITE_FOREVER), RCLITE_OK);
    assert_int_equal(a.runs, 3);
    assert_int_equal(rclite_spin_once(context, 0), RCLITE_EMPTY);
    rclite_context_free(context);
}

static void order_is_kept_and_removal_works_anywhere(void **state) {
    (void)state;
    rclite_context *context = make_context(RCLITE_DELIVERY_SPIN);
    worker w[4];
    for (int removed = 0; removed < 4; removed++) {
        for (int i = 0; i < 4; i++) {
            worker_init(&w[i], context, NULL);
            rclitei_ready_push(context, &w[i].ready);
        }
        rclitei_ready_remove(context, &w[removed].ready);
        rclitei_ready_remove(context, &w[removed].ready); /* twice does no harm */
        rclitei_ready_push(context, &w[removed].ready);   /* now it is the last */
        rclitei_ready_remove(context, &w[removed].ready);
        assert_int_equal(rclite_spin_once(context, 0), RCLITE_OK);
        for (int i = 0; i < 4; i++) {
            assert_int_equal(w[i].runs, i != removed);
        }
    }
    rclite_context_free(context);
}

/* ---- threads -------------------------------------------------------------------------------- */

typedef struct pusher {
    pthread_t thread;
    worker *workers;
    int count, pushes;
} pusher;

static void *push_all(void *argument) {
    pusher *self = argument;
    for (int i = 0; i < self->pushes; i++) {
        worker *target = &self->workers[i % self->count];
        rclitei_ready_push(target->context, &target->ready);
    }
    return NULL;
}

static void *spin_until_shutdown(void *argument) {
    rclite_result result = rclite_spin(argument);
    return (void *)(intptr_t)result;
}

static bool all_ran(void *user) {
    worker *workers = user;
    for (int i = 0; i < 8; i++) {
        if (workers[i].runs == 0) {
            return false;
        }
    }
    return true;
}

/* Several threads push, several spin: units never overlap and none is lost. */
static void many_threads_push_and_spin(void **state) {
    (void)state;
    rclite_context *context = make_context(RCLITE_DELIVERY_SPIN);
    worker workers[8];
    for (int i = 0; i < 8; i++) {
        worker_init(&workers[i], context, &workers[0]);
    }
    pthread_t spinners[3];
    for (int i = 0; i < 3; i++) {
        assert_int_equal(pthread_create(&spinners[i], NULL, spin_until_shutdown, context), 0);
    }
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < 8; i++) {
            workers[i].runs = 0;
        }
        pusher pushers[3];
        for (int i = 0; i < 3; i++) {
            pushers[i] = (pusher){.workers = workers, .count = 8, .pushes = 500};
            assert_int_equal(pthread_create(&pushers[i].thread, NULL, push_all, &pushers[i]), 0);
        }
        assert_int_equal(rclite_spin_until(context, all_ran, workers, DEADLINE), RCLITE_OK);
        for (int i = 0; i < 3; i++) {
            pthread_join(pushers[i].thread, NULL);
        }
    }
    rclite_context_shutdown(context);
    for (int i = 0; i < 3; i++) {
        void *result;
        pthread_join(spinners[i], &result);
        assert_int_equal((intptr_t)result, RCLITE_OK);
    }
    assert_true(workers[0].overlapping < 1000);
    for (int i = 0; i < 8; i++) {
        rclitei_ready_remove(context, &workers[i].ready);
    }
    rclite_context_free(context);
}

static void *remove_it(void *argument) {
    worker *self = argument;
    rclitei_ready_remove(self->context, &self->ready);
    return NULL;
}

/* Removal waits for a run on another thread, and takes out what is to be run again. */
static void removal_waits_for_the_run(void **state) {
    (void)state;
    rclite_context *context = make_context(RCLITE_DELIVERY_SPIN);
    pthread_t spinner, remover;
    assert_int_equal(pthread_create(&spinner, NULL, spin_until_shutdown, context), 0);
    for (int round = 0; round < 50; round++) {
        worker w;
        worker_init(&w, context, NULL);
        w.more = 1000000;
        w.hold = true;
        rclitei_ready_push(context, &w.ready);
        while (!w.held) {
            sched_yield();
        }
        assert_int_equal(pthread_create(&remover, NULL, remove_it, &w), 0);
        w.hold = false;
        pthread_join(remover, NULL);
        int runs = w.runs;
        assert_false(w.held);
        w.ready.run = NULL; /* a run from now on would crash */
        assert_true(runs >= 1);
    }
    rclite_context_shutdown(context);
    pthread_join(spinner, NULL);
    rclite_context_free(context);
}

static bool free_itself(rclitei_ready *ready) {
    worker *self = (worker *)ready;
    rclitei_ready_remove(self->context, &self->ready);
    free(self);
    return true; /* must not matter any more */
}

static void removal_from_inside_its_own_run(void **state) {
    (void)state;
    rclite_context *context = make_context(RCLITE_DELIVERY_SPIN);
    worker *self = malloc(sizeof *self);
    worker_init(self, context, NULL);
    self->ready.run = free_itself;
    rclitei_ready_push(context, &self->ready);
    assert_int_equal(rclite_spin_once(context, 0), RCLITE_OK);
    assert_int_equal(rclite_spin_once(context, 0), RCLITE_EMPTY);
    rclite_context_free(context);
}

/* ---- waiting -------------------------------------------------------------------------------- */

static bool is_set(void *user) {
    return atomic_load((atomic_bool *)user);
}

typedef struct setter {
    rclite_context *context;
    atomic_bool flag;
    bool by_wake;
} setter;

static void *set_it(void *argument) {
    setter *self = argument;
    self->flag = true;
    if (self->by_wake) {
        rclite_context_wake(self->context);
    } else {
        rclitei_signal(self->context);
    }
    return NULL;
}

static void waits_see_signals(void **state) {
    (void)state;
    for (int delivery = 0; delivery < RCLITE_DELIVERY_COUNT; delivery++) {
        rclite_context *context = make_context((rclite_delivery)delivery);
        for (int round = 0; round < 200; round++) {
            setter self = {.context = context, .by_wake = round % 2 == 0};
            pthread_t thread;
            assert_int_equal(pthread_create(&thread, NULL, set_it, &self), 0);
            assert_int_equal(rclitei_wait(context, is_set, &self.flag, DEADLINE), RCLITE_OK);
            pthread_join(thread, NULL);
        }
        atomic_bool never_set = false;
        assert_int_equal(rclitei_wait(context, is_set, &never_set, 0), RCLITE_ERR_TIMEOUT);
        assert_int_equal(rclitei_wait(context, is_set, &never_set, MS), RCLITE_ERR_TIMEOUT);
        assert_int_equal(rclite_spin_until(context, is_set, &never_set, MS), RCLITE_ERR_TIMEOUT);
        rclite_context_free(context);
    }
}

static void wake_before_spin_once_is_not_lost(void **state) {
    (void)state;
    for (int delivery = 0; delivery < RCLITE_DELIVERY_COUNT; delivery++) {
        rclite_context *context = make_context((rclite_delivery)delivery);
        rclite_context_wake(context);
        assert_int_equal(rclite_spin_once(context, RCLITE_FOREVER), RCLITE_OK);
        assert_int_equal(rclite_spin_once(context, 0), RCLITE_EMPTY);
        rclite_context_free(context);
    }
}

static rclite_context *context_of_handler; /* the handler has no other way to it */

static void shut_down_on_signal(int number) {
    (void)number;
    rclite_context_shutdown(context_of_handler);
}

static void shutdown_wakes_everything(void **state) {
    (void)state;
    for (int delivery = 0; delivery < RCLITE_DELIVERY_COUNT; delivery++) {
        rclite_context *context = make_context((rclite_delivery)delivery);
        pthread_t spinners[2];
        for (int i = 0; i < 2; i++) {
            assert_int_equal(pthread_create(&spinners[i], NULL, spin_until_shutdown, context), 0);
        }
        context_of_handler = context;
        struct sigaction action = {.sa_handler = shut_down_on_signal}, before;
        sigaction(SIGUSR1, &action, &before);
        raise(SIGUSR1);
        sigaction(SIGUSR1, &before, NULL);
        for (int i = 0; i < 2; i++) {
            void *result;
            pthread_join(spinners[i], &result);
            assert_int_equal((intptr_t)result, RCLITE_OK);
        }
        atomic_bool never_set = false;
        assert_true(rclite_context_is_shutdown(context));
        assert_int_equal(
            rclitei_wait(context, is_set, &never_set, RCLITE_FOREVER), RCLITE_ERR_SHUTDOWN);
        assert_int_equal(rclite_spin_once(context, RCLITE_FOREVER), RCLITE_ERR_SHUTDOWN);
        assert_int_equal(rclite_spin_until(context, is_set, &never_set, MS), RCLITE_ERR_SHUTDOWN);
        assert_false(rclitei_callback_enter(context));
        rclite_context_shutdown(context); /* again */
        assert_int_equal(((fake_context *)context)->interrupts, 1);
        rclite_context_free(context);
    }
}

static void blocking_calls_inside_callbacks_are_refused(void **state) {
    (void)state;
    rclite_context *context = make_context(RCLITE_DELIVERY_DIRECT);
    rclite_context *other = make_context(RCLITE_DELIVERY_DIRECT);
    atomic_bool set = true;
    assert_true(rclitei_callback_enter(context));
    assert_true(rclitei_callback_enter(context)); /* nested */
    rclitei_callback_leave(context);
    assert_true(rclitei_in_callback(context));
    assert_false(rclitei_in_callback(other));
    assert_int_equal(rclitei_wait(context, is_set, &set, DEADLINE), RCLITE_ERR_STATE);
    assert_int_equal(rclite_spin(context), RCLITE_ERR_STATE);
    assert_int_equal(rclite_spin_once(context, 0), RCLITE_ERR_STATE);
    assert_int_equal(rclite_spin_until(context, is_set, &set, DEADLINE), RCLITE_ERR_STATE);
    assert_int_equal(rclitei_wait(other, is_set, &set, DEADLINE), RCLITE_OK);
    rclitei_callback_leave(context);
    assert_int_equal(rclitei_wait(context, is_set, &set, DEADLINE), RCLITE_OK);
    rclite_context_free(other);
    rclite_context_free(context);
}

/* ---- timers --------------------------------------------------------------------------------- */

typedef struct ticker {
    rclite_context *context;
    rclite_timer *timer;
    atomic_int ticks, wanted;
    atomic_bool free_in_callback;
    int in_callback;
} ticker;

static void tick(void *user) {
    ticker *self = user;
    self->in_callback += rclitei_in_callback(self->context);
    if (self->free_in_callback) {
        self->timer = rclite_timer_free(self->timer);
    }
    self->ticks += 1;
    rclite_context_wake(self->context);
}

static bool has_ticked(void *user) {
    ticker *self = user;
    return self->ticks >= self->wanted;
}

static void timers_fire_in_both_deliveries(void **state) {
    (void)state;
    for (int delivery = 0; delivery < RCLITE_DELIVERY_COUNT; delivery++) {
        rclite_context *context = make_context((rclite_delivery)delivery);
        ticker tickers[3];
        for (int i = 0; i < 3; i++) {
            tickers[i] = (ticker){.context = context, .wanted = 3};
            assert_int_equal(rclite_timer_create(
                                 context, (i + 1) * MS, tick, &tickers[i], &tickers[i].timer, NULL),
                RCLITE_OK);
        }
        for (int i = 0; i < 3; i++) {
            assert_int_equal(
                rclite_spin_until(context, has_ticked, &tickers[i], DEADLINE), RCLITE_OK);
        }
        for (int i = 0; i < 3; i++) {
            assert_null(rclite_timer_free(tickers[i].timer));
            assert_int_equal(tickers[i].in_callback, tickers[i].ticks);
        }
        int ticks = tickers[0].ticks;
        assert_int_equal(rclite_spin_once(context, 3 * MS) < 0, false);
        assert_int_equal(tickers[0].ticks, ticks); /* freed timers are silent */
        rclite_context_free(context);
    }
}

static void a_timer_may_free_itself(void **state) {
    (void)state;
    for (int delivery = 0; delivery < RCLITE_DELIVERY_COUNT; delivery++) {
        rclite_context *context = make_context((rclite_delivery)delivery);
        ticker self = {.context = context, .wanted = 1, .free_in_callback = true};
        assert_int_equal(
            rclite_timer_create(context, MS, tick, &self, &self.timer, NULL), RCLITE_OK);
        assert_int_equal(rclite_spin_until(context, has_ticked, &self, DEADLINE), RCLITE_OK);
        assert_null(self.timer);
        rclite_context_free(context);
    }
}

typedef struct counting_timer {
    rclitei_timer base; /* first */
    int runs;
} counting_timer;

static bool count_run(rclitei_ready *ready) {
    ((counting_timer *)ready)->runs += 1;
    return false;
}

/* The schedule is absolute: after a pause of many periods a timer fires once, and then at the next
 * whole period after its start. */
static void missed_periods_are_skipped(void **state) {
    (void)state;
    rclite_context *context = make_context(RCLITE_DELIVERY_SPIN);
    counting_timer timer = {.base.ready.run = count_run};
    int64_t period = 3600 * 1000 * MS;
    int64_t start = rclite_monotonic_ns() - 10 * period - MS; /* nobody spun for ten hours */
    rclitei_timer_arm(context, &timer.base, start, period);
    assert_int_equal(rclite_spin_once(context, 0), RCLITE_OK);
    assert_int_equal(rclite_spin_once(context, 0), RCLITE_EMPTY);
    assert_int_equal(timer.runs, 1);
    assert_int_equal(timer.base.next_ns, start + 11 * period);
    rclitei_timer_arm(context, &timer.base, start, 0); /* moved, and once only */
    assert_int_equal(rclite_spin_once(context, 0), RCLITE_OK);
    assert_int_equal(timer.runs, 2);
    assert_false(timer.base.armed);
    rclitei_timer_disarm(context, &timer.base);
    rclite_context_free(context);
}

/* A timer that is always due must not keep others from running. */
static void timers_and_work_take_turns(void **state) {
    (void)state;
    rclite_context *context = make_context(RCLITE_DELIVERY_SPIN);
    counting_timer timer = {.base.ready.run = count_run};
    rclitei_timer_arm(context, &timer.base, rclite_monotonic_ns(), 1);
    worker w;
    worker_init(&w, context, NULL);
    w.more = 100;
    rclitei_ready_push(context, &w.ready);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(rclite_spin_once(context, DEADLINE), RCLITE_OK);
    }
    assert_int_equal(w.runs, 100);
    assert_true(timer.runs >= 50);
    rclitei_timer_disarm(context, &timer.base);
    rclite_context_free(context);
}

static void arguments_of_timers(void **state) {
    (void)state;
    rclite_context *context = make_context(RCLITE_DELIVERY_SPIN);
    rclite_timer *timer = NULL;
    rclite_error error;
    assert_int_equal(
        rclite_timer_create(context, 0, tick, NULL, &timer, &error), RCLITE_ERR_INVALID);
    assert_int_equal(
        rclite_timer_create(context, -1, tick, NULL, &timer, &error), RCLITE_ERR_INVALID);
    assert_int_equal(
        rclite_timer_create(context, 1, NULL, NULL, &timer, &error), RCLITE_ERR_INVALID);
    assert_int_equal(rclite_timer_create(NULL, 1, tick, NULL, &timer, &error), RCLITE_ERR_INVALID);
    assert_null(timer);
    assert_null(rclite_timer_free(NULL));
    rclite_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spin_once_runs_what_is_ready),
        cmocka_unit_test(order_is_kept_and_removal_works_anywhere),
        cmocka_unit_test(many_threads_push_and_spin),
        cmocka_unit_test(removal_waits_for_the_run),
        cmocka_unit_test(removal_from_inside_its_own_run),
        cmocka_unit_test(waits_see_signals),
        cmocka_unit_test(wake_before_spin_once_is_not_lost),
        cmocka_unit_test(shutdown_wakes_everything),
        cmocka_unit_test(blocking_calls_inside_callbacks_are_refused),
        cmocka_unit_test(timers_fire_in_both_deliveries),
        cmocka_unit_test(a_timer_may_free_itself),
        cmocka_unit_test(missed_periods_are_skipped),
        cmocka_unit_test(timers_and_work_take_turns),
        cmocka_unit_test(arguments_of_timers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
