/* Delays, floods, crashes, wrong lines and wrong rows: see mischief.h. */
#include "mischief.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S INT64_C(1000000000)

static void flood(const null_script *script) {
    char line[] = "this line is one of very many that nobody asked for\n";
    FILE *to = script->flood_stderr ? stderr : stdout;
    for (int64_t written = 0; written < script->flood_bytes;) {
        written += (int64_t)fwrite(line, 1, sizeof line - 1, to);
    }
    fflush(to);
}

static void early_io(const null_script *script, const char *samples) {
    FILE *to = strcmp(script->early_io, "file") == 0 ? fopen(samples, "we") : stdout;
    for (int i = 0; to && i < 100; i++) {
        fprintf(to, "sample %d was written while measuring\n", i);
    }
    if (to) {
        fflush(to);
    }
}

void mischief_at(const null_script *script, const char *samples, peer_stage stage) {
    if (stage == PEER_STAGE_READY && script->ready_delay_ns > 0) {
        int64_t delay = script->ready_delay_ns;
        nanosleep(&(struct timespec){delay / NS_PER_S, delay % NS_PER_S}, NULL);
    }
    if (stage == PEER_STAGE_MEASURED && script->early_io) {
        early_io(script, samples);
    }
    if (script->line_at == (int)stage && script->line) {
        dprintf(4, "%s\n", script->line);
    }
    if (script->flood_at == (int)stage) {
        flood(script);
    }
    if (script->crash_at == (int)stage) {
        raise((int)script->signal);
    }
    if (script->exit_at == (int)stage) {
        _exit((int)script->exit_code);
    }
    while (script->hang_at == (int)stage) {
        pause();
    }
}

void mischief_say(const null_script *script, char *line, size_t size) {
    long long number;
    if (sscanf(line, "now %lld", &number) == 1) {
        snprintf(line, size, "now %lld", number + (long long)script->now_offset_ns);
    } else if (sscanf(line, "done %lld", &number) == 1) {
        snprintf(line, size, "done %lld", number + (long long)script->done_offset);
    }
}

void mischief_rows(const null_script *script, peer_row *rows, size_t *count) {
    if (script->rows_offset < 0 && *count > 0) {
        --*count;
    } else if (script->rows_offset > 0 && *count > 0) {
        rows[*count] = rows[*count - 1];
        rows[*count].seq++;
        ++*count;
    }
    for (size_t i = 0; script->swap && i < *count; i++) {
        int64_t t1 = rows[i].t1_ns;
        rows[i].t1_ns = rows[i].t4_ns;
        rows[i].t4_ns = t1;
    }
}
