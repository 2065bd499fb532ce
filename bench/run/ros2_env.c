/* Finds ROS 2; see ros2_env.h. A set-up script is a shell program, so a shell runs it, once, and
 * prints the environment that it leaves. */
#include "run/ros2_env.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run/child.h"
#include "run/clock.h"
#include "run/interrupt.h"
#include "run/ros2_check.h"
#include "util/memory.h"

#define SOURCE_WAIT_NS INT64_C(20000000000)
#define ENVIRONMENT_BYTES_MAX (1024 * 1024)

static bool exists(const char *dir, const char *name) {
    char *path = util_format("%s/%s", dir, name);
    bool there = access(path, R_OK) == 0;
    free(path);
    return there;
}

/* A ROS 2 installation, not a ROS 1 one. */
static bool is_ros2_prefix(const char *dir) {
    return exists(dir, "setup.sh") &&
           (exists(dir, "share/ament_index") || exists(dir, "local_setup.sh")) &&
           !exists(dir, "share/roscpp");
}

static int not_hidden(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

/* Distributions are named in the order of the alphabet; "rolling" is older than any that has a name
 * beyond it only by accident, so it comes last. */
static char *newest_below(const char *root) {
    struct dirent **entries = NULL;
    int count = scandir(root, &entries, not_hidden, alphasort);
    char *found = NULL;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = count - 1; found == NULL && i >= 0; i--) {
            bool rolling = strcmp(entries[i]->d_name, "rolling") == 0;
            char *dir = util_format("%s/%s", root, entries[i]->d_name);
            if (rolling == (pass == 1) && is_ros2_prefix(dir)) {
                found = util_strdup(dir);
            }
            free(dir);
        }
    }
    for (int i = 0; i < count; i++) {
        free(entries[i]);
    }
    free(entries);
    return found;
}

static void no_line(void *user, char *line, size_t len) {
    (void)user;
    (void)line;
    (void)len;
}

/* Runs a child to its end. False when it does not end in time. */
static bool run_to_end(run_child *child, int64_t wait_ns) {
    int64_t deadline_ns = run_clock_monotonic_ns() + wait_ns;
    struct pollfd fds[RUN_CHILD_POLL_FDS];
    while (!child->ended && run_clock_monotonic_ns() < deadline_ns && run_interrupt_count() == 0) {
        run_child_poll_fds(child, fds);
        if (run_interrupt_poll(fds, RUN_CHILD_POLL_FDS, deadline_ns) > 0) {
            run_child_handle(child, fds, no_line, NULL);
        }
    }
    return child->ended;
}

/* Entries NAME=value, each ended by 0. */
static bool read_environment(const char *path, strvec *ret_environment) {
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return false;
    }
    char *text = util_alloc(ENVIRONMENT_BYTES_MAX + 1, 1);
    size_t len = fread(text, 1, ENVIRONMENT_BYTES_MAX, file);
    fclose(file);
    for (size_t at = 0; at < len; at += strlen(text + at) + 1) {
        if (strncmp(text + at, "RCLBENCH_ENVIRONMENT_FILE=", 26) != 0) {
            strvec_push(ret_environment, text + at);
        }
    }
    free(text);
    return ret_environment->count > 0;
}

/* Sources the two scripts, where given, over the base environment. The distribution's interpreter
 * has to be found before one that comes first on PATH by accident, so /usr/bin leads. */
