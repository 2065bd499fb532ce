/* A string that grows. Not a parser and not a pool: append, then take. */
#ifndef BENCH_UTIL_STRBUF_H
#define BENCH_UTIL_STRBUF_H

#include <stddef.h>

/* {0} is an empty buffer. data is NULL until something was appended, then 0-terminated. */
typedef struct strbuf {
    char *data;
    size_t len, capacity;
} strbuf;

void strbuf_append(strbuf *buffer, const char *text);
void strbuf_append_char(strbuf *buffer, char c);
void strbuf_appendf(strbuf *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The text, "" when empty; borrowed until the next call. */
const char *strbuf_text(const strbuf *buffer);
/* Gives the text away (never NULL, free() it) and leaves the buffer empty. */
char *strbuf_take(strbuf *buffer);
void strbuf_done(strbuf *buffer);

#endif
