/* Numbers with units, as people type and read them. `KiB` and `MiB` are powers of two, `KB` and
 * `MB` powers of ten, everywhere. Parsing is strict: the whole text, no sign, no overflow. */
#ifndef BENCH_UTIL_UNITS_H
#define BENCH_UTIL_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "64", "1KiB", "1.5MB", "2MiB". False when the text is not a size or does not fit. */
bool units_parse_bytes(const char *text, uint64_t *ret_bytes);
/* "5ms", "2s", "1m", "1.5h", "100us", "7ns", "0"; a unit is required unless the value is 0. */
bool units_parse_duration(const char *text, int64_t *ret_ns);
/* "1000", "10k", "1M": plain counts, k = 1000. */
bool units_parse_count(const char *text, uint64_t *ret_count);
/* "20", "0.5", "1k", "100Hz": in Hz. */
bool units_parse_rate(const char *text, double *ret_hz);

/* Short forms for people; at least UNITS_TEXT_MAX bytes of room. Returns buffer. */
#define UNITS_TEXT_MAX 32
/* "64 B", "1 KiB", "1.5 MiB"; multiples of 1000 bytes and not of 1024 as "1 MB". */
char *units_format_bytes(uint64_t bytes, char *buffer);
/* "850 ns", "12.3 us", "4.56 ms", "1.2 s", "2 min 5 s" */
char *units_format_duration(int64_t ns, char *buffer);

#endif
