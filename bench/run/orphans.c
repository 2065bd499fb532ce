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

#define GENERATIONS_MAX 1000 /* each killed one may leave children of its own */

void run_orphans_adopt(void) {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
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
    FILE *file = fopen("/proc/thread-self/children", "re");
    int pid = 0;
    while (file != NULL && fscanf(file, "%d", &pid) == 1 && is_spared(pid, spared, count)) {
        pid = 0;
    }
    if (file != NULL) {
        fclose(file);
    }
    return is_spared(pid, spared, count) ? 0 : pid;
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
