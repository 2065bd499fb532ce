/* Memory of a report that was read from a file: see owned.h. */
#include "report/owned.h"

#include <stdlib.h>

#include "util/memory.h"

void report_owned_take(report_owned *owned, void *block) {
    size_t needed = owned->block_count + 1;
    util_reserve(&owned->blocks, &owned->block_capacity, needed, sizeof(void *));
    owned->blocks[owned->block_count++] = block;
}

void *report_owned_alloc(report_owned *owned, size_t count, size_t size) {
    void *block = util_alloc(count > 0 ? count : 1, size);
    report_owned_take(owned, block);
    return block;
}

void report_owned_free(report_owned *owned) {
    if (owned == NULL) {
        return;
    }
    for (size_t i = 0; i < owned->block_count; i++) {
        free(owned->blocks[i]);
    }
    free(owned->blocks);
    json_decref(owned->root);
    free(owned);
}
