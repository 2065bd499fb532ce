/* An rclite node for the interoperation tests on ROS 1 (interop.py). `node serve` offers a latched
 * topic, an echo, two services and an action until it is told to end; `node use` does with a
 * foreign node what the other one offers, and prints one line for each outcome. */
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "actionlib_benchmark/action/Roundtrip.h"
#include "nav_msgs/srv/GetMap.h"
#include "rclite/rclite.h"
#include "std_msgs/msg/String.h"

#define STRING (&std_msgs__msg__String__type)
#define MAP (&nav_msgs__srv__GetMap__type)
#define TRIP (&actionlib_benchmark__action__Roundtrip__type)
#define WAIT_NS INT64_C(10000000000)

/* What a goal's start.sec asks the server to do. */
enum { SUCCEED = 1, ABORT = 2, HOLD = 3, REJECT = 4 };

static rclite_context *context; /* for the signal handler */

static void on_signal(int number) {
    (void)number;
    rclite_context_shutdown(context);
}

static void print_log(rclite_log_level level, const char *text, void *user) {
    (void)user;
    fprintf(stderr, "[%d] %s\n", (int)level, text);
}

static void check(const char *what, rclite_result result, const rclite_error *error) {
    if (result != RCLITE_OK) {
        printf("failed %s: %s\n", what, error ? error->text : rclite_result_string(result));
        exit(1);
    }
}

static void publish_text(rclite_publisher *publisher, const char *text) {
    std_msgs__msg__String message = {.data = {(char *)(uintptr_t)text, strlen(text), 0}};
    check("publish", rclite_publisher_publish(publisher, &message), NULL);
}

/* ---- serve ---------------------------------------------------------------------------------- */

static void on_ping(const void *message, const rclite_message_info *info, void *user) {
    (void)info;
    check("echo", rclite_publisher_publish(user, message), NULL);
}

static rclite_result serve_map(
    rclite_service_call *call, const void *request, void *response, char *error_text, void *user) {
    (void)call;
    (void)request;
    (void)error_text;
    (void)user;
    nav_msgs__srv__GetMap_Response *answer = response;
    answer->map.info.width = 640;
    rclite_result result = rclite_sequence_resize(&answer->map.data, 1, 3, NULL);
    if (result == RCLITE_OK) {
        memcpy(answer->map.data.data, "\x01\x02\x03", 3);
    }
    return result;
}

static rclite_result serve_failure(
    rclite_service_call *call, const void *request, void *response, char *error_text, void *user) {
    (void)call;
    (void)request;
    (void)response;
    (void)user;
    snprintf(error_text, 256, "out of maps");
    return RCLITE_ERR_REJECTED;
}

static bool on_goal(const rclite_goal_id *id, const void *goal, void *user) {
    (void)id;
    (void)user;
    return ((const actionlib_benchmark__action__Roundtrip_Goal *)goal)->start.sec != REJECT;
}

static void on_accepted(rclite_server_goal *handle, const void *message, void *user) {
    (void)user;
    const actionlib_benchmark__action__Roundtrip_Goal *goal = message;
    actionlib_benchmark__action__Roundtrip_Feedback feedback = {0};
    actionlib_benchmark__action__Roundtrip_Result result = {.received = goal->start};
    check("feedback", rclite_server_goal_feedback(handle, &feedback), NULL);
    if (goal->start.sec == SUCCEED) {
        check("succeed", rclite_server_goal_succeed(handle, &result), NULL);
    } else if (goal->start.sec == ABORT) {
        check("abort", rclite_server_goal_abort(handle, &result), NULL);
    }
}

static void on_canceling(rclite_server_goal *handle, void *user) {
    (void)user;
    actionlib_benchmark__action__Roundtrip_Result result = {.received = {77, 0}};
    check("canceled", rclite_server_goal_canceled(handle, &result), NULL);
}

