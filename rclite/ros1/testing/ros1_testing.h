/* What the ROS 1 backend's tests share: a private rosmaster on a free port (ended with the test),
 * contexts and nodes on loopback, raw connections as a hostile peer makes them, and waiting. */
#ifndef RCLITE_ROS1_TESTING_H
#define RCLITE_ROS1_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "rclite/rclite.h"

#define TESTING_TIMEOUT_NS INT64_C(30000000000)

/* Starts the master and sets ROS_MASTER_URI and ROS_IP. False: rosmaster is not installed; the test
 * exits 77. Ended by testing_master_stop, or with this process. */
bool testing_master_start(void);
void testing_master_stop(void);

rclite_context *testing_context(rclite_delivery delivery);
rclite_context *testing_context_with(
    rclite_delivery delivery, const rclite_allocator *allocator, int argc, const char *const *argv);
rclite_node *testing_node(rclite_context *context, const char *name);
/* The last line that a test's context logged. */
const char *testing_last_log(void);

/* Waits until done(user); fails the test after TESTING_TIMEOUT_NS. Spins the context. */
void testing_wait(rclite_context *context, bool (*done)(void *user), void *user);

/* How long a connection's header may take; before any connection is made. */
void testing_set_handshake(rclite_context *context, int64_t timeout_ns);
/* Ports of a node's servers. */
uint16_t testing_tcpros_port(const rclite_node *node);
uint16_t testing_slave_port(const rclite_node *node);

/* Waits until the node has so many accepted TCPROS connections. */
void testing_wait_inbounds(const rclite_node *node, size_t count);

/* A blocking connection to a port on loopback, with a deadline for reading. */
int testing_connect(uint16_t port);
void testing_send(int fd, const void *bytes, size_t size);
/* Reads exactly size bytes; false: the other side closed (or the deadline passed: the test fails).
 */
bool testing_receive(int fd, void *bytes, size_t size);
/* True when the other side closes within the deadline; what it sends before is dropped. */
bool testing_is_closed(int fd);
/* A TCPROS header of the "name=value" strings up to NULL, with its length. Returns its size. */
size_t testing_header(uint8_t *buffer, size_t capacity, ...);
/* Posts an XML-RPC body to a port and gives the answer's body; the caller frees it. */
char *testing_post(uint16_t port, const char *path, const char *body);
/* Resident memory of this process; always 0 under the thread sanitizer. */
size_t testing_memory_bytes(void);

#endif
