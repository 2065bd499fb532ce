/* Temporary folders, made and cleared; see work_dir.h. */
#include "run/work_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/memory.h"

#define PREFIX "rclbench-"
#define RANDOM_LEN 6 /* as mkdtemp() has it */
#define TRIES 10

static const char *parent(void) {
    const char *tmp = getenv("TMPDIR");
    return tmp == NULL || tmp[0] == '\0' ? "/tmp" : tmp;
}

static int remove_entry(const char *path, const struct stat *status, int flag, struct FTW *ftw) {
    (void)status;
    (void)flag;
    (void)ftw;
    return remove(path) == 0 || errno == ENOENT ? 0 : -1;
}

static void remove_all(const char *path) {
    nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

/* The lock of a folder, or -1: there is none, or somebody holds it. The lock of a folder that is
 * being deleted counts as none. */
static int take_lock(const char *dir, int flags) {
    char *path = util_format("%s/lock", dir);
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
    free(path);
    struct stat status;
    if (fd >= 0 && (flock(fd, LOCK_EX | LOCK_NB) != 0 || fstat(fd, &status) != 0 ||
                       status.st_nlink == 0 || status.st_uid != geteuid())) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static int is_ours_by_name(const struct dirent *entry) {
    return strncmp(entry->d_name, PREFIX, strlen(PREFIX)) == 0 &&
           strlen(entry->d_name) == strlen(PREFIX) + RANDOM_LEN;
}

/* Folders whose owner is dead: nobody else can have left a lock that can be taken. */
static void clear_stale(void) {
    struct dirent **entries = NULL;
    int count = scandir(parent(), &entries, is_ours_by_name, NULL);
    for (int i = 0; i < count; i++) {
        char *dir = util_format("%s/%s", parent(), entries[i]->d_name);
        struct stat status;
        bool own =
            lstat(dir, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid();
        int fd = own ? take_lock(dir, 0) : -1;
        if (fd >= 0) {
            remove_all(dir);
            close(fd);
        }
        free(dir);
        free(entries[i]);
    }
    free(entries);
}

bool run_work_dir_create(run_work_dir *dir, char **ret_error) {
    clear_stale();
    /* Between mkdtemp() and the lock a run that clears may take the folder for a dead one's. */
    for (int i = 0; i < TRIES; i++) {
        dir->path = util_format("%s/" PREFIX "XXXXXX", parent());
        if (mkdtemp(dir->path) == NULL) {
            break;
        }
        dir->lock_fd = take_lock(dir->path, O_CREAT);
        if (dir->lock_fd >= 0) {
            return true;
        }
        remove_all(dir->path);
        free(dir->path);
        dir->path = NULL;
    }
    *ret_error = util_format("no temporary folder in %s: %s", parent(), strerror(errno));
    free(dir->path);
    dir->path = NULL;
    return false;
}

void run_work_dir_done(run_work_dir *dir) {
    if (dir->path != NULL) {
        remove_all(dir->path);
        close(dir->lock_fd);
        free(dir->path);
        dir->path = NULL;
    }
}
