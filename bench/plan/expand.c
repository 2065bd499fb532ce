/* Pairs of peers to cells; see expand.h. */
#include "plan/expand.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pattern.h"
#include "util/memory.h"
#include "util/nearest.h"
#include "util/strbuf.h"

static const plan_peer *find_peer(plan_peers peers, const char *name) {
    for (size_t i = 0; i < peers.count; i++) {
        if (strcmp(peers.items[i].name, name) == 0) {
            return &peers.items[i];
        }
    }
    return NULL;
}

static char *unknown_peer(plan_peers peers, const char *name) {
    const char **names = util_alloc(peers.count, sizeof *names);
    for (size_t i = 0; i < peers.count; i++) {
        names[i] = peers.items[i].name;
    }
    const char *near = nearest_word(name, names, peers.count);
    strbuf text = {0};
    strbuf_appendf(&text, "there is no peer '%s'", name);
    if (strcmp(name, "same") == 0) {
        strbuf_append(&text, " (each with itself is --pairs same)");
    } else if (near != NULL) {
        strbuf_appendf(&text, " (did you mean '%s'?)", near);
    }
    strbuf_append(&text, "; there are:");
    for (size_t i = 0; i < peers.count; i++) {
        strbuf_appendf(&text, "%s %s", i == 0 ? "" : ",", names[i]);
    }
    free(names);
    return strbuf_take(&text);
}

static bool plays(const plan_peer *peer, const plan_cell *cell) {
    return peer->generations[cell->generation] && peer->patterns[cell->pattern];
}

static void note_once(plan *todo, const char *text) {
    for (size_t i = 0; i < todo->note_count; i++) {
        if (strcmp(todo->notes[i], text) == 0) {
            return;
        }
    }
    plan_note(todo, "%s", text);
}

static bool is_missing(const plan_peer *peer, const plan_cell *cell) {
    return strcmp(peer->family, "ros") == 0 && plays(peer, cell) && !peer->available;
}

/* One note for all that are missing for the reason of the first. */
static void note_missing(plan *todo, const plan_cell *cell, plan_peers peers, size_t first) {
    const char *reason = peers.items[first].missing;
    char *names = util_strdup(peers.items[first].name);
    bool several = false;
    for (size_t i = first + 1; i < peers.count; i++) {
        const plan_peer *peer = &peers.items[i];
        if (is_missing(peer, cell) && strcmp(peer->missing, reason) == 0) {
            char *longer = util_format("%s, %s", names, peer->name);
            free(names);
            names = longer;
            several = true;
        }
    }
    char *text = util_format("%s %s left out of 'all': %s", names, several ? "are" : "is", reason);
    note_once(todo, text);
    free(text);
    free(names);
}

static bool reason_was_noted(const plan_cell *cell, plan_peers peers, size_t index) {
    for (size_t i = 0; i < index; i++) {
        if (is_missing(&peers.items[i], cell) &&
            strcmp(peers.items[i].missing, peers.items[index].missing) == 0) {
            return true;
        }
    }
    return false;
}

#define BOTH_SIDES (-1)

/* Its manifest refuses this side (or either) of the cell, which is noted. */
static bool is_left_out(plan *todo, const plan_peer *peer, const plan_cell *cell, int side) {
    for (int i = 0; i < 2; i++) {
        char *reason = side == BOTH_SIDES || side == i
                           ? plan_rules_refusal(&peer->rules, peer->name, cell, i)
                           : NULL;
        if (reason != NULL) {
            char *text = util_format("%s is left out of 'all' for %s: %s", peer->name,
                plan_pattern_name(cell->pattern), reason);
            note_once(todo, text);
            free(text);
            free(reason);
            return true;
        }
    }
    return false;
}

static void add_all(plan *todo, const plan_cell *cell, plan_peers peers, int side, strvec *names) {
    for (size_t i = 0; i < peers.count; i++) {
        const plan_peer *peer = &peers.items[i];
        if (is_missing(peer, cell)) {
            if (!reason_was_noted(cell, peers, i)) {
                note_missing(todo, cell, peers, i);
            }
        } else if (strcmp(peer->family, "ros") == 0 && plays(peer, cell) &&
                   !is_left_out(todo, peer, cell, side) && !strvec_contains(names, peer->name)) {
            strvec_push(names, peer->name);
        }
    }
}

/* Resolves "all" and checks the names. */
static bool resolve(plan *todo, const plan_cell *cell, plan_peers peers, int side,
    const strvec *asked, strvec *ret_names, char **ret_error) {
    for (size_t i = 0; i < asked->count; i++) {
        const char *name = asked->items[i];
        if (strcmp(name, "all") == 0) {
            add_all(todo, cell, peers, side, ret_names);
        } else if (find_peer(peers, name) == NULL) {
            *ret_error = unknown_peer(peers, name);
            return false;
        } else if (!strvec_contains(ret_names, name)) {
            strvec_push(ret_names, name);
        }
    }
    return true;
}

static char *reason_of_one(const plan_peer *peer, const plan_cell *cell, int side) {
    if (!peer->available) {
        return util_format("%s is not available here: %s", peer->name, peer->missing);
    }
    if (!peer->generations[cell->generation]) {
        return util_format("%s does not speak ROS %d", peer->name, cell->generation);
    }
    if (!peer->patterns[cell->pattern]) {
        return util_format(
            "%s does not play the pattern %s", peer->name, plan_pattern_name(cell->pattern));
    }
    return plan_rules_refusal(&peer->rules, peer->name, cell, side);
}