static void serve(rclite_node *node) {
    rclite_error error;
    rclite_publisher *latched, *pong;
    rclite_subscription *ping;
    rclite_service *map, *failure;
    rclite_action_server *trip;
    rclite_publisher_options out = RCLITE_PUBLISHER_OPTIONS_INIT;
    rclite_publisher_options kept = RCLITE_PUBLISHER_OPTIONS_INIT;
    rclite_subscription_options in = RCLITE_SUBSCRIPTION_OPTIONS_INIT;
    rclite_service_options service_options = RCLITE_SERVICE_OPTIONS_INIT;
    rclite_action_server_options action_options = RCLITE_ACTION_SERVER_OPTIONS_INIT;
    const rclite_action_server_callbacks callbacks = {
        .goal = on_goal, .accepted = on_accepted, .canceling = on_canceling};
    kept.qos.durability = RCLITE_QOS_TRANSIENT_LOCAL;
    check("latched", rclite_publisher_create(node, "/latched", STRING, &kept, &latched, &error),
        &error);
    publish_text(latched, "kept");
    check("pong", rclite_publisher_create(node, "/pong", STRING, &out, &pong, &error), &error);
    check("ping",
        rclite_subscription_create(node, "/ping", STRING, on_ping, pong, &in, &ping, &error),
        &error);
    check("map",
        rclite_service_create(node, "/map", MAP, serve_map, NULL, &service_options, &map, &error),
        &error);
    check("fail",
        rclite_service_create(
            node, "/fail", MAP, serve_failure, NULL, &service_options, &failure, &error),
        &error);
    check("trip",
        rclite_action_server_create(
            node, "/trip", TRIP, &callbacks, NULL, &action_options, &trip, &error),
        &error);
    puts("serving");
    fflush(stdout);
    check("spin", rclite_spin(context), NULL); /* until a signal, or rosnode kill */
    rclite_action_server_free(trip);
    rclite_service_free(failure);
    rclite_service_free(map);
    rclite_subscription_free(ping);
    rclite_publisher_free(pong);
    rclite_publisher_free(latched);
}

/* ---- use ------------------------------------------------------------------------------------ */

static atomic_int texts;

static void on_text(const void *message, const rclite_message_info *info, void *user) {
    const std_msgs__msg__String *text = message;
    printf("%s %s from %s\n", (const char *)user, text->data.data, info->publisher_name);
    atomic_fetch_add(&texts, 1);
    rclite_context_wake(context);
}

static bool has_texts(void *user) {
    return atomic_load(&texts) >= *(const int *)user;
}

static void use_topics(rclite_node *node) {
    rclite_error error;
    rclite_publisher *ping;
    rclite_subscription *latched, *pong;
    rclite_publisher_options out = RCLITE_PUBLISHER_OPTIONS_INIT;
    rclite_subscription_options in = RCLITE_SUBSCRIPTION_OPTIONS_INIT;
    int wanted = 1;
    check("latched",
        rclite_subscription_create(
            node, "/latched", STRING, on_text, (char[]){"latched"}, &in, &latched, &error),
        &error);
    check("latched text", rclite_spin_until(context, has_texts, &wanted, WAIT_NS), NULL);
    check("pong",
        rclite_subscription_create(
            node, "/pong", STRING, on_text, (char[]){"pong"}, &in, &pong, &error),
        &error);
    check("ping", rclite_publisher_create(node, "/ping", STRING, &out, &ping, &error), &error);
    check("ping's match", rclite_publisher_wait_matched(ping, 1, WAIT_NS), NULL);
    check("pong's match", rclite_subscription_wait_matched(pong, 1, WAIT_NS), NULL);
    publish_text(ping, "hello");
    wanted = 2;
    check("pong text", rclite_spin_until(context, has_texts, &wanted, WAIT_NS), NULL);
    rclite_subscription_free(pong);
    rclite_publisher_free(ping);
    rclite_subscription_free(latched);
}

