/* Remapping rules and parameters, checked as they are added. */
#include "core/rules.h"

#include <string.h>

#include "core/memory.h"

#define ALL_KINDS ((1u << RCLITEI_NAME_KIND_COUNT) - 1)
#define SERVICE_KIND (1u << RCLITEI_NAME_SERVICE)

rclite_result rclitei_rules_bad(const rclitei_argument_reader *in, const char *reason) {
    return rclitei_fail(
        in->reterr, RCLITE_ERR_INVALID, 0, "ROS argument '%.120s': %s", in->argument, reason);
}

rclite_result rclitei_rules_no_memory(const rclitei_argument_reader *in) {
    return rclitei_fail(in->reterr, RCLITE_ERR_NO_MEMORY, 0, "no memory for the ROS arguments");
}

/* Copies length bytes of text; length SIZE_MAX: all. */
static char *copy_part(const rclitei_argument_reader *in, const char *text, size_t length) {
    return rclitei_format(&in->names->allocator, "%.*s", (int)length, text);
}

rclite_result rclitei_rules_split(
    const rclitei_argument_reader *in, const char *text, rclitei_assignment *ret_parts) {
    const char *sign = strstr(text, ":=");
    if (!sign) {
        return rclitei_rules_bad(in, "':=' is missing");
    }
    rclitei_assignment parts = {
        .left = text, .left_length = (size_t)(sign - text), .right = sign + 2};
    const char *colon = memchr(text, ':', parts.left_length);
    if (colon && strncmp(colon, "://", 3) != 0) {
        parts.node = text;
        parts.node_length = (size_t)(colon - text);
        parts.left = colon + 1;
        parts.left_length -= parts.node_length + 1;
    }
    if (parts.left_length == 0) {
        return rclitei_rules_bad(in, "nothing stands before ':='");
    }
    *ret_parts = parts;
    return RCLITE_OK;
}

bool rclitei_rules_left_is(const rclitei_assignment *parts, const char *word) {
    return strlen(word) == parts->left_length && memcmp(parts->left, word, parts->left_length) == 0;
}

/* Copies the node prefix, if any, after checking it. */
static rclite_result copy_node(
    const rclitei_argument_reader *in, const rclitei_assignment *parts, char **ret_node) {
    if (!parts->node) {
        *ret_node = NULL;
        return RCLITE_OK;
    }
    char *node = copy_part(in, parts->node, parts->node_length);
    if (!node) {
        return rclitei_rules_no_memory(in);
    }
    const char *reason = rclitei_check_node_name(in->names->generation, node);
    if (reason) {
        rclitei_release(&in->names->allocator, node);
        return rclitei_rules_bad(in, "what stands before ':' is no node name");
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
static rclite_result add_rule(const rclitei_argument_reader *in, const rclitei_assignment *parts,
    unsigned kinds, rclitei_remap **rules, size_t *count, size_t *capacity) {
    const rclite_allocator *allocator = &in->names->allocator;
    rclitei_remap *rule = rclitei_grow(allocator, rules, *count, capacity, sizeof *rule);
    if (!rule) {
        return rclitei_rules_no_memory(in);
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
        return rclitei_rules_no_memory(in);
    }
    *count += 1;
    return RCLITE_OK;
}

rclite_result rclitei_rules_check_name_space(const rclitei_argument_reader *in, const char *text) {
    if (text[0] != '/') {
        return rclitei_rules_bad(in, "a namespace begins with '/'");
    }
    const char *reason =
        text[1] == '\0' ? NULL : rclitei_check_full_name(in->names->generation, text);
    return reason ? rclitei_rules_bad(in, reason) : RCLITE_OK;
}

/* Both sides must be names that some node could use. */
static rclite_result check_sides(const rclitei_argument_reader *in, const rclitei_remap *rule) {
    const char *sides[] = {rule->from, rule->to};
    for (int i = 0; i < 2; i++) {
        char *full;
        const char *reason;
        rclite_result result = rclitei_expand_name(
            in->names->generation, &in->names->allocator, "node", "/", sides[i], &full, &reason);
        if (result == RCLITE_ERR_NAME) {
            return rclitei_rules_bad(in, reason);
        }
        if (result != RCLITE_OK) {
            return rclitei_rules_no_memory(in);
        }
        rclitei_release(&in->names->allocator, full);
    }
    return RCLITE_OK;
}

static rclite_result add_name_remap(const rclitei_argument_reader *in, rclitei_assignment parts) {
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

rclite_result rclitei_rules_add_remap(
    const rclitei_argument_reader *in, const rclitei_assignment *parts) {
    rclitei_names *names = in->names;
    if (rclitei_rules_left_is(parts, "__node") || rclitei_rules_left_is(parts, "__name")) {
        const char *reason = rclitei_check_node_name(names->generation, parts->right);
        return reason ? rclitei_rules_bad(in, reason)
                      : add_rule(in, parts, 0, &names->node_names, &names->node_name_count,
                            &names->node_name_capacity);
    }
    if (rclitei_rules_left_is(parts, "__ns")) {
        rclite_result result = rclitei_rules_check_name_space(in, parts->right);
        return result != RCLITE_OK ? result
                                   : add_rule(in, parts, 0, &names->name_spaces,
                                         &names->name_space_count, &names->name_space_capacity);
    }
    return add_name_remap(in, *parts);
}

rclite_result rclitei_rules_add_setting(
    const rclitei_argument_reader *in, const rclitei_assignment *parts) {
    rclitei_names *names = in->names;
    const rclite_allocator *allocator = &names->allocator;
    rclitei_setting *setting = rclitei_grow(allocator, &names->settings, names->setting_count,
        &names->setting_capacity, sizeof *setting);
    if (!setting) {
        return rclitei_rules_no_memory(in);
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
        return rclitei_rules_no_memory(in);
    }
    names->setting_count += 1;
    return RCLITE_OK;
}

static void remaps_free(const rclite_allocator *allocator, rclitei_remap *rules, size_t count) {
    for (size_t i = 0; i < count; i++) {
        rule_done(allocator, &rules[i]);
    }
    rclitei_release(allocator, rules);
}

void rclitei_rules_free(rclitei_names *names) {
    const rclite_allocator *allocator = &names->allocator;
    remaps_free(allocator, names->remaps, names->remap_count);
    remaps_free(allocator, names->node_names, names->node_name_count);
    remaps_free(allocator, names->name_spaces, names->name_space_count);
    for (size_t i = 0; i < names->setting_count; i++) {
        rclitei_release(allocator, names->settings[i].node);
        rclitei_release(allocator, names->settings[i].name);
        rclitei_release(allocator, names->settings[i].value);
    }
    rclitei_release(allocator, names->settings);
}
