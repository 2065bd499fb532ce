/* Tests of timers. Counts decide, never times. */
#include "core/executor.h"
#include "core/testing/core_testing.h"

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
        rclite_context *context = core_context_open((rclite_delivery)delivery);
        ticker tickers[3];
        for (int i = 0; i < 3; i++) {
            tickers[i] = (ticker){.context = context, .wanted = 3};
            assert_int_equal(rclite_timer_create(context, (i + 1) * CORE_MS, tick, &tickers[i],
                                 &tickers[i].timer, NULL),
                RCLITE_OK);
        }
        for (int i = 0; i < 3; i++) {
            assert_int_equal(
                rclite_spin_until(context, has_ticked, &tickers[i], CORE_DEADLINE_NS), RCLITE_OK);
        }
        for (int i = 0; i < 3; i++) {
            assert_null(rclite_timer_free(tickers[i].timer));
            assert_int_equal(tickers[i].in_callback, tickers[i].ticks);
        }
        int ticks = tickers[0].ticks;
        assert_int_equal(rclite_spin_once(context, 3 * CORE_MS) < 0, false);
        assert_int_equal(tickers[0].ticks, ticks); /* freed timers are silent */
        rclite_context_free(context);
    }
}

static void a_timer_may_free_itself(void **state) {
    (void)state;
    for (int delivery = 0; delivery < RCLITE_DELIVERY_COUNT; delivery++) {
        rclite_context *context = core_context_open((rclite_delivery)delivery);
        ticker self = {.context = context, .wanted = 1, .free_in_callback = true};
        assert_int_equal(
            rclite_timer_create(context, CORE_MS, tick, &self, &self.timer, NULL), RCLITE_OK);
        assert_int_equal(
            rclite_spin_until(context, has_ticked, &self, CORE_DEADLINE_NS), RCLITE_OK);
        assert_null(self.timer);
        rclite_context_free(context);
    }
}

/* A timer, or by its `ready` alone a unit of work, that counts its runs and has `more` of them. */
typedef struct counting_timer {
    rclitei_timer base; /* first */
    int runs, more;
} counting_timer;

static bool count_run(rclitei_ready *ready) {
    counting_timer *self = (counting_timer *)ready;
    self->runs += 1;
    self->more -= 1;
    return self->more > 0;
}

/* The schedule is absolute: after a pause of many periods a timer fires once, and then at the next
 * whole period after its start. */
static void missed_periods_are_skipped(void **state) {
    (void)state;
    rclite_context *context = core_context_open(RCLITE_DELIVERY_SPIN);
    counting_timer timer = {.base.ready.run = count_run};
    int64_t period = 3600 * 1000 * CORE_MS;
    int64_t start = rclite_monotonic_ns() - 10 * period - CORE_MS; /* nobody spun for ten hours */
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
    rclite_context *context = core_context_open(RCLITE_DELIVERY_SPIN);
    counting_timer timer = {.base.ready.run = count_run};
    rclitei_timer_arm(context, &timer.base, rclite_monotonic_ns(), 1);
    counting_timer work = {.base.ready.run = count_run, .more = 100};
    rclitei_ready_push(context, &work.base.ready);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(rclite_spin_once(context, CORE_DEADLINE_NS), RCLITE_OK);
    }
    assert_int_equal(work.runs, 100);
    assert_true(timer.runs >= 50);
    rclitei_timer_disarm(context, &timer.base);
    rclite_context_free(context);
}

static void arguments_of_timers(void **state) {
    (void)state;
    rclite_context *context = core_context_open(RCLITE_DELIVERY_SPIN);
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
        cmocka_unit_test(timers_fire_in_both_deliveries),
        cmocka_unit_test(a_timer_may_free_itself),
        cmocka_unit_test(missed_periods_are_skipped),
        cmocka_unit_test(timers_and_work_take_turns),
        cmocka_unit_test(arguments_of_timers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
