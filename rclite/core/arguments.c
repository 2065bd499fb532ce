/* Reads a program's ROS arguments into rclitei_names, for both generations, and keeps what is no
 * ROS argument. Everything is checked here, so that a typing error is reported when the context is
 * made and names the argument. */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/names.h"

#define ALL_KINDS ((1u << RCLITEI_NAME_KIND_COUNT) - 1)
#define SERVICE_KIND (1u << RCLITEI_NAME_SERVICE)

/* The state of one pass over argv. */
typedef struct reader {
    rclitei_names *names;
    const char *argument; /* as given, for error texts */
    rclite_error *reterr;
} reader;

static rclite_result bad(const reader *in, const char *reason) {
    return rclitei_fail(
        in->reterr, RCLITE_ERR_INVALID, 0, "ROS argument '%.120s': %s", in->argument, reason);
}

static rclite_result no_memory(const reader *in) {
    return rclitei_fail(in->reterr, RCLITE_ERR_NO_MEMORY, 0, "no memory for the ROS arguments");
}

/* Copies length bytes of text; length SIZE_MAX: all. */
static char *copy_part(const reader *in, const char *text, size_t length) {
    return rclitei_format(&in->names->allocator, "%.*s", (int)length, text);
}

static rclite_result set_text(const reader *in, char **field, const char *value) {
    char *copy = rclitei_copy_text(&in->names->allocator, value);
    if (!copy) {
        return no_memory(in);
    }
    rclitei_release(&in->names->allocator, *field);
    *field = copy;
    return RCLITE_OK;
}

/* ---- rules ---------------------------------------------------------------------------------- */

/* A text "[node:]left:=right" in its parts. */
typedef struct assignment {
    const char *node; /* NULL: none */
    size_t node_length;
    const char *left;
    size_t left_length;
    const char *right;
} assignment;

static rclite_result split(const reader *in, const char *text, assignment *ret_parts) {
    const char *sign = strstr(text, ":=");
    if (!sign) {
        return bad(in, "':=' is missing");
    }
    assignment parts = {.left = text, .left_length = (size_t)(sign - text), .right = sign + 2};
    const char *colon = memchr(text, ':', parts.left_length);
    if (colon && strncmp(colon, "://", 3) != 0) {
        parts.node = text;
        parts.node_length = (size_t)(colon - text);
        parts.left = colon + 1;
        parts.left_length -= parts.node_length + 1;
    }
    if (parts.left_length == 0) {
        return bad(in, "nothing stands before ':='");
    }
    *ret_parts = parts;
    return RCLITE_OK;
}

static bool left_is(const assignment *parts, const char *word) {
    return strlen(word) == parts->left_length && memcmp(parts->left, word, parts->left_length) == 0;
}

/* Copies the node prefix, if any, after checking it. */
static rclite_result copy_node(const reader *in, const assignment *parts, char **ret_node) {
    if (!parts->node) {
        *ret_node = NULL;
        return RCLITE_OK;
    }
    char *node = copy_part(in, parts->node, parts->node_length);
    if (!node) {
        return no_memory(in);
    }
    const char *reason = rclitei_check_node_name(in->names->generation, node);
    if (reason) {
        rclitei_release(&in->names->allocator, node);
        return bad(in, "what stands before ':' is no node name");
    }
    *ret_node = node;
    return RCLITE_OK;
}

static void rule_done(const rclite_allocator *allocator, rclitei_remap *rule) {
    rclitei_release(allocator, rule->node);
    rclitei_release(allocator, rule->from);
    rclitei_release(allocator, rule->to);
}

/* Adds a rule made of copies of the parts. */
static rclite_result add_rule(const reader *in, const assignment *parts, unsigned kinds,
    rclitei_remap **rules, size_t *count, size_t *capacity) {
    const rclite_allocator *allocator = &in->names->allocator;
    rclitei_remap *rule = rclitei_grow(allocator, rules, *count, capacity, sizeof *rule);
    if (!rule) {
        return no_memory(in);
    }
    rule->kinds = kinds;
    rclite_result result = copy_node(in, parts, &rule->node);
    if (result != RCLITE_OK) {
        return result;
    }
    rule->from = copy_part(in, parts->left, parts->left_length);
    rule->to = rclitei_copy_text(allocator, parts->right);
    if (!rule->from || !rule->to) {
        rule_done(allocator, rule);
        return no_memory(in);
    }
    *count += 1;
    return RCLITE_OK;
}

