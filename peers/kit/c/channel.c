/* The control channel. A thread of its own reads descriptor 3, so that the harness's end ends the
 * peer even while main's thread is inside the library. */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kit.h"

#define FROM_HARNESS_FD 3
#define TO_HARNESS_FD 4
#define LINE_BYTES 4096
#define COMMAND_BYTES 16

/* Set when nobody needs the harness any more; the listening thread may outlive the kit's state. */
static atomic_bool finished;

static void take_command(peer_kit *kit, const char *command) {
    char text[64];
    if (strcmp(command, "go") != 0 && strcmp(command, "stop") != 0) {
        snprintf(text, sizeof text, "the harness said \"%s\", not go or stop", command);
        peer_kit_fail(kit, text);
        return;
    }
    pthread_mutex_lock(&kit->lock);
    if (command[0] == 'g') {
        kit->go = true;
    } else {
        kit->stops++;
        kit->stopped_ns = peer_monotonic_ns();
    }
    pthread_cond_broadcast(&kit->control);
    pthread_cond_broadcast(&kit->progress);
    pthread_mutex_unlock(&kit->lock);
}

static void *listen_main(void *argument) {
    peer_kit *kit = argument;
    char line[COMMAND_BYTES];
    size_t length = 0;
    for (;;) {
        char byte;
        ssize_t got = read(FROM_HARNESS_FD, &byte, 1);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            break;
        }
        if (atomic_load(&finished)) {
            continue;
        }
        if (byte != '\n') {
            line[length] = byte;
            length += length + 1 < sizeof line;
            continue;
        }
        line[length] = '\0';
        length = 0;
        take_command(kit, line);
    }
    if (!atomic_load(&finished)) {
        _exit(PEER_EXIT_FAILED); /* the harness is gone */
    }
    return NULL;
}

bool peer_channel_start(peer_kit *kit, char *error) {
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failure = pthread_create(&thread, NULL, listen_main, kit);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failure != 0) {
        snprintf(error, PEER_ERROR_BYTES, "cannot start a thread: %s", strerror(failure));
        return false;
    }
    pthread_detach(thread);
    return true;
}

void peer_channel_finish(void) {
    atomic_store(&finished, true);
}

void peer_channel_say(peer_kit *kit, const char *format, ...) {
    char line[LINE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line - 1, format, arguments);
    va_end(arguments);
    if (length < 0) {
        return;
    }
    if (kit && kit->ops->say) {
        kit->ops->say(kit->self, line, sizeof line - 1);
        if (!line[0]) {
            return;
        }
    }
    for (char *c = line; *c; c++) {
        *c = *c == '\n' || *c == '\r' ? ' ' : *c;
    }
    strcat(line, "\n"); /* room was kept for it */
    size_t size = strlen(line);
    for (size_t written = 0; written < size;) {
        ssize_t step = write(TO_HARNESS_FD, line + written, size - written);
        if (step < 0 && errno != EINTR) {
            return; /* the listening thread sees the end of the harness */
        }
        written += step > 0 ? (size_t)step : 0;
    }
}
