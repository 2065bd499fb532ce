/* A node of rclite for tests against a real ROS 2: it does one thing, says what it saw on stdout,
 * one line each, and ends by itself or on SIGTERM. Not an example: see docs/rclite.md for those.
 *
 *   rclite_node talk TOPIC COUNT          publishes std_msgs/String "hello N" at 20 Hz
 *   rclite_node listen TOPIC COUNT        prints "heard TEXT"
 *   rclite_node serve SERVICE COUNT       answers nav_msgs/GetMap: 64 bytes, frame "rclite"
 *   rclite_node call SERVICE COUNT        calls nav_msgs/GetMap and prints "answer FRAME SIZE"
 *   rclite_node serve_flag SERVICE COUNT  answers std_srvs/SetBool with its message
 *   rclite_node act ACTION COUNT          serves example_interfaces/Fibonacci with feedback; order
 * 0 goes on until it is canceled, one below 0 is rejected rclite_node goal ACTION COUNT sends goals
 * of order 5, prints "feedback SIZE", "result STATUS SIZE" rclite_node nodes NODE COUNT prints all
 * node names once NODE is one of COUNT or more
 *
 * COUNT is how often; 0: until it is ended. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "example_interfaces/action/Fibonacci.h"
#include "nav_msgs/srv/GetMap.h"
#include "rclite/rclite.h"
#include "std_msgs/msg/String.h"
#include "std_srvs/srv/SetBool.h"

#define STEP_NS INT64_C(30000000)
#define WAIT_NS INT64_C(20000000000)

typedef struct node_program {
    rclite_context *context;
    rclite_node *node;
    const char *name;
    long wanted;
    _Atomic long done;
    rclite_server_goal *_Atomic goal; /* act: the one that goes on, and how far it is */
    int32_t order, step;
} node_program;

static rclite_context *signalled; /* for the handler only; set before it is installed */

static void on_signal(int number) {
    (void)number;
    rclite_context_shutdown(signalled);
}

static void log_line(rclite_log_level level, const char *text, void *user) {
    (void)user;
    fprintf(stderr, "[%d] %s\n", (int)level, text);
}

static void one_more(node_program *program) {
    program->done += 1;
    fflush(stdout);
    rclite_context_wake(program->context);
}

static bool is_done(void *user) {
    node_program *program = user;
    return program->wanted > 0 && program->done >= program->wanted;
}

static int wait_until_done(node_program *program) {
    const rclite_result result =
        rclite_spin_until(program->context, is_done, program, RCLITE_FOREVER);
    return result == RCLITE_OK || result == RCLITE_ERR_SHUTDOWN ? 0 : 1;
}

static int complain(const char *what, const rclite_error *error) {
    fprintf(stderr, "rclite_node: %s: %s\n", what, error->text);
    return 1;
}

/* ---- topics -----------------------------------------------------------------------------------
 */

static bool nothing(void *user) {
    (void)user;
    return false;
}

static int talk(node_program *program) {
    rclite_error error = {.text = ""};
    const rclite_publisher_options options = RCLITE_PUBLISHER_OPTIONS_INIT;
    rclite_publisher *publisher = NULL;
    if (rclite_publisher_create(program->node, program->name, &std_msgs__msg__String__type,
            &options, &publisher, &error) != RCLITE_OK) {
        return complain(program->name, &error);
    }
    int status = 0;
    std_msgs__msg__String message = {.data = {.data = NULL}};
    for (long i = 0; status == 0 && (program->wanted == 0 || i < program->wanted); i++) {
        char text[32];
        snprintf(text, sizeof text, "hello %ld", i);
        if (rclite_string_assign(&message.data, text, NULL) != RCLITE_OK ||
            rclite_publisher_publish(publisher, &message) != RCLITE_OK) {
            status = 1;
        }
        if (rclite_spin_until(program->context, nothing, NULL, 50000000) == RCLITE_ERR_SHUTDOWN) {
            break;
        }
    }
    rclite_message_done(&std_msgs__msg__String__type, &message, NULL);
    rclite_publisher_free(publisher);
    return status;
}

