/* Fuzzes the command line: sizes, times, rates, choices and lists. The first byte chooses the
 * command, the lines after it are its words. What is accepted must give settings that can be
 * planned with; what is not must be a sentence. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/settings.h"

#define WORDS_MAX 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds) {
    if (!holds) {
        abort();
    }
}

static void use_points(const option_line *line, plan_pattern pattern) {
    cli_settings base;
    char *error = NULL;
    size_t count = 0;
    cli_settings_init(&base, pattern);
    cli_settings *points = cli_settings_expand(&base, line, &count, &error);
    must((points == NULL) == (error != NULL));
    for (size_t i = 0; points != NULL && i < count; i++) {
        const plan_cell *cell = &points[i].spec.cell;
        must(plan_estimate_round_ns(cell) > 0 && (cell->count > 0 || cell->duration_ns > 0));
    }
    cli_settings_free(points, count);
    cli_settings_done(&base);
    free(error);
}

static void use_one(const option_line *line) {
    cli_settings settings;
    char *error = NULL;
    cli_settings_init(&settings, PLAN_TOPIC);
    must(cli_settings_set(&settings, line, &error) == (error == NULL));
    cli_settings_done(&settings);
    free(error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const unsigned commands[] = {CLI_TOPIC, CLI_SERVICE, CLI_ACTION, CLI_STARTUP, CLI_RUN,
        CLI_VERIFY, CLI_REPORT, CLI_COMPARE};
    if (size == 0) {
        return 0;
    }
    const size_t which = data[0] % (sizeof commands / sizeof *commands);
    char *text = malloc(size);
    if (text == NULL) {
        abort();
    }
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    char *words[WORDS_MAX], *rest = NULL;
    int count = 0;
    for (char *word = strtok_r(text, "\n", &rest); word != NULL && count < WORDS_MAX;
         word = strtok_r(NULL, "\n", &rest)) {
        words[count++] = word;
    }
    option_table table = cli_option_table(commands[which]);
    option_line line;
    char *error = NULL;
    if (!option_parse(&table, count, words, &line, &error)) {
        must(error != NULL);
        free(error);
    } else {
        if (which < PLAN_PATTERN_COUNT) {
            use_points(&line, (plan_pattern)which);
        } else {
            use_one(&line);
        }
        option_line_done(&line);
    }
    free(text);
    return 0;
}
