/* The run that this room's tests look at: see fixture.h. */
#include "report/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sample/sample.h"
#include "util/memory.h"

#define START_NS INT64_C(1700000000000000000)

/* Latencies of message i in round r: a plain saw tooth, so that every figure
 * can be worked out. */
static int64_t latency_ns(const plan_cell *cell, uint32_t round, int64_t i) {
    int64_t base = strcmp(cell->from, "rclite") == 0 ? 20000 : 100000;
    return base + (int64_t)round * 100 + (i * 37 % FIXTURE_MESSAGES) * 10;
}

static char *samples_path(const fixture *f, size_t cell, uint32_t round, int side) {
    return util_format("%s/%zu.%u.%d.samples", f->folder, cell, round, side);
}

static void write_side(
    const char *path, uint32_t role, uint64_t run_id, sample_row *rows, size_t count) {
    char error[256];
    sample_file file = {.run_id = run_id, .role = role, .rows = rows, .row_count = count};
    if (role == 1 || role == 3) {
        file.finished_ns = rows[count - 1].t1_ns + 500;
    }
    if (!sample_file_write(path, &file, error, sizeof(error))) {
        abort();
    }
}

static void write_samples(const plan_cell *cell, uint32_t round, run_process sides[2]) {
    sample_row sent[FIXTURE_MESSAGES], got[FIXTURE_MESSAGES];
    bool topic = cell->pattern == PLAN_TOPIC;
    size_t arrived = 0;
    for (int64_t i = 0; i < FIXTURE_MESSAGES; i++) {
        int64_t t1 = START_NS + i * 1000000, t4 = t1 + latency_ns(cell, round, i);
        sent[i] = (sample_row){.seq = (uint64_t)i, .planned_ns = t1 - 50, .t1_ns = t1};
        if (topic && i == 7 && round == 2) {
            continue; /* lost */
        }
        got[arrived] = (sample_row){.seq = (uint64_t)i, .t4_ns = t4};
        if (!topic) {
            int64_t t2 = t1 + latency_ns(cell, round, i) / 3;
            sent[i].t2_ns = got[arrived].t2_ns = t2;
            sent[i].t3_ns = got[arrived].t3_ns = cell->pattern == PLAN_ACTION ? 0 : t2 + 100;
            sent[i].t4_ns = t4;
        }
        arrived++;
    }
    write_side(sides[0].samples_path, topic ? 1 : 3, 9, sent, FIXTURE_MESSAGES);
    write_side(sides[1].samples_path, topic ? 2 : 4, 9, got, arrived);
}

static void fill_side(
    const fixture *f, size_t cell_index, uint32_t round, int side, run_process *process) {
    const plan_cell *cell = &f->todo.cells[cell_index];
    *process = (run_process){
        .role = util_strdup(plan_role_name(cell->pattern, side)),
        .variant = util_strdup(side == 0 ? cell->from : cell->to),
        .command = util_strdup("./peer job.json"),
        .measured = {true, 30000000, 20000000, 5 << 20, 100, 3, 42, 0},
        .lifetime = {true, 60000000, 40000000, 6 << 20, 200, 6, 900, 1},
        .spawned_ns = START_NS - 900000000,
        .created_ns = START_NS - 700000000,
        .matched_ns = START_NS - 650000000,
        .ready_ns = START_NS - 600000000,
        .go_ns = START_NS - 1000,
        .measured_ns = START_NS + 100000000 - 1000,
        .effective_json = util_strdup("{\"library\":\"x\",\"version\":\"1.0\"}"),
        .samples_path = samples_path(f, cell_index, round, side),
        .done_rows = FIXTURE_MESSAGES,
    };
}

static void add_cell(fixture *f, plan_pattern pattern, const char *from, const char *to) {
    plan_cell cell = plan_cell_default(pattern);
    cell.from = from;
    cell.to = to;
    cell.count = FIXTURE_MESSAGES;
    cell.growth = pattern == PLAN_ACTION;
    if (strcmp(to, "roscpp") == 0) {
        cell.refused = "roscpp does not speak ROS 2";
    }
    plan_add_cell(&f->todo, &cell);
}

