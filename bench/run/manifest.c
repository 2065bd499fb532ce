/* One peer.json: parsed with jansson, checked field by field. What is wrong is named with file,
 * line and column where the JSON itself is broken, with the field where a value is. */
#include "run/registry.h"

#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "util/memory.h"
#include "util/nearest.h"

#define NAME_MAX_LEN 64
#define LIST_MAX 32

static const char *const field_names[] = {"name", "language", "library", "family", "generations",
    "patterns", "probe", "run", "install", "variants", "ros2", "refuses"};

typedef struct manifest {
    const char *file;
    char **ret_error;
} manifest;

static bool fail(const manifest *m, char *sentence) {
    *m->ret_error = util_format("%s: %s", m->file, sentence);
    free(sentence);
    return false;
}

/* A name goes into file names and option values. */
static bool is_name(const char *text) {
    size_t len = strlen(text);
    return len > 0 && len <= NAME_MAX_LEN &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") ==
               len &&
           text[0] != '-' && text[0] != '.' && strcmp(text, "all") != 0;
}

static bool get_text(const manifest *m, const json_t *object, const char *key, const char *standard,
    char **ret_text) {
    const json_t *value = json_object_get(object, key);
    if (value == NULL && standard != NULL) {
        *ret_text = util_strdup(standard);
        return true;
    }
    if (!json_is_string(value) || json_string_length(value) == 0 ||
        strlen(json_string_value(value)) != json_string_length(value)) {
        return fail(m,
            util_format("\"%s\" has to be a text%s", key, value == NULL ? " and is missing" : ""));
    }
    *ret_text = util_strdup(json_string_value(value));
    return true;
}

static bool get_flag(const manifest *m, const json_t *object, const char *key, bool *ret_flag) {
    const json_t *value = json_object_get(object, key);
    if (value != NULL && !json_is_boolean(value)) {
        return fail(m, util_format("\"%s\" has to be true or false", key));
    }
    *ret_flag = json_is_true(value);
    return true;
}

static const json_t *get_list(const manifest *m, const json_t *object, const char *key) {
    const json_t *list = json_object_get(object, key);
    if (!json_is_array(list) || json_array_size(list) == 0 || json_array_size(list) > LIST_MAX) {
        fail(m, util_format("\"%s\" has to be a list of 1 to %d values%s", key, LIST_MAX,
                    list == NULL ? " and is missing" : ""));
        return NULL;
    }
    return list;
}

static bool get_command(
    const manifest *m, const json_t *object, const char *key, strvec *ret_words) {
    const json_t *list = get_list(m, object, key);
    if (list == NULL) {
        return false;
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *word = json_array_get(list, i);
        if (!json_is_string(word) || (i == 0 && json_string_length(word) == 0)) {
            return fail(m, util_format("\"%s\"[%zu] has to be a text", key, i));
        }
        strvec_push(ret_words, json_string_value(word));
    }
    return true;
}

static bool get_generations(const manifest *m, const json_t *object, run_peer *peer) {
    const json_t *list = get_list(m, object, "generations");
    if (list == NULL) {
        return false;
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *value = json_array_get(list, i);
        json_int_t generation = json_integer_value(value);
        if (!json_is_integer(value) || generation < 1 || generation > 2) {
            return fail(m, util_format("\"generations\"[%zu] has to be 1 or 2", i));
        }
        peer->generations[generation] = true;
    }
    return true;
}

static bool get_patterns(const manifest *m, const json_t *object, bool *ret_patterns) {
    const json_t *list = get_list(m, object, "patterns");
    if (list == NULL) {
        return false;
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *value = json_array_get(list, i);
        plan_pattern pattern;
        if (!json_is_string(value) || !plan_pattern_parse(json_string_value(value), &pattern)) {
            return fail(m, util_format("\"patterns\"[%zu] has to be one of topic, service, action, "
                                       "startup",
                               i));
        }
        ret_patterns[pattern] = true;
    }
    return true;
}

static bool add_variant(const manifest *m, const json_t *object, run_peer *peer) {
    peer->variants = reallocarray(peer->variants, peer->variant_count + 1, sizeof *peer->variants);
    if (peer->variants == NULL) {
        abort();
    }
    run_variant *variant = &peer->variants[peer->variant_count++];
    memset(variant, 0, sizeof *variant);
    const json_t *settings = json_object_get(object, "settings");
    if (settings != NULL && !json_is_object(settings)) {
        return fail(m, util_strdup("\"settings\" of a variant has to be an object"));
    }
    char *json = settings == NULL ? NULL : json_dumps(settings, JSON_COMPACT);
    variant->settings_json = json == NULL ? util_strdup("{}") : json;
    if (!get_text(m, object, "name", NULL, &variant->name)) {
        return false;
    }
    if (!is_name(variant->name)) {
        return fail(m, util_format("variant \"%s\": a name is made of letters, digits, - _ and .",
                           variant->name));
    }
    for (size_t i = 0; i + 1 < peer->variant_count; i++) {
        if (strcmp(peer->variants[i].name, variant->name) == 0) {
            return fail(m, util_format("variant \"%s\" is there twice", variant->name));
        }
    }
    return get_text(m, object, "label", variant->name, &variant->label);
}