static void on_text(const void *message, const rclite_message_info *info, void *user) {
    const std_msgs__msg__String *text = message;
    (void)info;
    printf("heard %.*s\n", (int)text->data.size, text->data.data ? text->data.data : "");
    one_more(user);
}

static int listen_to(node_program *program) {
    rclite_error error = {.text = ""};
    const rclite_subscription_options options = RCLITE_SUBSCRIPTION_OPTIONS_INIT;
    rclite_subscription *subscription = NULL;
    if (rclite_subscription_create(program->node, program->name, &std_msgs__msg__String__type,
            on_text, program, &options, &subscription, &error) != RCLITE_OK) {
        return complain(program->name, &error);
    }
    const int status = wait_until_done(program);
    rclite_subscription_free(subscription);
    return status;
}

/* ---- services ---------------------------------------------------------------------------------
 */

static rclite_result give_map(
    rclite_service_call *call, const void *request, void *response, char *error_text, void *user) {
    nav_msgs__srv__GetMap_Response *map = response;
    (void)call;
    (void)request;
    (void)error_text;
    rclite_result result = rclite_string_assign(&map->map.header.frame_id, "rclite", NULL);
    if (result == RCLITE_OK) {
        result = rclite_sequence_resize(&map->map.data, 1, 64, NULL);
    }
    map->map.info.width = 8;
    map->map.info.height = 8;
    puts("served");
    one_more(user);
    return result;
}

static rclite_result set_flag(
    rclite_service_call *call, const void *request, void *response, char *error_text, void *user) {
    const std_srvs__srv__SetBool_Request *asked = request;
    std_srvs__srv__SetBool_Response *answer = response;
    (void)call;
    (void)error_text;
    answer->success = asked->data;
    puts("served");
    one_more(user);
    return rclite_string_assign(&answer->message, asked->data ? "it is on" : "it is off", NULL);
}

static int serve(
    node_program *program, const rclite_service_type *type, rclite_service_callback callback) {
    rclite_error error = {.text = ""};
    const rclite_service_options options = RCLITE_SERVICE_OPTIONS_INIT;
    rclite_service *service = NULL;
    if (rclite_service_create(program->node, program->name, type, callback, program, &options,
            &service, &error) != RCLITE_OK) {
        return complain(program->name, &error);
    }
    const int status = wait_until_done(program);
    rclite_service_free(service);
    return status;
}

static int call_map(node_program *program) {
    rclite_error error = {.text = ""};
    const rclite_client_options options = RCLITE_CLIENT_OPTIONS_INIT;
    rclite_client *client = NULL;
    if (rclite_client_create(program->node, program->name, &nav_msgs__srv__GetMap__type, &options,
            &client, &error) != RCLITE_OK) {
        return complain(program->name, &error);
    }
    rclite_result result = rclite_client_wait_for_service(client, WAIT_NS);
    nav_msgs__srv__GetMap_Request request = {0};
    nav_msgs__srv__GetMap_Response response = {0};
    for (long i = 0; result == RCLITE_OK && i < program->wanted; i++) {
        result = rclite_client_call(client, &request, &response, WAIT_NS, &error);
        if (result == RCLITE_OK) {
            printf("answer %s %zu\n", response.map.header.frame_id.data, response.map.data.size);
        }
    }
    if (result != RCLITE_OK) {
        fprintf(stderr, "rclite_node: %s: %s. %s\n", program->name, rclite_result_string(result),
            error.text);
    }
    rclite_message_done(nav_msgs__srv__GetMap__type.response, &response, NULL);
    rclite_client_free(client);
    return result == RCLITE_OK ? 0 : 1;
}

/* ---- actions ----------------------------------------------------------------------------------
 */

/* The first `count` numbers; the message is zero or of an earlier call. */
static rclite_result fibonacci(rclite_int32_sequence *sequence, int32_t count) {
    const rclite_result result =
        rclite_sequence_resize(sequence, sizeof(int32_t), (size_t)count, NULL);
    for (int32_t i = 0; result == RCLITE_OK && i < count; i++) {
        sequence->data[i] = i < 2 ? i : sequence->data[i - 1] + sequence->data[i - 2];
    }
    return result;
}

