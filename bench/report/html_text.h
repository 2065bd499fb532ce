/* Text inside HTML and SVG. */
#ifndef BENCH_REPORT_HTML_TEXT_H
#define BENCH_REPORT_HTML_TEXT_H

#include <stdio.h>

/* Escapes what would be markup. */
void html_write_text(const char *text, FILE *out);

#endif
