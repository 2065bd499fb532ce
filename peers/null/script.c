/* Settings are read by one table. `side` restricts all of them to one role, so that both ends of a
 * cell can be given the same settings. */
#include "script.h"

#include <inttypes.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIST_LENGTH_MAX 10000000

typedef enum setting_kind {
    SETTING_LIST, /* a number, an array of numbers, or "@FILE" with numbers in text */
    SETTING_NUMBER,
    SETTING_FLAG,
    SETTING_STAGE,
    SETTING_TEXT
} setting_kind;

typedef struct setting {
    const char *name, *refusal; /* refusal: with its section */
    setting_kind kind;
    size_t offset;
} setting;

#define SETTING(name, kind, member)                                                                \
    { name, "settings." name, kind, offsetof(null_script, member) }
static const setting table[] = {
    SETTING("latency_ns", SETTING_LIST, latency_ns),
    SETTING("lose", SETTING_LIST, lose),
    SETTING("duplicate", SETTING_LIST, duplicate),
    SETTING("reorder", SETTING_LIST, reorder),
    SETTING("corrupt", SETTING_LIST, corrupt),
    SETTING("ready_delay_ns", SETTING_NUMBER, ready_delay_ns),
    SETTING("hang", SETTING_STAGE, hang_at),
    SETTING("crash", SETTING_STAGE, crash_at),
    SETTING("signal", SETTING_NUMBER, signal),
    SETTING("exit", SETTING_STAGE, exit_at),
    SETTING("exit_code", SETTING_NUMBER, exit_code),
    SETTING("flood", SETTING_STAGE, flood_at),
    SETTING("flood_bytes", SETTING_NUMBER, flood_bytes),
    SETTING("flood_stderr", SETTING_FLAG, flood_stderr),
    SETTING("line", SETTING_TEXT, line),
    SETTING("line_at", SETTING_STAGE, line_at),
    SETTING("now_offset_ns", SETTING_NUMBER, now_offset_ns),
    SETTING("done_offset", SETTING_NUMBER, done_offset),
    SETTING("rows_offset", SETTING_NUMBER, rows_offset),
    SETTING("swap", SETTING_FLAG, swap),
    SETTING("unwritten", SETTING_FLAG, unwritten),
    SETTING("wrong_qos", SETTING_FLAG, wrong_qos),
    SETTING("early_io", SETTING_TEXT, early_io),
    SETTING("exit_zero", SETTING_FLAG, exit_zero),
    SETTING("deaf", SETTING_FLAG, deaf),
};
#define SETTING_COUNT (sizeof table / sizeof table[0])

const char *const script_settings[] = {"side", "latency_ns", "lose", "duplicate", "reorder",
    "corrupt", "ready_delay_ns", "hang", "crash", "signal", "exit", "exit_code", "flood",
    "flood_bytes", "flood_stderr", "line", "line_at", "now_offset_ns", "done_offset", "rows_offset",
    "swap", "unwritten", "wrong_qos", "early_io", "exit_zero", "deaf", NULL};

static const char *const stages[PEER_STAGE_COUNT] = {
    "start", "created", "ready", "go", "measured", "write", "done"};
static const char *const roles[] = {"publisher", "subscriber", "client", "server"};

static bool append(number_list *list, int64_t value) {
    if ((list->count & (list->count - 1)) == 0) { /* full at powers of two */
        size_t capacity = list->count ? 2 * list->count : 1;
        int64_t *grown = realloc(list->values, capacity * sizeof *grown);
        if (!grown || list->count >= LIST_LENGTH_MAX) {
            list->values = grown ? grown : list->values;
            return false;
        }
        list->values = grown;
    }
    list->values[list->count++] = value;
    return true;
}

static bool read_list_file(const char *path, number_list *list) {
    FILE *file = fopen(path, "re");
    int64_t value;
    bool good = file != NULL;
    while (good && fscanf(file, "%" SCNd64, &value) == 1) {
        good = append(list, value);
    }
    good = good && feof(file) && list->count > 0;
    if (file) {
        fclose(file);
    }
    return good;
}

static bool read_list(const json_t *value, number_list *list) {
    const char *text = json_string_value(value);
    if (text) {
        return text[0] == '@' && read_list_file(text + 1, list);
    }
    if (json_is_integer(value)) {
        return append(list, json_integer_value(value));
    }
    size_t index;
    const json_t *element;
    json_array_foreach(value, index, element) {
        if (!json_is_integer(element) || !append(list, json_integer_value(element))) {
            return false;
        }
    }
    return json_is_array(value);
}

static bool read_stage(const json_t *value, int *ret_stage) {
    const char *text = json_string_value(value);
    for (int i = 0; text && i < PEER_STAGE_COUNT; i++) {
        if (strcmp(text, stages[i]) == 0) {
            *ret_stage = i;
            return true;
        }
    }
    return false;
}

static bool read_value(const json_t *value, setting_kind kind, void *to) {
    switch (kind) {
    case SETTING_LIST:
        return read_list(value, to);
    case SETTING_NUMBER:
        *(int64_t *)to = json_integer_value(value);
        return json_is_integer(value);
    case SETTING_FLAG:
        *(bool *)to = json_is_true(value);
        return json_is_boolean(value);
    case SETTING_STAGE:
        return read_stage(value, to);
    case SETTING_TEXT:
        *(const char **)to = json_string_value(value);
        return json_is_string(value);
    }
    return false;
}

const char *script_read(const peer_job *job, null_script *ret_script) {
    *ret_script = (null_script){.hang_at = -1,
        .crash_at = -1,
        .exit_at = -1,
        .flood_at = -1,
        .line_at = -1,
        .signal = SIGSEGV,
        .exit_code = 1,
        .flood_bytes = 10 << 20};
    const char *side = peer_job_setting(job, "side", roles[job->role]);
    bool applies = strcmp(side, roles[job->role]) == 0;
    for (size_t i = 0; i < SETTING_COUNT && applies; i++) {
        const json_t *value = json_object_get(job->settings, table[i].name);
        if (value && !read_value(value, table[i].kind, (char *)ret_script + table[i].offset)) {
            return table[i].refusal;
        }
    }
    return NULL;
}

void script_done(null_script *script) {
    free(script->latency_ns.values);
    free(script->lose.values);
    free(script->duplicate.values);
    free(script->reorder.values);
    free(script->corrupt.values);
}

bool script_lists(const number_list *list, uint64_t seq) {
    for (size_t i = 0; i < list->count; i++) {
        if (list->values[i] == (int64_t)seq) {
            return true;
        }
    }
    return false;
}
