/* Tests of the executor: what is ready runs, in order and never two at once, and what was taken out
 * does not. Counts decide, never times. */
#include <sched.h>
#include <stdlib.h>

#include "core/executor.h"
#include "core/testing/core_testing.h"

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
    rclite_context *context = core_context_open(RCLITE_DELIVERY_SPIN);
    worker a, b;
    worker_init(&a, context, NULL);
    worker_init(&b, context, NULL);
    assert_int_equal(rclite_spin_once(context, 0), RCLITE_EMPTY);
    assert_int_equal(rclite_spin_once(context, -5), RCLITE_EMPTY);
    assert_int_equal(rclite_spin_once(context, CORE_MS), RCLITE_EMPTY);
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
    rclite_context *context = core_context_open(RCLITE_DELIVERY_SPIN);
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
    rclite_context *context = core_context_open(RCLITE_DELIVERY_SPIN);
    worker workers[8];
    for (int i = 0; i < 8; i++) {
        worker_init(&workers[i], context, &workers[0]);
    }
    pthread_t spinners[3];
    for (int i = 0; i < 3; i++) {
        assert_int_equal(pthread_create(&spinners[i], NULL, core_spin_until_shutdown, context), 0);
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
        assert_int_equal(rclite_spin_until(context, all_ran, workers, CORE_DEADLINE_NS), RCLITE_OK);
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
    rclite_context *context = core_context_open(RCLITE_DELIVERY_SPIN);
    pthread_t spinner, remover;
    assert_int_equal(pthread_create(&spinner, NULL, core_spin_until_shutdown, context), 0);
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
    rclite_context *context = core_context_open(RCLITE_DELIVERY_SPIN);
    worker *self = malloc(sizeof *self);
    worker_init(self, context, NULL);
    self->ready.run = free_itself;
    rclitei_ready_push(context, &self->ready);
    assert_int_equal(rclite_spin_once(context, 0), RCLITE_OK);
    assert_int_equal(rclite_spin_once(context, 0), RCLITE_EMPTY);
    rclite_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spin_once_runs_what_is_ready),
        cmocka_unit_test(order_is_kept_and_removal_works_anywhere),
        cmocka_unit_test(many_threads_push_and_spin),
        cmocka_unit_test(removal_waits_for_the_run),
        cmocka_unit_test(removal_from_inside_its_own_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
