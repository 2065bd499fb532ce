/* From the sample files of a round to its summary: see compute.h. */
#include "report/compute.h"

#include <nettle/sha2.h>
#include <stdio.h>
#include <string.h>

bool report_compute_round(const plan_cell *cell, const run_round *round, const char *const paths[2],
    stats_pool *pool, stats_summary *ret_summary, char *error_text, size_t error_size) {
    sample_file sides[2] = {{0}, {0}};
    sample_set set = {0};
    bool good = paths[0] != NULL || paths[1] != NULL;
    if (!good) {
        snprintf(error_text, error_size, "no samples were recorded");
    }
    for (int side = 0; side < 2 && good; side++) {
        good = paths[side] == NULL ||
               sample_file_read(paths[side], &sides[side], error_text, error_size);
    }
    good = good &&
           sample_set_join(paths[0] != NULL ? &sides[0] : NULL, paths[1] != NULL ? &sides[1] : NULL,
               stats_join_kind(cell), &set, error_text, error_size);
    sample_file_done(&sides[0]);
    sample_file_done(&sides[1]);
    if (good) {
        stats_round_summarize(cell, round, &set, pool, ret_summary);
    }
    sample_set_done(&set);
    return good;
}

bool report_sha256_file(const char *path, char ret_hex[65]) {
    FILE *in = fopen(path, "rbe");
    if (in == NULL) {
        return false;
    }
    struct sha256_ctx context;
    sha256_init(&context);
    unsigned char buffer[1 << 16];
    size_t got;
    while ((got = fread(buffer, 1, sizeof(buffer), in)) > 0) {
        sha256_update(&context, got, buffer);
    }
    bool good = ferror(in) == 0;
    fclose(in);
    unsigned char digest[SHA256_DIGEST_SIZE];
    sha256_digest(&context, sizeof(digest), digest);
    for (size_t i = 0; i < sizeof(digest); i++) {
        snprintf(ret_hex + 2 * i, 3, "%02x", digest[i]);
    }
    return good;
}
