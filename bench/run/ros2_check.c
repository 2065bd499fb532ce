/* Looks at an installation; see ros2_check.h. RMWs are taken from where ROS 2 itself registers
 * them, the resource index of each prefix; nothing is loaded. */
#include "run/ros2_check.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

#define RMW_INDEX "share/ament_index/resource_index/rmw_typesupport"

static int starts_with_rmw(const struct dirent *entry) {
    return strncmp(entry->d_name, "rmw_", 4) == 0 &&
           strcmp(entry->d_name, "rmw_implementation") != 0;
}

static void add_rmws(const char *prefix, strvec *rmws) {
    char *index = util_format("%s/" RMW_INDEX, prefix);
    struct dirent **entries = NULL;
    int count = scandir(index, &entries, starts_with_rmw, alphasort);
    for (int i = 0; i < count; i++) {
        if (!strvec_contains(rmws, entries[i]->d_name)) {
            strvec_push(rmws, entries[i]->d_name);
        }
        free(entries[i]);
    }
    free(entries);
    free(index);
}

/* Distributions are named in the order of the alphabet. */
static bool is_too_old(const char *distribution) {
    return strcmp(distribution, "unknown") != 0 && strcmp(distribution, "iron") < 0;
}

static char *missing_rmw(const run_ros2 *ros2) {
    char *there = strvec_join(&ros2->rmws, ", ");
    char *package = util_format("ros-%s-%s", ros2->distribution, ros2->rmw);
    for (char *at = package; *at != '\0'; at++) {
        *at = *at == '_' ? '-' : *at;
    }
    char *text =
        util_format("RMW_IMPLEMENTATION is %s, which is not installed (there are: %s): install %s, "
                    "or set RMW_IMPLEMENTATION",
            ros2->rmw, there, package);
    free(there);
    free(package);
    return text;
}

void run_ros2_check(run_ros2 *ros2) {
    const char *prefixes = strvec_variable(&ros2->environment, "AMENT_PREFIX_PATH");
    strvec dirs = {0};
    strvec_split(&dirs, prefixes == NULL ? ros2->prefix : prefixes, ':');
    for (size_t i = 0; i < dirs.count; i++) {
        add_rmws(dirs.items[i], &ros2->rmws);
    }
    strvec_done(&dirs);
    if (is_too_old(ros2->distribution)) {
        ros2->unusable = util_format("ROS 2 %s (%s) is not supported: Iron or later is needed, "
                                     "whose graph messages differ",
            ros2->distribution, ros2->prefix);
    } else if (ros2->rmws.count > 0 && !strvec_contains(&ros2->rmws, ros2->rmw)) {
        ros2->unusable = missing_rmw(ros2);
    }
}
