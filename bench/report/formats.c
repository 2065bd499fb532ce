/* The formats by name and by suffix. */
#include "report/formats.h"

#include <string.h>

const report_format report_formats[] = {
    {"text", ".txt", "tables for a terminal", report_write_text},
    {"json", ".json", "everything; docs/result-schema.json describes it", report_write_json},
    {"csv", ".csv", "a line per round and per cell; docs/csv.md describes it", report_write_csv},
    {"markdown", ".md", "the tables of text, for a web page", report_write_markdown},
    {"html", ".html", "one self-contained page with the tables and charts", report_write_html},
};
const size_t report_format_count = sizeof(report_formats) / sizeof(report_formats[0]);

const report_format *report_format_find(const char *name) {
    for (size_t i = 0; i < report_format_count; i++) {
        if (strcmp(report_formats[i].name, name) == 0) {
            return &report_formats[i];
        }
    }
    return NULL;
}

const report_format *report_format_of_file(const char *file_name) {
    size_t len = strlen(file_name);
    for (size_t i = 0; i < report_format_count; i++) {
        size_t suffix_len = strlen(report_formats[i].suffix);
        if (len > suffix_len &&
            strcmp(file_name + len - suffix_len, report_formats[i].suffix) == 0) {
            return &report_formats[i];
        }
    }
    return NULL;
}
