/* What a ROS 1 master takes to look a service up: the median of COUNT calls of lookupService over
 * one connection to 127.0.0.1, in ns. Every call of a service over a new connection begins with
 * one. Usage: lookup PORT COUNT */
#include <arpa/inet.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define COUNT_MAX 100000

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static int connect_to(uint16_t port) {
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof to) != 0) {
        perror("lookup: connecting to the master");
        exit(2);
    }
    return fd;
}

/* Is the answer whole: its head tells the length of its body. */
static bool is_whole(const char *answer, size_t size) {
    const char *body = strstr(answer, "\r\n\r\n");
    const char *length = strcasestr(answer, "content-length:");
    if (!body || !length) {
        return false;
    }
    return size >= (size_t)(body + 4 - answer) + strtoul(length + 15, NULL, 10);
}

static void call(int fd, const char *body) {
    char text[4096];
    size_t size = 0;
    int asked = snprintf(text, sizeof text,
        "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/xml\r\n"
        "Content-Length: %zu\r\n\r\n%s",
        strlen(body), body);
    if (send(fd, text, (size_t)asked, MSG_NOSIGNAL) != asked) {
        perror("lookup: asking");
        exit(2);
    }
    do {
        ssize_t got = recv(fd, text + size, sizeof text - 1 - size, 0);
        if (got <= 0) {
            fputs("lookup: the master does not answer\n", stderr);
            exit(2);
        }
        size += (size_t)got;
        text[size] = '\0';
    } while (!is_whole(text, size));
    if (strncmp(text, "HTTP/1.1 200", 12) != 0) {
        fprintf(stderr, "lookup: the master says %.40s\n", text);
        exit(2);
    }
}

static int compare(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

#define TEXT(value) "<param><value><string>" value "</string></value></param>"
#define CALL(method, params)                                                                       \
    "<?xml version=\"1.0\"?><methodCall><methodName>" method "</methodName><params>" params        \
    "</params></methodCall>"

int main(int argc, char **argv) {
    long port = argc == 3 ? strtol(argv[1], NULL, 10) : 0;
    long count = argc == 3 ? strtol(argv[2], NULL, 10) : 0;
    if (port < 1 || port > UINT16_MAX || count < 1 || count > COUNT_MAX) {
        fprintf(stderr, "usage: lookup PORT COUNT (1 to %d)\n", COUNT_MAX);
        return 2;
    }
    int64_t *took = malloc((size_t)count * sizeof *took);
    if (!took) {
        return 2;
    }
    int fd = connect_to((uint16_t)port);
    call(fd, CALL("registerService", TEXT("/lookup") TEXT("/lookup") TEXT("rosrpc://127.0.0.1:1")
                                         TEXT("http://127.0.0.1:1/")));
    for (long i = 0; i < count; i++) {
        int64_t begin = now_ns();
        call(fd, CALL("lookupService", TEXT("/lookup") TEXT("/lookup")));
        took[i] = now_ns() - begin;
    }
    call(fd,
        CALL("unregisterService", TEXT("/lookup") TEXT("/lookup") TEXT("rosrpc://127.0.0.1:1")));
    qsort(took, (size_t)count, sizeof *took, compare);
    printf("%lld\n", (long long)took[count / 2]);
    close(fd);
    free(took);
    return 0;
}
