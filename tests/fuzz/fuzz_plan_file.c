/* Fuzzes the reader of plan files: any bytes give measurements that can be planned, or one
 * sentence. */
#include <stdint.h>
#include <stdlib.h>

#include "cli/plan_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    cli_plan_file file;
    char *error = NULL;
    if (cli_plan_file_parse((const char *)data, size, "fuzz", &file, &error)) {
        for (size_t i = 0; i < file.point_count; i++) {
            const plan_cell *cell = &file.points[i].spec.cell;
            if (plan_estimate_round_ns(cell) <= 0 || (cell->count == 0 && cell->duration_ns == 0)) {
                abort();
            }
        }
        if (error != NULL || file.point_count == 0) {
            abort();
        }
        cli_plan_file_done(&file);
    } else if (error == NULL) {
        abort();
    }
    free(error);
    return 0;
}
