/* Edit distance over short words; see nearest.h. */
#include "util/nearest.h"

#include <stdint.h>
#include <string.h>

#define WORD_MAX 63

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

size_t nearest_distance(const char *a, const char *b) {
    size_t a_len = strlen(a);
    size_t b_len = strlen(b);
    if (a_len > WORD_MAX || b_len > WORD_MAX) {
        return SIZE_MAX;
    }
    size_t rows[3][WORD_MAX + 1];
    for (size_t j = 0; j <= b_len; j++) {
        rows[0][j] = j;
    }
    for (size_t i = 1; i <= a_len; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i - 1) % 3];
        const size_t *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_len; j++) {
            size_t differs = a[i - 1] != b[j - 1];
            row[j] = smaller(above[j - 1] + differs, smaller(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = smaller(row[j], two_above[j - 2] + 1);
            }
        }
    }
    return rows[a_len % 3][b_len];
}

const char *nearest_word(const char *typed, const char *const *words, size_t count) {
    const char *nearest = NULL;
    size_t nearest_distance_so_far = strlen(typed) / 3 + 2;
    for (size_t i = 0; i < count; i++) {
        size_t distance = nearest_distance(typed, words[i]);
        if (distance < nearest_distance_so_far) {
            nearest = words[i];
            nearest_distance_so_far = distance;
        }
    }
    return nearest;
}
