/* The plan as a container, its words, and each pattern's defaults. */
#include "plan/plan.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pattern.h"
#include "util/memory.h"

static const char *const transport_names[PLAN_TRANSPORT_COUNT] = {
    [PLAN_TRANSPORT_STOCK] = "stock",
    [PLAN_TRANSPORT_TUNED] = "tuned",
};

void plan_init(plan *todo) {
    memset(todo, 0, sizeof *todo);
    todo->rounds = 1;
    todo->timeout_ns = INT64_C(60000000000);
}

void plan_done(plan *todo) {
    for (size_t i = 0; i < todo->note_count; i++) {
        free(todo->notes[i]);
    }
    for (size_t i = 0; i < todo->string_count; i++) {
        free(todo->strings[i]);
    }
    free(todo->notes);
    free(todo->strings);
    free(todo->cells);
    memset(todo, 0, sizeof *todo);
}

const char *plan_keep(plan *todo, const char *text) {
    if (text == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < todo->string_count; i++) {
        if (strcmp(todo->strings[i], text) == 0) {
            return todo->strings[i];
        }
    }
    util_reserve(
        &todo->strings, &todo->string_capacity, todo->string_count + 1, sizeof *todo->strings);
    todo->strings[todo->string_count] = util_strdup(text);
    return todo->strings[todo->string_count++];
}

plan_cell *plan_add_cell(plan *todo, const plan_cell *cell) {
    util_reserve(&todo->cells, &todo->cell_capacity, todo->cell_count + 1, sizeof *todo->cells);
    plan_cell *added = &todo->cells[todo->cell_count++];
    *added = *cell;
    added->from = plan_keep(todo, cell->from);
    added->to = plan_keep(todo, cell->to);
    added->type = plan_keep(todo, cell->type);
    added->qos.reliability = plan_keep(todo, cell->qos.reliability);
    added->qos.durability = plan_keep(todo, cell->qos.durability);
    added->qos.history = plan_keep(todo, cell->qos.history);
    added->qos.liveliness = plan_keep(todo, cell->qos.liveliness);
    added->payload_kind = plan_keep(todo, cell->payload_kind);
    added->verify = plan_keep(todo, cell->verify);
    added->settings_json = plan_keep(todo, cell->settings_json);
    added->refused = plan_keep(todo, cell->refused);
    return added;
}

void plan_note(plan *todo, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = util_vformat(format, arguments);
    va_end(arguments);
    util_reserve(&todo->notes, &todo->note_capacity, todo->note_count + 1, sizeof *todo->notes);
    todo->notes[todo->note_count++] = text;
}

/* The enum is in the order of the registry. */
static const pattern *facts(plan_pattern which) {
    return pattern_registry[which];
}

const char *plan_pattern_name(plan_pattern which) {
    return facts(which)->name;
}

bool plan_pattern_parse(const char *name, plan_pattern *ret_pattern) {
    for (int i = 0; i < PLAN_PATTERN_COUNT; i++) {
        if (strcmp(name, pattern_registry[i]->name) == 0) {
            *ret_pattern = (plan_pattern)i;
            return true;
        }
    }
    return false;
}

const char *plan_transport_name(plan_transport transport) {
    return transport_names[transport];
}

const char *plan_role_name(plan_pattern which, int side) {
    return facts(which)->roles[side];
}

plan_cell plan_cell_default(plan_pattern which) {
    const pattern *of = facts(which);
    return (plan_cell){
        .pattern = which,
        .generation = 2,
        .type = of->types[0].name,
        .qos = {"reliable", "volatile", "keep_last", "automatic", 10, 0, 0, 0},
        .payload_bytes = of->payload_bytes,
        .payload_kind = "bytes",
        .count = of->count,
        .warmup = of->warmup,
        .period_ns = of->period_ns,
        .in_flight = 1,
        .verify = "ends",
        .settings_json = "{}",
    };
}
