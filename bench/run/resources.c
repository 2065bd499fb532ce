/* What a process has used, from /proc; see resources.h. */
#include "run/resources.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Reads a small file of /proc. Length, 0 when it cannot be read; always 0-terminated. */
static size_t read_small(const char *path, char *buffer, size_t size) {
    buffer[0] = '\0';
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return 0;
    }
    size_t len = 0;
    ssize_t got;
    while (len < size - 1 && (got = read(fd, buffer + len, size - 1 - len)) > 0) {
        len += (size_t)got;
    }
    close(fd);
    buffer[len] = '\0';
    return len;
}

static int64_t ticks_to_ns(uint64_t ticks) {
    return (int64_t)(ticks * (UINT64_C(1000000000) / (uint64_t)sysconf(_SC_CLK_TCK)));
}

/* Faults and the ticks of user and system time. The name in parentheses may hold anything. */
static bool read_stat(pid_t pid, run_resources *resources) {
    char path[64];
    char text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    if (read_small(path, text, sizeof text) == 0) {
        return false;
    }
    const char *rest = strrchr(text, ')');
    uint64_t minor, major, user, system;
    if (rest == NULL ||
        sscanf(rest + 1,
            " %*c %*d %*d %*d %*d %*d %*u %" SCNu64 " %*u %" SCNu64 " %*u %" SCNu64 " %" SCNu64,
            &minor, &major, &user, &system) != 4) {
        return false;
    }
    resources->minor_faults = (int64_t)minor;
    resources->major_faults = (int64_t)major;
    resources->cpu_user_ns = ticks_to_ns(user);
    resources->cpu_system_ns = ticks_to_ns(system);
    return true;
}

static int64_t read_cpu_clock(pid_t pid) {
    clockid_t clock;
    struct timespec time;
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0) {
        return -1;
    }
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int64_t field_of(const char *text, const char *name) {
    const char *at = strstr(text, name);
    return at == NULL ? 0 : (int64_t)strtoll(at + strlen(name), NULL, 10);
}

static bool read_memory(pid_t pid, run_resources *resources) {
    char path[64];
    char text[4096];
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    if (read_small(path, text, sizeof text) == 0) {
        return false;
    }
    resources->max_rss_bytes = field_of(text, "VmHWM:") * 1024;
    return true;
}

static bool sum_switches(pid_t pid, run_resources *resources) {
    char path[320];
    char text[4096];
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *tasks = opendir(path);
    if (tasks == NULL) {
        return false;
    }
    const struct dirent *task;
    while ((task = readdir(tasks)) != NULL) {
        if (task->d_name[0] == '.') {
            continue;
        }
        snprintf(path, sizeof path, "/proc/%d/task/%s/status", (int)pid, task->d_name);
        read_small(path, text, sizeof text);
        resources->voluntary_switches += field_of(text, "\nvoluntary_ctxt_switches:");
        resources->involuntary_switches += field_of(text, "\nnonvoluntary_ctxt_switches:");
    }
    closedir(tasks);
    return true;
}

run_reading run_resources_read(pid_t pid) {
    run_reading reading = {.cpu_ns = read_cpu_clock(pid)};
    run_resources *so_far = &reading.so_far;
    so_far->valid = reading.cpu_ns >= 0 && read_stat(pid, so_far) && read_memory(pid, so_far) &&
                    sum_switches(pid, so_far);
    return reading;
}

run_reading run_resources_begin(pid_t pid) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/clear_refs", (int)pid);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd >= 0) {
        /* 5 resets the peak; where the kernel does not know it, the peak since the start stays. */
        ssize_t written = write(fd, "5", 1);
        (void)written;
        close(fd);
    }
    return run_resources_read(pid);
}

static int64_t between(int64_t begin, int64_t end) {
    return end < begin ? 0 : end - begin;
}

/* The exact CPU time of the part, split as its ticks are; where it took less than a tick, as the
 * ticks of the whole life are. */
static void split_cpu(const run_reading *begin, const run_reading *end, run_resources *part) {
    int64_t cpu_ns = between(begin->cpu_ns, end->cpu_ns);
    int64_t user = between(begin->so_far.cpu_user_ns, end->so_far.cpu_user_ns);
    int64_t system = between(begin->so_far.cpu_system_ns, end->so_far.cpu_system_ns);
    if (user + system == 0) {
        user = end->so_far.cpu_user_ns;
        system = end->so_far.cpu_system_ns;
    }
    double user_part = user + system == 0 ? 1 : (double)user / (double)(user + system);
    part->cpu_user_ns = (int64_t)((double)cpu_ns * user_part);
    part->cpu_system_ns = cpu_ns - part->cpu_user_ns;
}

run_resources run_resources_between(const run_reading *begin, const run_reading *end) {
    const run_resources *from = &begin->so_far;
    const run_resources *to = &end->so_far;
    if (!from->valid || !to->valid) {
        return (run_resources){0};
    }
    run_resources part = {
        .valid = true,
        .max_rss_bytes = to->max_rss_bytes,
        .voluntary_switches = between(from->voluntary_switches, to->voluntary_switches),
        .involuntary_switches = between(from->involuntary_switches, to->involuntary_switches),
        .minor_faults = between(from->minor_faults, to->minor_faults),
        .major_faults = between(from->major_faults, to->major_faults),
    };
    split_cpu(begin, end, &part);
    return part;
}

run_resources run_resources_of_usage(const struct rusage *usage) {
    return (run_resources){
        .valid = true,
        .cpu_user_ns =
            (int64_t)usage->ru_utime.tv_sec * 1000000000 + usage->ru_utime.tv_usec * 1000,
        .cpu_system_ns =
            (int64_t)usage->ru_stime.tv_sec * 1000000000 + usage->ru_stime.tv_usec * 1000,
        .max_rss_bytes = (int64_t)usage->ru_maxrss * 1024,
        .voluntary_switches = usage->ru_nvcsw,
        .involuntary_switches = usage->ru_nivcsw,
        .minor_faults = usage->ru_minflt,
        .major_faults = usage->ru_majflt,
    };
}

/* The nth word (from 0) of a line; NULL when there are fewer. */
static const char *word_of(const char *line, int n) {
    for (;;) {
        line += strspn(line, " ");
        if (*line == '\0' || *line == '\n') {
            return NULL;
        }
        if (n-- == 0) {
            return line;
        }
        line += strcspn(line, " \n");
    }
}

int64_t run_udp_receive_errors(void) {
    char text[8192];
    read_small("/proc/net/snmp", text, sizeof text);
    const char *names = strstr(text, "\nUdp:");
    const char *values = names == NULL ? NULL : strstr(names + 1, "\nUdp:");
    if (values == NULL) {
        return -1;
    }
    for (int i = 0;; i++) {
        const char *name = word_of(names + 1, i);
        const char *value = word_of(values + 1, i);
        if (name == NULL || value == NULL) {
            return -1;
        }
        if (strncmp(name, "RcvbufErrors", strlen("RcvbufErrors")) == 0) {
            return (int64_t)strtoll(value, NULL, 10);
        }
    }
}

double run_load_1min(void) {
    char text[128];
    double load;
    read_small("/proc/loadavg", text, sizeof text);
    return sscanf(text, "%lf", &load) == 1 ? load : -1;
}
