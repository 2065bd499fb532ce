/* roundtrip_client N: sends N goals, 20 a second, and prints how long they took to the server, back
 * and in all: averages and mean absolute deviations in seconds, in the lines that this program has
 * always printed. The statistics are those of the suite. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "actionlib_benchmark/action/Roundtrip.h"
#include "program.h"
#include "stats/distribution.h"

#define GOAL_NS (30 * PROGRAM_SECOND_NS)

enum { SEND, RECV, TOTAL, LEG_COUNT };

typedef struct trips {
    int64_t *legs[LEG_COUNT]; /* ns, of the goals that succeeded */
    size_t count;
} trips;

static rclite_result await_server(void *user, int64_t timeout_ns) {
    return rclite_action_client_wait_for_server(user, timeout_ns);
}

/* First thing with the result: the third stamp. */
static void on_result(
    rclite_client_goal *handle, rclite_goal_status status, const void *message, void *user) {
    (void)handle;
    (void)status;
    (void)message;
    atomic_store((atomic_llong *)user, rclite_now_ns());
}

/* One goal. RCLITE_OK: its times were added. */
static rclite_result make_trip(rclite_action_client *client, trips *done) {
    atomic_llong arrived_ns = 0;
    const rclite_goal_callbacks callbacks = {.result = on_result};
    actionlib_benchmark__action__Roundtrip_Goal goal = {0};
    actionlib_benchmark__action__Roundtrip_Result result = {0};
    rclite_client_goal *handle = NULL;
    rclite_goal_status status = RCLITE_GOAL_UNKNOWN;
    goal.start = rclite_time_from_ns(rclite_now_ns());
    rclite_result sent =
        rclite_action_client_send_goal(client, &goal, &callbacks, &arrived_ns, &handle);
    if (sent != RCLITE_OK) {
        return sent;
    }
    rclite_result waited = rclite_client_goal_wait(handle, &result, GOAL_NS, &status);
    rclite_client_goal_free(handle);
    if (waited != RCLITE_OK) {
        return waited;
    }
    if (status != RCLITE_GOAL_SUCCEEDED || atomic_load(&arrived_ns) == 0) {
        return RCLITE_ERR_REJECTED;
    }
    int64_t start = rclite_time_to_ns(goal.start), received = rclite_time_to_ns(result.received);
    done->legs[SEND][done->count] = received - start;
    done->legs[RECV][done->count] = atomic_load(&arrived_ns) - received;
    done->legs[TOTAL][done->count] = atomic_load(&arrived_ns) - start;
    done->count++;
    return RCLITE_OK;
}

static void print_one(const trips *done) {
    printf("Sending time:    %f\n", (double)done->legs[SEND][0] / 1e9);
    printf("Receiving time:  %f\n", (double)done->legs[RECV][0] / 1e9);
    printf("Round trip time: %f\n", (double)done->legs[TOTAL][0] / 1e9);
}

static void print_all(const trips *done) {
    static const char *const names[LEG_COUNT] = {"SEND ", "RECV ", "TOTAL"};
    for (int leg = 0; leg < LEG_COUNT; leg++) {
        stats_distribution d;
        stats_distribution_compute(done->legs[leg], done->count, &d);
        printf(
            "%s  Average: %f    Deviation: %f\n", names[leg], d.mean / 1e9, d.mean_abs_dev / 1e9);
        stats_distribution_done(&d);
    }
}

static int run(program *self, rclite_action_client *client, int64_t period_ns, trips *done) {
    int64_t runs = self->operand_value, begun_ns = rclite_monotonic_ns(), failed = 0;
    for (int64_t i = 0; i < runs; i++) {
        if (!program_sleep_until(self, begun_ns + i * period_ns)) {
            break;
        }
        rclite_result result = make_trip(client, done);
        if (result == RCLITE_ERR_SHUTDOWN) {
            break;
        }
        if (result == RCLITE_ERR_TIMEOUT) {
            fputs("Action did not finish before the time out.\n", stderr);
        } else if (result != RCLITE_OK) {
            program_trouble(self, "a goal failed", rclite_result_string(result));
        }
        failed += result != RCLITE_OK;
    }
    if (runs == 1 && done->count == 1) {
        print_one(done);
    } else if (done->count > 0) {
        print_all(done);
    }
    if (rclite_context_is_shutdown(self->context)) {
        return program_trouble(self, "interrupted", "");
    }
    return failed > 0 ? PROGRAM_FAILED : PROGRAM_GOOD;
}

int main(int argc, char **argv) {
    int64_t period_ns = PROGRAM_SECOND_NS / 20;
    const program_option options[] = {
        {NULL, "--period", 0, 3600 * PROGRAM_SECOND_NS, true, &period_ns,
            "time between two goals; 0: back to back"},
    };
    program self = {.name = "roundtrip_client",
        .ros = 1,
        .operand = "N",
        .operand_value = 1,
        .options = options,
        .option_count = 1,
        .summary = "Sends N goals of the action actionlib_benchmark/Roundtrip and times them."};
    int status;
    if (!program_start(&self, argc, argv, "roundtrip_client", &status)) {
        return status;
    }
    trips done = {.count = 0};
    bool memory = true;
    for (int leg = 0; leg < LEG_COUNT; leg++) {
        done.legs[leg] = calloc((size_t)self.operand_value, sizeof(int64_t));
        memory = memory && done.legs[leg] != NULL;
    }
    rclite_action_client *client = NULL;
    rclite_error error = {.text = "no memory"};
    if (!memory ||
        rclite_action_client_create(self.node, "roundtrip",
            &actionlib_benchmark__action__Roundtrip__type, &client, &error) != RCLITE_OK) {
        status = program_trouble(&self, "cannot send goals", error.text);
    } else if (program_await(&self, "action server roundtrip", await_server, client, &status)) {
        printf(
            "\nAction client roundtrip benchmark (%lld runs)\n\n", (long long)self.operand_value);
        status = run(&self, client, period_ns, &done);
    }
    rclite_action_client_free(client);
    for (int leg = 0; leg < LEG_COUNT; leg++) {
        free(done.legs[leg]);
    }
    return program_end(&self, status);
}