/* What of ROS 2's quality of service TCPROS has no counterpart for; or NULL. (keep_all is its queue
 * without a limit, transient_local its latching.) */
static const char *unknown_to_ros1(const plan_qos *qos) {
    return strcmp(qos->reliability, "reliable") != 0 ? "best effort"
           : qos->deadline_ns > 0                    ? "deadline"
           : qos->lifespan_ns > 0                    ? "lifespan"
           : strcmp(qos->liveliness, "automatic") != 0 || qos->liveliness_lease_ns > 0
               ? "liveliness"
               : NULL;
}

static const char *rmw_of(const plan_peer *peer) {
    return peer->rmw == NULL ? "rmw_cyclonedds_cpp" : peer->rmw;
}

/* Why two peers cannot be measured together; heap, or NULL. */
static char *refusal(const plan_peer *from, const plan_peer *to, const plan_cell *cell) {
    char *reason = reason_of_one(from, cell, 0);
    if (reason == NULL) {
        reason = reason_of_one(to, cell, 1);
    }
    if (reason != NULL) {
        return reason;
    }
    if (strcmp(from->family, to->family) != 0) {
        return util_format("%s and %s do not speak the same protocol", from->name, to->name);
    }
    const char *lacks = cell->generation == 1 ? unknown_to_ros1(&cell->qos) : NULL;
    if (lacks != NULL) {
        return util_format("ROS 1 has no %s", lacks);
    }
    const pattern_type *type = pattern_find_type(pattern_registry[cell->pattern], cell->type);
    if (type != NULL && type->carrier == NULL) {
        return util_format("%s has no field with room for a payload", cell->type);
    }
    bool request_identity = cell->pattern == PLAN_SERVICE || cell->pattern == PLAN_ACTION;
    if (cell->generation == 2 && request_identity && strcmp(rmw_of(from), rmw_of(to)) != 0) {
        return util_format("%s goes over %s and %s over %s, which carry the identity of a request "
                           "differently: %ss cannot work between them (topics can)",
            from->name, rmw_of(from), to->name, rmw_of(to), plan_pattern_name(cell->pattern));
    }
    return NULL;
}

static void add_pair(
    plan *todo, const plan_cell *template, const plan_peer *from, const plan_peer *to) {
    plan_cell cell = *template;
    cell.from = from->name;
    cell.to = to->name;
    char *reason = refusal(from, to, &cell);
    cell.refused = reason;
    plan_add_cell(todo, &cell);
    free(reason);
}

bool plan_expand(plan *todo, const plan_spec *spec, plan_peers peers, char **ret_error) {
    const strvec *asked_from = spec->from.count > 0 ? &spec->from : &spec->to;
    const strvec *asked_to = spec->to.count > 0 ? &spec->to : &spec->from;
    strvec from = {0};
    strvec to = {0};
    bool ok = resolve(todo, &spec->cell, peers, 0, asked_from, &from, ret_error) &&
              resolve(todo, &spec->cell, peers, 1, asked_to, &to, ret_error);
    size_t before = todo->cell_count;
    for (size_t i = 0; ok && i < from.count; i++) {
        for (size_t j = 0; j < to.count; j++) {
            if (!spec->pairs_same || strcmp(from.items[i], to.items[j]) == 0) {
                add_pair(todo, &spec->cell, find_peer(peers, from.items[i]),
                    find_peer(peers, to.items[j]));
            }
        }
    }
    if (ok && todo->cell_count == before) {
        *ret_error = util_format("no pair of peers is left to measure for %s on ROS %d%s",
            plan_pattern_name(spec->cell.pattern), spec->cell.generation,
            spec->pairs_same ? " with equal sides" : "");
        ok = false;
    }
    strvec_done(&from);
    strvec_done(&to);
    return ok;
}

/* The default cells of one pattern and generation, for first variants or for the others. Peers that
 * were named are silently left out of what they do not play, as 'all' leaves them out. */
static bool add_default(plan *todo, const plan_cell *cell, const strvec *asked, plan_peers peers,
    bool secondary, char **ret_error) {
    strvec names = {0};
    bool ok = resolve(todo, cell, peers, BOTH_SIDES, asked, &names, ret_error);
    for (size_t i = 0; ok && i < names.count; i++) {
        const plan_peer *peer = find_peer(peers, names.items[i]);
        if (peer->secondary == secondary && plays(peer, cell)) {
            add_pair(todo, cell, peer, peer);
        }
    }
    strvec_done(&names);
    return ok;
}

bool plan_expand_default(plan *todo, const plan_spec *spec, plan_peers peers, char **ret_error) {
    static const plan_pattern patterns[] = {PLAN_TOPIC, PLAN_SERVICE};
    strvec asked = {0};
    strvec_push_all(&asked, &spec->from);
    if (asked.count == 0) {
        strvec_push(&asked, "all");
    }
    bool ok = true;
    for (int secondary = 0; secondary <= 1; secondary++) {
        for (int generation = 2; generation >= 1; generation--) {
            if (spec->cell.generation != 0 && spec->cell.generation != generation) {
                continue;
            }
            for (size_t i = 0; ok && i < sizeof patterns / sizeof patterns[0]; i++) {
                plan_cell cell = spec->cell;
                cell.pattern = patterns[i];
                cell.generation = generation;
                cell.type = plan_cell_default(patterns[i]).type;
                ok = add_default(todo, &cell, &asked, peers, secondary == 1, ret_error);
            }
        }
    }
    strvec_done(&asked);
    return ok;
}
