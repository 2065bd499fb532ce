/* A list of owned strings, always followed by NULL, so that it also serves as an argv or environ.
 */
#ifndef BENCH_UTIL_STRVEC_H
#define BENCH_UTIL_STRVEC_H

#include <stdbool.h>
#include <stddef.h>

/* {0} is an empty list; items is NULL until something was pushed. */
typedef struct strvec {
    char **items;
    size_t count, capacity;
} strvec;

void strvec_push(strvec *list, const char *text);
/* Takes a heap string. */
void strvec_push_owned(strvec *list, char *text);
void strvec_pushf(strvec *list, const char *format, ...) __attribute__((format(printf, 2, 3)));
void strvec_push_all(strvec *list, const strvec *other);

/* Splits at each separator; blanks around a piece are dropped, empty pieces are kept. */
void strvec_split(strvec *list, const char *text, char separator);
char *strvec_join(const strvec *list, const char *separator);
bool strvec_contains(const strvec *list, const char *text);
/* Sets NAME=value in a list of environment strings, in place if the name is there; a NULL value
 * removes it. */
void strvec_set_variable(strvec *list, const char *name, const char *value);
/* The value of NAME, borrowed, or NULL. */
const char *strvec_variable(const strvec *list, const char *name);

void strvec_clear(strvec *list);
void strvec_done(strvec *list);

#endif