static bool source(run_ros2 *ros2, const char *setup, const char *overlay, const strvec *base,
    const run_guard *guard) {
    char file[] = "/tmp/rclbench-ros2-XXXXXX";
    int fd = mkstemp(file);
    if (fd < 0) {
        ros2->problem = util_format("%s: %s", file, strerror(errno));
        return false;
    }
    close(fd);
    strvec environment = {0};
    strvec_push_all(&environment, base);
    strvec_set_variable(&environment, "RCLBENCH_ENVIRONMENT_FILE", file);
    strvec argv = {0};
    strvec_push(&argv, "/bin/sh");
    strvec_push(&argv, "-c");
    strvec_push(&argv, "PATH=/usr/bin:$PATH; [ -z \"$0\" ] || . \"$0\"; "
                       "[ ! -r \"$1\" ] || . \"$1\"; "
                       "env -0 > \"$RCLBENCH_ENVIRONMENT_FILE\"");
    strvec_push(&argv, setup);
    strvec_push(&argv, overlay);
    run_child child;
    run_child_command command = {
        .argv = &argv, .dir = "/", .environment = &environment, .guard = guard};
    bool ok = run_child_start(&child, &command, &ros2->problem);
    if (ok) {
        bool ended = run_to_end(&child, SOURCE_WAIT_NS);
        run_child_end(&child, 0);
        ok = ended && WIFEXITED(child.status) && WEXITSTATUS(child.status) == 0 &&
             read_environment(file, &ros2->environment);
        if (!ok) {
            char *said = run_child_output(&child);
            ros2->problem =
                util_format("%s could not be sourced%s%s", setup[0] == '\0' ? overlay : setup,
                    said == NULL ? "" : ": ", said == NULL ? "" : said);
            free(said);
        }
        run_child_done(&child, 0);
    }
    strvec_done(&argv);
    strvec_done(&environment);
    unlink(file);
    return ok;
}

static void name_distribution(run_ros2 *ros2) {
    const char *distribution = strvec_variable(&ros2->environment, "ROS_DISTRO");
    const char *slash = ros2->prefix == NULL ? NULL : strrchr(ros2->prefix, '/');
    if (distribution == NULL && slash != NULL) {
        distribution = slash + 1;
    }
    ros2->distribution = util_strdup(distribution == NULL ? "unknown" : distribution);
}

/* Cyclone DDS is the default, so that all rows share one DDS library; another one by the user's
 * RMW_IMPLEMENTATION. */
static void choose_rmw(run_ros2 *ros2) {
    const char *chosen = strvec_variable(&ros2->environment, "RMW_IMPLEMENTATION");
    if (chosen == NULL || chosen[0] == '\0') {
        chosen = "rmw_cyclonedds_cpp";
        strvec_set_variable(&ros2->environment, "RMW_IMPLEMENTATION", chosen);
    }
    ros2->rmw = util_strdup(chosen);
}

void run_ros2_find(run_ros2 *ros2, const char *prefix, const char *root, const char *overlay,
    const strvec *base, const run_guard *guard) {
    memset(ros2, 0, sizeof *ros2);
    const char *over = overlay == NULL ? "" : overlay;
    const char *sourced = strvec_variable(base, "AMENT_PREFIX_PATH");
    if (prefix == NULL && sourced != NULL && sourced[0] != '\0') {
        ros2->prefix = util_strndup(sourced, strcspn(sourced, ":"));
        ros2->found = source(ros2, "", over, base, guard);
    } else {
        ros2->prefix = prefix != NULL ? util_strdup(prefix) : newest_below(root);
        if (ros2->prefix == NULL) {
            ros2->problem = util_format("no ROS 2 is sourced, and none is in %s", root);
        } else if (!exists(ros2->prefix, "setup.sh")) {
            ros2->problem = util_format("%s is no ROS 2 installation (no setup.sh)", ros2->prefix);
        } else {
            char *setup = util_format("%s/setup.sh", ros2->prefix);
            ros2->found = source(ros2, setup, over, base, guard);
            free(setup);
        }
    }
    if (ros2->found) {
        name_distribution(ros2);
        choose_rmw(ros2);
        run_ros2_check(ros2);
    } else {
        strvec_clear(&ros2->environment);
        strvec_push_all(&ros2->environment, base);
    }
}

void run_ros2_done(run_ros2 *ros2) {
    free(ros2->prefix);
    free(ros2->distribution);
    free(ros2->rmw);
    free(ros2->problem);
    free(ros2->unusable);
    strvec_done(&ros2->rmws);
    strvec_done(&ros2->environment);
    memset(ros2, 0, sizeof *ros2);
}
