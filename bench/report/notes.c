/* What has to be said below the tables: failures with their reason, what was
 * not run, warnings, the floor of the instrument, and what it all ran on. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/parts.h"
#include "stats/summarize.h"
#include "util/memory.h"
#include "util/units.h"

#define SAID_LINES_MAX 5
#define OF_A_KIND_MAX 8

static void add_failures(const report_cell *cell, strvec *notes) {
    const plan_cell *what = cell->run->cell;
    for (size_t i = 0; i < cell->round_count; i++) {
        const run_round *run = cell->rounds[i].run;
        if (run->ok) {
            continue;
        }
        strvec_pushf(notes, "FAILED: %s %s -> %s, round %u: %s", plan_pattern_name(what->pattern),
            what->from, what->to, run->index + 1,
            run->failure != NULL ? run->failure : "no reason was given");
        for (int side = 0; side < 2; side++) {
            if (run->sides[side].said == NULL) {
                continue;
            }
            strvec lines = {0};
            strvec_split(&lines, run->sides[side].said, '\n');
            size_t first = lines.count > SAID_LINES_MAX ? lines.count - SAID_LINES_MAX : 0;
            for (size_t k = first; k < lines.count; k++) {
                if (lines.items[k][0] != '\0') {
                    strvec_pushf(notes, "    %s: %s", run->sides[side].role, lines.items[k]);
                }
            }
            strvec_done(&lines);
        }
    }
}

/* Warnings that differ in nothing but their numbers are of one kind; of a large matrix only the
 * first few of each kind are shown. All of them are in the JSON result. */
typedef struct warning_kinds {
    strvec shapes;
    size_t *counts, capacity;
} warning_kinds;

static char *shape_of(const char *text) {
    char *shape = util_strdup(text);
    size_t len = 0;
    for (const char *at = text; *at != '\0'; at++) {
        if (strchr("0123456789.", *at) == NULL) {
            shape[len++] = *at;
        } else if (len == 0 || shape[len - 1] != 'N') {
            shape[len++] = 'N';
        }
    }
    shape[len] = '\0';
    return shape;
}

/* How many of its kind there were before. */
static size_t count_kind(warning_kinds *kinds, const char *text) {
    char *shape = shape_of(text);
    size_t at = 0;
    while (at < kinds->shapes.count && strcmp(kinds->shapes.items[at], shape) != 0) {
        at++;
    }
    if (at == kinds->shapes.count) {
        strvec_push(&kinds->shapes, shape);
        util_reserve(&kinds->counts, &kinds->capacity, kinds->shapes.count, sizeof(*kinds->counts));
        kinds->counts[at] = 0;
    }
    free(shape);
    return kinds->counts[at]++;
}

/* The same warning of many rounds is said once, with how often. */
static void add_warnings(const report_cell *cell, warning_kinds *kinds, strvec *notes) {
    const plan_cell *what = cell->run->cell;
    strvec texts = {0};
    size_t *counts = NULL, capacity = 0;
    for (size_t i = 0; i < cell->round_count; i++) {
        const report_round *round = &cell->rounds[i];
        size_t total = round->run->warning_count + round->warnings.count;
        for (size_t w = 0; w < total; w++) {
            const char *text = w < round->run->warning_count
                                   ? round->run->warnings[w]
                                   : round->warnings.items[w - round->run->warning_count];
            size_t at = 0;
            while (at < texts.count && strcmp(texts.items[at], text) != 0) {
                at++;
            }
            if (at == texts.count) {
                strvec_push(&texts, text);
                util_reserve(&counts, &capacity, texts.count, sizeof(*counts));
                counts[at] = 0;
            }
            counts[at]++;
        }
    }
    for (size_t i = 0; i < texts.count; i++) {
        if (count_kind(kinds, texts.items[i]) < OF_A_KIND_MAX) {
            strvec_pushf(notes, "warning: %s %s -> %s, %zu round%s: %s",
                plan_pattern_name(what->pattern), what->from, what->to, counts[i],
                counts[i] == 1 ? "" : "s", texts.items[i]);
        }
    }
    strvec_done(&texts);
    free(counts);
}

static void add_all_warnings(const report *result, strvec *notes) {
    warning_kinds kinds = {0};
    for (size_t i = 0; i < result->cell_count; i++) {
        add_warnings(&result->cells[i], &kinds, notes);
    }
    for (size_t i = 0; i < kinds.shapes.count; i++) {
        if (kinds.counts[i] > OF_A_KIND_MAX) {
            strvec_pushf(notes, "warning: and %zu more like: %s", kinds.counts[i] - OF_A_KIND_MAX,
                kinds.shapes.items[i]);
        }
    }
    strvec_done(&kinds.shapes);
    free(kinds.counts);
}

