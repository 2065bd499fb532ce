/* What the options of all commands set, and the one table of them. */
#ifndef BENCH_CLI_SETTINGS_H
#define BENCH_CLI_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/option.h"
#include "plan/expand.h"

/* Bits of option.commands. */
enum {
    CLI_TOPIC = 1 << PLAN_TOPIC,
    CLI_SERVICE = 1 << PLAN_SERVICE,
    CLI_ACTION = 1 << PLAN_ACTION,
    CLI_STARTUP = 1 << PLAN_STARTUP,
    CLI_PATTERNS = CLI_TOPIC | CLI_SERVICE | CLI_ACTION | CLI_STARTUP,
    CLI_DEFAULT = 1 << 4,
    CLI_RUN = 1 << 5,
    CLI_PEERS = 1 << 6,
    CLI_VERIFY = 1 << 7,
    CLI_REPORT = 1 << 8,
    CLI_COMPARE = 1 << 9,
    CLI_DOCTOR = 1 << 10
};

#define CLI_COUNT_STANDARD UINT64_MAX

typedef struct cli_settings {
    plan_spec spec;
    uint64_t count; /* CLI_COUNT_STANDARD: the pattern's own, or until --duration */
    char *type;     /* NULL: the pattern's */
    char *set_json; /* of --set; NULL: none */

    int rounds; /* 0: the command's standard */
    int64_t timeout_ns, budget_ns;

    int domain_id;    /* -1: one of our own */
    const char *only; /* a role, or NULL */
    char *name;
    char *master_uri, *ros2_prefix;
    strvec peer_path;

    const char *format; /* NULL: text, or by the output's suffix */
    char *output, *samples_dir, *baseline;
    bool detail;
    uint64_t seed;
} cli_settings;

extern const cli_option cli_options[];
extern const size_t cli_option_count;
option_table cli_option_table(unsigned command);

void cli_settings_init(cli_settings *settings, plan_pattern pattern);
void cli_settings_done(cli_settings *settings);

/* Sets the values given, for a command that does one thing: a list of values is refused. False with
 * a sentence (heap). */
bool cli_settings_set(cli_settings *settings, const option_line *line, char **ret_error);

/* Every combination of the values given, in order, the first option slowest: `base` with the values
 * set, finished. Heap array; NULL with a sentence (heap). */
cli_settings *cli_settings_expand(
    const cli_settings *base, const option_line *line, size_t *ret_count, char **ret_error);
/* NULL is allowed. */
void cli_settings_free(cli_settings *points, size_t count);

#endif
