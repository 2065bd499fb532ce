/* The sender's tasks: served in turn, pushed again while they run, and taken out while they would
 * run for ever. */
#include <stdatomic.h>

#include "ros2/sender.h"
#include "ros2/testing/ros2_testing.h"

typedef struct counted {
    ros2_task task;
    testing_gate runs;
    uint64_t runs_wanted; /* the task is done then; 0: never */
} counted;

static bool count_run(ros2_task *task, bool alone) {
    counted *of = (counted *)((char *)task - offsetof(counted, task));
    (void)alone;
    testing_gate_add(&of->runs, 1);
    return of->runs_wanted == 0 || testing_gate_count(&of->runs) < of->runs_wanted;
}

static void tasks_are_served_in_turn(void **state) {
    (void)state;
    ros2_sender sender;
    assert_int_equal(ros2_sender_start(&sender), 0);
    counted tasks[3];
    for (size_t i = 0; i < 3; i++) {
        tasks[i] = (counted){
            .task = {.run = count_run}, .runs = TESTING_GATE_INIT, .runs_wanted = 100 + i};
        ros2_sender_push(&sender, &tasks[i].task);
    }
    for (size_t i = 0; i < 3; i++) {
        assert_true(testing_gate_wait(&tasks[i].runs, 100 + i, TESTING_TIMEOUT_NS));
        ros2_sender_remove(&sender, &tasks[i].task);
        assert_int_equal(testing_gate_count(&tasks[i].runs), 100 + i);
    }
    ros2_sender_stop(&sender);
}

/* A writer whose reader has stopped is such a task: freeing it must not wait for the reader. */
static void an_endless_task_can_be_removed(void **state) {
    (void)state;
    ros2_sender sender;
    assert_int_equal(ros2_sender_start(&sender), 0);
    counted endless = {.task = {.run = count_run}, .runs = TESTING_GATE_INIT};
    uint64_t runs = 0;
    for (int i = 0; i < 100; i++) {
        ros2_sender_push(&sender, &endless.task);
        assert_true(testing_gate_wait(&endless.runs, runs + 10, TESTING_TIMEOUT_NS));
        ros2_sender_remove(&sender, &endless.task);
        runs = testing_gate_count(&endless.runs);
        assert_false(endless.task.queued);
    }
    ros2_sender_stop(&sender);
    assert_int_equal(testing_gate_count(&endless.runs), runs);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tasks_are_served_in_turn),
        cmocka_unit_test(an_endless_task_can_be_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
