/* The kit in C for peers in Common Lisp: a library that kit.lisp loads. Lisp gives its functions as
 * one array of pointers and asks for the job by the names of its fields, so that no C structure has
 * to be described twice. Everything of the protocol is the C kit's. */
#include <stdint.h>
#include <string.h>

#include "peer_kit.h"

#define LISP_API __attribute__((visibility("default")))

/* The order of the array that kit.lisp fills. Functions that return int return 0 on failure, with
 * the text in error (PEER_ERROR_BYTES). */
typedef struct lisp_functions {
    int (*refuses)(const peer_job *job, char *field); /* 1: refused, field (64 bytes) written */
    int (*create)(peer_kit *kit, const peer_job *job, char *error);
    int (*wait_matched)(int64_t timeout_ns, char *error);
    int (*publish)(char *error);
    int (*echo)(char *error); /* the message is the one that is being reported */
    int (*call)(uint64_t token, int64_t t1_ns, char *error);
    void (*forget)(uint64_t token);
    void (*destroy)(void);
} lisp_functions;

typedef struct lisp_peer {
    const lisp_functions *lisp;
    char refused[64];
} lisp_peer;

LISP_API int lisp_kit_main(char *job_path, const lisp_functions *functions);
LISP_API const char *lisp_kit_text(const peer_job *job, const char *field);
LISP_API int64_t lisp_kit_number(const peer_job *job, const char *field);
LISP_API const char *lisp_kit_setting(const peer_job *job, const char *name, const char *otherwise);
LISP_API int64_t lisp_kit_now(void);
LISP_API void lisp_kit_payload(peer_kit *kit, uint8_t *data);
LISP_API void lisp_kit_effective(peer_kit *kit, const peer_job *job, const char *transport,
    const char *library, const char *version);
LISP_API void lisp_kit_message(
    peer_kit *kit, int64_t arrived_ns, const uint8_t *data, uint64_t size);
LISP_API void lisp_kit_served(peer_kit *kit, int64_t t1_ns, int64_t t2_ns, int64_t t3_ns);
LISP_API void lisp_kit_answered(
    peer_kit *kit, uint64_t token, int64_t t2_ns, int64_t t3_ns, int64_t t4_ns, int corrupt);
LISP_API void lisp_kit_unanswered(peer_kit *kit, uint64_t token);
LISP_API void lisp_kit_fail(peer_kit *kit, const char *text);
LISP_API void lisp_kit_map_fill(int8_t *data, uint64_t size);
LISP_API int lisp_kit_map_is_intact(const peer_job *job, const int8_t *data, uint64_t size);

/* ---- peer_ops over the array ---- */

static const char *ops_refuses(void *self, const peer_job *job) {
    lisp_peer *peer = self;
    return peer->lisp->refuses(job, peer->refused) ? peer->refused : NULL;
}

static bool ops_create(void *self, peer_kit *kit, const peer_job *job, char *error) {
    return ((lisp_peer *)self)->lisp->create(kit, job, error) != 0;
}

static bool ops_wait_matched(void *self, int64_t timeout_ns, char *error) {
    return ((lisp_peer *)self)->lisp->wait_matched(timeout_ns, error) != 0;
}

static bool ops_publish(void *self, char *error) {
    return ((lisp_peer *)self)->lisp->publish(error) != 0;
}

static bool ops_echo(void *self, const void *message, char *error) {
    (void)message;
    return ((lisp_peer *)self)->lisp->echo(error) != 0;
}

static bool ops_call(void *self, uint64_t token, int64_t t1_ns, char *error) {
    return ((lisp_peer *)self)->lisp->call(token, t1_ns, error) != 0;
}

static void ops_forget(void *self, uint64_t token) {
    ((lisp_peer *)self)->lisp->forget(token);
}

static void ops_destroy(void *self) {
    ((lisp_peer *)self)->lisp->destroy();
}

