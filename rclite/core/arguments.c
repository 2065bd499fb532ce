/* Reads a program's ROS arguments into rclitei_names, for both generations, and keeps what is no
 * ROS argument. Everything is checked here, so that a typing error is reported when the context is
 * made and names the argument. */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/names.h"
#include "core/rules.h"

static rclite_result set_text(const rclitei_argument_reader *in, char **field, const char *value) {
    char *copy = rclitei_copy_text(&in->names->allocator, value);
    if (!copy) {
        return rclitei_rules_no_memory(in);
    }
    rclitei_release(&in->names->allocator, *field);
    *field = copy;
    return RCLITE_OK;
}

/* ---- ROS 2 ---------------------------------------------------------------------------------- */

static rclite_result take_remap(const rclitei_argument_reader *in, const char *value) {
    rclitei_assignment parts;
    rclite_result result = rclitei_rules_split(in, value, &parts);
    return result == RCLITE_OK ? rclitei_rules_add_remap(in, &parts) : result;
}

static rclite_result take_parameter(const rclitei_argument_reader *in, const char *value) {
    rclitei_assignment parts;
    rclite_result result = rclitei_rules_split(in, value, &parts);
    return result == RCLITE_OK ? rclitei_rules_add_setting(in, &parts) : result;
}

static rclite_result refuse_parameter_file(const rclitei_argument_reader *in, const char *value) {
    (void)value;
    return rclitei_rules_bad(
        in, "parameter files are not supported, give each value with -p name:=value");
}

/* LEVEL, or LOGGER:=LEVEL, which is checked only: rclite has no named loggers. */
static rclite_result take_log_level(const rclitei_argument_reader *in, const char *value) {
    static const struct {
        const char *word;
        rclite_log_level level;
    } levels[] = {{"debug", RCLITE_LOG_DEBUG}, {"info", RCLITE_LOG_INFO}, {"warn", RCLITE_LOG_WARN},
        {"error", RCLITE_LOG_ERROR}, {"fatal", RCLITE_LOG_FATAL}};
    const char *sign = strstr(value, ":=");
    const char *word = sign ? sign + 2 : value;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        if (strcasecmp(word, levels[i].word) == 0) {
            in->names->log_level = sign ? in->names->log_level : levels[i].level;
            return RCLITE_OK;
        }
    }
    return rclitei_rules_bad(in, "the level must be debug, info, warn, error or fatal");
}

static rclite_result take_enclave(const rclitei_argument_reader *in, const char *value) {
    rclite_result result = rclitei_rules_check_name_space(in, value);
    return result == RCLITE_OK ? set_text(in, &in->names->enclave, value) : result;
}

/* Log files belong to rcl's own logging; rclite writes none. */
static rclite_result accept_unused(const rclitei_argument_reader *in, const char *value) {
    (void)in;
    (void)value;
    return RCLITE_OK;
}

typedef struct flag {
    const char *longer, *shorter;
    rclite_result (*take)(const rclitei_argument_reader *in, const char *value);
    bool has_value;
} flag;

static const flag ros2_flags[] = {
    {"--remap", "-r", take_remap, true},
    {"--param", "-p", take_parameter, true},
    {"--params-file", NULL, refuse_parameter_file, true},
    {"--log-level", NULL, take_log_level, true},
    {"--enclave", "-e", take_enclave, true},
    {"--log-config-file", NULL, accept_unused, true},
    {"--log-file-name", NULL, accept_unused, true},
    {"--enable-rosout-logs", NULL, accept_unused, false},
    {"--disable-rosout-logs", NULL, accept_unused, false},
    {"--enable-stdout-logs", NULL, accept_unused, false},
    {"--disable-stdout-logs", NULL, accept_unused, false},
    {"--enable-external-lib-logs", NULL, accept_unused, false},
    {"--disable-external-lib-logs", NULL, accept_unused, false},
};

/* One flag at *index, with its value; leaves *index on the last argument it used. */
static rclite_result take_flag(
    rclitei_argument_reader *in, const rclite_context_options *options, int *index) {
    in->argument = options->argv[*index];
    for (size_t i = 0; i < sizeof ros2_flags / sizeof *ros2_flags; i++) {
        const flag *at = &ros2_flags[i];
        if (strcmp(in->argument, at->longer) != 0 &&
            (!at->shorter || strcmp(in->argument, at->shorter) != 0)) {
            continue;
        }
        if (!at->has_value) {
            return at->take(in, NULL);
        }
        if (*index + 1 >= options->argc) {
            return rclitei_rules_bad(in, "its value is missing");
        }
        *index += 1;
        in->argument = options->argv[*index];
        return at->take(in, in->argument);
    }
    return rclitei_rules_bad(in, "unknown between --ros-args and --");
}

/* ---- ROS 1 ---------------------------------------------------------------------------------- */

