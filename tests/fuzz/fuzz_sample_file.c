/* Fuzzes sample files. The first byte chooses how both sides are joined and which of them are
 * there; the rest is the file of both. What is accepted must keep sent = received + lost, and be
 * fit for statistics. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "stats/summarize.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const sample_file *file, uint8_t choice) {
    static const plan_cell cells[] = {
        {.pattern = PLAN_TOPIC, .period_ns = 1000, .payload_bytes = 8},
        {.pattern = PLAN_TOPIC, .echo = true},
        {.pattern = PLAN_SERVICE, .payload_bytes = 8},
        {.pattern = PLAN_ACTION, .period_ns = 1000},
        {.pattern = PLAN_STARTUP},
    };
    const plan_cell *cell = &cells[choice % 5];
    const run_round round = {0};
    const sample_file *sender = choice & 0x40 ? NULL : file;
    const sample_file *receiver = choice & 0x80 && sender != NULL ? NULL : file;
    char error[256];
    sample_set set;
    if (!sample_set_join(sender, receiver, stats_join_kind(cell), &set, error, sizeof error)) {
        return;
    }
    if (set.sent_known && (set.received > set.sent || set.row_count != set.sent)) {
        abort();
    }
    stats_summary summary;
    stats_round_summarize(cell, &round, &set, NULL, &summary);
    if (summary.sent_known && summary.received_known &&
        summary.sent != summary.received + summary.lost) {
        abort();
    }
    stats_summary_done(&summary);
    sample_set_done(&set);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    int fd = memfd_create("fuzz_sample_file", 0);
    if (size < 1 || fd < 0 || write(fd, data + 1, size - 1) != (ssize_t)(size - 1)) {
        close(fd);
        return 0;
    }
    char path[64], error[256];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    sample_file file;
    if (sample_file_read(path, &file, error, sizeof error)) {
        check(&file, data[0]);
        sample_file_done(&file);
    }
    close(fd);
    return 0;
}
