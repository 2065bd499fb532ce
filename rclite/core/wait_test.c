/* Tests of spinning and waiting: signals and wake-ups that are not lost, the end, and calls that
 * may not block. */
#include <signal.h>

#include "core/executor.h"
#include "core/testing/core_testing.h"

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
        rclite_context *context = core_context_open((rclite_delivery)delivery);
        for (int round = 0; round < 200; round++) {
            setter self = {.context = context, .by_wake = round % 2 == 0};
            pthread_t thread;
            assert_int_equal(pthread_create(&thread, NULL, set_it, &self), 0);
            assert_int_equal(
                rclitei_wait(context, is_set, &self.flag, CORE_DEADLINE_NS), RCLITE_OK);
            pthread_join(thread, NULL);
        }
        atomic_bool never_set = false;
        assert_int_equal(rclitei_wait(context, is_set, &never_set, 0), RCLITE_ERR_TIMEOUT);
        assert_int_equal(rclitei_wait(context, is_set, &never_set, CORE_MS), RCLITE_ERR_TIMEOUT);
        assert_int_equal(
            rclite_spin_until(context, is_set, &never_set, CORE_MS), RCLITE_ERR_TIMEOUT);
        rclite_context_free(context);
    }
}

static void wake_before_spin_once_is_not_lost(void **state) {
    (void)state;
    for (int delivery = 0; delivery < RCLITE_DELIVERY_COUNT; delivery++) {
        rclite_context *context = core_context_open((rclite_delivery)delivery);
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
        rclite_context *context = core_context_open((rclite_delivery)delivery);
        pthread_t spinners[2];
        for (int i = 0; i < 2; i++) {
            assert_int_equal(
                pthread_create(&spinners[i], NULL, core_spin_until_shutdown, context), 0);
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
        assert_int_equal(
            rclite_spin_until(context, is_set, &never_set, CORE_MS), RCLITE_ERR_SHUTDOWN);
        assert_false(rclitei_callback_enter(context));
        rclite_context_shutdown(context); /* again */
        assert_int_equal(((fake_context *)context)->interrupts, 1);
        rclite_context_free(context);
    }
}

static void blocking_calls_inside_callbacks_are_refused(void **state) {
    (void)state;
    rclite_context *context = core_context_open(RCLITE_DELIVERY_DIRECT);
    rclite_context *other = core_context_open(RCLITE_DELIVERY_DIRECT);
    atomic_bool set = true;
    assert_true(rclitei_callback_enter(context));
    assert_true(rclitei_callback_enter(context)); /* nested */
    rclitei_callback_leave(context);
    assert_true(rclitei_in_callback(context));
    assert_false(rclitei_in_callback(other));
    assert_int_equal(rclitei_wait(context, is_set, &set, CORE_DEADLINE_NS), RCLITE_ERR_STATE);
    assert_int_equal(rclite_spin(context), RCLITE_ERR_STATE);
    assert_int_equal(rclite_spin_once(context, 0), RCLITE_ERR_STATE);
    assert_int_equal(rclite_spin_until(context, is_set, &set, CORE_DEADLINE_NS), RCLITE_ERR_STATE);
    assert_int_equal(rclitei_wait(other, is_set, &set, CORE_DEADLINE_NS), RCLITE_OK);
    rclitei_callback_leave(context);
    assert_int_equal(rclitei_wait(context, is_set, &set, CORE_DEADLINE_NS), RCLITE_OK);
    rclite_context_free(other);
    rclite_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_see_signals),
        cmocka_unit_test(wake_before_spin_once_is_not_lost),
        cmocka_unit_test(shutdown_wakes_everything),
        cmocka_unit_test(blocking_calls_inside_callbacks_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
