/* Allocation for the harness, which is a command line program: running out of memory ends it with
 * abort(), so that nobody has to carry an error path that no test reaches. Hostile input never
 * decides a size here without a bound. Not for rclite, whose callers get RCLITE_ERR_NO_MEMORY. */
#ifndef BENCH_UTIL_MEMORY_H
#define BENCH_UTIL_MEMORY_H

#include <stdarg.h>
#include <stddef.h>

/* Zeroed memory for count elements; never NULL, free() it. */
void *util_alloc(size_t count, size_t size);

/* Memory that is not zeroed, for arrays of samples: backed by huge pages where the kernel has them,
 * because faulting in hundreds of megabytes page by page costs more than the statistics. free() it.
 */
void *util_alloc_large(size_t count, size_t size);

/* Grows *array (elements of `size` bytes, *capacity of them allocated) so that `needed` fit. */
void util_reserve(void *array_pointer, size_t *capacity, size_t needed, size_t size);

/* Heap copies; util_strdup(NULL) is NULL. */
char *util_strdup(const char *text);
char *util_strndup(const char *text, size_t len);
char *util_vformat(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));
char *util_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
