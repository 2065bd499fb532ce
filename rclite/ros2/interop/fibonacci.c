/* The Fibonacci action of example_interfaces, loaded by name from the ROS 2 that is sourced: a
 * server and a client for the tests against rclpy and the ros2 command. Not an example of style for
 * users: the type is not known at compile time.
 *
 *   fibonacci server                 goals of a negative order are rejected, of order 77 aborted
 * after five numbers; order 1000 runs until it is cancelled fibonacci client ORDER [cancel]  prints
 * what it is told, one line each; cancels at the third feedback */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rclite/rclite.h"

#define PERIOD_NS INT64_C(20000000)
#define TIMEOUT_NS INT64_C(20000000000)
#define GOALS_MAX 64

static rclite_context *interrupted; /* for the signal handler */

static void on_signal(int number) {
    (void)number;
    rclite_context_shutdown(interrupted);
}

static void must(rclite_result result, const rclite_error *error, const char *what) {
    if (result != RCLITE_OK) {
        fprintf(stderr, "%s: %s\n", what, error ? error->text : rclite_result_string(result));
        exit(2);
    }
}

static void print_log(rclite_log_level level, const char *text, void *user) {
    (void)user;
    fprintf(stderr, "[%d] %s\n", (int)level, text);
}

/* The one field of each of the three messages. */
static void *field_of(const rclite_type *type, void *message, const char *name) {
    const rclite_field *field;
    void *address = NULL;
    rclite_error error;
    must(rclite_message_field(type, RCLITE_ROS2, message, name, &field, &address, &error), &error,
        name);
    return address;
}

static void print_numbers(const char *word, const rclite_int32_sequence *numbers) {
    printf("%s", word);
    for (size_t i = 0; i < numbers->size; i++) {
        printf(" %" PRId32, numbers->data[i]);
    }
    printf("\n");
    fflush(stdout);
}

/* ---- server ---------------------------------------------------------------------------------- */

typedef struct running_goal {
    rclite_server_goal *handle;
    int32_t order;
    void *feedback, *result;
} running_goal;

typedef struct server {
    const rclite_action_type *type;
    running_goal goals[GOALS_MAX];
} server;

static bool on_goal(const rclite_goal_id *id, const void *goal, void *user) {
    server *self = user;
    (void)id;
    return *(int32_t *)field_of(self->type->goal, (void *)goal, "order") >= 0;
}

static void *new_message(const rclite_type *type) {
    void *message = calloc(1, type->size_bytes);
    if (!message) {
        abort();
    }
    must(rclite_message_init(type, message, NULL), NULL, "init");
    return message;
}

static void on_accepted(rclite_server_goal *handle, const void *goal, void *user) {
    server *self = user;
    for (size_t i = 0; i < GOALS_MAX; i++) {
        running_goal *to = &self->goals[i];
        if (!to->handle) {
            to->order = *(int32_t *)field_of(self->type->goal, (void *)goal, "order");
            to->feedback = new_message(self->type->feedback);
            to->result = new_message(self->type->result);
            to->handle = handle;
            return;
        }
    }
    abort();
}

static void end_goal(server *self, running_goal *goal) {
    rclite_goal_status status = rclite_server_goal_get_status(goal->handle);
    rclite_result result;
    if (status == RCLITE_GOAL_CANCELING) {
        result = rclite_server_goal_canceled(goal->handle, goal->result);
    } else if (goal->order == 77) {
        result = rclite_server_goal_abort(goal->handle, goal->result);
    } else {
        result = rclite_server_goal_succeed(goal->handle, goal->result);
    }
    must(result, NULL, "end of a goal");
    rclite_message_done(self->type->feedback, goal->feedback, NULL);
    rclite_message_done(self->type->result, goal->result, NULL);
    free(goal->feedback);
    free(goal->result);
    goal->handle = NULL;
}

/* One more number for each goal; spin delivery, so nothing runs beside it. */
static void on_tick(void *user) {
    server *self = user;
    for (size_t i = 0; i < GOALS_MAX; i++) {
        running_goal *goal = &self->goals[i];
        if (!goal->handle) {
            continue;
        }
        rclite_int32_sequence *told = field_of(self->type->feedback, goal->feedback, "sequence");
        rclite_int32_sequence *kept = field_of(self->type->result, goal->result, "sequence");
        size_t size = kept->size;
        bool over = (int32_t)size >= (goal->order == 77 ? 5 : goal->order) ||
                    rclite_server_goal_get_status(goal->handle) == RCLITE_GOAL_CANCELING;
        if (over) {
            end_goal(self, goal);
            continue;
        }
        must(rclite_sequence_resize(kept, sizeof(int32_t), size + 1, NULL), NULL, "resize");
        int32_t *data = kept->data;
        data[size] = size < 2 ? (int32_t)size
                              : (int32_t)((uint32_t)data[size - 1] + (uint32_t)data[size - 2]);
        must(rclite_sequence_resize(told, sizeof(int32_t), size + 1, NULL), NULL, "resize");
        memcpy(told->data, data, (size + 1) * sizeof(int32_t));
        must(rclite_server_goal_feedback(goal->handle, goal->feedback), NULL, "feedback");
    }
}