static rclite_result check_name_space(const reader *in, const char *text) {
    if (text[0] != '/') {
        return bad(in, "a namespace begins with '/'");
    }
    const char *reason =
        text[1] == '\0' ? NULL : rclitei_check_full_name(in->names->generation, text);
    return reason ? bad(in, reason) : RCLITE_OK;
}

/* Both sides must be names that some node could use. */
static rclite_result check_sides(const reader *in, const rclitei_remap *rule) {
    const char *sides[] = {rule->from, rule->to};
    for (int i = 0; i < 2; i++) {
        char *full;
        const char *reason;
        rclite_result result = rclitei_expand_name(
            in->names->generation, &in->names->allocator, "node", "/", sides[i], &full, &reason);
        if (result == RCLITE_ERR_NAME) {
            return bad(in, reason);
        }
        if (result != RCLITE_OK) {
            return no_memory(in);
        }
        rclitei_release(&in->names->allocator, full);
    }
    return RCLITE_OK;
}

static rclite_result add_name_remap(const reader *in, assignment parts) {
    static const struct {
        const char *prefix;
        unsigned kinds;
    } schemes[] = {{"rostopic://", ALL_KINDS & ~SERVICE_KIND}, {"rosservice://", SERVICE_KIND}};
    unsigned kinds = ALL_KINDS;
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        size_t length = strlen(schemes[i].prefix);
        if (parts.left_length > length && memcmp(parts.left, schemes[i].prefix, length) == 0) {
            kinds = schemes[i].kinds;
            parts.left += length;
            parts.left_length -= length;
            break;
        }
    }
    rclitei_names *names = in->names;
    rclite_result result =
        add_rule(in, &parts, kinds, &names->remaps, &names->remap_count, &names->remap_capacity);
    return result == RCLITE_OK ? check_sides(in, &names->remaps[names->remap_count - 1]) : result;
}

static rclite_result add_remap(const reader *in, const assignment *parts) {
    rclitei_names *names = in->names;
    if (left_is(parts, "__node") || left_is(parts, "__name")) {
        const char *reason = rclitei_check_node_name(names->generation, parts->right);
        return reason ? bad(in, reason)
                      : add_rule(in, parts, 0, &names->node_names, &names->node_name_count,
                            &names->node_name_capacity);
    }
    if (left_is(parts, "__ns")) {
        rclite_result result = check_name_space(in, parts->right);
        return result != RCLITE_OK ? result
                                   : add_rule(in, parts, 0, &names->name_spaces,
                                         &names->name_space_count, &names->name_space_capacity);
    }
    return add_name_remap(in, *parts);
}

static rclite_result add_setting(const reader *in, const assignment *parts) {
    rclitei_names *names = in->names;
    const rclite_allocator *allocator = &names->allocator;
    rclitei_setting *setting = rclitei_grow(allocator, &names->settings, names->setting_count,
        &names->setting_capacity, sizeof *setting);
    if (!setting) {
        return no_memory(in);
    }
    rclite_result result = copy_node(in, parts, &setting->node);
    if (result != RCLITE_OK) {
        return result;
    }
    setting->name = copy_part(in, parts->left, parts->left_length);
    setting->value = rclitei_copy_text(allocator, parts->right);
    if (!setting->name || !setting->value) {
        rclitei_release(allocator, setting->node);
        rclitei_release(allocator, setting->name);
        rclitei_release(allocator, setting->value);
        return no_memory(in);
    }
    names->setting_count += 1;
    return RCLITE_OK;
}

/* ---- ROS 2 ---------------------------------------------------------------------------------- */

static rclite_result take_remap(const reader *in, const char *value) {
    assignment parts;
    rclite_result result = split(in, value, &parts);
    return result == RCLITE_OK ? add_remap(in, &parts) : result;
}

static rclite_result take_parameter(const reader *in, const char *value) {
    assignment parts;
    rclite_result result = split(in, value, &parts);
    return result == RCLITE_OK ? add_setting(in, &parts) : result;
}

