/* See quiet.h. What goes through sockets by send() is not counted by the kernel as writing, but a
 * library may wake its own threads through pipes and eventfds: some bytes per message on the wire
 * and per second are allowed, fewer than a line of text per message takes. A library that uses
 * write() on TCP sockets (Node.js does) is judged by what the kernel counts for disks and by the
 * files that it has open.
 */
#include "verify/quiet.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "run/clock.h"
#include "util/memory.h"

#define WRITTEN_PER_MESSAGE 16
#define WRITTEN_PER_SECOND 4096 /* while it waits: garbage collectors, timers, guard conditions */
#define WRITTEN_ALWAYS 1024     /* `now` itself, a clock's calibration, ... */

/* A counter of /proc/PID/io; -1: unknown. */
static int64_t io_bytes(pid_t pid, const char *name) {
    char path[64], line[128];
    size_t len = strlen(name);
    int64_t bytes = -1;
    snprintf(path, sizeof path, "/proc/%d/io", (int)pid);
    FILE *file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, name, len) == 0 && sscanf(line + len, ": %" SCNd64, &bytes) == 1) {
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return bytes;
}

/* Whether the socket with this inode is in a table of /proc/PID/net. */
static bool is_in_table(pid_t pid, const char *table, unsigned long inode) {
    char path[64], line[256];
    bool found = false;
    snprintf(path, sizeof path, "/proc/%d/net/%s", (int)pid, table);
    FILE *file = fopen(path, "re");
    while (file != NULL && !found && fgets(line, sizeof line, file) != NULL) {
        unsigned long of_line = 0;
        found = sscanf(line, "%*s %*s %*s %*s %*s %*s %*s %*s %*s %lu", &of_line) == 1 &&
                of_line == inode;
    }
    if (file != NULL) {
        fclose(file);
    }
    return found;
}

/* The position of a descriptor that is open for writing, else 0. */
static int64_t writing_position(pid_t pid, const char *descriptor) {
    char path[64], line[128];
    int64_t position = 0;
    unsigned flags = 0;
    snprintf(path, sizeof path, "/proc/%d/fdinfo/%.16s", (int)pid, descriptor);
    FILE *file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        sscanf(line, "pos: %" SCNd64, &position);
        sscanf(line, "flags: %o", &flags);
    }
    if (file != NULL) {
        fclose(file);
    }
    return (flags & O_ACCMODE) == O_RDONLY ? 0 : position;
}

/* What it has open: files and TCP sockets. */
static void read_descriptors(pid_t pid, quiet_reading *reading) {
    char path[64], target[256];
    snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
    DIR *dir = opendir(path);
    struct dirent *entry;
    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        ssize_t len = readlinkat(dirfd(dir), entry->d_name, target, sizeof target - 1);
        if (len <= 0) {
            continue;
        }
        target[len] = '\0';
        unsigned long inode = 0;
        if (target[0] == '/') {
            reading->file_bytes += writing_position(pid, entry->d_name);
        } else if (!reading->speaks_tcp && sscanf(target, "socket:[%lu]", &inode) == 1) {
            reading->speaks_tcp = is_in_table(pid, "tcp", inode) || is_in_table(pid, "tcp6", inode);
        }
    }
    if (dir != NULL) {
        closedir(dir);
    }
}

/* What was read of its output so far, and what still lies in the pipe. */
static int64_t printed_bytes(const run_child *child) {
    int waiting = 0;
    if (child->output_fd >= 0 && ioctl(child->output_fd, FIONREAD, &waiting) != 0) {
        waiting = 0;
    }
    return (int64_t)child->output_total + waiting;
}

void quiet_read(void *user, int side, const run_child *child, bool measured) {
    quiet_watch *watch = user;
    quiet_reading reading = {
        .at_ns = run_clock_monotonic_ns(),
        .written_bytes = io_bytes(child->pid, "wchar"),
        .stored_bytes = io_bytes(child->pid, "write_bytes"),
        .printed_bytes = printed_bytes(child),
    };
    reading.valid = reading.written_bytes >= 0;
    read_descriptors(child->pid, &reading);
    *(measured ? &watch->sides[side].end : &watch->sides[side].begin) = reading;
}

char *quiet_judge(const quiet_side *side, const char *role, uint64_t messages) {
    if (!side->begin.valid || !side->end.valid) {
        return util_format("/proc/PID/io of the %s cannot be read", role);
    }
    int64_t printed = side->end.printed_bytes - side->begin.printed_bytes;
    if (printed > 0) {
        return util_format("the %s printed %" PRId64 " bytes while measuring", role, printed);
    }
    int64_t written = side->end.written_bytes - side->begin.written_bytes;
    int64_t allowed = WRITTEN_ALWAYS + WRITTEN_PER_MESSAGE * (int64_t)messages +
                      (side->end.at_ns - side->begin.at_ns) / (1000000000 / WRITTEN_PER_SECOND);
    if (written > allowed && side->end.speaks_tcp) {
        int64_t stored = side->end.stored_bytes - side->begin.stored_bytes;
        int64_t in_files = side->end.file_bytes - side->begin.file_bytes;
        written = stored > in_files ? stored : in_files;
    }
    if (written > allowed) {
        return util_format(
            "the %s wrote %" PRId64 " bytes to files or pipes while measuring", role, written);
    }
    return NULL;
}
