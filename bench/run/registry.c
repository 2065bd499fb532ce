/* Finds manifests in folders; see registry.h. */
#include "run/registry.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/memory.h"
#include "util/strbuf.h"

#define MANIFEST_BYTES_MAX (256 * 1024)

void run_peer_done(run_peer *peer) {
    for (size_t i = 0; i < peer->variant_count; i++) {
        free(peer->variants[i].name);
        free(peer->variants[i].label);
        free(peer->variants[i].settings_json);
    }
    free(peer->variants);
    plan_rules_done(&peer->rules);
    strvec_done(&peer->probe);
    strvec_done(&peer->run);
    free(peer->name);
    free(peer->language);
    free(peer->library);
    free(peer->family);
    free(peer->install);
    free(peer->dir);
    free(peer->build_dir);
    free(peer->probe_line);
    memset(peer, 0, sizeof *peer);
}

void run_registry_done(run_registry *registry) {
    for (size_t i = 0; i < registry->peer_count; i++) {
        run_peer_done(&registry->peers[i]);
    }
    free(registry->peers);
    strvec_done(&registry->problems);
    free(registry->kit_dir);
    memset(registry, 0, sizeof *registry);
}

run_peer *run_registry_find(
    const run_registry *registry, const char *variant_name, const run_variant **ret_variant) {
    for (size_t i = 0; i < registry->peer_count; i++) {
        run_peer *peer = &registry->peers[i];
        for (size_t j = 0; j < peer->variant_count; j++) {
            if (strcmp(peer->variants[j].name, variant_name) == 0) {
                if (ret_variant != NULL) {
                    *ret_variant = &peer->variants[j];
                }
                return peer;
            }
        }
    }
    return NULL;
}

/* The whole file, bounded; NULL with errno. */
static char *read_file(const char *path, size_t *ret_len) {
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return NULL;
    }
    char *text = util_alloc(MANIFEST_BYTES_MAX + 1, 1);
    size_t len = fread(text, 1, MANIFEST_BYTES_MAX + 1, file);
    int error = ferror(file) ? (errno == 0 ? EIO : errno) : 0;
    if (error == 0 && len > MANIFEST_BYTES_MAX) {
        error = EFBIG;
    }
    fclose(file);
    if (error != 0) {
        free(text);
        errno = error;
        return NULL;
    }
    *ret_len = len;
    return text;
}

static bool problem(run_registry *registry, char *text) {
    strvec_push_owned(&registry->problems, text);
    return false;
}

/* Names already taken by an earlier manifest. */
static bool check_taken(run_registry *registry, const char *path, const run_peer *peer) {
    for (size_t i = 0; i < registry->peer_count; i++) {
        if (strcmp(registry->peers[i].name, peer->name) == 0) {
            return problem(registry, util_format("%s: passed over, there is a peer '%s' in %s",
                                         path, peer->name, registry->peers[i].dir));
        }
    }
    for (size_t i = 0; i < peer->variant_count; i++) {
        const char *name = peer->variants[i].name;
        const run_peer *other = run_registry_find(registry, name, NULL);
        if (other != NULL) {
            return problem(
                registry, util_format("%s: passed over, the peer '%s' has a variant '%s'", path,
                              other->name, name));
        }
    }
    return true;
}

/* False when it is broken; the problem is recorded. */
static bool add_manifest(run_registry *registry, const char *path, const char *build_dir) {
    size_t len = 0;
    char *text = read_file(path, &len);
    if (text == NULL) {
        return problem(registry, util_format("%s: %s", path, strerror(errno)));
    }
    run_peer peer;
    char *error = NULL;
    bool ok = run_manifest_parse(text, len, path, &peer, &error);
    free(text);
    if (!ok) {
        return problem(registry, error);
    }
    if (!check_taken(registry, path, &peer)) {
        run_peer_done(&peer);
        return false;
    }
    char *dir = util_strndup(path, (size_t)(strrchr(path, '/') - path));
    char *real = realpath(dir, NULL);
    peer.dir = real == NULL ? util_strdup(dir) : real;
    peer.build_dir = util_strdup(build_dir == NULL ? peer.dir : build_dir);
    free(dir);
    util_reserve(&registry->peers, &registry->peer_capacity, registry->peer_count + 1,
        sizeof *registry->peers);
    registry->peers[registry->peer_count++] = peer;
    return true;
}

static bool is_file(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static int not_hidden(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

/* DIR/NAME/peer.json, whose build folder is BUILD/NAME if there is such a folder. */
static void add_below(run_registry *registry, run_registry_place place, const char *name) {
    char *path = util_format("%s/%s/peer.json", place.dir, name);
    if (is_file(path)) {
        char *build_dir = NULL;
        if (place.build_dir != NULL) {
            build_dir = util_format("%s/%s", place.build_dir, name);
        }
        add_manifest(registry, path, build_dir);
        free(build_dir);
    }
    free(path);
}

bool run_registry_add_place(run_registry *registry, run_registry_place place, char **ret_error) {
    char *own = util_format("%s/peer.json", place.dir);
    if (is_file(own)) {
        add_manifest(registry, own, place.build_dir);
        free(own);
        return true;
    }
    free(own);
    struct dirent **entries = NULL;
    int count = scandir(place.dir, &entries, not_hidden, alphasort);
    if (count < 0) {
        *ret_error =
            util_format("peers cannot be looked for in %s: %s", place.dir, strerror(errno));
        return false;
    }
    for (int i = 0; i < count; i++) {
        add_below(registry, place, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return true;
}

/* This program's own peers. */
static bool add_own(run_registry *registry, char **ret_error) {
    char exe[PATH_MAX];
    ssize_t len = readlink("/proc/self/exe", exe, sizeof exe - 1);
    if (len < 0) {
        *ret_error = util_format("/proc/self/exe: %s", strerror(errno));
        return false;
    }
    exe[len] = '\0';
    for (int i = 0; i < 2; i++) { /* The folder above the program's. */
        char *slash = strrchr(exe, '/');
        if (slash != NULL) {
            *slash = '\0';
        }
    }
    bool in_build = strcmp(exe, RCLBENCH_BINARY_DIR) == 0;
    char *dir = in_build ? util_strdup(RCLBENCH_SOURCE_DIR "/peers")
                         : util_format("%s/share/rclbench/peers", exe);
    char *build_dir = in_build ? util_strdup(RCLBENCH_BINARY_DIR "/peers")
                               : util_format("%s/" RCLBENCH_LIBDIR "/rclbench/peers", exe);
    registry->kit_dir = util_format("%s/kit", dir);
    run_registry_place place = {dir, build_dir};
    bool ok = run_registry_add_place(registry, place, ret_error);
    free(dir);
    free(build_dir);
    return ok;
}

bool run_registry_load(run_registry *registry, const strvec *peer_path, char **ret_error) {
    memset(registry, 0, sizeof *registry);
    strvec dirs = {0};
    if (peer_path != NULL) {
        strvec_push_all(&dirs, peer_path);
    }
    const char *variable = getenv("RCLBENCH_PEER_PATH");
    if (variable != NULL && variable[0] != '\0') {
        strvec_split(&dirs, variable, ':');
    }
    bool ok = true;
    for (size_t i = 0; ok && i < dirs.count; i++) {
        if (dirs.items[i][0] != '\0') {
            ok = run_registry_add_place(
                registry, (run_registry_place){dirs.items[i], NULL}, ret_error);
        }
    }
    strvec_done(&dirs);
    return ok && add_own(registry, ret_error);
}