/* One feedback for each step, so that it can be seen as it comes; then the result. */
static void on_step(void *user) {
    node_program *program = user;
    example_interfaces__action__Fibonacci_Feedback feedback = {0};
    example_interfaces__action__Fibonacci_Result last = {0};
    if (program->goal == NULL) {
        return;
    }
    rclite_result result = RCLITE_OK;
    if (program->step < program->order) {
        program->step++;
        result = fibonacci(&feedback.sequence, program->step);
        if (result == RCLITE_OK) {
            result = rclite_server_goal_feedback(program->goal, &feedback);
        }
    } else {
        /* Once the result is out, the next goal may come at any time, on another thread. */
        rclite_server_goal *ended = program->goal;
        const int order = program->order;
        program->goal = NULL;
        result = fibonacci(&last.sequence, order);
        if (result == RCLITE_OK) {
            result = rclite_server_goal_succeed(ended, &last);
        }
        printf("goal %d: %s\n", order, rclite_result_string(result));
        one_more(program);
    }
    if (result != RCLITE_OK) {
        fprintf(stderr, "rclite_node: goal: %s\n", rclite_result_string(result));
    }
    rclite_message_done(example_interfaces__action__Fibonacci__type.feedback, &feedback, NULL);
    rclite_message_done(example_interfaces__action__Fibonacci__type.result, &last, NULL);
}

static void on_goal(rclite_server_goal *handle, const void *goal, void *user) {
    const example_interfaces__action__Fibonacci_Goal *asked = goal;
    node_program *program = user;
    if (asked->order > 0) {
        program->order = asked->order < 40 ? asked->order : 1;
        program->step = 0;
        program->goal = handle;
    }
}

static bool on_wish(const rclite_goal_id *id, const void *goal, void *user) {
    const example_interfaces__action__Fibonacci_Goal *asked = goal;
    (void)id;
    (void)user;
    return asked->order >= 0;
}

static void on_canceling(rclite_server_goal *handle, void *user) {
    example_interfaces__action__Fibonacci_Result last = {0};
    ((node_program *)user)->goal = NULL;
    const rclite_result result = rclite_server_goal_canceled(handle, &last);
    printf("canceled: %s\n", rclite_result_string(result));
    one_more(user);
}

static int act(node_program *program) {
    rclite_error error = {.text = ""};
    const rclite_action_server_options options = RCLITE_ACTION_SERVER_OPTIONS_INIT;
    const rclite_action_server_callbacks callbacks = {
        .goal = on_wish, .accepted = on_goal, .canceling = on_canceling};
    rclite_action_server *server = NULL;
    if (rclite_action_server_create(program->node, program->name,
            &example_interfaces__action__Fibonacci__type, &callbacks, program, &options, &server,
            &error) != RCLITE_OK) {
        return complain(program->name, &error);
    }
    rclite_timer *timer = NULL;
    if (rclite_timer_create(program->context, STEP_NS, on_step, program, &timer, &error) !=
        RCLITE_OK) {
        rclite_action_server_free(server);
        return complain(program->name, &error);
    }
    const int status = wait_until_done(program);
    rclite_timer_free(timer);
    rclite_action_server_free(server);
    return status;
}

static void on_feedback(rclite_client_goal *handle, const void *feedback, void *user) {
    const example_interfaces__action__Fibonacci_Feedback *so_far = feedback;
    (void)handle;
    (void)user;
    printf("feedback %zu\n", so_far->sequence.size);
}

