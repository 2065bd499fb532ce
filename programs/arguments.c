/* The arguments of the ancestors' programs: as they had them, but checked. */
#include "arguments.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool parse_whole(const char *text, int64_t min, int64_t max, int64_t *ret) {
    char *end = NULL;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || value < min ||
        value > max) {
        return false;
    }
    *ret = value;
    return true;
}

/* A number with ns, us, ms or s; 0 needs no unit. */
static bool parse_duration(const char *text, int64_t max, int64_t *ret) {
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    char *end = NULL;
    if (text[0] < '0' || text[0] > '9') {
        return false;
    }
    double value = strtod(text, &end);
    if (value == 0 && *end == '\0') {
        *ret = 0;
        return true;
    }
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        double ns = value * units[i].ns;
        if (strcmp(end, units[i].name) == 0 && ns <= (double)max) {
            *ret = llround(ns);
            return true;
        }
    }
    return false;
}

static bool set_value(const program_option *option, const char *text, char *error, size_t size) {
    if (option->duration) {
        if (parse_duration(text, option->max, option->value)) {
            return true;
        }
        snprintf(error, size, "%s: '%.40s' is not a time such as 50ms", option->long_name, text);
        return false;
    }
    if (parse_whole(text, option->min, option->max, option->value)) {
        return true;
    }
    snprintf(error, size, "%s: '%.40s' is not a whole number from %lld to %lld", option->long_name,
        text, (long long)option->min, (long long)option->max);
    return false;
}

/* The value inside word ("--run=5", "-r5"), "" if the next word is the value, NULL: another option.
 */
static const char *match(const program_option *option, const char *word) {
    size_t long_len = strlen(option->long_name);
    if (strncmp(word, option->long_name, long_len) == 0 &&
        (word[long_len] == '\0' || word[long_len] == '=')) {
        return word[long_len] == '=' ? word + long_len + 1 : "";
    }
    if (option->short_name != NULL && strncmp(word, option->short_name, 2) == 0 && word[1] != '-') {
        return word + 2;
    }
    return NULL;
}

/* Takes the option at argv[*at] and its value. False with an error. */
static bool take_option(
    program *self, int argc, char *const *argv, int *at, char *error, size_t size) {
    const program_option ros = {NULL, "--ros", 1, 2, false, &self->ros, ""};
    const char *word = argv[*at];
    for (size_t i = 0; i <= self->option_count; i++) {
        const program_option *option = i < self->option_count ? &self->options[i] : &ros;
        const char *value = match(option, word);
        if (value == NULL) {
            continue;
        }
        if (value[0] == '\0' && strchr(word, '=') == NULL) {
            if (*at + 1 >= argc) {
                snprintf(error, size, "%s needs a value", word);
                return false;
            }
            value = argv[++*at];
        }
        return set_value(option, value, error, size);
    }
    snprintf(error, size, "unknown option %.60s", word);
    return false;
}

static bool take_operand(program *self, const char *word, int *operands, char *error, size_t size) {
    if (self->operand == NULL || ++*operands > 1) {
        snprintf(error, size, "unexpected argument '%.60s'", word);
        return false;
    }
    if (!parse_whole(word, 1, INT32_MAX, &self->operand_value)) {
        snprintf(error, size, "%s: '%.40s' is not a whole number from 1 to %d", self->operand, word,
            INT32_MAX);
        return false;
    }
    return true;
}

arguments_outcome arguments_parse(
    program *self, int argc, char *const *argv, char *ret_error, size_t error_size) {
    int operands = 0;
    bool of_ros = false;
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        if (of_ros || strcmp(word, "--ros-args") == 0) {
            of_ros = strcmp(word, "--") != 0;
        } else if (strstr(word, ":=") != NULL) {
            continue; /* ROS 1: from:=to, __name:=x */
        } else if (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0) {
            return ARGUMENTS_HELP;
        } else if (word[0] == '-' && word[1] != '\0') {
            if (!take_option(self, argc, argv, &i, ret_error, error_size)) {
                return ARGUMENTS_WRONG;
            }
        } else if (!take_operand(self, word, &operands, ret_error, error_size)) {
            return ARGUMENTS_WRONG;
        }
    }
    return ARGUMENTS_GOOD;
}

void arguments_print_help(const program *self) {
    printf("usage: %s [options]%s%s%s [ROS arguments]\n%s\n\n", self->name,
        self->operand != NULL ? " [" : "", self->operand != NULL ? self->operand : "",
        self->operand != NULL ? "]" : "", self->summary);
    for (size_t i = 0; i < self->option_count; i++) {
        const program_option *option = &self->options[i];
        char value[24];
        if (option->duration) {
            snprintf(value, sizeof(value), "%lld ms", (long long)*option->value / 1000000);
        } else {
            snprintf(value, sizeof(value), "%lld", (long long)*option->value);
        }
        printf("  %s%s%-10s %s (%s)\n", option->short_name != NULL ? option->short_name : "  ",
            option->short_name != NULL ? ", " : "  ", option->long_name, option->help, value);
    }
    printf("      --ros      generation of ROS, 1 or 2 (%lld)\n"
           "  -h, --help     this\n\n"
           "The environment is the user's: ROS_DOMAIN_ID, ROS_AUTOMATIC_DISCOVERY_RANGE and\n"
           "CYCLONEDDS_URI (ROS 2; loopback if nothing is set), ROS_MASTER_URI (ROS 1).\n"
           "Exit status: 0 good, 1 a call failed, 2 trouble.\n",
        (long long)self->ros);
}
