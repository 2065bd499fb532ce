/* Reading a whole small text file; see read_file.h. */
#include "types/read_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

rclite_result rclitei_read_file(const char *path, size_t size_max, rclitei_text *ret_text) {
    /* Not blocking, so that a FIFO of that name does not hang us. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return errno == ENOENT || errno == ENOTDIR ? RCLITE_EMPTY : RCLITE_ERR_SYSTEM;
    }
    struct stat info;
    rclite_result result = RCLITE_OK;
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        result = RCLITE_ERR_SYSTEM;
    }
    char buffer[4096];
    while (result == RCLITE_OK) {
        ssize_t got = read(fd, buffer, sizeof buffer);
        if (got == 0) {
            break;
        }
        if (got < 0) {
            result = errno == EINTR ? RCLITE_OK : RCLITE_ERR_SYSTEM;
            continue;
        }
        if (ret_text->size + (size_t)got > size_max) {
            result = RCLITE_ERR_SYSTEM;
            break;
        }
        rclitei_text_append(ret_text, buffer, (size_t)got);
        if (ret_text->failed) {
            result = RCLITE_ERR_NO_MEMORY;
        }
    }
    close(fd);
    return result;
}
