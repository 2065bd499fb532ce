/* The list of interfaces to be written, and the names that they get in C. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "generate/generate.h"

char *generate_c_name(generate_job *job, const char *full_name) {
    char *name = rclitei_arena_alloc(&job->arena, 2 * strlen(full_name) + 1);
    if (!name) {
        fputs("rclite-generate: out of memory\n", stderr);
        exit(2);
    }
    char *end = name;
    for (const char *p = full_name; *p; p++) {
        *end++ = *p == '/' ? '_' : *p;
        if (*p == '/') {
            *end++ = '_';
        }
    }
    return name;
}

bool generate_want(generate_job *job, const char *full_name) {
    for (size_t i = 0; i < job->unit_count; i++) {
        if (strcmp(job->units[i], full_name) == 0) {
            return true;
        }
    }
    if (job->unit_count == job->unit_capacity) {
        size_t capacity = job->unit_capacity * 2 + 64;
        char **units = realloc(job->units, capacity * sizeof *units);
        if (!units) {
            rclitei_fail(&job->error, RCLITE_ERR_NO_MEMORY, 0, "out of memory");
            return false;
        }
        job->units = units;
        job->unit_capacity = capacity;
    }
    char *name = rclitei_arena_format(&job->arena, "%s", full_name);
    if (!name) {
        rclitei_fail(&job->error, RCLITE_ERR_NO_MEMORY, 0, "out of memory");
        return false;
    }
    job->units[job->unit_count++] = name;
    return true;
}
