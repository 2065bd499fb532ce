/* Writing generated files; see output.h. */
#include "generate/output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/fail.h"
#include "types/read_file.h"

#define FILE_BYTES_MAX ((size_t)64 << 20)

static bool make_folders(char *path) {
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        bool made = mkdir(path, 0777) == 0 || errno == EEXIST;
        *slash = '/';
        if (!made) {
            return false;
        }
    }
    return true;
}

static bool says_the_same(const char *path, const rclitei_text *text) {
    rclitei_text old;
    rclitei_text_init(&old, NULL);
    bool same = rclitei_read_file(path, FILE_BYTES_MAX, &old) == RCLITE_OK &&
                old.size == text->size &&
                (old.size == 0 || memcmp(old.data, text->data, old.size) == 0);
    rclitei_text_done(&old);
    return same;
}

bool generate_output(const char *path, const rclitei_text *text, rclite_error *reterr) {
    char copy[4096];
    if (text->failed || !path || snprintf(copy, sizeof copy, "%s", path) >= (int)sizeof copy) {
        rclitei_fail(reterr, RCLITE_ERR_NO_MEMORY, 0, "out of memory, or a path is too long");
        return false;
    }
    if (says_the_same(path, text)) {
        return true;
    }
    FILE *file = make_folders(copy) ? fopen(path, "w") : NULL;
    bool good = file && (text->size == 0 || fwrite(text->data, text->size, 1, file) == 1);
    int cause = errno;
    if (file && fclose(file) != 0) {
        good = false;
        cause = errno;
    }
    if (!good) {
        rclitei_fail(reterr, RCLITE_ERR_SYSTEM, cause, "%s: %s", path, strerror(cause));
    }
    return good;
}
