/* client-stress-test: calls nav_msgs/GetMap N times, one after the other, and says how long that
 * took, as the program of that name does in other client libraries. Waiting for the service is not
 * in the time. */
#include <stdio.h>

#include "nav_msgs/srv/GetMap.h"
#include "program.h"

#define CALL_NS (10 * PROGRAM_SECOND_NS)

static rclite_result await_service(void *user, int64_t timeout_ns) {
    return rclite_client_wait_for_service(user, timeout_ns);
}

static int call_all(
    program *self, rclite_client *client, nav_msgs__srv__GetMap_Response *response, int64_t runs) {
    const nav_msgs__srv__GetMap_Request request = {0};
    rclite_error error = {.text = ""};
    int64_t begun_ns = rclite_monotonic_ns();
    for (int64_t i = 0; i < runs; i++) {
        rclite_result result = rclite_client_call(client, &request, response, CALL_NS, &error);
        if (result != RCLITE_OK) {
            char text[80];
            snprintf(
                text, sizeof(text), "call %lld of %lld failed", (long long)i + 1, (long long)runs);
            program_trouble(
                self, text, error.text[0] != '\0' ? error.text : rclite_result_string(result));
            return result == RCLITE_ERR_SHUTDOWN ? PROGRAM_TROUBLE : PROGRAM_FAILED;
        }
    }
    program_print_duration(rclite_monotonic_ns() - begun_ns);
    return PROGRAM_GOOD;
}

int main(int argc, char **argv) {
    int64_t runs = 1;
    const program_option options[] = {
        {"-r", "--run", 1, INT32_MAX, false, &runs, "how many times to call"},
    };
    program self = {.name = "client-stress-test",
        .ros = 2,
        .options = options,
        .option_count = 1,
        .summary = "Calls nav_msgs/srv/GetMap on get_map and times it."};
    int status;
    if (!program_start(&self, argc, argv, "stress_client_rclite", &status)) {
        return status;
    }
    printf(
        "The client will send a GetMap request continuously until receiving response %d times.\n",
        (int)runs);
    nav_msgs__srv__GetMap_Response response = {0};
    rclite_client *client = NULL;
    rclite_client_options settings = RCLITE_CLIENT_OPTIONS_INIT;
    rclite_error error = {.text = "no memory"};
    const rclite_type *type = nav_msgs__srv__GetMap__type.response;
    if (rclite_message_init(type, &response, NULL) != RCLITE_OK ||
        rclite_client_create(self.node, "get_map", &nav_msgs__srv__GetMap__type, &settings, &client,
            &error) != RCLITE_OK) {
        status = program_trouble(&self, "cannot call", error.text);
    } else if (program_await(&self, "service get_map", await_service, client, &status)) {
        status = call_all(&self, client, &response, runs);
    }
    rclite_client_free(client);
    rclite_message_done(type, &response, NULL);
    return program_end(&self, status);
}
