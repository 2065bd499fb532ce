/* Validity, expansion and remapping of names. How the rules come out of the arguments is in
 * arguments.c. */
#include "core/names.h"

#include <string.h>

#include "core/memory.h"

/* rmw's limits: 255 for a node, and 255 less the longest prefix ("ros_..." of old) for the rest. */
#define NODE_NAME_LENGTH_MAX 255
#define FULL_NAME_LENGTH_MAX 247

/* isalnum depends on the locale. */
static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_word(char c) {
    return is_letter(c) || is_digit(c) || c == '_';
}

const char *rclitei_check_node_name(rclite_generation generation, const char *text) {
    (void)generation;
    if (text[0] == '\0') {
        return "it is empty";
    }
    if (is_digit(text[0])) {
        return "it begins with a digit";
    }
    size_t length = 0;
    for (; text[length] != '\0'; length++) {
        if (!is_word(text[length])) {
            return "only letters, digits and '_' are allowed";
        }
    }
    return length > NODE_NAME_LENGTH_MAX ? "it is longer than 255 characters" : NULL;
}

const char *rclitei_check_full_name(rclite_generation generation, const char *text) {
    if (text[0] != '/') {
        return "it does not begin with '/'";
    }
    size_t length = 1;
    for (; text[length] != '\0'; length++) {
        if (text[length] == '/' && text[length - 1] == '/') {
            return "it has an empty part between two '/'";
        }
        if (!is_word(text[length]) && text[length] != '/') {
            return "only letters, digits, '_' and '/' are allowed, and '~' in front";
        }
        if (generation == RCLITE_ROS2 && is_digit(text[length]) && text[length - 1] == '/') {
            return "a part begins with a digit";
        }
    }
    if (length == 1 || text[length - 1] == '/') {
        return "it ends with '/'";
    }
    if (generation == RCLITE_ROS2 && length > FULL_NAME_LENGTH_MAX) {
        return "it is longer than 247 characters";
    }
    return NULL;
}

/* Replaces every occurrence of `what`; takes text and gives the new one, or NULL without memory. */
static char *substitute(
    const rclite_allocator *allocator, char *text, const char *what, const char *by) {
    for (char *at = strstr(text, what); at; at = strstr(text, what)) {
        *at = '\0';
        char *longer = rclitei_format(allocator, "%s%s%s", text, by, at + strlen(what));
        rclitei_release(allocator, text);
        if (!longer) {
            return NULL;
        }
        text = longer;
    }
    return text;
}

/* ROS 1 collapses repeated slashes and drops one at the end, in place. */
static void clean(char *text) {
    size_t to = 0;
    for (size_t from = 0; text[from] != '\0'; from++) {
        if (text[from] != '/' || to == 0 || text[to - 1] != '/') {
            text[to++] = text[from];
        }
    }
    if (to > 1 && text[to - 1] == '/') {
        to -= 1;
    }
    text[to] = '\0';
}

/* What only the name as it was given shows. */
static const char *check_input(rclite_generation generation, const char *input) {
    if (input[0] == '\0') {
        return "it is empty";
    }
    if (generation == RCLITE_ROS2 && input[0] == '~' && input[1] != '\0' && input[1] != '/') {
        return "'~' must be followed by '/'";
    }
    if (generation == RCLITE_ROS1 && !is_letter(input[0]) && input[0] != '/' && input[0] != '~') {
        return "it must begin with a letter, '/' or '~'";
    }
    return NULL;
}

/* The name with its namespace in front, not checked yet; NULL without memory. */
static char *qualify(rclite_generation generation, const rclite_allocator *allocator,
    const char *node_name, const char *name_space, const char *input) {
    const char *ns = strcmp(name_space, "/") == 0 ? "" : name_space;
    if (input[0] == '~') {
        const char *rest = input + 1;
        const char *slash =
            generation == RCLITE_ROS1 && rest[0] != '\0' && rest[0] != '/' ? "/" : "";
        return rclitei_format(allocator, "%s/%s%s%s", ns, node_name, slash, rest);
    }
    char *text = rclitei_copy_text(allocator, input);
    if (text && generation == RCLITE_ROS2) {
        text = substitute(allocator, text, "{node}", node_name);
        text = text ? substitute(allocator, text, "{ns}", ns) : NULL;
        text = text ? substitute(allocator, text, "{namespace}", ns) : NULL;
    }
    if (text && text[0] != '/') {
        char *full = rclitei_format(allocator, "%s/%s", ns, text);
        rclitei_release(allocator, text);
        text = full;
    }
    return text;
}

rclite_result rclitei_expand_name(rclite_generation generation, const rclite_allocator *allocator,
    const char *node_name, const char *name_space, const char *input, char **ret_full_name,
    const char **ret_reason) {
    *ret_reason = check_input(generation, input);
    if (*ret_reason) {
        return RCLITE_ERR_NAME;
    }
    char *full = qualify(generation, allocator, node_name, name_space, input);
    if (!full) {
        return RCLITE_ERR_NO_MEMORY;
    }
    if (generation == RCLITE_ROS1) {
        clean(full);
    }
    *ret_reason = rclitei_check_full_name(generation, full);
    if (*ret_reason) {
        rclitei_release(allocator, full);
        return RCLITE_ERR_NAME;
    }
    *ret_full_name = full;
    return RCLITE_OK;
}

/* ---- nodes ---------------------------------------------------------------------------------- */

