/* A small run for the tests of this room: two libraries, topic and service and
 * action, with sample files of scripted stamps, one failed round and one
 * refused cell. */
#ifndef BENCH_REPORT_FIXTURE_H
#define BENCH_REPORT_FIXTURE_H

#include "report/report.h"

#define FIXTURE_ROUNDS 6
#define FIXTURE_MESSAGES 100

typedef struct fixture {
    char folder[64];
    plan todo;
    run_record record;
    run_environment environment;
    report result;
} fixture;

/* Writes the sample files into a new folder and builds the report. */
void fixture_create(fixture *f, bool samples_kept);
/* Deletes the folder too. */
void fixture_done(fixture *f);
/* The report in one format; free() it. */
char *fixture_write(const report *result, const char *format, const report_view *view);

#endif
