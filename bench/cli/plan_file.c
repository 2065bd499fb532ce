/* Reads plan files with libyaml's documents, whose nodes know their line; see plan_file.h. */
#include "cli/plan_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yaml.h>

#include "util/memory.h"

#define FILE_BYTES_MAX (1024 * 1024)
#define POINTS_MAX 10000

typedef struct reader {
    const char *file_name;
    yaml_document_t document;
    cli_plan_file *file;
    yaml_node_t *defaults; /* mapping, or NULL */
    char **ret_error;
} reader;

/* Reports at a node; takes the sentence. */
static bool fail(const reader *r, const yaml_node_t *node, char *sentence) {
    *r->ret_error = util_format("%s:%zu:%zu: %s", r->file_name, node->start_mark.line + 1,
        node->start_mark.column + 1, sentence);
    free(sentence);
    return false;
}

static const char *scalar(const yaml_node_t *node) {
    bool fine = node->type == YAML_SCALAR_NODE &&
                strlen((const char *)node->data.scalar.value) == node->data.scalar.length;
    return fine ? (const char *)node->data.scalar.value : NULL;
}

static yaml_node_t *node_at(reader *r, int index) {
    return yaml_document_get_node(&r->document, index);
}

/* Adds one scalar or, for options that may, each of a list. */
static bool add_values(reader *r, const cli_option *option, yaml_node_t *value, option_line *line) {
    option_given *given = NULL;
    char *error = NULL;
    const char *text = scalar(value);
    if (text != NULL) {
        return option_add(line, option, text, &error) || fail(r, value, error);
    }
    if (value->type != YAML_SEQUENCE_NODE || (!option->matrix && option->kind != OPTION_LIST)) {
        return fail(r, value,
            util_format("'%s' has to be a single value%s", option->name,
                option->matrix || option->kind == OPTION_LIST ? " or a list of them" : ""));
    }
    size_t count = line->count;
    for (yaml_node_item_t *item = value->data.sequence.items.start;
         item < value->data.sequence.items.top; item++) {
        yaml_node_t *node = node_at(r, *item);
        text = scalar(node);
        if (text == NULL) {
            return fail(
                r, node, util_format("'%s' has to be a list of single values", option->name));
        }
        if (!option_add(line, option, text, &error)) {
            return fail(r, node, error);
        }
    }
    if (line->count == count) {
        return fail(r, value, util_format("'%s' is an empty list", option->name));
    }
    /* The values of a matrix option belong together; those of a list add up by themselves. */
    given = &line->items[count];
    for (size_t i = count + 1; option->matrix && i < line->count; i++) {
        strvec_push_all(&given->values, &line->items[i].values);
        strvec_done(&line->items[i].values);
    }
    if (option->matrix) {
        line->count = count + 1;
    }
    return true;
}

static yaml_node_t *find_key(reader *r, const yaml_node_t *mapping, const char *key) {
    for (yaml_node_pair_t *pair = mapping->data.mapping.pairs.start;
         pair < mapping->data.mapping.pairs.top; pair++) {
        const char *name = scalar(node_at(r, pair->key));
        if (name != NULL && strcmp(name, key) == 0) {
            return node_at(r, pair->value);
        }
    }
    return NULL;
}

/* Reads a mapping's keys as options. skip: keys that are not options, NULL-terminated. lenient:
 * keys that other patterns have are passed over. override: keys there win, so they are left out. */
static bool read_mapping(reader *r, yaml_node_t *mapping, unsigned command, const char *const *skip,
    bool lenient, yaml_node_t *override, option_line *line) {
    option_table table = cli_option_table(command);
    option_table every = cli_option_table(CLI_PATTERNS);
    for (yaml_node_pair_t *pair = mapping->data.mapping.pairs.start;
         pair < mapping->data.mapping.pairs.top; pair++) {
        yaml_node_t *key = node_at(r, pair->key);
        const char *name = scalar(key);
        if (name == NULL) {
            return fail(r, key, util_strdup("a key has to be the name of an option"));
        }
        bool skipped = false;
        for (size_t i = 0; skip[i] != NULL; i++) {
            skipped = skipped || strcmp(skip[i], name) == 0;
        }
        if (skipped || (override != NULL && find_key(r, override, name) != NULL)) {
            continue;
        }
        char *error = NULL;
        const cli_option *option = option_find(&table, name, &error);
        if (option == NULL && lenient) {
            char *ignored = NULL;
            bool elsewhere = option_find(&every, name, &ignored) != NULL;
            free(ignored);
            if (elsewhere) {
                free(error);
                continue;
            }
        }
        if (option == NULL) {
            return fail(r, key, error);
        }
        if (!add_values(r, option, node_at(r, pair->value), line)) {
            return false;
        }
    }
    return true;
}

static bool add_points(
    reader *r, yaml_node_t *where, plan_pattern pattern, const option_line *line) {
    cli_settings base;
    cli_settings_init(&base, pattern);
    size_t count = 0;
    char *error = NULL;
    cli_settings *points = cli_settings_expand(&base, line, &count, &error);
    cli_settings_done(&base);
    if (points == NULL) {
        return fail(r, where, error);
    }
    cli_plan_file *file = r->file;
    size_t total = file->point_count + count;
    if (total <= POINTS_MAX) {
        file->points = reallocarray(file->points, total, sizeof *points);
        if (file->points == NULL) {
            abort();
        }
        memcpy(&file->points[file->point_count], points, count * sizeof *points);
        file->point_count = total;
        free(points);
        return true;
    }
    cli_settings_free(points, count);
    return fail(r, where, util_format("the plan has more than %d measurements", POINTS_MAX));
}

