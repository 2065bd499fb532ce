/* sendmsg and recv only: what goes through a socket is not counted as writing by /proc/PID/io. */
#include "link.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define RETRY_NS 5000000

static socklen_t make_address(const char *name, struct sockaddr_un *address) {
    const char *domain = getenv("ROS_DOMAIN_ID");
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    /* Byte 0 of the path stays NUL: the abstract namespace. */
    int length = snprintf(address->sun_path + 1, sizeof address->sun_path - 1, "rclbench-null-%s%s",
        domain ? domain : "0", name);
    size_t most = sizeof address->sun_path - 2;
    size_t used = (size_t)length < most ? (size_t)length : most;
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + used);
}

int link_listen(const char *name, char *error) {
    struct sockaddr_un address;
    socklen_t length = make_address(name, &address);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, length) != 0 || listen(fd, 8) != 0) {
        snprintf(error, PEER_ERROR_BYTES, "cannot listen for %.100s: %m", name);
        if (fd >= 0) {
            close(fd);
        }
        return -1;
    }
    return fd;
}

int link_accept(int listener) {
    int fd;
    do {
        fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    } while (fd < 0 && errno == EINTR);
    return fd;
}

int link_connect(const char *name, int64_t timeout_ns, char *error) {
    struct sockaddr_un address;
    socklen_t length = make_address(name, &address);
    int64_t deadline = peer_now_ns() + timeout_ns;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    while (fd >= 0 && connect(fd, (struct sockaddr *)&address, length) != 0) {
        /* An abstract name cannot be watched, so it is asked for again. */
        nanosleep(&(struct timespec){.tv_nsec = RETRY_NS}, NULL);
        if (peer_now_ns() > deadline) {
            close(fd);
            fd = -1;
        }
    }
    if (fd < 0) {
        snprintf(error, PEER_ERROR_BYTES, "nobody listens for %.100s after %lld ms", name,
            (long long)(timeout_ns / 1000000));
    }
    return fd;
}

bool link_send(int fd, const link_frame *frame, const void *bytes) {
    size_t whole = sizeof *frame + frame->size;
    for (size_t sent = 0; sent < whole;) {
        size_t of_head = sent < sizeof *frame ? sizeof *frame - sent : 0;
        size_t of_bytes = sent > sizeof *frame ? sent - sizeof *frame : 0;
        struct iovec parts[] = {
            {(char *)(uintptr_t)frame + (sizeof *frame - of_head), of_head},
            {(char *)(uintptr_t)bytes + of_bytes, frame->size - of_bytes},
        };
        struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
        ssize_t step = sendmsg(fd, &message, MSG_NOSIGNAL);
        if (step < 0 && errno != EINTR) {
            return false;
        }
        sent += step > 0 ? (size_t)step : 0;
    }
    return true;
}

bool link_receive(int fd, void *bytes, size_t size) {
    for (size_t got = 0; got < size;) {
        ssize_t step = recv(fd, (char *)bytes + got, size - got, 0);
        if (step == 0 || (step < 0 && errno != EINTR)) {
            return false;
        }
        got += step > 0 ? (size_t)step : 0;
    }
    return true;
}
