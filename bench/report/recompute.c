/* Checks a saved result against its saved samples: the files are the ones that
 * were hashed, and they still give the numbers that the result holds. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/compute.h"
#include "report/summary_json.h"
#include "util/memory.h"

/* The file has 15 digits; sums may be taken in another order by another
 * compiler. */
#define TOLERANCE 1e-11

/* The key, or index, of the first member that differs, "" at the top; false:
 * none does. */
static bool differs(const json_t *saved, const json_t *again, char *where, size_t where_size) {
    if (json_is_number(saved) && json_is_number(again)) {
        double a = json_number_value(saved), b = json_number_value(again);
        return fabs(a - b) > TOLERANCE * fmax(fabs(a), fabs(b));
    }
    if (json_is_object(saved) && json_is_object(again)) {
        void *at = json_object_iter((json_t *)(uintptr_t)saved);
        for (; at != NULL; at = json_object_iter_next((json_t *)(uintptr_t)saved, at)) {
            const char *key = json_object_iter_key(at);
            char deeper[64] = "";
            if (differs(json_object_iter_value(at), json_object_get(again, key), deeper,
                    sizeof(deeper))) {
                snprintf(where, where_size, ".%.30s%.30s", key, deeper);
                return true;
            }
        }
        return false;
    }
    if (json_is_array(saved) && json_is_array(again)) {
        bool same = json_array_size(saved) == json_array_size(again);
        for (size_t i = 0; same && i < json_array_size(saved); i++) {
            same = !differs(json_array_get(saved, i), json_array_get(again, i), where, where_size);
        }
        return !same;
    }
    return json_equal(saved, again) == 0;
}

static bool same_summary(
    const stats_summary *saved, const stats_summary *again, char *error_text, size_t error_size) {
    json_t *a = json_object(), *b = json_object();
    char where[128] = "";
    summary_to_json(a, saved);
    summary_to_json(b, again);
    bool differ = differs(a, b, where, sizeof(where));
    if (differ) {
        snprintf(error_text, error_size, "%s is not what the samples give", where + 1);
    }
    json_decref(a);
    json_decref(b);
    return !differ;
}

/* The last two components of a path. */
static const char *tail_of(const char *path) {
    const char *at = path + strlen(path);
    for (int slashes = 0; at > path; at--) {
        slashes += at[-1] == '/';
        if (slashes == 2) {
            break;
        }
    }
    return at;
}

/* Where a recorded path leads: as it is, or, when result and samples were moved together, below the
 * result's folder. NULL: nowhere. */
static char *locate(const char *recorded, const char *result_path) {
    if (access(recorded, R_OK) == 0) {
        return util_strdup(recorded);
    }
    const char *path = recorded[0] == '/' ? tail_of(recorded) : recorded;
    const char *slash = strrchr(result_path, '/');
    int folder = slash != NULL ? (int)(slash + 1 - result_path) : 0;
    char *joined = util_format("%.*s%s", folder, result_path, path);
    if (access(joined, R_OK) == 0) {
        return joined;
    }
    free(joined);
    return NULL;
}

static bool hashes_match(
    char *const paths[2], const report_round *round, char *error_text, size_t error_size) {
    for (int side = 0; side < 2; side++) {
        char hash[65];
        if (paths[side] == NULL) {
            continue;
        }
        if (!report_sha256_file(paths[side], hash)) {
            snprintf(error_text, error_size, "cannot read %s", paths[side]);
            return false;
        }
        if (strcmp(hash, round->samples_sha256[side]) != 0) {
            snprintf(error_text, error_size, "%s was changed: its sha256 is not the recorded one",
                paths[side]);
            return false;
        }
    }
    return true;
}

typedef enum redone { REDONE_NOTHING, REDONE_SAME, REDONE_OTHER } redone;

static redone recompute_round(const report_cell *cell, const report_round *round,
    const char *result_path, stats_pool *pool, char *error_text, size_t error_size) {
    char *paths[2] = {NULL, NULL};
    bool there = round->has_summary;
    bool any = false;
    for (int side = 0; side < 2; side++) {
        if (round->samples_sha256[side][0] != '\0') {
            paths[side] = locate(round->run->sides[side].samples_path, result_path);
            there = there && paths[side] != NULL;
            any = true;
        }
    }
    redone done = REDONE_NOTHING;
    if (there && any) {
        const char *const files[2] = {paths[0], paths[1]};
        stats_summary again = {0};
        bool same = hashes_match(paths, round, error_text, error_size) &&
                    report_compute_round(
                        cell->run->cell, round->run, files, pool, &again, error_text, error_size) &&
                    same_summary(&round->summary, &again, error_text, error_size);
        stats_summary_done(&again);
        done = same ? REDONE_SAME : REDONE_OTHER;
    }
    free(paths[0]);
    free(paths[1]);
    return done;
}

/* False with an error text. */
static bool recompute_cell(const report_cell *cell, const char *result_path, size_t *checked,
    char *error_text, size_t error_size) {
    stats_pool pool = {0};
    size_t redone_rounds = 0;
    bool good = true;
    char what[400];
    for (size_t i = 0; i < cell->round_count && good; i++) {
        redone done =
            recompute_round(cell, &cell->rounds[i], result_path, &pool, what, sizeof(what));
        redone_rounds += done == REDONE_SAME;
        if (done == REDONE_OTHER) {
            snprintf(error_text, error_size, "rounds[%zu]: %s", i, what);
            good = false;
        }
    }
    if (good && redone_rounds > 0 && redone_rounds == cell->good_rounds) {
        stats_summary again;
        stats_pool_summarize(&pool, &again);
        good = same_summary(&cell->summary, &again, what, sizeof(what));
        if (!good) {
            snprintf(error_text, error_size, "summary: %s", what);
        }
        stats_summary_done(&again);
    }
    *checked += redone_rounds;
    stats_pool_done(&pool);
    return good;
}

bool report_recompute(const report *result, const char *result_path, size_t *ret_rounds_checked,
    char *error_text, size_t error_size) {
    *ret_rounds_checked = 0;
    for (size_t i = 0; i < result->cell_count; i++) {
        char what[480];
        if (!recompute_cell(
                &result->cells[i], result_path, ret_rounds_checked, what, sizeof(what))) {
            snprintf(error_text, error_size, "%s: cells[%zu].%s", result_path, i, what);
            return false;
        }
    }
    return true;
}
