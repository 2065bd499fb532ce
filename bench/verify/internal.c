/* What every part of a verification needs: see internal.h. */
#include "verify/internal.h"

#include "util/memory.h"

void verify_add(verification *v, char *subject, char *problem) {
    verify_report *report = v->report;
    util_reserve(&report->checks, &report->capacity, report->count + 1, sizeof *report->checks);
    verify_check *check = &report->checks[report->count++];
    *check = (verify_check){.subject = subject, .problem = problem};
    report->failed += problem != NULL;
    if (v->spec->on_check != NULL) {
        v->spec->on_check(v->spec->user, check);
    }
}

const char *verify_master_uri(const verification *v, int generation) {
    if (generation != 1) {
        return NULL;
    }
    if (v->spec->master_uri != NULL) {
        return v->spec->master_uri;
    }
    return v->master.uri[0] == '\0' ? NULL : v->master.uri;
}
