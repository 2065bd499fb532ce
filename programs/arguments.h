/* The arguments of the ancestors' programs. */
#ifndef PROGRAMS_ARGUMENTS_H
#define PROGRAMS_ARGUMENTS_H

#include "program.h"

typedef enum arguments_outcome {
    ARGUMENTS_GOOD,
    ARGUMENTS_HELP,
    ARGUMENTS_WRONG
} arguments_outcome;

/* Sets the values of self's options. Words between --ros-args and -- and words with := are ROS's
 * and passed over. ARGUMENTS_WRONG: ret_error holds one sentence. */
arguments_outcome arguments_parse(
    program *self, int argc, char *const *argv, char *ret_error, size_t error_size);
void arguments_print_help(const program *self);

#endif
