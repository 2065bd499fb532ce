/* See quiet.h. What goes through sockets is not counted by the kernel as writing, but a library may
 * wake its own threads through pipes and eventfds: some bytes per message on the wire are allowed,
 * fewer than any line of text takes. */
#include "verify/quiet.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/ioctl.h>

#include "util/memory.h"

#define WRITTEN_PER_MESSAGE 16
#define WRITTEN_ALWAYS 1024 /* `now` itself, a clock's calibration, ... */

static int64_t written_bytes(pid_t pid) {
    char path[64], line[128];
    int64_t bytes = -1;
    snprintf(path, sizeof path, "/proc/%d/io", (int)pid);
    FILE *file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "wchar: %" SCNd64, &bytes) == 1) {
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return bytes;
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
        .written_bytes = written_bytes(child->pid),
        .printed_bytes = printed_bytes(child),
    };
    reading.valid = reading.written_bytes >= 0;
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
    int64_t allowed = WRITTEN_ALWAYS + WRITTEN_PER_MESSAGE * (int64_t)messages;
    if (written > allowed) {
        return util_format(
            "the %s wrote %" PRId64 " bytes to files or pipes while measuring", role, written);
    }
    return NULL;
}
