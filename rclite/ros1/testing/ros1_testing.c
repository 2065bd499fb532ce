/* See ros1_testing.h. */
#include "testing/ros1_testing.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ros1/ros1.h"

#define MASTER_START_NS INT64_C(40000000000) /* Python takes its time on a busy machine */
#define MASTER_ATTEMPTS 5

static pid_t master_pid; /* of this test program */
static char last_log[512];

/* ---- the master ----------------------------------------------------------------------------- */

static uint16_t free_port(void) {
    uint16_t port = 0;
    int fd = rclitei_socket_listen("127.0.0.1", &port);
    close(fd);
    return port;
}

static void run_master(uint16_t port) {
    char text[16];
    char home[] = "/tmp/rclite-ros1-test-XXXXXX";
    snprintf(text, sizeof text, "%u", (unsigned)port);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (mkdtemp(home)) {
        setenv("ROS_LOG_DIR", home, 1);
        setenv("ROS_HOME", home, 1);
    }
    if (freopen("/dev/null", "w", stdout) && freopen("/dev/null", "w", stderr)) {
        execl("/usr/bin/python3", "python3", "/usr/bin/rosmaster", "--core", "-p", text,
            (char *)NULL);
    }
    _exit(127);
}

static bool is_listening(uint16_t port) {
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool connected = connect(fd, (struct sockaddr *)&to, sizeof to) == 0;
    close(fd);
    return connected;
}

/* False: it has ended, because somebody else took the port meanwhile. */
static bool await_master(uint16_t port) {
    int64_t deadline = rclite_monotonic_ns() + MASTER_START_NS;
    while (!is_listening(port)) {
        if (waitpid(master_pid, NULL, WNOHANG) != 0) {
            return false;
        }
        if (rclite_monotonic_ns() > deadline) {
            fprintf(stderr, "rosmaster does not listen\n");
            exit(1);
        }
        nanosleep(&(struct timespec){0, 20000000}, NULL);
    }
    return true;
}

bool testing_master_start(void) {
    if (access("/usr/bin/rosmaster", X_OK) != 0) {
        return false;
    }
    uint16_t port = 0;
    for (int attempt = 0; attempt == 0 || !await_master(port); attempt++) {
        if (attempt == MASTER_ATTEMPTS) {
            fprintf(stderr, "rosmaster ends by itself\n");
            exit(1);
        }
        port = free_port();
        master_pid = fork();
        if (master_pid == 0) {
            run_master(port);
        }
    }
    char uri[64];
    snprintf(uri, sizeof uri, "http://127.0.0.1:%u", (unsigned)port);
    setenv("ROS_MASTER_URI", uri, 1);
    setenv("ROS_IP", "127.0.0.1", 1);
    unsetenv("ROS_HOSTNAME");
    unsetenv("ROS_NAMESPACE");
    return true;
}

void testing_master_stop(void) {
    if (master_pid > 0) {
        kill(master_pid, SIGKILL);
        waitpid(master_pid, NULL, 0);
        master_pid = 0;
    }
}

/* ---- contexts ------------------------------------------------------------------------------- */

static void keep_log(rclite_log_level level, const char *text, void *user) {
    (void)level;
    (void)user;
    snprintf(last_log, sizeof last_log, "%s", text);
}

const char *testing_last_log(void) {
    return last_log;
}

rclite_context *testing_context_with(rclite_delivery delivery, const rclite_allocator *allocator,
    int argc, const char *const *argv) {
    rclite_context_options options = RCLITE_CONTEXT_OPTIONS_INIT;
    options.generation = RCLITE_ROS1;
    options.delivery = delivery;
    options.allocator = allocator;
    options.argc = argc;
    options.argv = argv;
    options.log = keep_log;
    rclite_context *context = NULL;
    rclite_error error = {.text = ""};
    rclite_result result = rclite_context_create(&options, &context, &error);
    assert_string_equal(error.text, "");
    assert_int_equal(result, RCLITE_OK);
    return context;
}

rclite_context *testing_context(rclite_delivery delivery) {
    return testing_context_with(delivery, NULL, 0, NULL);
}

rclite_node *testing_node(rclite_context *context, const char *name) {
    rclite_node *node = NULL;
    assert_int_equal(rclite_node_create(context, name, "", &node, NULL), RCLITE_OK);
    return node;
}

