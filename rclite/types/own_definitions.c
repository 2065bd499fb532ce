/* Finding our own definitions from where this code was loaded: share/rclite/interfaces beside one
 * of the folders above the library (or above the program, when it is linked statically). So an
 * installation can be moved, and a build folder works like one. */
#include "types/own_definitions.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LEVELS_MAX 4 /* lib/x86_64-linux-gnu/, and build/rclite/ */

/* The file that this code is in; false when that is not to be found out. */
static bool own_file(char *ret_path, size_t capacity) {
    static const char anchor;
    Dl_info info;
    if (dladdr(&anchor, &info) == 0 || !info.dli_fname) {
        return false;
    }
    if (strchr(info.dli_fname, '/')) {
        return snprintf(ret_path, capacity, "%s", info.dli_fname) < (int)capacity;
    }
    /* A program that was found through PATH. */
    ssize_t size = readlink("/proc/self/exe", ret_path, capacity - 1);
    if (size <= 0) {
        return false;
    }
    ret_path[size] = '\0';
    return true;
}

void rclitei_own_definitions(rclitei_text *path, rclite_generation generation) {
    char folder[4096];
    if (!own_file(folder, sizeof folder)) {
        return;
    }
    *strrchr(folder, '/') = '\0';
    for (int level = 0; level <= LEVELS_MAX; level++) {
        char candidate[sizeof folder + 64];
        snprintf(candidate, sizeof candidate, "%s/share/rclite/interfaces/ros%d", folder,
            generation == RCLITE_ROS1 ? 1 : 2);
        if (access(candidate, R_OK) == 0) {
            rclitei_text_add(path, candidate);
            return;
        }
        if (strlen(folder) + 4 > sizeof folder) {
            return;
        }
        strcat(folder, "/..");
    }
}
