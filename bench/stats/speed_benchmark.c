/* How long the statistics of a long run take: joins and summarises 10^7 messages (or as many as the
 * argument says) and prints the CPU time of each step. A benchmark, not a test: it judges nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "stats/summarize.h"
#include "util/memory.h"

#define STANDARD_COUNT 10000000
#define START_NS INT64_C(1700000000000000000)

static double cpu_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(int argc, char **argv) {
    size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : STANDARD_COUNT;
    sample_row *sent = util_alloc_large(count, sizeof(*sent));
    sample_row *arrived = util_alloc_large(count, sizeof(*arrived));
    unsigned seed = 1;
    for (size_t i = 0; i < count; i++) {
        int64_t t1 = START_NS + (int64_t)i * 10000;
        sent[i] = (sample_row){.seq = i, .t1_ns = t1};
        arrived[i] = (sample_row){.seq = i, .t4_ns = t1 + 20000 + rand_r(&seed) % 100000};
    }
    const sample_file publisher = {.run_id = 1, .role = 1, .rows = sent, .row_count = count};
    const sample_file subscriber = {.run_id = 1, .role = 2, .rows = arrived, .row_count = count};
    const plan_cell cell = {.pattern = PLAN_TOPIC, .payload_bytes = 8};
    const run_round round = {0};
    sample_set set;
    stats_summary summary;
    char error[256];
    double begun = cpu_s();
    if (!sample_set_join(
            &publisher, &subscriber, SAMPLE_JOIN_ONE_WAY, &set, error, sizeof(error))) {
        puts(error);
        return EXIT_FAILURE;
    }
    double joined = cpu_s();
    stats_round_summarize(&cell, &round, &set, NULL, &summary);
    double done = cpu_s();
    printf("%zu messages: joined in %.2f s, statistics in %.2f s (p50 %.0f ns)\n", count,
        joined - begun, done - joined, summary.quantities[STATS_LATENCY].p50);
    stats_summary_done(&summary);
    sample_set_done(&set);
    free(sent);
    free(arrived);
    return EXIT_SUCCESS;
}
