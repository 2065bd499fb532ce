/* What the files of verify share. */
#ifndef BENCH_VERIFY_INTERNAL_H
#define BENCH_VERIFY_INTERNAL_H

#include "verify/verify.h"

#include "run/master.h"

typedef struct verification {
    const verify_spec *spec;
    verify_report *report;
    char *folder; /* for jobs and samples */
    run_master master;
    char *settings[PLAN_PATTERN_COUNT]; /* JSON: as given, and as the manifest's rules ask for */
} verification;

/* Adds a check. subject and problem are heap and taken over; problem NULL: passed. */
void verify_add(verification *v, char *subject, char *problem);

/* NULL where none is needed. */
const char *verify_master_uri(const verification *v, int generation);

/* Both ends of each pattern: exchange.c. False with a sentence (heap) when it cannot go on. */
bool verify_exchanges(verification *v, int generation, char **ret_error);
/* The peer alone: lone.c. */
bool verify_lone(verification *v, int generation, char **ret_error);

#endif