void testing_wait(rclite_context *context, bool (*done)(void *user), void *user) {
    assert_int_equal(rclite_spin_until(context, done, user, TESTING_TIMEOUT_NS), RCLITE_OK);
}

void testing_set_handshake(rclite_context *context, int64_t timeout_ns) {
    ((struct ros1_context *)context)->handshake_ns = timeout_ns;
}

uint16_t testing_tcpros_port(const rclite_node *node) {
    return rclitei_ros1_node(node)->tcpros_listener->port;
}

uint16_t testing_slave_port(const rclite_node *node) {
    return rclitei_ros1_node(node)->rpc_listener->port;
}

static size_t count_inbounds(const rclite_node *node) {
    struct ros1_context *context = rclitei_ros1_context(node);
    size_t count = 0;
    pthread_mutex_lock(&context->lock);
    for (struct ros1_inbound *at = rclitei_ros1_node(node)->inbounds; at; at = at->next) {
        count++;
    }
    pthread_mutex_unlock(&context->lock);
    return count;
}

void testing_wait_inbounds(const rclite_node *node, size_t count) {
    int64_t deadline = rclite_monotonic_ns() + TESTING_TIMEOUT_NS;
    while (count_inbounds(node) != count) {
        assert_true(rclite_monotonic_ns() < deadline);
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
}

/* ---- raw connections ------------------------------------------------------------------------ */

int testing_connect(uint16_t port) {
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct timeval deadline = {10, 0};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &deadline, sizeof deadline);
    return fd;
}

void testing_send(int fd, const void *bytes, size_t size) {
    const uint8_t *at = bytes;
    while (size > 0) {
        ssize_t sent = send(fd, at, size, MSG_NOSIGNAL);
        assert_true(sent > 0);
        at += sent;
        size -= (size_t)sent;
    }
}

bool testing_receive(int fd, void *bytes, size_t size) {
    uint8_t *at = bytes;
    while (size > 0) {
        ssize_t got = recv(fd, at, size, 0);
        if (got == 0 || (got < 0 && errno == ECONNRESET)) {
            return false;
        }
        assert_true(got > 0);
        at += got;
        size -= (size_t)got;
    }
    return true;
}

bool testing_is_closed(int fd) {
    uint8_t byte;
    while (testing_receive(fd, &byte, 1)) {
    }
    return true;
}

size_t testing_header(uint8_t *buffer, size_t capacity, ...) {
    va_list fields;
    size_t at = 4;
    va_start(fields, capacity);
    for (const char *field = va_arg(fields, const char *); field;
         field = va_arg(fields, const char *)) {
        size_t size = strlen(field);
        assert_true(at + 4 + size <= capacity);
        rclitei_u32_write(buffer + at, (uint32_t)size);
        memcpy(buffer + at + 4, field, size);
        at += 4 + size;
    }
    va_end(fields);
    rclitei_u32_write(buffer, (uint32_t)(at - 4));
    return at;
}

char *testing_post(uint16_t port, const char *path, const char *body) {
    char head[256];
    int size = snprintf(head, sizeof head,
        "POST %s HTTP/1.1\r\nHost: x\r\nCONTENT-LENGTH: %zu\r\nConnection: close\r\n\r\n", path,
        strlen(body));
    int fd = testing_connect(port);
    testing_send(fd, head, (size_t)size);
    testing_send(fd, body, strlen(body));
    size_t capacity = 65536;
    size_t have = 0;
    char *answer = malloc(capacity);
    assert_non_null(answer);
    while (have < capacity - 1) {
        ssize_t got = recv(fd, answer + have, capacity - 1 - have, 0);
        assert_true(got >= 0);
        if (got == 0) {
            break;
        }
        have += (size_t)got;
    }
    close(fd);
    answer[have] = '\0';
    char *start = strstr(answer, "\r\n\r\n");
    assert_non_null(start);
    memmove(answer, start + 4, strlen(start + 4) + 1);
    return answer;
}

size_t testing_memory_bytes(void) {
#ifdef __SANITIZE_THREAD__
    return 0; /* its shadow memory grows with what is touched */
#else
    FILE *file = fopen("/proc/self/statm", "r");
    size_t total = 0;
    size_t resident = 0;
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%zu %zu", &total, &resident), 2);
    fclose(file);
    return resident * (size_t)sysconf(_SC_PAGESIZE);
#endif
}