/* A figure near this says more about the instrument than about the library. */
static void add_floor(const report *result, strvec *notes) {
    char text[UNITS_TEXT_MAX];
    for (size_t i = 0; i < result->cell_count; i++) {
        const plan_cell *what = result->cells[i].run->cell;
        stats_quantity main = stats_main_quantity(what);
        const stats_distribution *d = &result->cells[i].summary.quantities[main];
        if (result->cells[i].has_summary && d->n > 0 && strncmp(what->from, "null", 4) == 0) {
            strvec_pushf(notes, "floor of the instrument: %s%s with the null peer, p50 %s",
                plan_pattern_name(what->pattern), what->echo ? " echo" : "",
                units_format_duration((int64_t)d->p50, text));
        }
    }
    if (result->environment->clock_read_ns >= 0) {
        strvec_pushf(notes, "floor of the instrument: reading the clock takes %lld ns",
            (long long)result->environment->clock_read_ns);
    }
}

static const char *or_unknown(const char *text) {
    return text != NULL ? text : "unknown";
}

static bool measured(const report *result, int generation) {
    for (size_t i = 0; i < result->cell_count; i++) {
        if (result->cells[i].run->cell->generation == generation) {
            return true;
        }
    }
    return false;
}

/* Not all rows share one DDS library then. */
static void add_rmw(const run_environment *e, strvec *notes) {
    if (e->rmw == NULL || strcmp(e->rmw, "rmw_cyclonedds_cpp") == 0) {
        return;
    }
    bool own = e->fastdds_profiles != NULL && e->fastdds_profiles[0] != '<';
    strvec_pushf(notes,
        "ROS 2: libraries of the installation go over %s (RMW_IMPLEMENTATION), rclite does not%s%s",
        e->rmw, own ? "; not isolated by rclbench: " : "", own ? e->fastdds_profiles : "");
}

static void add_environment(const report *result, strvec *notes) {
    const run_environment *e = result->environment;
    strvec_pushf(notes, "machine: %s, %d cores, governor %s%s; %s", or_unknown(e->cpu_model),
        e->cpu_count, or_unknown(e->governor), e->virtual_machine ? ", virtual" : "",
        or_unknown(e->kernel));
    if (measured(result, 1)) {
        strvec_pushf(notes, "ROS 1: TCPROS over loopback, master %s%s", or_unknown(e->ros1_master),
            e->isolated ? " (private)" : "");
    }
    if (measured(result, 2) && e->dds_library != NULL) {
        char rmem[UNITS_TEXT_MAX] = "unknown", wmem[UNITS_TEXT_MAX] = "unknown";
        if (e->rmem_max >= 0) {
            units_format_bytes((uint64_t)e->rmem_max, rmem);
        }
        if (e->wmem_max >= 0) {
            units_format_bytes((uint64_t)e->wmem_max, wmem);
        }
        strvec_pushf(notes, "ROS 2: %s %s, rmem_max %s, wmem_max %s, %s", e->dds_library,
            or_unknown(e->dds_version), rmem, wmem,
            e->isolated ? "isolated on loopback" : "the user's environment");
        add_rmw(e, notes);
    }
    bool built = e->build_type != NULL && e->build_type[0] != '\0';
    strvec_pushf(notes, "rclbench %s (%s%s%s)", or_unknown(e->tool_version),
        or_unknown(e->revision), built ? ", " : "", built ? e->build_type : "");
    if (!e->optimised) {
        strvec_push(notes, "warning: this is not an optimised build; its figures mean little");
    }
}

static void add_refused(const report *result, strvec *notes) {
    for (size_t i = 0; i < result->cell_count; i++) {
        const run_cell *run = result->cells[i].run;
        if (run->refused != NULL) {
            strvec_pushf(notes, "not run: %s %s -> %s: %s", plan_pattern_name(run->cell->pattern),
                run->cell->from, run->cell->to, run->refused);
        }
    }
    for (size_t i = 0; i < result->plan->note_count; i++) {
        strvec_pushf(notes, "note: %s", result->plan->notes[i]);
    }
}

static bool any_noisy(const layout *shown) {
    for (size_t i = 0; i < shown->grid_count; i++) {
        for (size_t k = 0; k < shown->grids[i].cells.count; k++) {
            if (shown->grids[i].cells.items[k][0] == '~') {
                return true;
            }
        }
    }
    return false;
}

void layout_notes(const report *result, layout *shown) {
    strvec *notes = &shown->notes;
    if (result->record->interrupted) {
        strvec_push(notes, "INTERRUPTED: only what was measured until then is here");
    }
    for (size_t i = 0; i < result->cell_count; i++) {
        add_failures(&result->cells[i], notes);
    }
    add_refused(result, notes);
    add_all_warnings(result, notes);
    for (size_t i = 0; i < result->warnings.count; i++) {
        strvec_pushf(notes, "warning: %s", result->warnings.items[i]);
    }
    if (any_noisy(shown)) {
        strvec_push(notes, "~ too noisy to tell: the 95 % interval of the ratio spans more than a "
                           "factor of two");
    }
    unsigned rounds = layout_rounds(result);
    if (rounds > 0 && rounds < 5) {
        strvec_pushf(notes, "%u round%s: an impression, no intervals (they need 5)", rounds,
            rounds == 1 ? "" : "s");
    }
    add_floor(result, notes);
    add_environment(result, notes);
}