static rclite_result refuse_parameter_file(const reader *in, const char *value) {
    (void)value;
    return bad(in, "parameter files are not supported, give each value with -p name:=value");
}

/* LEVEL, or LOGGER:=LEVEL, which is checked only: rclite has no named loggers. */
static rclite_result take_log_level(const reader *in, const char *value) {
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
    return bad(in, "the level must be debug, info, warn, error or fatal");
}

static rclite_result take_enclave(const reader *in, const char *value) {
    rclite_result result = check_name_space(in, value);
    return result == RCLITE_OK ? set_text(in, &in->names->enclave, value) : result;
}

/* Log files belong to rcl's own logging; rclite writes none. */
static rclite_result accept_unused(const reader *in, const char *value) {
    (void)in;
    (void)value;
    return RCLITE_OK;
}

typedef struct flag {
    const char *longer, *shorter;
    rclite_result (*take)(const reader *in, const char *value);
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
static rclite_result take_flag(reader *in, const rclite_context_options *options, int *index) {
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
            return bad(in, "its value is missing");
        }
        *index += 1;
        in->argument = options->argv[*index];
        return at->take(in, in->argument);
    }
    return bad(in, "unknown between --ros-args and --");
}

/* ---- ROS 1 ---------------------------------------------------------------------------------- */

static rclite_result take_ros1(const reader *in) {
    rclitei_names *names = in->names;
    const char *sign = strstr(in->argument, ":=");
    assignment parts = {
        .left = in->argument, .left_length = (size_t)(sign - in->argument), .right = sign + 2};
    struct {
        const char *word;
        char **field;
    } texts[] = {
        {"__ip", &names->ip}, {"__hostname", &names->hostname}, {"__master", &names->master_uri}};
    if (parts.left_length == 0) {
        return bad(in, "nothing stands before ':='");
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (left_is(&parts, texts[i].word)) {
            return parts.right[0] ? set_text(in, texts[i].field, parts.right)
                                  : bad(in, "its value is missing");
        }
    }
    if (left_is(&parts, "__log")) {
        return RCLITE_OK; /* roslaunch gives it to every node; rclite writes no log file */
    }
    bool special = parts.left_length > 1 && strncmp(parts.left, "__", 2) == 0;
    if (special && !left_is(&parts, "__name") && !left_is(&parts, "__ns")) {
        return bad(in, "unknown; known are __name, __ns, __ip, __hostname, __master and __log");
    }
    if (!special && parts.left[0] == '_' && parts.left_length > 1) {
        parts.left += 1;
        parts.left_length -= 1;
        return add_setting(in, &parts);
    }
    return add_remap(in, &parts);
}

/* ---- the pass ------------------------------------------------------------------------------- */

static rclite_result read_arguments(
    reader *in, const rclite_context_options *options, int *argc, const char **argv) {
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
            result = argv[*argc] ? RCLITE_OK : no_memory(in);
            *argc += result == RCLITE_OK;
        }
        if (result != RCLITE_OK) {
            return result;
        }
    }
    return RCLITE_OK;
}

static rclite_result read_environment(reader *in) {
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
    reader in = {.names = names, .argument = "", .reterr = reterr};
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

static void rules_free(const rclite_allocator *allocator, rclitei_remap *rules, size_t count) {
    for (size_t i = 0; i < count; i++) {
        rule_done(allocator, &rules[i]);
    }
    rclitei_release(allocator, rules);
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
    rules_free(&allocator, names->remaps, names->remap_count);
    rules_free(&allocator, names->node_names, names->node_name_count);
    rules_free(&allocator, names->name_spaces, names->name_space_count);
    for (size_t i = 0; i < names->setting_count; i++) {
        rclitei_release(&allocator, names->settings[i].node);
        rclitei_release(&allocator, names->settings[i].name);
        rclitei_release(&allocator, names->settings[i].value);
    }
    rclitei_release(&allocator, names->settings);
    char *texts[] = {
        names->base_name_space, names->ip, names->hostname, names->master_uri, names->enclave};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        rclitei_release(&allocator, texts[i]);
    }
    return rclitei_release(&allocator, names);
}