static bool read_pattern(reader *r, yaml_node_t *experiment, yaml_node_t *pattern_node) {
    static const char *const skip[] = {"pattern", NULL};
    static const char *const none[] = {NULL};
    plan_pattern pattern;
    const char *name = scalar(pattern_node);
    if (name == NULL || !plan_pattern_parse(name, &pattern)) {
        return fail(r, pattern_node,
            util_strdup("'pattern' has to be one of topic, service, action, startup"));
    }
    unsigned command = 1u << pattern;
    option_line line = {0};
    bool ok = (r->defaults == NULL ||
                  read_mapping(r, r->defaults, command, none, true, experiment, &line)) &&
              read_mapping(r, experiment, command, skip, false, NULL, &line);
    ok = ok && add_points(r, experiment, pattern, &line);
    option_line_done(&line);
    if (ok && r->file->points[r->file->point_count - 1].spec.from.count == 0 &&
        r->file->points[r->file->point_count - 1].spec.to.count == 0) {
        ok = fail(r, experiment,
            util_strdup("says not who with whom ('from' and 'to', or 'client' "
                        "and 'server')"));
    }
    return ok;
}

static bool read_experiment(reader *r, yaml_node_t *experiment) {
    if (experiment->type != YAML_MAPPING_NODE) {
        return fail(r, experiment, util_strdup("an experiment has to be a mapping"));
    }
    yaml_node_t *pattern = find_key(r, experiment, "pattern");
    if (pattern == NULL) {
        return fail(r, experiment, util_strdup("'pattern' is missing"));
    }
    if (pattern->type != YAML_SEQUENCE_NODE) {
        return read_pattern(r, experiment, pattern);
    }
    bool ok = true;
    for (yaml_node_item_t *item = pattern->data.sequence.items.start;
         ok && item < pattern->data.sequence.items.top; item++) {
        ok = read_pattern(r, experiment, node_at(r, *item));
    }
    return ok;
}

static bool read_root(reader *r) {
    static const char *const skip[] = {"experiments", "defaults", NULL};
    yaml_node_t *root = yaml_document_get_root_node(&r->document);
    if (root == NULL) {
        *r->ret_error = util_format("%s: is empty", r->file_name);
        return false;
    }
    if (root->type != YAML_MAPPING_NODE) {
        return fail(r, root, util_strdup("a plan has to be a mapping"));
    }
    r->defaults = find_key(r, root, "defaults");
    if (r->defaults != NULL && r->defaults->type != YAML_MAPPING_NODE) {
        return fail(r, r->defaults, util_strdup("'defaults' has to be a mapping"));
    }
    yaml_node_t *experiments = find_key(r, root, "experiments");
    if (experiments == NULL || experiments->type != YAML_SEQUENCE_NODE ||
        experiments->data.sequence.items.start == experiments->data.sequence.items.top) {
        return fail(r, experiments == NULL ? root : experiments,
            util_strdup("'experiments' has to be a list of at least one"));
    }
    bool ok = read_mapping(r, root, CLI_RUN, skip, false, NULL, &r->file->whole);
    for (yaml_node_item_t *item = experiments->data.sequence.items.start;
         ok && item < experiments->data.sequence.items.top; item++) {
        ok = read_experiment(r, node_at(r, *item));
    }
    return ok;
}

bool cli_plan_file_parse(const char *text, size_t len, const char *file_name,
    cli_plan_file *ret_file, char **ret_error) {
    memset(ret_file, 0, sizeof *ret_file);
    reader r = {.file_name = file_name, .file = ret_file, .ret_error = ret_error};
    yaml_parser_t parser;
    if (yaml_parser_initialize(&parser) == 0) {
        abort();
    }
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, len);
    bool ok = yaml_parser_load(&parser, &r.document) != 0;
    if (!ok) {
        *ret_error = util_format("%s:%zu:%zu: %s", file_name, parser.problem_mark.line + 1,
            parser.problem_mark.column + 1,
            parser.problem == NULL ? "cannot be read" : parser.problem);
    } else {
        ok = read_root(&r);
        yaml_document_delete(&r.document);
    }
    yaml_parser_delete(&parser);
    if (!ok) {
        cli_plan_file_done(ret_file);
    }
    return ok;
}

bool cli_plan_file_read(const char *path, cli_plan_file *ret_file, char **ret_error) {
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        *ret_error = util_format("%s: %s", path, strerror(errno));
        return false;
    }
    char *text = util_alloc(FILE_BYTES_MAX + 1, 1);
    size_t len = fread(text, 1, FILE_BYTES_MAX + 1, file);
    bool ok = false;
    if (ferror(file)) {
        *ret_error = util_format("%s: %s", path, strerror(errno));
    } else if (len > FILE_BYTES_MAX) {
        *ret_error = util_format("%s: is larger than %d bytes", path, FILE_BYTES_MAX);
    } else {
        ok = cli_plan_file_parse(text, len, path, ret_file, ret_error);
    }
    fclose(file);
    free(text);
    return ok;
}

void cli_plan_file_done(cli_plan_file *file) {
    cli_settings_free(file->points, file->point_count);
    option_line_done(&file->whole);
    memset(file, 0, sizeof *file);
}
