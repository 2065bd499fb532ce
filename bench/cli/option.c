/* Parses a command line by an option table; see option.h. */
#include "cli/option.h"

#include <stdlib.h>
#include <string.h>

#include "util/memory.h"
#include "util/nearest.h"

static const cli_option help_option = {.name = "help", .short_name = 'h', .kind = OPTION_FLAG};
static const cli_option version_option = {.name = "version", .kind = OPTION_FLAG};

static bool offered(const option_table *table, const cli_option *option) {
    return (option->commands & table->command) != 0;
}

/* Equal but for '_' and '-'; `len` of a. */
static bool same_name(const char *a, size_t len, const char *b) {
    for (size_t i = 0; i < len; i++) {
        char one = a[i] == '_' ? '-' : a[i];
        if (b[i] != one) {
            return false;
        }
    }
    return b[len] == '\0';
}

static bool has_alias(const cli_option *option, const char *name) {
    const char *word = option->aliases;
    while (word != NULL && *word != '\0') {
        size_t len = strcspn(word, " ");
        if (strlen(name) == len && strncmp(word, name, len) == 0) {
            return true;
        }
        word += len + strspn(word + len, " ");
    }
    return false;
}

static char *unknown(const option_table *table, const char *name) {
    const char **names = util_alloc(table->count + 2, sizeof *names);
    size_t count = 0;
    names[count++] = help_option.name;
    names[count++] = version_option.name;
    bool elsewhere = false;
    for (size_t i = 0; i < table->count; i++) {
        if (offered(table, &table->items[i])) {
            names[count++] = table->items[i].name;
        } else {
            elsewhere = elsewhere || strcmp(table->items[i].name, name) == 0;
        }
    }
    const char *near = nearest_word(name, names, count);
    char *sentence = elsewhere ? util_format("--%s is not an option of this command", name)
                     : near != NULL
                         ? util_format("there is no option --%s (did you mean --%s?)", name, near)
                         : util_format("there is no option --%s", name);
    free(names);
    return sentence;
}

const cli_option *option_find(const option_table *table, const char *name, char **ret_error) {
    size_t len = strlen(name);
    for (size_t i = 0; i < table->count; i++) {
        const cli_option *option = &table->items[i];
        if (offered(table, option) &&
            (same_name(name, len, option->name) || has_alias(option, name))) {
            return option;
        }
    }
    *ret_error = unknown(table, name);
    return NULL;
}

static const cli_option *find_short(const option_table *table, char name) {
    for (size_t i = 0; i < table->count; i++) {
        if (offered(table, &table->items[i]) && table->items[i].short_name == name) {
            return &table->items[i];
        }
    }
    return NULL;
}

static bool add_value(option_given *given, const char *value, char **ret_error) {
    if (!option_check(given->option, value, ret_error)) {
        return false;
    }
    strvec_push(&given->values, value);
    return true;
}

bool option_add(option_line *line, const cli_option *option, const char *value, char **ret_error) {
    util_reserve(&line->items, &line->capacity, line->count + 1, sizeof *line->items);
    option_given *given = &line->items[line->count++];
    *given = (option_given){.option = option};
    if (value == NULL) {
        return add_value(given, "true", ret_error);
    }
    if (!option->matrix) {
        return add_value(given, value, ret_error);
    }
    strvec pieces = {0};
    strvec_split(&pieces, value, ',');
    bool ok = true;
    for (size_t i = 0; ok && i < pieces.count; i++) {
        ok = add_value(given, pieces.items[i], ret_error);
    }
    strvec_done(&pieces);
    return ok;
}

void option_line_done(option_line *line) {
    for (size_t i = 0; i < line->count; i++) {
        strvec_done(&line->items[i].values);
    }
    free(line->items);
    strvec_done(&line->operands);
    memset(line, 0, sizeof *line);
}

/* The words that are left to parse. */
typedef struct words {
    int argc;
    char *const *argv;
    int next;
} words;

static bool take_argument(words *rest, const cli_option *option, const char *attached,
    const char **ret_value, char **ret_error) {
    if (attached != NULL) {
        *ret_value = attached;
        return true;
    }
    if (rest->next >= rest->argc) {
        *ret_error = util_format("--%s needs a value: %s", option->name, option->argument);
        return false;
    }
    *ret_value = rest->argv[rest->next++];
    return true;
}

static bool take_long(
    const option_table *table, words *rest, const char *word, option_line *line, char **ret_error) {
    const char *equals = strchr(word, '=');
    char *name = util_strndup(word, equals == NULL ? strlen(word) : (size_t)(equals - word));
    const char *value = equals == NULL ? NULL : equals + 1;
    bool ok = false;
    if (strcmp(name, help_option.name) == 0 || strcmp(name, version_option.name) == 0) {
        *(strcmp(name, help_option.name) == 0 ? &line->help : &line->version) = true;
        ok = true;
    } else {
        const cli_option *option = option_find(table, name, ret_error);
        ok = option != NULL &&
             (option->kind == OPTION_FLAG ||
                 take_argument(rest, option, value, &value, ret_error)) &&
             option_add(line, option, value, ret_error);
    }
    free(name);
    return ok;
}

/* "-n100", "-n 100"; flags may be put together. */
static bool take_short(
    const option_table *table, words *rest, const char *word, option_line *line, char **ret_error) {
    for (; *word != '\0'; word++) {
        const cli_option *option = find_short(table, *word);
        if (option == NULL && *word == help_option.short_name) {
            line->help = true;
            continue;
        }
        if (option == NULL) {
            *ret_error = util_format("there is no option -%c", *word);
            return false;
        }
        if (option->kind == OPTION_FLAG) {
            if (!option_add(line, option, NULL, ret_error)) {
                return false;
            }
            continue;
        }
        const char *value = NULL;
        return take_argument(rest, option, word[1] == '\0' ? NULL : word + 1, &value, ret_error) &&
               option_add(line, option, value, ret_error);
    }
    return true;
}

bool option_parse(const option_table *table, int argc, char *const *argv, option_line *ret_line,
    char **ret_error) {
    memset(ret_line, 0, sizeof *ret_line);
    words rest = {argc, argv, 0};
    bool operands_only = false;
    bool ok = true;
    while (ok && rest.next < argc) {
        const char *word = argv[rest.next++];
        if (operands_only || word[0] != '-' || word[1] == '\0') {
            strvec_push(&ret_line->operands, word);
        } else if (strcmp(word, "--") == 0) {
            operands_only = true;
        } else if (word[1] == '-') {
            ok = take_long(table, &rest, word + 2, ret_line, ret_error);
        } else {
            ok = take_short(table, &rest, word + 1, ret_line, ret_error);
        }
    }
    if (!ok) {
        option_line_done(ret_line);
    }
    return ok;
}
