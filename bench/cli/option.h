/* Options from one declarative table per command: the table parses the command line, checks values,
 * reads the same keys from plan files, and prints --help. */
#ifndef BENCH_CLI_OPTION_H
#define BENCH_CLI_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "util/strvec.h"

typedef enum option_kind {
    OPTION_FLAG,     /* bool; no argument */
    OPTION_TEXT,     /* char *, heap */
    OPTION_LIST,     /* strvec; comma separated, may be given again */
    OPTION_BYTES,    /* uint64_t */
    OPTION_COUNT,    /* uint64_t */
    OPTION_NUMBER,   /* int */
    OPTION_DURATION, /* int64_t ns */
    OPTION_RATE,     /* int64_t: the period in ns */
    OPTION_CHOICE,   /* const char *: one of `choices` */
    OPTION_INDEX,    /* int: the index in `choices` */
    OPTION_CUSTOM,   /* `set` does it; checked against `choices` if there are any */
    OPTION_KIND_COUNT
} option_kind;

typedef struct cli_option {
    const char *name; /* without "--" */
    char short_name;  /* 0: none */
    option_kind kind;
    bool matrix;                /* several values, comma separated: one measurement each */
    unsigned commands;          /* which commands have it, a mask of the caller's */
    size_t offset;              /* into the settings */
    int64_t min, max;           /* of numbers; max 0: as far as the type goes */
    const char *const *choices; /* ends with NULL */
    bool (*set)(void *settings, const char *value, char **ret_error); /* OPTION_CUSTOM */
    const char *argument;                                             /* what --help calls it */
    const char *aliases; /* other names that are understood, space separated, or NULL */
    const char *help;    /* NULL: not shown; "": the choices say it */
    const char *group;   /* heading; NULL: that of the option before */
} cli_option;

typedef struct option_table {
    const cli_option *items;
    size_t count;
    unsigned command; /* only options with this bit */
} option_table;

/* One option as given, values checked; matrix options may have several. */
typedef struct option_given {
    const cli_option *option;
    strvec values;
} option_given;

typedef struct option_line {
    option_given *items;
    size_t count, capacity;
    strvec operands;
    bool help, version;
} option_line;

/* Parses argv[0..argc-1], the words after the command. False with a sentence (heap). The values are
 * checked but nothing is set. */
bool option_parse(const option_table *table, int argc, char *const *argv, option_line *ret_line,
    char **ret_error);
void option_line_done(option_line *line);

/* Finds by long name (or alias; '_' is as good as '-'). NULL with a sentence (heap) that suggests.
 */
const cli_option *option_find(const option_table *table, const char *name, char **ret_error);

/* Adds one option with its value (NULL for a flag) as if it had been given. */
bool option_add(option_line *line, const cli_option *option, const char *value, char **ret_error);

/* Stores one value. False with a sentence (heap) that names option, value and what is allowed. */
bool option_set(const cli_option *option, void *settings, const char *value, char **ret_error);
/* Checks one value as option_set() would. */
bool option_check(const cli_option *option, const char *value, char **ret_error);

void option_print_help(const option_table *table, FILE *out);

#endif