static void use_service(rclite_node *node, const char *name, bool persistent) {
    rclite_error error;
    rclite_client *client;
    rclite_client_options options = RCLITE_CLIENT_OPTIONS_INIT;
    nav_msgs__srv__GetMap_Request request = {0};
    nav_msgs__srv__GetMap_Response response;
    options.persistent = persistent;
    check("client", rclite_client_create(node, name, MAP, &options, &client, &error), &error);
    check("waiting for the service", rclite_client_wait_for_service(client, WAIT_NS), NULL);
    check("response", rclite_message_init(MAP->response, &response, NULL), NULL);
    for (int i = 0; i < 3; i++) {
        if (rclite_client_call(client, &request, &response, WAIT_NS, &error) == RCLITE_OK) {
            printf("%s %u %zu\n", name, response.map.info.width, response.map.data.size);
        } else {
            printf("%s error %s\n", name, error.text);
        }
    }
    rclite_message_done(MAP->response, &response, NULL);
    rclite_client_free(client);
}

static atomic_int feedbacks;
static atomic_bool responded;

static void on_response(rclite_client_goal *handle, bool accepted, void *user) {
    (void)handle;
    (void)accepted;
    (void)user;
    atomic_store(&responded, true);
    rclite_context_wake(context);
}

static void on_feedback(rclite_client_goal *handle, const void *feedback, void *user) {
    (void)handle;
    (void)feedback;
    (void)user;
    atomic_fetch_add(&feedbacks, 1);
    rclite_context_wake(context);
}

static bool is_under_way(void *user) {
    (void)user;
    return atomic_load(&responded) && atomic_load(&feedbacks) > 0;
}

/* Sends a goal; cancel: 0 no, 1 it, 2 all. Prints the outcome. */
static void use_goal(rclite_action_client *client, const char *name, int kind, int cancel) {
    const rclite_goal_callbacks callbacks = {.response = on_response, .feedback = on_feedback};
    actionlib_benchmark__action__Roundtrip_Goal goal = {.start = {kind, 5}};
    actionlib_benchmark__action__Roundtrip_Result result = {.received = {0, 0}};
    rclite_goal_status status = RCLITE_GOAL_UNKNOWN;
    rclite_client_goal *handle;
    atomic_store(&responded, false);
    atomic_store(&feedbacks, 0);
    check("goal", rclite_action_client_send_goal(client, &goal, &callbacks, NULL, &handle), NULL);
    if (cancel > 0) {
        check("feedback", rclite_spin_until(context, is_under_way, NULL, WAIT_NS), NULL);
        check("cancel",
            cancel == 1 ? rclite_client_goal_cancel(handle)
                        : rclite_action_client_cancel_all(client),
            NULL);
    }
    check("result", rclite_client_goal_wait(handle, &result, WAIT_NS, &status), NULL);
    printf("%s %s %d\n", name, rclite_goal_status_string(status), (int)result.received.sec);
    rclite_client_goal_free(handle);
}

static void use_action(rclite_node *node) {
    rclite_error error;
    rclite_action_client *client;
    check(
        "action client", rclite_action_client_create(node, "/trip", TRIP, &client, &error), &error);
    check("waiting for the action", rclite_action_client_wait_for_server(client, WAIT_NS), NULL);
    use_goal(client, "success", SUCCEED, 0);
    use_goal(client, "abort", ABORT, 0);
    use_goal(client, "cancel", HOLD, 1);
    use_goal(client, "cancel_all", HOLD, 2);
    rclite_action_client_free(client);
}

static void use(rclite_node *node) {
    use_topics(node);
    use_service(node, "/map", true);
    use_service(node, "/map", false);
    use_service(node, "/fail", true);
    use_action(node);
}

int main(int argc, char **argv) {
    rclite_error error;
    rclite_node *node;
    rclite_context_options options = RCLITE_CONTEXT_OPTIONS_INIT;
    bool serves = argc > 1 && strcmp(argv[1], "serve") == 0;
    options.generation = RCLITE_ROS1;
    options.argc = argc;
    options.argv = (const char *const *)argv;
    options.log = print_log;
    if (argc > 2 && strcmp(argv[2], "spin") == 0) {
        options.delivery = RCLITE_DELIVERY_SPIN;
    }
    check("context", rclite_context_create(&options, &context, &error), &error);
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    check(
        "node", rclite_node_create(context, serves ? "server" : "user", "", &node, &error), &error);
    if (serves) {
        serve(node);
    } else {
        use(node);
    }
    rclite_node_free(node);
    rclite_context_free(context);
    puts("ended");
    return 0;
}
