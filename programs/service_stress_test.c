/* service-stress-test: serves nav_msgs/GetMap with a map of the asked size, for client-stress-test
 * of whichever library. Its fields are set as the program of that name sets them elsewhere. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "nav_msgs/srv/GetMap.h"
#include "program.h"

#define FILL 125

typedef struct served {
    atomic_llong calls;
    size_t bytes;
} served;

static rclite_result on_request(
    rclite_service_call *call, const void *request, void *response, char *error_text, void *user) {
    (void)call;
    (void)request;
    served *counts = user;
    nav_msgs__srv__GetMap_Response *answer = response;
    answer->map.info.map_load_time = rclite_time_from_ns(rclite_now_ns());
    answer->map.info.resolution = 1.0F;
    answer->map.info.width = 1024;
    answer->map.info.height = 768;
    answer->map.info.origin.orientation.w = 1.0;
    /* The response is reused from call to call: only the first one fills the map. */
    if (answer->map.data.size != counts->bytes) {
        if (rclite_string_assign(&answer->map.header.frame_id, "main_frame", NULL) != RCLITE_OK ||
            rclite_sequence_resize(&answer->map.data, 1, counts->bytes, NULL) != RCLITE_OK) {
            snprintf(error_text, 256, "no memory for %zu bytes", counts->bytes);
            return RCLITE_ERR_NO_MEMORY;
        }
        memset(answer->map.data.data, FILL, counts->bytes);
    }
    answer->map.header.stamp = rclite_time_from_ns(rclite_now_ns());
    atomic_fetch_add_explicit(&counts->calls, 1, memory_order_relaxed);
    return RCLITE_OK;
}

int main(int argc, char **argv) {
    int64_t size_kib = 1;
    const program_option options[] = {
        {"-s", "--size", 1, 1 << 20, false, &size_kib, "size of the map in KiB"},
    };
    program self = {.name = "service-stress-test",
        .ros = 2,
        .options = options,
        .option_count = 1,
        .summary = "Serves nav_msgs/srv/GetMap on get_map until Ctrl-C."};
    int status;
    if (!program_start(&self, argc, argv, "stress_service_rclite", &status)) {
        return status;
    }
    served counts = {.bytes = (size_t)size_kib * 1024};
    rclite_service *service = NULL;
    rclite_service_options settings = RCLITE_SERVICE_OPTIONS_INIT;
    rclite_error error = {.text = ""};
    if (rclite_service_create(self.node, "get_map", &nav_msgs__srv__GetMap__type, on_request,
            &counts, &settings, &service, &error) != RCLITE_OK) {
        status = program_trouble(&self, "cannot serve", error.text);
    } else {
        status = program_spin(&self);
    }
    rclite_service_free(service);
    if (status == PROGRAM_GOOD) {
        printf("Served %lld calls.\n", (long long)atomic_load(&counts.calls));
    }
    return program_end(&self, status);
}
