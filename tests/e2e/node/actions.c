/* Serving goals and sending them: example_interfaces/Fibonacci. */
#include <stdio.h>

#include "example_interfaces/action/Fibonacci.h"
#include "node.h"

#define STEP_NS INT64_C(30000000)

/* A server has one goal at a time that takes a while. */
struct acting {
    struct node_program *program;
    rclite_server_goal *_Atomic goal; /* that goes on, and how far it is */
    int32_t order, step;
};

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
    struct acting *acting = user;
    example_interfaces__action__Fibonacci_Feedback feedback = {0};
    example_interfaces__action__Fibonacci_Result last = {0};
    if (acting->goal == NULL) {
        return;
    }
    rclite_result result = RCLITE_OK;
    if (acting->step < acting->order) {
        acting->step++;
        result = fibonacci(&feedback.sequence, acting->step);
        if (result == RCLITE_OK) {
            result = rclite_server_goal_feedback(acting->goal, &feedback);
        }
    } else {
        /* Once the result is out, the next goal may come at any time, on another thread. */
        rclite_server_goal *ended = acting->goal;
        const int order = acting->order;
        acting->goal = NULL;
        result = fibonacci(&last.sequence, order);
        if (result == RCLITE_OK) {
            result = rclite_server_goal_succeed(ended, &last);
        }
        printf("goal %d: %s\n", order, rclite_result_string(result));
        node_one_more(acting->program);
    }
    if (result != RCLITE_OK) {
        fprintf(stderr, "rclite_node: goal: %s\n", rclite_result_string(result));
    }
    rclite_message_done(example_interfaces__action__Fibonacci__type.feedback, &feedback, NULL);
    rclite_message_done(example_interfaces__action__Fibonacci__type.result, &last, NULL);
}

static void on_goal(rclite_server_goal *handle, const void *goal, void *user) {
    const example_interfaces__action__Fibonacci_Goal *asked = goal;
    struct acting *acting = user;
    if (asked->order > 0) {
        acting->order = asked->order < 40 ? asked->order : 1;
        acting->step = 0;
        acting->goal = handle;
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
    struct acting *acting = user;
    acting->goal = NULL;
    const rclite_result result = rclite_server_goal_canceled(handle, &last);
    printf("canceled: %s\n", rclite_result_string(result));
    node_one_more(acting->program);
}

int node_act(struct node_program *program) {
    rclite_error error = {.text = ""};
    const rclite_action_server_options options = RCLITE_ACTION_SERVER_OPTIONS_INIT;
    const rclite_action_server_callbacks callbacks = {
        .goal = on_wish, .accepted = on_goal, .canceling = on_canceling};
    struct acting acting = {.program = program};
    rclite_action_server *server = NULL;
    if (rclite_action_server_create(program->node, program->name,
            &example_interfaces__action__Fibonacci__type, &callbacks, &acting, &options, &server,
            &error) != RCLITE_OK) {
        return node_complain(program->name, &error);
    }
    rclite_timer *timer = NULL;
    if (rclite_timer_create(program->context, STEP_NS, on_step, &acting, &timer, &error) !=
        RCLITE_OK) {
        rclite_action_server_free(server);
        return node_complain(program->name, &error);
    }
    const int status = node_wait(program);
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

int node_goal(struct node_program *program) {
    rclite_error error = {.text = ""};
    rclite_action_client *client = NULL;
    if (rclite_action_client_create(program->node, program->name,
            &example_interfaces__action__Fibonacci__type, &client, &error) != RCLITE_OK) {
        return node_complain(program->name, &error);
    }
    rclite_result result = rclite_action_client_wait_for_server(client, NODE_WAIT_NS);
    example_interfaces__action__Fibonacci_Result last = {0};
    const example_interfaces__action__Fibonacci_Goal goal = {.order = 5};
    const rclite_goal_callbacks callbacks = {.feedback = on_feedback};
    for (long i = 0; result == RCLITE_OK && i < program->wanted; i++) {
        rclite_client_goal *handle = NULL;
        rclite_goal_status status = RCLITE_GOAL_UNKNOWN;
        result = rclite_action_client_send_goal(client, &goal, &callbacks, program, &handle);
        if (result == RCLITE_OK) {
            result = rclite_client_goal_wait(handle, &last, NODE_WAIT_NS, &status);
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
