/* Ends what peers leave behind; see orphans.h. The kernel lists the children of a thread; only the
 * main thread of rclbench has any. */
#include "run/orphans.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define CHILDREN_MAX 256     /* looked at together */
#define GENERATIONS_MAX 1000 /* each killed one may leave children of its own */

void run_orphans_adopt(void) {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
}

size_t run_orphans_children(pid_t *ret_pids, size_t max) {
    FILE *file = fopen("/proc/thread-self/children", "re");
    size_t count = 0;
    int pid = 0;
    while (file != NULL && count < max && fscanf(file, "%d", &pid) == 1) {
        ret_pids[count++] = pid;
    }
    if (file != NULL) {
        fclose(file);
    }
    return count;
}

static bool is_spared(pid_t pid, const pid_t *spared, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (spared[i] == pid) {
            return true;
        }
    }
    return false;
}

/* One of our children that is not spared, or 0. */
static pid_t find(const pid_t *spared, size_t count) {
    pid_t pids[CHILDREN_MAX];
    size_t children = run_orphans_children(pids, CHILDREN_MAX);
    for (size_t i = 0; i < children; i++) {
        if (!is_spared(pids[i], spared, count)) {
            return pids[i];
        }
    }
    return 0;
}

static void read_name(pid_t pid, char name[RUN_ORPHAN_NAME_MAX]) {
    char path[48];
    snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
    FILE *file = fopen(path, "re");
    if (file == NULL || fgets(name, RUN_ORPHAN_NAME_MAX, file) == NULL) {
        strcpy(name, "?");
    }
    name[strcspn(name, "\n")] = '\0';
    if (file != NULL) {
        fclose(file);
    }
}

size_t run_orphans_end(
    const pid_t *spared, size_t spared_count, char ret_name[RUN_ORPHAN_NAME_MAX]) {
    size_t ended = 0;
    for (int i = 0; i < GENERATIONS_MAX; i++) {
        pid_t pid = find(spared, spared_count);
        if (pid == 0) {
            break;
        }
        siginfo_t about = {0};
        bool was_dead = waitid(P_PID, (id_t)pid, &about, WEXITED | WNOHANG | WNOWAIT) == 0 &&
                        about.si_pid == pid;
        if (!was_dead) {
            read_name(pid, ret_name);
            ended++;
        }
        kill(pid, SIGKILL);
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    return ended;
}