static void run_cell_rounds(fixture *f, size_t index) {
    run_cell *run = &f->record.cells[index];
    run->cell = &f->todo.cells[index];
    if (run->cell->refused != NULL) {
        run->refused = util_strdup(run->cell->refused);
        return;
    }
    run->rounds = util_alloc(FIXTURE_ROUNDS, sizeof(*run->rounds));
    run->round_count = FIXTURE_ROUNDS;
    for (uint32_t r = 0; r < FIXTURE_ROUNDS; r++) {
        run_round *round = &run->rounds[r];
        *round = (run_round){.index = r, .ok = true, .udp_receive_errors = -1, .load_1min = 0.25};
        fill_side(f, index, r, 0, &round->sides[0]);
        fill_side(f, index, r, 1, &round->sides[1]);
        write_samples(run->cell, r, round->sides);
        if (index == 1 && r == 5) {
            round->ok = false;
            round->failure = util_strdup("rclcpp (subscriber) crashed: Segmentation fault");
            round->sides[1].signal = 11;
            round->sides[1].exit_status = -1;
            round->sides[1].said = util_strdup("terminate called\n\xff");
        }
    }
}

void fixture_create(fixture *f, bool samples_kept) {
    memset(f, 0, sizeof(*f));
    strcpy(f->folder, "report_fixture.XXXXXX");
    if (mkdtemp(f->folder) == NULL) {
        abort();
    }
    plan_init(&f->todo);
    f->todo.rounds = FIXTURE_ROUNDS;
    add_cell(f, PLAN_TOPIC, "rclite", "rclite");
    add_cell(f, PLAN_TOPIC, "rclcpp", "rclcpp");
    add_cell(f, PLAN_SERVICE, "rclite", "rclite");
    add_cell(f, PLAN_SERVICE, "rclcpp", "rclcpp");
    add_cell(f, PLAN_ACTION, "rclite", "rclite");
    add_cell(f, PLAN_SERVICE, "rclite", "roscpp");
    plan_note(&f->todo, "left out: %s", "rclpy x rclpy");
    f->record.cell_count = f->todo.cell_count;
    f->record.cells = util_alloc(f->record.cell_count, sizeof(*f->record.cells));
    for (size_t i = 0; i < f->record.cell_count; i++) {
        run_cell_rounds(f, i);
    }
    f->environment = (run_environment){
        .tool_version = (char *)"0.1.0",
        .revision = (char *)"abc",
        .build_type = (char *)"Release",
        .optimised = true,
        .command_line = (char *)"rclbench",
        .started_ns = START_NS,
        .kernel = (char *)"Linux 6.1",
        .cpu_model = (char *)"A \"quoted\" CPU",
        .cpu_count = 2,
        .load_1min = 0.5,
        .memory_bytes = -1,
        .rmem_max = 212992,
        .wmem_max = -1,
        .rmem_default = -1,
        .wmem_default = -1,
        .ipfrag_high_thresh = -1,
        .dds_library = (char *)"Eclipse Cyclone DDS",
        .dds_version = (char *)"0.10.2",
        .domain_id = 16,
        .isolated = true,
        .clock_read_ns = 31,
    };
    strvec warnings = {0};
    strvec_push(&warnings, "the CPU governor is powersave");
    report_options options = {.samples_kept = samples_kept, .seed = 42, .warnings = &warnings};
    report_build(&f->todo, &f->record, &f->environment, &options, &f->result);
    strvec_done(&warnings);
}

static void process_done(run_process *process) {
    if (process->samples_path != NULL) {
        unlink(process->samples_path);
    }
    free(process->role);
    free(process->variant);
    free(process->command);
    free(process->effective_json);
    free(process->samples_path);
    free(process->said);
}

void fixture_done(fixture *f) {
    report_done(&f->result);
    for (size_t i = 0; i < f->record.cell_count; i++) {
        run_cell *run = &f->record.cells[i];
        for (size_t r = 0; r < run->round_count; r++) {
            process_done(&run->rounds[r].sides[0]);
            process_done(&run->rounds[r].sides[1]);
            free(run->rounds[r].failure);
        }
        free(run->rounds);
        free(run->refused);
    }
    free(f->record.cells);
    plan_done(&f->todo);
    rmdir(f->folder);
}

char *fixture_write(const report *result, const char *format, const report_view *view) {
    static const report_view plain = {.width = 80};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    const report_format *found = report_format_find(format);
    if (found == NULL || !found->write(result, view != NULL ? view : &plain, out)) {
        abort();
    }
    fclose(out);
    return text;
}
