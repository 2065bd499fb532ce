/* One value of one option: checked and stored; see option.h. */
#include "cli/option.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"
#include "util/nearest.h"
#include "util/strbuf.h"
#include "util/units.h"

/* What an option's value may be, for messages. */
static char *allowed(const cli_option *option) {
    strbuf text = {0};
    switch (option->kind) {
    case OPTION_FLAG:
        strbuf_append(&text, "true or false");
        break;
    case OPTION_BYTES:
        strbuf_append(&text, "a size such as 64, 1KiB, 1MB");
        break;
    case OPTION_COUNT:
        strbuf_append(&text, "a count such as 1000 or 10k");
        break;
    case OPTION_NUMBER:
        strbuf_append(&text, "a whole number");
        break;
    case OPTION_DURATION:
        strbuf_append(&text, "a duration with its unit, such as 5ms, 2s, 1m");
        break;
    case OPTION_RATE:
        strbuf_append(&text, "a rate in Hz above 0, such as 20 or 1k");
        break;
    case OPTION_CHOICE:
    case OPTION_INDEX:
    case OPTION_CUSTOM:
        strbuf_append(&text, "one of ");
        for (size_t i = 0; option->choices != NULL && option->choices[i] != NULL; i++) {
            strbuf_appendf(&text, "%s%s", i == 0 ? "" : ", ", option->choices[i]);
        }
        break;
    default:
        strbuf_append(&text, "a text that is not empty");
        break;
    }
    bool numeric = option->kind == OPTION_BYTES || option->kind == OPTION_COUNT ||
                   option->kind == OPTION_NUMBER;
    if (numeric && option->max != 0) {
        strbuf_appendf(&text, ", from %" PRId64 " to %" PRId64, option->min, option->max);
    }
    char duration[UNITS_TEXT_MAX];
    if (option->kind == OPTION_DURATION && option->min > 0) {
        strbuf_appendf(&text, ", at least %s", units_format_duration(option->min, duration));
    }
    return strbuf_take(&text);
}

static bool refuse(const cli_option *option, const char *value, char **ret_error) {
    char *what = allowed(option);
    *ret_error = util_format("--%s: '%s' is not possible; it takes %s", option->name, value, what);
    free(what);
    return false;
}

static bool in_range(const cli_option *option, uint64_t value) {
    uint64_t max = option->max == 0 ? UINT64_MAX : (uint64_t)option->max;
    return value >= (uint64_t)option->min && value <= max;
}

static bool parse_flag(const char *value, bool *ret_flag) {
    static const char *const words[] = {"true", "yes", "on", "false", "no", "off"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(value, words[i]) == 0) {
            *ret_flag = i < 3;
            return true;
        }
    }
    return false;
}

static int choice_index(const cli_option *option, const char *value) {
    for (int i = 0; option->choices != NULL && option->choices[i] != NULL; i++) {
        if (strcmp(option->choices[i], value) == 0) {
            return i;
        }
    }
    return -1;
}

/* A parsed value, before it is stored. */
typedef union parsed {
    bool flag;
    uint64_t number;
    int64_t ns;
    int index;
} parsed;

static bool parse_rate(const char *value, int64_t *ret_period_ns) {
    double hz;
    if (!units_parse_rate(value, &hz) || hz < 1e-6 || hz > 1e9) {
        return false;
    }
    *ret_period_ns = (int64_t)(1e9 / hz + 0.5);
    return true;
}

static bool parse_value(const cli_option *option, const char *value, parsed *ret) {
    switch (option->kind) {
    case OPTION_FLAG:
        return parse_flag(value, &ret->flag);
    case OPTION_BYTES:
        return units_parse_bytes(value, &ret->number) && in_range(option, ret->number);
    case OPTION_COUNT:
    case OPTION_NUMBER:
        return units_parse_count(value, &ret->number) && in_range(option, ret->number);
    case OPTION_DURATION:
        return units_parse_duration(value, &ret->ns) && ret->ns >= option->min &&
               (option->max == 0 || ret->ns <= option->max);
    case OPTION_RATE:
        return parse_rate(value, &ret->ns);
    case OPTION_CHOICE:
    case OPTION_INDEX:
        ret->index = choice_index(option, value);
        return ret->index >= 0;
    case OPTION_CUSTOM:
        return option->choices == NULL || choice_index(option, value) >= 0;
    default:
        return value[0] != '\0';
    }
}

bool option_check(const cli_option *option, const char *value, char **ret_error) {
    parsed ignored;
    return parse_value(option, value, &ignored) || refuse(option, value, ret_error);
}

static void append_list(strvec *list, const char *value) {
    strvec pieces = {0};
    strvec_split(&pieces, value, ',');
    for (size_t i = 0; i < pieces.count; i++) {
        if (pieces.items[i][0] != '\0') {
            strvec_push(list, pieces.items[i]);
        }
    }
    strvec_done(&pieces);
}

bool option_set(const cli_option *option, void *settings, const char *value, char **ret_error) {
    parsed result;
    if (!parse_value(option, value, &result)) {
        return refuse(option, value, ret_error);
    }
    char *at = (char *)settings + option->offset;
    switch (option->kind) {
    case OPTION_FLAG:
        *(bool *)(void *)at = result.flag;
        return true;
    case OPTION_BYTES:
    case OPTION_COUNT:
        *(uint64_t *)(void *)at = result.number;
        return true;
    case OPTION_NUMBER:
        *(int *)(void *)at = (int)result.number;
        return true;
    case OPTION_DURATION:
    case OPTION_RATE:
        *(int64_t *)(void *)at = result.ns;
        return true;
    case OPTION_CHOICE:
        *(const char **)(void *)at = option->choices[result.index];
        return true;
    case OPTION_INDEX:
        *(int *)(void *)at = result.index;
        return true;
    case OPTION_LIST:
        append_list((strvec *)(void *)at, value);
        return true;
    case OPTION_TEXT:
        free(*(char **)(void *)at);
        *(char **)(void *)at = util_strdup(value);
        return true;
    default:
        return option->set(settings, value, ret_error);
    }
}
