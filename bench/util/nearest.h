/* "Did you mean ...": the word of a list that is nearest to what was typed. */
#ifndef BENCH_UTIL_NEAREST_H
#define BENCH_UTIL_NEAREST_H

#include <stddef.h>

/* Insertions, deletions, substitutions and swaps of neighbours that turn a into b. Words longer
 * than 63 characters count as infinitely far. */
size_t nearest_distance(const char *a, const char *b);

/* The nearest of `words` (borrowed), or NULL if none is near enough to be meant. */
const char *nearest_word(const char *typed, const char *const *words, size_t count);

#endif
