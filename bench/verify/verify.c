/* The order of a verification, and its report; see verify.h. */
#include "verify/verify.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/interrupt.h"
#include "util/memory.h"
#include "verify/internal.h"

static bool make_folder(verification *v, char **ret_error) {
    const char *tmp = getenv("TMPDIR");
    v->folder =
        util_format("%s/rclbench-verify-XXXXXX", tmp == NULL || tmp[0] == '\0' ? "/tmp" : tmp);
    if (mkdtemp(v->folder) == NULL) {
        *ret_error = util_format("%s: %s", v->folder, strerror(errno));
        free(v->folder);
        v->folder = NULL;
        return false;
    }
    return true;
}

static int remove_entry(
    const char *path, const struct stat *status, int flag, struct FTW *position) {
    (void)status;
    (void)flag;
    (void)position;
    return remove(path);
}

/* Only peers of the family ros need a master for ROS 1. */
static bool start_master(verification *v, char **ret_error) {
    bool needed = v->spec->master_uri == NULL && strcmp(v->spec->peer->family, "ros") == 0;
    char *error = NULL;
    if (!needed || run_master_start(&v->master, &v->spec->setting->environments[0], v->folder,
                       v->spec->setting->guard, &error)) {
        return true;
    }
    *ret_error =
        util_format("no ROS 1 master (Debian: python3-rosmaster; or --master URI): %s", error);
    free(error);
    return false;
}

static bool verify_generation(verification *v, int generation, char **ret_error) {
    if (generation == 1 && !start_master(v, ret_error)) {
        return false;
    }
    return verify_exchanges(v, generation, ret_error) && verify_lone(v, generation, ret_error);
}

bool verify_peer(const verify_spec *spec, verify_report *report, char **ret_error) {
    memset(report, 0, sizeof *report);
    verification v = {.spec = spec, .report = report};
    for (int i = 0; i < PLAN_PATTERN_COUNT; i++) {
        v.settings[i] =
            plan_rules_settings(&spec->peer->rules, (plan_pattern)i, spec->settings_json);
    }
    bool ok = make_folder(&v, ret_error);
    for (int generation = 2; ok && generation >= 1; generation--) {
        bool asked = spec->generation == 0 || spec->generation == generation;
        if (asked && spec->peer->generations[generation]) {
            ok = verify_generation(&v, generation, ret_error);
        }
        if (ok && run_interrupt_count() > 0) {
            *ret_error = util_strdup("interrupted");
            ok = false;
        }
    }
    if (ok && report->count == 0) {
        *ret_error = util_format("%s does not speak ROS %d", spec->variant->name, spec->generation);
        ok = false;
    }
    run_master_stop(&v.master);
    if (v.folder != NULL) {
        nftw(v.folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    }
    free(v.folder);
    for (int i = 0; i < PLAN_PATTERN_COUNT; i++) {
        free(v.settings[i]);
    }
    return ok;
}

void verify_report_done(verify_report *report) {
    for (size_t i = 0; i < report->count; i++) {
        free(report->checks[i].subject);
        free(report->checks[i].problem);
    }
    free(report->checks);
    memset(report, 0, sizeof *report);
}
