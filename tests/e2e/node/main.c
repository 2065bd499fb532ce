/* What the node can do, and its life. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "node.h"

static const struct {
    const char *name, *argument, *help;
    int (*run)(struct node_program *program);
} things[] = {
    {"talk", "TOPIC", "publishes std_msgs/String \"hello N\" at 20 Hz", node_talk},
    {"listen", "TOPIC", "prints \"heard TEXT\"", node_listen},
    {"serve", "SERVICE", "answers nav_msgs/GetMap: 64 bytes, frame \"rclite\"", node_serve},
    {"call", "SERVICE", "calls nav_msgs/GetMap and prints \"answer FRAME SIZE\"", node_call},
    {"serve_flag", "SERVICE", "answers std_srvs/SetBool with its message", node_serve_flag},
    {"act", "ACTION",
        "serves example_interfaces/Fibonacci with feedback; order 0 goes on until it is canceled, "
        "one below 0 is rejected",
        node_act},
    {"goal", "ACTION", "sends goals of order 5, prints \"feedback SIZE\", \"result STATUS SIZE\"",
        node_goal},
    {"nodes", "NODE", "prints all node names once NODE is one of COUNT or more", node_list},
};

#define THING_COUNT (sizeof things / sizeof *things)

static rclite_context *signalled; /* for the handler only; set before it is installed */

static void on_signal(int number) {
    (void)number;
    rclite_context_shutdown(signalled);
}

static void log_line(rclite_log_level level, const char *text, void *user) {
    (void)user;
    fprintf(stderr, "[%d] %s\n", (int)level, text);
}

void node_one_more(struct node_program *program) {
    program->done += 1;
    fflush(stdout);
    rclite_context_wake(program->context);
}

static bool is_done(void *user) {
    struct node_program *program = user;
    return program->wanted > 0 && program->done >= program->wanted;
}

int node_wait(struct node_program *program) {
    const rclite_result result =
        rclite_spin_until(program->context, is_done, program, RCLITE_FOREVER);
    return result == RCLITE_OK || result == RCLITE_ERR_SHUTDOWN ? 0 : 1;
}

int node_complain(const char *what, const rclite_error *error) {
    fprintf(stderr, "rclite_node: %s: %s\n", what, error->text);
    return 1;
}

static int usage(void) {
    fputs("usage: rclite_node WHAT NAME COUNT [--ros-args ...]\n"
          "COUNT is how often; 0: until it is ended. WHAT and NAME:\n",
        stderr);
    for (size_t i = 0; i < THING_COUNT; i++) {
        fprintf(stderr, "  %s %s: %s\n", things[i].name, things[i].argument, things[i].help);
    }
    return 2;
}

static int run(struct node_program *program, const char *what) {
    for (size_t i = 0; i < THING_COUNT; i++) {
        if (strcmp(what, things[i].name) == 0) {
            return things[i].run(program);
        }
    }
    fprintf(stderr, "rclite_node: no such thing as %s\n", what);
    return usage();
}

int main(int argc, char **argv) {
    rclite_context_options options = RCLITE_CONTEXT_OPTIONS_INIT;
    options.argc = argc;
    options.argv = (const char *const *)argv;
    options.log = log_line;
    struct node_program program = {.done = 0};
    rclite_error error = {.text = ""};
    if (rclite_context_create(&options, &program.context, &error) != RCLITE_OK) {
        return node_complain("context", &error);
    }
    signalled = program.context;
    signal(SIGTERM, on_signal);
    signal(SIGINT, on_signal);
    const char *const *rest = NULL;
    const int count = rclite_context_arguments(program.context, &rest);
    int status = 0;
    if (count != 4) {
        status = usage();
    } else if (rclite_node_create(program.context, "rclite_node", "/", &program.node, &error) !=
               RCLITE_OK) {
        status = node_complain("node", &error);
    } else {
        program.name = rest[2];
        program.wanted = strtol(rest[3], NULL, 10);
        status = run(&program, rest[1]);
    }
    rclite_node_free(program.node);
    rclite_context_free(program.context);
    return status;
}
