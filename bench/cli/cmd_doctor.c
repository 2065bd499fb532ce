/* rclbench doctor: what on this machine would spoil the numbers, and what to do about it. It
 * changes nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "run/environment.h"
#include "util/units.h"

/* Debian's own limit; a 1 MiB message does not fit into it. */
#define RMEM_MAX_LOW (INT64_C(2) << 20)

static void good(const char *what) {
    printf("good  %s\n", what);
}

/* Counts, prints the fault and the cure. */
static void bad(int *faults, const char *what, const char *cure) {
    printf("BAD   %s\n      %s\n", what, cure);
    (*faults)++;
}

static void unknown(const char *what) {
    printf("?     %s\n", what);
}

static void look_at_cpu(const run_environment *environment, int *faults) {
    char text[160];
    if (environment->governor == NULL) {
        unknown("the CPU frequency governor is not visible (a virtual machine?)");
    } else if (strcmp(environment->governor, "performance") == 0) {
        good("CPU frequency governor: performance");
    } else {
        snprintf(text, sizeof text, "CPU frequency governor: %s; latencies depend on the rate",
            environment->governor);
        bad(faults, text, "cpupower frequency-set -g performance");
    }
    if (environment->turbo != NULL && strcmp(environment->turbo, "on") == 0) {
        bad(faults, "turbo is on: the clock depends on heat and on what else runs",
            "echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo (or 0 > .../cpufreq/boost)");
    }
    if (environment->idle_states != NULL) {
        printf("note  idle states: %s; deep ones add to the latency of slow rates\n",
            environment->idle_states);
    }
    if (environment->cpu_count < 2) {
        bad(faults, "one CPU: both sides of a measurement share it",
            "use a machine with two or more");
    }
    double per_cpu =
        environment->load_1min / (environment->cpu_count < 1 ? 1 : environment->cpu_count);
    snprintf(
        text, sizeof text, "load %.2f on %d CPUs", environment->load_1min, environment->cpu_count);
    if (environment->load_1min < 0) {
        unknown("the load is not visible");
    } else if (per_cpu > 0.25) {
        bad(faults, text, "end what else runs, and wait until the load has gone");
    } else {
        good(text);
    }
    if (environment->virtual_machine) {
        bad(faults, "a virtual machine: others share its CPUs",
            "compare only within one run; ratios with their intervals, not single times");
    }
}

static void look_at_network(const run_environment *environment, int *faults) {
    char size[UNITS_TEXT_MAX];
    char text[160];
    if (environment->rmem_max < 0) {
        unknown("net.core.rmem_max is not visible");
        return;
    }
    snprintf(text, sizeof text, "net.core.rmem_max: %s",
        units_format_bytes((uint64_t)environment->rmem_max, size));
    if (environment->rmem_max < RMEM_MAX_LOW) {
        bad(faults, text, "large messages lose datagrams: sysctl -w net.core.rmem_max=4194304");
    } else {
        good(text);
    }
}

static void look_at_tool(const run_environment *environment, int *faults) {
    char text[160];
    if (!environment->optimised) {
        snprintf(text, sizeof text, "this build is not optimised (%s)",
            environment->build_type[0] == '\0' ? "no build type" : environment->build_type);
        bad(faults, text, "configure with -DCMAKE_BUILD_TYPE=RelWithDebInfo, as `make` does");
    } else {
        good("this build is optimised");
    }
    snprintf(text, sizeof text, "reading the clock takes %d ns", (int)environment->clock_read_ns);
    if (environment->clock_read_ns > 200) {
        bad(faults, text, "a slow clock source; see /sys/devices/system/clocksource/clocksource0");
    } else {
        good(text);
    }
}

int cmd_doctor(const cli_command *command, const option_line *line) {
    (void)command;
    (void)line;
    run_environment environment;
    run_environment_capture(&environment);
    int faults = 0;
    printf("%s, %s\n\n", environment.cpu_model == NULL ? "unknown CPU" : environment.cpu_model,
        environment.kernel == NULL ? "unknown kernel" : environment.kernel);
    look_at_cpu(&environment, &faults);
    look_at_network(&environment, &faults);
    look_at_tool(&environment, &faults);
    run_environment_done(&environment);
    if (faults == 0) {
        puts("\nNothing here would spoil the numbers.");
        return CLI_GOOD;
    }
    printf("\n%d thing%s would spoil the numbers.\n", faults, faults == 1 ? "" : "s");
    return CLI_FAILED;
}
