/* Rules of manifests against cells; see rule.h. */
#include "plan/rule.h"

#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "util/strbuf.h"

static bool has_setting(const char *settings_json, const char *name, const char *value) {
    json_t *settings = json_loads(settings_json, 0, NULL);
    const char *text = json_string_value(json_object_get(settings, name));
    bool has = text != NULL && strcmp(text, value) == 0;
    json_decref(settings);
    return has;
}

static bool holds(const plan_rule *rule, const plan_cell *cell, int side) {
    if (!rule->patterns[cell->pattern] || (rule->side >= 0 && rule->side != side) ||
        (rule->payload_above > 0 && cell->payload_bytes <= rule->payload_above)) {
        return false;
    }
    return rule->unless_name == NULL ||
           !has_setting(cell->settings_json, rule->unless_name, rule->unless_value);
}

char *plan_rules_refusal(
    const plan_rules *rules, const char *peer, const plan_cell *cell, int side) {
    for (size_t i = 0; i < rules->count; i++) {
        const plan_rule *rule = &rules->items[i];
        if (!holds(rule, cell, side)) {
            continue;
        }
        strbuf text = {0};
        strbuf_appendf(&text, "%s is refused as %s: %s", peer, plan_role_name(cell->pattern, side),
            rule->reason);
        if (rule->unless_name != NULL) {
            strbuf_appendf(&text, " (--set %s=%s)", rule->unless_name, rule->unless_value);
        }
        return strbuf_take(&text);
    }
    return NULL;
}

char *plan_rules_settings(
    const plan_rules *rules, plan_pattern pattern, const char *settings_json) {
    json_t *settings = json_loads(settings_json, 0, NULL);
    for (size_t i = 0; i < rules->count; i++) {
        const plan_rule *rule = &rules->items[i];
        if (rule->patterns[pattern] && rule->unless_name != NULL) {
            json_object_set_new(settings, rule->unless_name, json_string(rule->unless_value));
        }
    }
    char *text = json_dumps(settings, JSON_COMPACT);
    json_decref(settings);
    if (text == NULL) {
        abort(); /* out of memory: settings are an object of texts and numbers */
    }
    return text;
}

void plan_rules_done(plan_rules *rules) {
    for (size_t i = 0; i < rules->count; i++) {
        free(rules->items[i].unless_name);
        free(rules->items[i].unless_value);
        free(rules->items[i].reason);
    }
    free(rules->items);
    memset(rules, 0, sizeof *rules);
}