static int serve(rclite_context *context, rclite_node *node, const rclite_action_type *type) {
    const rclite_action_server_callbacks callbacks = {.goal = on_goal, .accepted = on_accepted};
    const rclite_action_server_options options = RCLITE_ACTION_SERVER_OPTIONS_INIT;
    static server self;
    rclite_error error;
    rclite_action_server *action;
    rclite_timer *timer;
    self.type = type;
    must(rclite_action_server_create(
             node, "fibonacci", type, &callbacks, &self, &options, &action, &error),
        &error, "server");
    must(rclite_timer_create(context, PERIOD_NS, on_tick, &self, &timer, &error), &error, "timer");
    printf("ready\n");
    fflush(stdout);
    must(rclite_spin(context), NULL, "spin");
    rclite_timer_free(timer);
    rclite_action_server_free(action);
    for (size_t i = 0; i < GOALS_MAX; i++) {
        if (self.goals[i].handle) {
            free(self.goals[i].feedback);
            free(self.goals[i].result);
        }
    }
    return 0;
}

/* ---- client ---------------------------------------------------------------------------------- */

typedef struct client {
    const rclite_action_type *type;
    bool cancels;
    int feedbacks;
    bool over;
} client;

static void on_response(rclite_client_goal *handle, bool accepted, void *user) {
    (void)handle;
    (void)user;
    printf("%s\n", accepted ? "accepted" : "rejected");
}

static void on_feedback(rclite_client_goal *handle, const void *feedback, void *user) {
    client *self = user;
    print_numbers("feedback", field_of(self->type->feedback, (void *)feedback, "sequence"));
    self->feedbacks += 1;
    if (self->cancels && self->feedbacks == 3) {
        must(rclite_client_goal_cancel(handle), NULL, "cancel");
    }
}

static void on_result(
    rclite_client_goal *handle, rclite_goal_status status, const void *result, void *user) {
    client *self = user;
    (void)handle;
    printf("%s\n", rclite_goal_status_string(status));
    if (result) {
        print_numbers("result", field_of(self->type->result, (void *)result, "sequence"));
    }
    self->over = true;
}

static bool is_over(void *user) {
    return ((client *)user)->over;
}

static int call(rclite_context *context, rclite_node *node, const rclite_action_type *type,
    int32_t order, bool cancels) {
    const rclite_goal_callbacks callbacks = {
        .response = on_response, .feedback = on_feedback, .result = on_result};
    client self = {.type = type, .cancels = cancels};
    rclite_error error;
    rclite_action_client *action;
    rclite_client_goal *goal;
    must(rclite_action_client_create(node, "fibonacci", type, &action, &error), &error, "client");
    must(rclite_action_client_wait_for_server(action, TIMEOUT_NS), NULL, "wait for the server");
    void *message = new_message(type->goal);
    *(int32_t *)field_of(type->goal, message, "order") = order;
    must(rclite_action_client_send_goal(action, message, &callbacks, &self, &goal), NULL, "send");
    must(rclite_spin_until(context, is_over, &self, TIMEOUT_NS), NULL, "wait for the result");
    rclite_message_done(type->goal, message, NULL);
    free(message);
    rclite_client_goal_free(goal);
    rclite_action_client_free(action);
    return 0;
}

/* ---- main ------------------------------------------------------------------------------------ */

int main(int argc, char **argv) {
    rclite_context_options options = RCLITE_CONTEXT_OPTIONS_INIT;
    options.delivery = RCLITE_DELIVERY_SPIN;
    options.argc = argc;
    options.argv = (const char *const *)argv;
    options.log = print_log;
    rclite_error error;
    rclite_node *node;
    rclite_loader *loader;
    const rclite_action_type *type;
    must(rclite_context_create(&options, &interrupted, &error), &error, "context");
    signal(SIGTERM, on_signal);
    signal(SIGINT, on_signal);
    must(rclite_loader_create(RCLITE_ROS2, NULL, NULL, &loader, &error), &error, "loader");
    must(rclite_loader_action(loader, "example_interfaces/action/Fibonacci", &type, &error), &error,
        "type");
    const char *const *rest;
    int count = rclite_context_arguments(interrupted, &rest);
    bool serves = count == 2 && strcmp(rest[1], "server") == 0;
    bool calls = count >= 3 && count <= 4 && strcmp(rest[1], "client") == 0;
    if (!serves && !calls) {
        fprintf(stderr, "usage: fibonacci server | client ORDER [cancel]\n");
        return 2;
    }
    must(rclite_node_create(
             interrupted, serves ? "fibonacci_server" : "fibonacci_client", "", &node, &error),
        &error, "node");
    int status =
        serves ? serve(interrupted, node, type)
               : call(interrupted, node, type, (int32_t)strtol(rest[2], NULL, 10), count == 4);
    rclite_node_free(node);
    rclite_context_free(interrupted);
    rclite_loader_free(loader);
    return status;
}
