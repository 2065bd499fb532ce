/* Progress and trouble on standard error; see progress.h. */
#include "cli/progress.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/clock.h"
#include "util/units.h"

#define BAR_WIDTH 24
#define SAID_LINES_MAX 12
#define LINE_EVERY_NS INT64_C(3000000000)

/* "topic, ROS 2, rclite to rclcpp" */
static void print_cell(const plan_cell *cell, FILE *out) {
    char size[UNITS_TEXT_MAX];
    fprintf(out, "%s%s, ROS %d, %s", plan_pattern_name(cell->pattern), cell->echo ? " --echo" : "",
        cell->generation, cell->from);
    if (strcmp(cell->from, cell->to) != 0) {
        fprintf(out, " to %s", cell->to);
    }
    if (cell->payload_bytes > 0) {
        fprintf(out, ", %s", units_format_bytes(cell->payload_bytes, size));
    }
}

static void remove_line(cli_progress *progress) {
    if (progress->line_open) {
        fputs("\r\033[K", progress->out);
        progress->line_open = false;
    }
}

static void print_time_left(const cli_progress *progress) {
    if (progress->ended == 0) {
        return;
    }
    int64_t used_ns = run_clock_monotonic_ns() - progress->began_ns;
    int64_t left_ns =
        used_ns / (int64_t)progress->ended * (int64_t)(progress->total - progress->ended);
    if (progress->budget_ns > 0 && left_ns > progress->budget_ns - used_ns) {
        left_ns = progress->budget_ns > used_ns ? progress->budget_ns - used_ns : 0;
    }
    int64_t left_s = left_ns / 1000000000;
    fprintf(progress->out, " %d:%02d left", (int)(left_s / 60), (int)(left_s % 60));
}

static void round_begins(void *user, const plan_cell *cell, uint32_t round) {
    cli_progress *progress = user;
    if (!progress->live) {
        return;
    }
    size_t filled = progress->total == 0 ? 0 : progress->ended * BAR_WIDTH / progress->total;
    remove_line(progress);
    fputc('[', progress->out);
    for (size_t i = 0; i < BAR_WIDTH; i++) {
        fputc(i < filled ? '#' : '.', progress->out);
    }
    fprintf(progress->out, "] %zu/%zu", progress->ended, progress->total);
    print_time_left(progress);
    fputs("  ", progress->out);
    print_cell(cell, progress->out);
    if (progress->rounds > 1) {
        fprintf(progress->out, ", round %u", round + 1);
    }
    progress->line_open = true;
    fflush(progress->out);
}

/* The last lines of what a peer printed, set apart from ours. */
static void print_said(const run_process *process, FILE *out) {
    if (process->said == NULL) {
        return;
    }
    const char *end = process->said + strlen(process->said);
    while (end > process->said && end[-1] == '\n') {
        end--;
    }
    const char *first = end;
    for (int lines = 0; first > process->said; first--) {
        if (first[-1] == '\n' && ++lines == SAID_LINES_MAX) {
            break;
        }
    }
    fprintf(out, "  %s (%s) said:\n", process->variant, process->role);
    while (first < end) {
        const char *newline = memchr(first, '\n', (size_t)(end - first));
        const char *stop = newline == NULL ? end : newline;
        fprintf(out, "  | %.*s\n", (int)(stop - first), first);
        first = stop + 1;
    }
}

/* Where lines stay, each has to be worth it: one for each cell of a single round, else one every
 * few seconds, and the last. */
static void print_line(cli_progress *progress, const plan_cell *cell, uint32_t round) {
    int64_t now_ns = run_clock_monotonic_ns();
    if (progress->rounds > 1 && progress->ended < progress->total &&
        now_ns - progress->told_ns < LINE_EVERY_NS) {
        return;
    }
    progress->told_ns = now_ns;
    fprintf(progress->out, "[%zu/%zu]", progress->ended, progress->total);
    if (progress->ended < progress->total) {
        print_time_left(progress);
        fputc(',', progress->out);
    }
    fputc(' ', progress->out);
    print_cell(cell, progress->out);
    if (progress->rounds > 1) {
        fprintf(progress->out, ", round %u", round + 1);
    }
    fputc('\n', progress->out);
    fflush(progress->out);
}

static void round_ended(void *user, const plan_cell *cell, const run_round *round) {
    cli_progress *progress = user;
    progress->ended++;
    if (round->failure != NULL && strcmp(round->failure, "interrupted") != 0) {
        remove_line(progress);
        fputs("rclbench: ", progress->out);
        print_cell(cell, progress->out);
        fprintf(progress->out, ", round %u: %s\n", round->index + 1, round->failure);
        print_said(&round->sides[0], progress->out);
        print_said(&round->sides[1], progress->out);
    } else if (!progress->live) {
        print_line(progress, cell, round->index);
    }
}

static void waiting(void *user, const char *sentence) {
    cli_progress *progress = user;
    remove_line(progress);
    fprintf(progress->out, "rclbench: no match for 2 s: %s\n", sentence);
}

void cli_progress_begin(cli_progress *progress, const plan *todo, int64_t budget_ns, FILE *out) {
    memset(progress, 0, sizeof *progress);
    progress->out = out;
    progress->live = isatty(fileno(out));
    progress->rounds = todo->rounds;
    progress->budget_ns = budget_ns;
    for (size_t i = 0; i < todo->cell_count; i++) {
        progress->total += todo->cells[i].refused == NULL ? todo->rounds : 0;
    }
    progress->began_ns = progress->told_ns = run_clock_monotonic_ns();
}

run_observer cli_progress_observer(cli_progress *progress) {
    return (run_observer){
        .user = progress,
        .round_begins = round_begins,
        .round_ended = round_ended,
        .waiting = waiting,
    };
}

void cli_progress_end(cli_progress *progress) {
    remove_line(progress);
    fflush(progress->out);
}
