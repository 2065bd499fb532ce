/* roundtrip_server: an action server that stamps each goal and succeeds at once; any client of the
 * Roundtrip action can measure with it. The action has the node's name, as it always had. */
#include <stdatomic.h>
#include <stdio.h>

#include "actionlib_benchmark/action/Roundtrip.h"
#include "program.h"

static void on_accepted(rclite_server_goal *handle, const void *goal, void *user) {
    (void)goal;
    actionlib_benchmark__action__Roundtrip_Result result = {0};
    result.received = rclite_time_from_ns(rclite_now_ns());
    if (rclite_server_goal_succeed(handle, &result) == RCLITE_OK) {
        atomic_fetch_add_explicit((atomic_llong *)user, 1, memory_order_relaxed);
    }
}

int main(int argc, char **argv) {
    program self = {.name = "roundtrip_server",
        .ros = 1,
        .summary = "Serves the action actionlib_benchmark/Roundtrip until Ctrl-C."};
    int status;
    if (!program_start(&self, argc, argv, "roundtrip", &status)) {
        return status;
    }
    atomic_llong goals = 0;
    const rclite_action_server_callbacks callbacks = {.accepted = on_accepted};
    const rclite_action_server_options settings = RCLITE_ACTION_SERVER_OPTIONS_INIT;
    rclite_action_server *server = NULL;
    rclite_error error = {.text = ""};
    if (rclite_action_server_create(self.node, rclite_node_full_name(self.node),
            &actionlib_benchmark__action__Roundtrip__type, &callbacks, &goals, &settings, &server,
            &error) != RCLITE_OK) {
        status = program_trouble(&self, "cannot serve", error.text);
    } else {
        status = program_spin(&self);
    }
    rclite_action_server_free(server);
    if (status == PROGRAM_GOOD) {
        printf("Served %lld goals.\n", (long long)atomic_load(&goals));
    }
    return program_end(&self, status);
}