static bool rule_is_for(const char *rule_node, const char *node_name) {
    return !rule_node || strcmp(rule_node, node_name) == 0;
}

/* The first rule for the node, or NULL. */
static const char *first_rule(const rclitei_remap *rules, size_t count, const char *node_name) {
    for (size_t i = 0; i < count; i++) {
        if (rule_is_for(rules[i].node, node_name)) {
            return rules[i].to;
        }
    }
    return NULL;
}

/* "/" or a full name; a missing '/' in front is added, as rcl and roscpp do. */
static rclite_result make_name_space(
    const rclitei_names *names, const char *input, char **ret_name_space, rclite_error *reterr) {
    char *text = rclitei_format(&names->allocator, "%s%s", input[0] == '/' ? "" : "/", input);
    if (!text) {
        return rclitei_fail(reterr, RCLITE_ERR_NO_MEMORY, 0, "no memory for a namespace");
    }
    if (names->generation == RCLITE_ROS1) {
        clean(text);
    }
    const char *reason =
        strcmp(text, "/") == 0 ? NULL : rclitei_check_full_name(names->generation, text);
    if (reason) {
        rclitei_release(&names->allocator, text);
        return rclitei_fail(
            reterr, RCLITE_ERR_NAME, 0, "namespace '%.100s' is not valid: %s", input, reason);
    }
    *ret_name_space = text;
    return RCLITE_OK;
}

rclite_result rclitei_names_node(const rclitei_names *names, const char *name,
    const char *name_space, rclite_node *node, rclite_error *reterr) {
    const char *new_name = first_rule(names->node_names, names->node_name_count, name);
    name = new_name ? new_name : name;
    const char *reason = rclitei_check_node_name(names->generation, name);
    if (reason) {
        return rclitei_fail(
            reterr, RCLITE_ERR_NAME, 0, "node name '%.100s' is not valid: %s", name, reason);
    }
    const char *new_ns = first_rule(names->name_spaces, names->name_space_count, name);
    if (!new_ns && names->base_name_space && (!name_space[0] || strcmp(name_space, "/") == 0)) {
        new_ns = names->base_name_space;
    }
    char *ns = NULL;
    rclite_result result = make_name_space(names, new_ns ? new_ns : name_space, &ns, reterr);
    if (result != RCLITE_OK) {
        return result;
    }
    node->name_space = ns;
    node->name = rclitei_copy_text(&names->allocator, name);
    node->full_name =
        rclitei_format(&names->allocator, "%s/%s", strcmp(ns, "/") == 0 ? "" : ns, name);
    if (!node->name || !node->full_name) {
        return rclitei_fail(reterr, RCLITE_ERR_NO_MEMORY, 0, "no memory for node '%.100s'", name);
    }
    return RCLITE_OK;
}

/* ---- remapping ------------------------------------------------------------------------------ */

static const char *kind_word(rclitei_name_kind kind) {
    static const char *const words[] = {"topic", "service", "action", "parameter"};
    _Static_assert(sizeof words / sizeof *words == RCLITEI_NAME_KIND_COUNT, "a word for each");
    return words[kind];
}

static rclite_result expand_in(const rclite_node *node, rclitei_name_kind kind, const char *input,
    char **ret_full_name, rclite_error *reterr) {
    const rclitei_names *names = node->context->names;
    const char *reason;
    rclite_result result = rclitei_expand_name(names->generation, &names->allocator, node->name,
        node->name_space, input, ret_full_name, &reason);
    if (result == RCLITE_ERR_NAME) {
        return rclitei_fail(
            reterr, result, 0, "%s name '%.100s' is not valid: %s", kind_word(kind), input, reason);
    }
    if (result != RCLITE_OK) {
        return rclitei_fail(
            reterr, result, 0, "no memory for %s name '%.100s'", kind_word(kind), input);
    }
    return RCLITE_OK;
}

rclite_result rclitei_names_resolve(const rclite_node *node, rclitei_name_kind kind,
    const char *input, char **ret_full_name, rclite_error *reterr) {
    const rclitei_names *names = node->context->names;
    char *full;
    rclite_result result = expand_in(node, kind, input, &full, reterr);
    for (size_t i = 0; i < names->remap_count && result == RCLITE_OK; i++) {
        const rclitei_remap *rule = &names->remaps[i];
        if (!(rule->kinds & (1u << kind)) || !rule_is_for(rule->node, node->name)) {
            continue;
        }
        char *from;
        result = expand_in(node, kind, rule->from, &from, reterr);
        bool hit = result == RCLITE_OK && strcmp(from, full) == 0;
        if (result == RCLITE_OK) {
            rclitei_release(&names->allocator, from);
        } else {
            rclitei_release(&names->allocator, full);
        }
        if (hit) {
            rclitei_release(&names->allocator, full);
            return expand_in(node, kind, rule->to, ret_full_name, reterr);
        }
    }
    if (result == RCLITE_OK) {
        *ret_full_name = full;
    }
    return result;
}

const char *rclitei_names_setting(const rclite_node *node, const char *name) {
    const rclitei_names *names = node->context->names;
    for (size_t i = names->setting_count; i > 0; i--) {
        const rclitei_setting *setting = &names->settings[i - 1];
        if (rule_is_for(setting->node, node->name) && strcmp(setting->name, name) == 0) {
            return setting->value;
        }
    }
    return NULL;
}
