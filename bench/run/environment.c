/* Captures the environment; see environment.h. */
#include "run/environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "run/build_info.h"
#include "run/clock.h"
#include "run/resources.h"
#include "util/memory.h"
#include "util/strbuf.h"

/* The first line of a small file without its newline, heap; NULL when it cannot be read. */
static char *first_line(const char *path) {
    char text[512];
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return NULL;
    }
    char *got = fgets(text, sizeof text, file);
    fclose(file);
    if (got == NULL) {
        return NULL;
    }
    text[strcspn(text, "\n")] = '\0';
    return util_strdup(text);
}

static int64_t number_in(const char *path) {
    char *line = first_line(path);
    int64_t value = line == NULL ? -1 : (int64_t)strtoll(line, NULL, 10);
    free(line);
    return value;
}

/* The value behind `key` and a separator in a file of lines, heap; NULL when there is none. */
static char *value_in(const char *path, const char *key, const char *separators) {
    FILE *file = fopen(path, "re");
    char line[512];
    char *value = NULL;
    while (file != NULL && value == NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, key, strlen(key)) == 0) {
            const char *text = line + strlen(key);
            text += strspn(text, separators);
            value = util_strndup(text, strcspn(text, "\"\n"));
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return value;
}

static char *turbo_state(void) {
    int64_t no_turbo = number_in("/sys/devices/system/cpu/intel_pstate/no_turbo");
    if (no_turbo >= 0) {
        return util_strdup(no_turbo == 0 ? "on" : "off");
    }
    int64_t boost = number_in("/sys/devices/system/cpu/cpufreq/boost");
    return boost < 0 ? NULL : util_strdup(boost == 0 ? "off" : "on");
}

static char *idle_states(void) {
    strbuf text = {0};
    for (int i = 0; i < 16; i++) {
        char path[96];
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cpuidle/state%d/name", i);
        char *name = first_line(path);
        if (name == NULL) {
            break;
        }
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cpuidle/state%d/disable", i);
        if (number_in(path) != 1) {
            strbuf_appendf(&text, "%s%s", text.len == 0 ? "" : ",", name);
        }
        free(name);
    }
    if (text.len == 0) {
        strbuf_done(&text);
        return NULL;
    }
    return strbuf_take(&text);
}

static int compare_ns(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* Median over blocks, because one reading is shorter than the clock's own resolution may be. */
static int64_t clock_read_cost_ns(void) {
    enum { BLOCKS = 31, READS = 200 };
    int64_t costs[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) {
        int64_t begin = run_clock_monotonic_ns();
        for (int j = 0; j < READS; j++) {
            run_clock_real_ns();
        }
        costs[i] = (run_clock_monotonic_ns() - begin) / READS;
    }
    qsort(costs, BLOCKS, sizeof costs[0], compare_ns);
    return costs[BLOCKS / 2];
}

static void capture_tool(run_environment *environment) {
    environment->tool_version = util_strdup(BUILD_INFO_VERSION);
    environment->revision = util_strdup(BUILD_INFO_REVISION);
    environment->build_type = util_strdup(BUILD_INFO_BUILD_TYPE);
    environment->compiler = util_strdup(BUILD_INFO_COMPILER);
    environment->dds_library = util_strdup("Eclipse Cyclone DDS");
    environment->dds_version = util_strdup(BUILD_INFO_DDS_VERSION);
#ifdef __OPTIMIZE__
    environment->optimised = true;
#endif
    environment->started_ns = run_clock_real_ns();
}

static void capture_machine(run_environment *environment) {
    struct utsname names;
    if (uname(&names) == 0) {
        environment->hostname = util_strdup(names.nodename);
        environment->kernel = util_format("%s %s %s", names.sysname, names.release, names.machine);
    }
    environment->distribution = value_in("/etc/os-release", "PRETTY_NAME", "=\"");
    environment->cpu_model = value_in("/proc/cpuinfo", "model name", " \t:");
    environment->cpu_count = (int)sysconf(_SC_NPROCESSORS_ONLN);
    environment->governor = first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    environment->turbo = turbo_state();
    environment->idle_states = idle_states();
    char *flags = value_in("/proc/cpuinfo", "flags", " \t:");
    environment->virtual_machine = flags != NULL && strstr(flags, " hypervisor") != NULL;
    free(flags);
    environment->load_1min = run_load_1min();
    environment->memory_bytes = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
}

void run_environment_capture(run_environment *environment) {
    memset(environment, 0, sizeof *environment);
    capture_tool(environment);
    capture_machine(environment);
    environment->rmem_max = number_in("/proc/sys/net/core/rmem_max");
    environment->wmem_max = number_in("/proc/sys/net/core/wmem_max");
    environment->rmem_default = number_in("/proc/sys/net/core/rmem_default");
    environment->wmem_default = number_in("/proc/sys/net/core/wmem_default");
    environment->ipfrag_high_thresh = number_in("/proc/sys/net/ipv4/ipfrag_high_thresh");
    environment->domain_id = -1;
    environment->clock_read_ns = clock_read_cost_ns();
}

void run_environment_done(run_environment *environment) {
    char **texts[] = {&environment->tool_version, &environment->revision, &environment->build_type,
        &environment->compiler, &environment->command_line, &environment->hostname,
        &environment->kernel, &environment->distribution, &environment->cpu_model,
        &environment->governor, &environment->turbo, &environment->idle_states,
        &environment->dds_library, &environment->dds_version, &environment->dds_configuration,
        &environment->fastdds_profiles, &environment->rmw, &environment->ros2_distribution,
        &environment->ros2_prefix, &environment->ros1_master};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        free(*texts[i]);
    }
    memset(environment, 0, sizeof *environment);
}
