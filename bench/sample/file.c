/* Reads, checks and writes one sample file (docs/peer-protocol.md). Nothing in a file is believed
 * before it was checked: the number of rows must be what the size says before memory is taken. */
#include "sample/sample.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/memory.h"

#define MAGIC "RCLBSAMP"
#define VERSION 1u
#define HEADER_BYTES 64u
#define ROW_BYTES 48u
#define HANDSHAKE_FLAG ((uint64_t)1 << 63)

_Static_assert(sizeof(sample_row) == ROW_BYTES, "rows are read in place");

static bool fail(char *error_text, size_t error_size, const char *path, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static bool fail(char *error_text, size_t error_size, const char *path, const char *format, ...) {
    char what[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof(what), format, arguments);
    va_end(arguments);
    snprintf(error_text, error_size, "%s: %s", path, what);
    return false;
}

static uint32_t get_u32(const unsigned char *at) {
    uint32_t value;
    memcpy(&value, at, sizeof(value));
    return le32toh(value);
}

static uint64_t get_u64(const unsigned char *at) {
    uint64_t value;
    memcpy(&value, at, sizeof(value));
    return le64toh(value);
}

static void put_u32(unsigned char *at, uint32_t value) {
    value = htole32(value);
    memcpy(at, &value, sizeof(value));
}

static void put_u64(unsigned char *at, uint64_t value) {
    value = htole64(value);
    memcpy(at, &value, sizeof(value));
}

/* Reads exactly size bytes. */
static bool read_fully(int fd, void *buffer, size_t size) {
    unsigned char *at = buffer;
    while (size > 0) {
        ssize_t got = read(fd, at, size);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return false;
        }
        at += got;
        size -= (size_t)got;
    }
    return true;
}

/* On a big-endian host the rows are turned round; elsewhere the compiler drops this. */
static void rows_swap(sample_row *rows, size_t count) {
#if __BYTE_ORDER == __BIG_ENDIAN
    uint64_t *words = (uint64_t *)rows;
    for (size_t i = 0; i < count * (ROW_BYTES / 8); i++) {
        words[i] = le64toh(words[i]);
    }
#else
    (void)rows;
    (void)count;
#endif
}

static bool stamp_good(int64_t stamp) {
    return stamp >= 0 && stamp < SAMPLE_STAMP_LIMIT;
}

/* The first row that cannot be, or count. */
static size_t first_bad_row(const sample_row *rows, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const sample_row *row = &rows[i];
        bool good = stamp_good(row->planned_ns) && stamp_good(row->t1_ns) &&
                    stamp_good(row->t2_ns) && stamp_good(row->t3_ns) && stamp_good(row->t4_ns);
        if (!good || (row->seq & HANDSHAKE_FLAG) != 0) {
            return i;
        }
    }
    return count;
}

static bool header_parse(const char *path, const unsigned char *header, uint64_t file_bytes,
    sample_file *file, char *error_text, size_t error_size) {
    if (memcmp(header, MAGIC, 8) != 0) {
        return fail(
            error_text, error_size, path, "not a sample file (it does not begin with %s)", MAGIC);
    }
    uint32_t version = get_u32(header + 8);
    if (version != VERSION) {
        return fail(error_text, error_size, path,
            "sample file of version %u; this program reads %u", version, VERSION);
    }
    if (get_u32(header + 12) != ROW_BYTES) {
        return fail(error_text, error_size, path, "rows of %u bytes; version 1 has rows of %u",
            get_u32(header + 12), ROW_BYTES);
    }
    uint64_t rows = get_u64(header + 16);
    uint64_t body = file_bytes - HEADER_BYTES;
    if (body % ROW_BYTES != 0 || rows != body / ROW_BYTES) {
        return fail(error_text, error_size, path,
            "the header announces %llu rows, the size of the file (%llu bytes) does not fit that",
            (unsigned long long)rows, (unsigned long long)file_bytes);
    }
    file->row_count = (size_t)rows;
    file->run_id = get_u64(header + 24);
    file->role = get_u32(header + 32);
    file->endpoint = get_u32(header + 36);
    file->clock_error_ns = (int64_t)get_u64(header + 40);
    file->finished_ns = (int64_t)get_u64(header + 48);
    file->missing_rows = get_u64(header + 56);
    if (file->role < 1 || file->role > 4) {
        return fail(error_text, error_size, path, "unknown role %u", file->role);
    }
    if (!stamp_good(file->finished_ns) || !stamp_good(file->clock_error_ns)) {
        return fail(error_text, error_size, path, "a time in the header is out of range");
    }
    return true;
}

static bool rows_read(
    const char *path, int fd, sample_file *file, char *error_text, size_t error_size) {
    if (file->row_count == 0) {
        return true;
    }
    file->rows = util_alloc_large(file->row_count, ROW_BYTES);
    if (!read_fully(fd, file->rows, file->row_count * ROW_BYTES)) {
        return fail(error_text, error_size, path, "cannot read the rows");
    }
    rows_swap(file->rows, file->row_count);
    size_t bad = first_bad_row(file->rows, file->row_count);
    if (bad < file->row_count) {
        return fail(
            error_text, error_size, path, "row %zu has a stamp or a number out of range", bad);
    }
    return true;
}

bool sample_file_read(
    const char *path, sample_file *ret_file, char *error_text, size_t error_size) {
    sample_file file = {0};
    bool good = false;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return fail(error_text, error_size, path, "%s", strerror(errno));
    }
    struct stat status;
    unsigned char header[HEADER_BYTES];
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        fail(error_text, error_size, path, "not a regular file");
    } else if (status.st_size < (off_t)HEADER_BYTES || !read_fully(fd, header, sizeof(header))) {
        fail(error_text, error_size, path, "too short for a sample file");
    } else {
        good =
            header_parse(path, header, (uint64_t)status.st_size, &file, error_text, error_size) &&
            rows_read(path, fd, &file, error_text, error_size);
    }
    close(fd);
    if (!good) {
        free(file.rows);
        return false;
    }
    *ret_file = file;
    return true;
}

bool sample_file_write(
    const char *path, const sample_file *file, char *error_text, size_t error_size) {
    FILE *out = fopen(path, "wbe");
    if (out == NULL) {
        return fail(error_text, error_size, path, "%s", strerror(errno));
    }
    unsigned char header[HEADER_BYTES] = MAGIC;
    put_u32(header + 8, VERSION);
    put_u32(header + 12, ROW_BYTES);
    put_u64(header + 16, file->row_count);
    put_u64(header + 24, file->run_id);
    put_u32(header + 32, file->role);
    put_u32(header + 36, file->endpoint);
    put_u64(header + 40, (uint64_t)file->clock_error_ns);
    put_u64(header + 48, (uint64_t)file->finished_ns);
    put_u64(header + 56, file->missing_rows);
    bool good = fwrite(header, sizeof(header), 1, out) == 1;
    for (size_t i = 0; good && i < file->row_count; i++) {
        sample_row row = file->rows[i];
        rows_swap(&row, 1);
        good = fwrite(&row, ROW_BYTES, 1, out) == 1;
    }
    int error = errno;
    if (fclose(out) != 0 && good) {
        good = false;
        error = errno;
    }
    return good || fail(error_text, error_size, path, "%s", strerror(error));
}

void sample_file_done(sample_file *file) {
    free(file->rows);
    *file = (sample_file){0};
}
