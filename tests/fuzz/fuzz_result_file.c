/* Fuzzes result files. What is accepted must be fit for every format. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/compare.h"
#include "report/report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    report result;
    char error[512] = "";
    if (!report_parse((const char *)data, size, "fuzz", &result, error, sizeof error)) {
        if (error[0] == '\0') {
            abort();
        }
        return 0;
    }
    FILE *out = fopen("/dev/null", "w");
    const report_view view = {.width = 80, .detail = true};
    for (size_t i = 0; out != NULL && i < report_format_count; i++) {
        if (!report_formats[i].write(&result, &view, out)) {
            abort();
        }
    }
    comparison compared;
    compare_results(&result, &result, NULL, &compared);
    comparison_done(&compared);
    report_done(&result);
    if (out != NULL) {
        fclose(out);
    }
    return 0;
}
