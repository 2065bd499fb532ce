/* What the ancestors' programs have in common: see program.h. */
#include "program.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "arguments.h"

#define PATIENCE_NS (2 * PROGRAM_SECOND_NS) /* then the user is told what to set */
#define SLICE_NS (PROGRAM_SECOND_NS / 5)

int program_trouble(const program *self, const char *what, const char *why) {
    fprintf(stderr, "%s: %s%s%s\n", self->name, what, why[0] != '\0' ? ": " : "", why);
    return PROGRAM_TROUBLE;
}

/* The signals are blocked everywhere and taken here, so that no handler and no global is needed. */
static void *take_signals(void *user) {
    rclite_context *context = user;
    sigset_t set;
    int number;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    while (sigwait(&set, &number) == 0) {
        rclite_context_shutdown(context);
    }
    return NULL;
}

static void block_signals(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static void log_problem(rclite_log_level level, const char *text, void *user) {
    if (level >= RCLITE_LOG_WARN) {
        fprintf(stderr, "%s: %s\n", (const char *)user, text);
    }
}

static bool create_context(program *self, int argc, char **argv) {
    rclite_context_options options = RCLITE_CONTEXT_OPTIONS_INIT;
    options.generation = self->ros == 1 ? RCLITE_ROS1 : RCLITE_ROS2;
    options.argc = argc;
    options.argv = (const char *const *)argv;
    options.log = log_problem;
    options.log_user = (void *)(uintptr_t)self->name;
    rclite_error error = {.text = ""};
    if (rclite_context_create(&options, &self->context, &error) == RCLITE_OK) {
        return true;
    }
    program_trouble(self, error.text, "");
    if (self->ros == 1) {
        fputs(
            "Set ROS_MASTER_URI to a running master, or use --ros 2, which needs none.\n", stderr);
    }
    return false;
}

bool program_start(program *self, int argc, char **argv, const char *node_name, int *ret_status) {
    char wrong[200];
    *ret_status = PROGRAM_TROUBLE;
    switch (arguments_parse(self, argc, argv, wrong, sizeof(wrong))) {
    case ARGUMENTS_HELP:
        arguments_print_help(self);
        *ret_status = PROGRAM_GOOD;
        return false;
    case ARGUMENTS_WRONG:
        program_trouble(self, wrong, "see --help");
        return false;
    case ARGUMENTS_GOOD:
        break;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    block_signals();
    if (!create_context(self, argc, argv)) {
        return false;
    }
    self->has_signal_thread =
        pthread_create(&self->signal_thread, NULL, take_signals, self->context) == 0;
    rclite_error error = {.text = ""};
    if (!self->has_signal_thread ||
        rclite_node_create(self->context, node_name, "", &self->node, &error) != RCLITE_OK) {
        *ret_status = program_end(self, program_trouble(self, "cannot start", error.text));
        return false;
    }
    return true;
}

int program_end(program *self, int status) {
    rclite_node_free(self->node);
    if (self->has_signal_thread) {
        pthread_cancel(self->signal_thread);
        pthread_join(self->signal_thread, NULL);
    }
    rclite_context_free(self->context);
    return status;
}

/* A member of the context's description, which is one flat object, as it stands there. */
static void print_member(const char *description, const char *key) {
    const char *at = strstr(description, key);
    if (at == NULL) {
        return;
    }
    at += strlen(key);
    int depth = 0;
    size_t len = 0;
    for (; at[len] != '\0' && (depth > 0 || (at[len] != ',' && at[len] != '}')); len++) {
        depth += (at[len] == '[') - (at[len] == ']');
    }
    fprintf(stderr, "%.*s", (int)len, at);
}

static void say_what_to_set(const program *self, const char *what) {
    const char *here = rclite_context_describe(self->context);
    fprintf(stderr, "%s: no %s yet. ", self->name, what);
    if (self->ros == 1) {
        fputs("Here: master", stderr);
        print_member(here, "\"master_uri\":");
        fputs(". Both sides need the same ROS_MASTER_URI.\n", stderr);
    } else {
        fputs("Here: domain ", stderr);
        print_member(here, "\"domain\":");
        fputs(", interfaces ", stderr);
        print_member(here, "\"interfaces\":");
        fputs(".\nBoth sides need the same ROS_DOMAIN_ID and a common interface: set "
              "ROS_AUTOMATIC_DISCOVERY_RANGE\n(SUBNET or LOCALHOST) or CYCLONEDDS_URI alike.\n",
            stderr);
    }
}

bool program_await(const program *self, const char *what,
    rclite_result (*wait)(void *user, int64_t timeout_ns), void *user, int *ret_status) {
    int64_t begun_ns = rclite_monotonic_ns();
    bool said = false;
    rclite_result result = RCLITE_ERR_TIMEOUT;
    while (result == RCLITE_ERR_TIMEOUT) {
        int64_t waited_ns = rclite_monotonic_ns() - begun_ns;
        if (waited_ns > PATIENCE_NS && !said) {
            say_what_to_set(self, what);
            said = true;
        }
        if (waited_ns > PROGRAM_MATCH_NS) {
            break;
        }
        result = wait(user, SLICE_NS);
    }
    if (result == RCLITE_OK) {
        return true;
    }
    char text[160];
    snprintf(text, sizeof(text), "no %s", what);
    *ret_status =
        result == RCLITE_ERR_TIMEOUT
            ? program_trouble(self, text, "gave up after 10 s")
            : program_trouble(self, text,
                  result == RCLITE_ERR_SHUTDOWN ? "interrupted" : rclite_result_string(result));
    return false;
}

int program_spin(const program *self) {
    rclite_result result = rclite_spin(self->context);
    return result == RCLITE_OK ? PROGRAM_GOOD
                               : program_trouble(self, "cannot spin", rclite_result_string(result));
}

bool program_sleep_until(const program *self, int64_t monotonic_ns) {
    while (!rclite_context_is_shutdown(self->context)) {
        int64_t now_ns = rclite_monotonic_ns();
        if (now_ns >= monotonic_ns) {
            return true;
        }
        int64_t until_ns = monotonic_ns - now_ns > SLICE_NS ? now_ns + SLICE_NS : monotonic_ns;
        struct timespec until = {.tv_sec = (time_t)(until_ns / PROGRAM_SECOND_NS),
            .tv_nsec = (long)(until_ns % PROGRAM_SECOND_NS)};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    }
    return false;
}

void program_print_duration(int64_t ns) {
    int64_t milliseconds = ns / 1000000;
    printf("Benchmark took %d seconds and %d milliseconds.\n", (int)(milliseconds / 1000),
        (int)(milliseconds % 1000));
}
