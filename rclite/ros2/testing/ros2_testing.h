/* What the ROS 2 backend's tests share: contexts that meet nobody but each other, a few hand-made
 * types, and waiting for things to happen. */
#ifndef RCLITE_ROS2_TESTING_H
#define RCLITE_ROS2_TESTING_H

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "rclite/rclite.h"

#define TESTING_TIMEOUT_NS INT64_C(10000000000)

/* Cyclone's configuration of every test context: loopback, and a tag of this process, so that tests
 * which run at the same time do not see each other. */
const char *testing_dds_config(void);
#define TESTING_DOMAIN 13
/* A second Cyclone domain of this process that appears as the first one on the network: contexts in
 * the two meet over UDP, those in the same one inside the process. */
#define TESTING_DOMAIN_REMOTE 14
rclite_context *testing_context(rclite_delivery delivery, int domain);
rclite_context *testing_context_logging(rclite_delivery delivery, int domain,
    void (*log)(rclite_log_level level, const char *text, void *user), void *user);
/* With an allocator of its own; direct, in TESTING_DOMAIN, and silent. */
rclite_context *testing_context_allocating(const rclite_allocator *allocator);
rclite_node *testing_node(rclite_context *context, const char *name);

/* Two contexts with a node each, /left and /right, that meet over UDP. */
typedef struct testing_pair {
    rclite_context *contexts[2];
    rclite_node *nodes[2];
} testing_pair;
testing_pair testing_pair_open(rclite_delivery delivery);
void testing_pair_close(testing_pair *pair);

typedef struct testing_bytes {
    uint64_t seq;
    rclite_uint8_sequence data;
} testing_bytes;
extern const rclite_type testing_bytes_type;
extern const rclite_type testing_other_type; /* another wire name, the same struct */

typedef struct testing_numbers {
    int64_t a, b;
} testing_numbers;
extern const rclite_type testing_numbers_type;
extern const rclite_service_type testing_service_type; /* numbers -> bytes: seq = a, size = b */

/* A counter that callbacks raise and the test waits on. */
typedef struct testing_gate {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint64_t count;
} testing_gate;
#define TESTING_GATE_INIT                                                                          \
    { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0 }
void testing_gate_add(testing_gate *gate, uint64_t count);
uint64_t testing_gate_count(testing_gate *gate);
/* Until count is at least that. false: the time passed. */
bool testing_gate_wait(testing_gate *gate, uint64_t count, int64_t timeout_ns);
/* The same while spinning. */
bool testing_gate_spin(
    testing_gate *gate, rclite_context *context, uint64_t count, int64_t timeout_ns);

#define assert_ok(call) assert_int_equal((call), RCLITE_OK)

#endif