static rclite_result take_ros1(const rclitei_argument_reader *in) {
    rclitei_names *names = in->names;
    const char *sign = strstr(in->argument, ":=");
    rclitei_assignment parts = {
        .left = in->argument, .left_length = (size_t)(sign - in->argument), .right = sign + 2};
    struct {
        const char *word;
        char **field;
    } texts[] = {
        {"__ip", &names->ip}, {"__hostname", &names->hostname}, {"__master", &names->master_uri}};
    if (parts.left_length == 0) {
        return rclitei_rules_bad(in, "nothing stands before ':='");
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (rclitei_rules_left_is(&parts, texts[i].word)) {
            return parts.right[0] ? set_text(in, texts[i].field, parts.right)
                                  : rclitei_rules_bad(in, "its value is missing");
        }
    }
    if (rclitei_rules_left_is(&parts, "__log")) {
        return RCLITE_OK; /* roslaunch gives it to every node; rclite writes no log file */
    }
    bool special = parts.left_length > 1 && strncmp(parts.left, "__", 2) == 0;
    if (special && !rclitei_rules_left_is(&parts, "__name") &&
        !rclitei_rules_left_is(&parts, "__ns")) {
        return rclitei_rules_bad(
            in, "unknown; known are __name, __ns, __ip, __hostname, __master and __log");
    }
    if (!special && parts.left[0] == '_' && parts.left_length > 1) {
        parts.left += 1;
        parts.left_length -= 1;
        return rclitei_rules_add_setting(in, &parts);
    }
    return rclitei_rules_add_remap(in, &parts);
}

/* ---- the pass ------------------------------------------------------------------------------- */

static rclite_result read_arguments(rclitei_argument_reader *in,
    const rclite_context_options *options, int *argc, const char **argv) {
    bool in_ros_args = false;
    for (int i = 0; i < options->argc; i++) {
        const char *argument = options->argv[i];
        bool is_ros1 = options->generation == RCLITE_ROS1 && i > 0 && strstr(argument, ":=");
        rclite_result result = RCLITE_OK;
        in->argument = argument;
        if (is_ros1) {
            result = take_ros1(in);
        } else if (options->generation == RCLITE_ROS2 && strcmp(argument, "--ros-args") == 0) {
            in_ros_args = true;
        } else if (in_ros_args && strcmp(argument, "--") == 0) {
            in_ros_args = false;
        } else if (in_ros_args) {
            result = take_flag(in, options, &i);
        } else {
            argv[*argc] = rclitei_copy_text(&in->names->allocator, argument);
            result = argv[*argc] ? RCLITE_OK : rclitei_rules_no_memory(in);
            *argc += result == RCLITE_OK;
        }
        if (result != RCLITE_OK) {
            return result;
        }
    }
    return RCLITE_OK;
}

static rclite_result read_environment(rclitei_argument_reader *in) {
    const char *value = getenv("ROS_NAMESPACE");
    if (in->names->generation != RCLITE_ROS1 || !value || !value[0]) {
        return RCLITE_OK;
    }
    return set_text(in, &in->names->base_name_space, value);
}

rclite_result rclitei_names_create(const rclite_context_options *options,
    const rclite_allocator *allocator, rclitei_names **ret_names, int *ret_argc,
    const char ***ret_argv, rclite_error *reterr) {
    rclitei_names *names = rclitei_allocate(allocator, sizeof *names);
    const char **argv = rclitei_allocate(allocator, ((size_t)options->argc + 1) * sizeof *argv);
    int argc = 0;
    if (!names || !argv) {
        rclitei_release(allocator, names);
        rclitei_release(allocator, argv);
        return rclitei_fail(reterr, RCLITE_ERR_NO_MEMORY, 0, "no memory for the ROS arguments");
    }
    names->allocator = *allocator;
    names->generation = options->generation;
    names->log_level = RCLITE_LOG_INFO;
    rclitei_argument_reader in = {.names = names, .argument = "", .reterr = reterr};
    rclite_result result = set_text(&in, &names->enclave, "/");
    if (result == RCLITE_OK) {
        result = read_environment(&in);
    }
    if (result == RCLITE_OK) {
        result = read_arguments(&in, options, &argc, argv);
    }
    if (result != RCLITE_OK) {
        rclitei_names_free(names, argc, argv);
        return result;
    }
    *ret_names = names;
    *ret_argc = argc;
    *ret_argv = argv;
    return RCLITE_OK;
}

rclitei_names *rclitei_names_free(rclitei_names *names, int argc, const char **argv) {
    if (!names) {
        return NULL;
    }
    rclite_allocator allocator = names->allocator;
    for (int i = 0; i < argc; i++) {
        rclitei_release(&allocator, (char *)argv[i]);
    }
    rclitei_release(&allocator, argv);
    rclitei_rules_free(names);
    char *texts[] = {
        names->base_name_space, names->ip, names->hostname, names->master_uri, names->enclave};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        rclitei_release(&allocator, texts[i]);
    }
    return rclitei_release(&allocator, names);
}
