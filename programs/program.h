/* What the ancestors' programs have in common: their arguments, the context with the user's own
 * environment, Ctrl-C, and waiting for the other side. */
#ifndef PROGRAMS_PROGRAM_H
#define PROGRAMS_PROGRAM_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "rclite/rclite.h"

enum { PROGRAM_GOOD = 0, PROGRAM_FAILED = 1, PROGRAM_TROUBLE = 2 };

#define PROGRAM_SECOND_NS INT64_C(1000000000)
#define PROGRAM_MATCH_NS (10 * PROGRAM_SECOND_NS) /* then the program gives up */

/* An option with a whole number: "-r N", "-rN", "--run N", "--run=N". `--period` takes a time. */
typedef struct program_option {
    const char *short_name; /* "-r", or NULL */
    const char *long_name;  /* "--run" */
    int64_t min, max;
    bool duration; /* "50ms", "0.5s": *value in ns */
    int64_t *value;
    const char *help;
} program_option;

typedef struct program {
    const char *name;
    const char *summary;
    const char *operand;   /* what the one positional number is called, or NULL: there is none */
    int64_t operand_value; /* its default, then what was given */
    int64_t ros;           /* the default generation, then what --ros says */
    const program_option *options; /* --ros and --help are there without being listed */
    size_t option_count;
    rclite_context *context;
    rclite_node *node;
    pthread_t signal_thread;
    bool has_signal_thread;
} program;

/* Reads the arguments (ROS arguments are left to rclite), makes context and node. Returns true to
 * go on; otherwise *ret_status is what main returns, and the reason was said. */
bool program_start(program *self, int argc, char **argv, const char *node_name, int *ret_status);
/* Frees node and context, whatever exists. Returns status. */
int program_end(program *self, int status);

/* Says on standard error what went wrong; returns PROGRAM_TROUBLE. */
int program_trouble(const program *self, const char *what, const char *why);

/* Calls wait(user, timeout) until it is RCLITE_OK, says after 2 s what is missing and which
 * variable to set, gives up after 10 s. False: *ret_status is what main returns, and the reason was
 * said. */
bool program_await(const program *self, const char *what,
    rclite_result (*wait)(void *user, int64_t timeout_ns), void *user, int *ret_status);

/* Spins until Ctrl-C; returns what main returns. */
int program_spin(const program *self);

/* Sleeps until a moment of CLOCK_MONOTONIC, or until the context is shut down (false). */
bool program_sleep_until(const program *self, int64_t monotonic_ns);

/* "Benchmark took %d seconds and %d milliseconds." */
void program_print_duration(int64_t ns);

#endif