static bool get_variants(const manifest *m, const json_t *object, run_peer *peer) {
    if (json_object_get(object, "variants") == NULL) {
        return add_variant(m, object, peer);
    }
    const json_t *list = get_list(m, object, "variants");
    if (list == NULL) {
        return false;
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *variant = json_array_get(list, i);
        if (!json_is_object(variant)) {
            return fail(m, util_format("\"variants\"[%zu] has to be an object", i));
        }
        if (!add_variant(m, variant, peer)) {
            return false;
        }
    }
    return true;
}

static bool check_fields(
    const manifest *m, json_t *object, const char *const *names, size_t known) {
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value) {
        bool found = false;
        for (size_t i = 0; i < known; i++) {
            found = found || strcmp(key, names[i]) == 0;
        }
        if (!found) {
            const char *near = nearest_word(key, names, known);
            return fail(m, near == NULL ? util_format("unknown field \"%s\"", key)
                                        : util_format("unknown field \"%s\" (did you mean \"%s\"?)",
                                              key, near));
        }
    }
    return true;
}

static bool get_side(const manifest *m, const json_t *object, int *ret_side) {
    static const char *const roles[] = {"publisher", "subscriber", "client", "server"};
    const json_t *value = json_object_get(object, "role");
    *ret_side = -1;
    if (value == NULL) {
        return true;
    }
    for (int i = 0; i < 4; i++) {
        if (json_is_string(value) && strcmp(json_string_value(value), roles[i]) == 0) {
            *ret_side = i % 2;
            return true;
        }
    }
    return fail(m, util_strdup("\"role\" has to be one of publisher, subscriber, client, server"));
}

/* "connection=per_call" */
static bool get_unless(const manifest *m, const json_t *object, plan_rule *rule) {
    const json_t *value = json_object_get(object, "unless");
    if (value == NULL) {
        return true;
    }
    const char *text = json_is_string(value) ? json_string_value(value) : "";
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals == text) {
        return fail(m, util_strdup("\"unless\" has to be a text like \"connection=per_call\""));
    }
    rule->unless_name = util_strndup(text, (size_t)(equals - text));
    rule->unless_value = util_strdup(equals + 1);
    return true;
}

static bool get_payload_above(const manifest *m, const json_t *object, plan_rule *rule) {
    const json_t *value = json_object_get(object, "payload_above");
    if (value != NULL && (!json_is_integer(value) || json_integer_value(value) < 1)) {
        return fail(m, util_strdup("\"payload_above\" has to be a number of bytes"));
    }
    rule->payload_above = (uint64_t)json_integer_value(value);
    return true;
}

static bool get_rule(const manifest *m, json_t *object, plan_rule *rule) {
    static const char *const names[] = {"patterns", "role", "payload_above", "unless", "reason"};
    if (!json_is_object(object)) {
        return fail(m, util_strdup("\"refuses\" has to be a list of objects"));
    }
    return check_fields(m, object, names, sizeof names / sizeof names[0]) &&
           get_patterns(m, object, rule->patterns) && get_side(m, object, &rule->side) &&
           get_payload_above(m, object, rule) && get_unless(m, object, rule) &&
           get_text(m, object, "reason", NULL, &rule->reason);
}

static bool get_rules(const manifest *m, const json_t *object, run_peer *peer) {
    if (json_object_get(object, "refuses") == NULL) {
        return true;
    }
    const json_t *list = get_list(m, object, "refuses");
    if (list == NULL) {
        return false;
    }
    peer->rules.items = util_alloc(json_array_size(list), sizeof *peer->rules.items);
    for (size_t i = 0; i < json_array_size(list); i++) {
        peer->rules.count++;
        if (!get_rule(m, json_array_get(list, i), &peer->rules.items[i])) {
            return false;
        }
    }
    return true;
}

static bool read_fields(const manifest *m, json_t *object, run_peer *peer) {
    if (!check_fields(m, object, field_names, sizeof field_names / sizeof field_names[0]) ||
        !get_text(m, object, "name", NULL, &peer->name)) {
        return false;
    }
    if (!is_name(peer->name)) {
        return fail(m, util_format("\"name\": \"%s\": a name is made of letters, digits, - _ and .",
                           peer->name));
    }
    return get_text(m, object, "language", NULL, &peer->language) &&
           get_text(m, object, "library", NULL, &peer->library) &&
           get_text(m, object, "family", "ros", &peer->family) &&
           get_text(m, object, "install", "see its README", &peer->install) &&
           get_flag(m, object, "ros2", &peer->uses_ros2) && get_generations(m, object, peer) &&
           get_patterns(m, object, peer->patterns) && get_rules(m, object, peer) &&
           get_command(m, object, "probe", &peer->probe) &&
           get_command(m, object, "run", &peer->run) && get_variants(m, object, peer);
}

bool run_manifest_parse(
    const char *text, size_t len, const char *file_name, run_peer *ret_peer, char **ret_error) {
    memset(ret_peer, 0, sizeof *ret_peer);
    manifest m = {file_name, ret_error};
    json_error_t error;
    json_t *object = json_loadb(text, len, JSON_REJECT_DUPLICATES, &error);
    if (object == NULL) {
        *ret_error = util_format(
            "%s:%d:%d: %s", file_name, error.line, error.column < 0 ? 0 : error.column, error.text);
        return false;
    }
    bool ok = json_is_object(object) ? read_fields(&m, object, ret_peer)
                                     : fail(&m, util_strdup("has to be an object"));
    json_decref(object);
    if (!ok) {
        run_peer_done(ret_peer);
    }
    return ok;
}