static int send_goals(node_program *program) {
    rclite_error error = {.text = ""};
    rclite_action_client *client = NULL;
    if (rclite_action_client_create(program->node, program->name,
            &example_interfaces__action__Fibonacci__type, &client, &error) != RCLITE_OK) {
        return complain(program->name, &error);
    }
    rclite_result result = rclite_action_client_wait_for_server(client, WAIT_NS);
    example_interfaces__action__Fibonacci_Result last = {0};
    const example_interfaces__action__Fibonacci_Goal goal = {.order = 5};
    const rclite_goal_callbacks callbacks = {.feedback = on_feedback};
    for (long i = 0; result == RCLITE_OK && i < program->wanted; i++) {
        rclite_client_goal *handle = NULL;
        rclite_goal_status status = RCLITE_GOAL_UNKNOWN;
        result = rclite_action_client_send_goal(client, &goal, &callbacks, program, &handle);
        if (result == RCLITE_OK) {
            result = rclite_client_goal_wait(handle, &last, WAIT_NS, &status);
        }
        if (result == RCLITE_OK) {
            printf("result %s %zu\n", rclite_goal_status_string(status), last.sequence.size);
        }
        rclite_client_goal_free(handle);
    }
    if (result != RCLITE_OK) {
        fprintf(stderr, "rclite_node: %s: %s\n", program->name, rclite_result_string(result));
    }
    rclite_message_done(example_interfaces__action__Fibonacci__type.result, &last, NULL);
    rclite_action_client_free(client);
    return result == RCLITE_OK ? 0 : 1;
}

/* ---- graph ------------------------------------------------------------------------------------
 */

static void graph_changed(void *user) {
    rclite_context_wake(user);
}

static bool enough_nodes(void *user) {
    node_program *program = user;
    rclite_graph_list list;
    if (rclite_graph_list_get(program->context, RCLITE_GRAPH_NODES, NULL, &list, NULL) !=
        RCLITE_OK) {
        return false;
    }
    bool enough = false;
    for (size_t i = 0; i < list.count; i++) {
        enough = enough || strcmp(list.entries[i].name, program->name) == 0;
    }
    enough = enough && (long)list.count >= program->wanted;
    for (size_t i = 0; enough && i < list.count; i++) {
        printf("node %s\n", list.entries[i].name);
    }
    rclite_graph_list_done(&list);
    return enough;
}

static int list_nodes(node_program *program) {
    if (rclite_graph_on_change(program->context, graph_changed, program->context) != RCLITE_OK) {
        return 1;
    }
    const rclite_result result =
        rclite_spin_until(program->context, enough_nodes, program, WAIT_NS);
    if (rclite_graph_on_change(program->context, NULL, NULL) != RCLITE_OK) {
        return 1;
    }
    return result == RCLITE_OK ? 0 : 1;
}

static int run(node_program *program, const char *what) {
    if (strcmp(what, "talk") == 0) {
        return talk(program);
    }
    if (strcmp(what, "listen") == 0) {
        return listen_to(program);
    }
    if (strcmp(what, "serve") == 0) {
        return serve(program, &nav_msgs__srv__GetMap__type, give_map);
    }
    if (strcmp(what, "serve_flag") == 0) {
        return serve(program, &std_srvs__srv__SetBool__type, set_flag);
    }
    if (strcmp(what, "call") == 0) {
        return call_map(program);
    }
    if (strcmp(what, "act") == 0) {
        return act(program);
    }
    if (strcmp(what, "goal") == 0) {
        return send_goals(program);
    }
    if (strcmp(what, "nodes") == 0) {
        return list_nodes(program);
    }
    fprintf(stderr, "rclite_node: no such thing as %s\n", what);
    return 2;
}

int main(int argc, char **argv) {
    rclite_context_options options = RCLITE_CONTEXT_OPTIONS_INIT;
    options.argc = argc;
    options.argv = (const char *const *)argv;
    options.log = log_line;
    node_program program = {.done = 0};
    rclite_error error = {.text = ""};
    if (rclite_context_create(&options, &program.context, &error) != RCLITE_OK) {
        return complain("context", &error);
    }
    signalled = program.context;
    signal(SIGTERM, on_signal);
    signal(SIGINT, on_signal);
    const char *const *rest = NULL;
    const int count = rclite_context_arguments(program.context, &rest);
    int status = 2;
    if (count < 3) {
        fputs("usage: rclite_node WHAT [NAME] COUNT [--ros-args ...]\n", stderr);
    } else if (rclite_node_create(program.context, "rclite_node", "/", &program.node, &error) !=
               RCLITE_OK) {
        status = complain("node", &error);
    } else {
        program.name = rest[2];
        program.wanted = strtol(rest[count - 1], NULL, 10);
        status = run(&program, rest[1]);
    }
    rclite_node_free(program.node);
    rclite_context_free(program.context);
    return status;
}