int lisp_kit_main(char *job_path, const lisp_functions *functions) {
    static const char *const settings[] = {"connection", NULL};
    lisp_peer peer = {.lisp = functions};
    peer_ops ops = {.settings = settings,
        .refuses = ops_refuses,
        .create = ops_create,
        .wait_matched = ops_wait_matched,
        .publish = ops_publish,
        .echo = ops_echo,
        .call = ops_call,
        .forget = ops_forget,
        .destroy = ops_destroy};
    char program[] = "peer";
    char *argv[] = {program, job_path, NULL};
    return peer_main(2, argv, &ops, &peer);
}

/* ---- the job, by name ---- */

/* NULL: null in the job, or no such field. */
const char *lisp_kit_text(const peer_job *job, const char *field) {
    static const char *const patterns[] = {"topic", "service", "action", "startup"};
    static const char *const roles[] = {"publisher", "subscriber", "client", "server"};
    const struct {
        const char *name, *text;
    } texts[] = {{"pattern", patterns[job->pattern]}, {"role", roles[job->role]},
        {"node", job->node}, {"topic", job->topic}, {"echo_topic", job->echo_topic},
        {"service", job->service}, {"action", job->action}, {"type", job->type},
        {"not_plain", peer_job_not_plain(job)}, {"pattern_type", peer_pattern_type(job->pattern)}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (strcmp(texts[i].name, field) == 0) {
            return texts[i].text;
        }
    }
    return NULL;
}

/* Flags are 0 and 1; -1: no such field. */
int64_t lisp_kit_number(const peer_job *job, const char *field) {
    const struct {
        const char *name;
        int64_t number;
    } numbers[] = {{"generation", job->generation}, {"echo", job->echo},
        {"payload_bytes", (int64_t)job->payload_bytes}, {"in_flight", job->in_flight},
        {"depth", job->qos.depth}, {"keep_all", job->qos.history == PEER_KEEP_ALL},
        {"transient_local", job->qos.durability == PEER_TRANSIENT_LOCAL}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (strcmp(numbers[i].name, field) == 0) {
            return numbers[i].number;
        }
    }
    return -1;
}

const char *lisp_kit_setting(const peer_job *job, const char *name, const char *otherwise) {
    return peer_job_setting(job, name, otherwise);
}

/* ---- reports ---- */

int64_t lisp_kit_now(void) {
    return peer_now_ns();
}

void lisp_kit_payload(peer_kit *kit, uint8_t *data) {
    peer_kit_payload(kit, data);
}

void lisp_kit_effective(peer_kit *kit, const peer_job *job, const char *transport,
    const char *library, const char *version) {
    peer_kit_effective(kit, &job->qos, transport, library, version);
}

void lisp_kit_message(peer_kit *kit, int64_t arrived_ns, const uint8_t *data, uint64_t size) {
    peer_kit_message_at(kit, arrived_ns, data, size, NULL);
}

void lisp_kit_served(peer_kit *kit, int64_t t1_ns, int64_t t2_ns, int64_t t3_ns) {
    peer_kit_served(kit, t1_ns, t2_ns, t3_ns);
}

void lisp_kit_answered(
    peer_kit *kit, uint64_t token, int64_t t2_ns, int64_t t3_ns, int64_t t4_ns, int corrupt) {
    peer_kit_answered(kit, token, t2_ns, t3_ns, t4_ns, corrupt != 0);
}

void lisp_kit_unanswered(peer_kit *kit, uint64_t token) {
    peer_kit_unanswered(kit, token);
}

void lisp_kit_fail(peer_kit *kit, const char *text) {
    peer_kit_fail(kit, text);
}

void lisp_kit_map_fill(int8_t *data, uint64_t size) {
    peer_map_fill(data, size);
}

int lisp_kit_map_is_intact(const peer_job *job, const int8_t *data, uint64_t size) {
    return peer_map_check(data, size, job->payload_bytes, job->verify);
}
