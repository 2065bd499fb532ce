/* Feeds every file of a folder to a fuzz target without libFuzzer: whole, cut at every length, and
 * with single bytes changed. It finds no new inputs; it keeps old ones from failing again. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SEED_BYTES_MAX 65536
#define CUTS_MAX 512

/* A copy of its own for each run, so that a sanitizer sees reads beyond the end. */
static void run_copy(const uint8_t *data, size_t size) {
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy) {
        abort();
    }
    memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static void run_variations(uint8_t *data, size_t size) {
    static const uint8_t values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
    run_copy(data, size);
    size_t step = size / CUTS_MAX + 1;
    for (size_t cut = 0; cut < size; cut += step) {
        run_copy(data, cut);
        uint8_t old = data[cut];
        for (size_t v = 0; v < sizeof values; v++) {
            data[cut] = values[v];
            run_copy(data, size);
        }
        data[cut] = old;
    }
}

int main(int argc, char **argv) {
    static uint8_t data[SEED_BYTES_MAX];
    if (argc != 2) {
        fprintf(stderr, "usage: %s SEEDS-FOLDER\n", argv[0]);
        return 2;
    }
    DIR *folder = opendir(argv[1]);
    if (!folder) {
        perror(argv[1]);
        return 2;
    }
    size_t seeds = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
        FILE *file = entry->d_name[0] == '.' ? NULL : fopen(path, "rb");
        if (file) {
            run_variations(data, fread(data, 1, sizeof data, file));
            fclose(file);
            seeds++;
        }
    }
    closedir(folder);
    printf("%zu seeds\n", seeds);
    return seeds ? 0 : 1;
}
